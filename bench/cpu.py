# SPDX-License-Identifier: GPL-2.0-or-later
"""cpu.py PANETOP TOOLS ROUNDS: the CPU pane beside cpustat, top, htop and the floor, among many processes.

TOOLS is the directory of crowd, floor and cost, which bench/run compiles."""
import os
import signal
import subprocess
import sys

from measure import BUSY, crowd, drain, first_screen_ms, median, spawn, steady, stop

PANETOP, TOOLS, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
FLOOR = f"{TOOLS}/floor"
SCREEN_BYTES = 500  # more than prepares a terminal, less than any first screen


class Size:
    """A number of processes, and how long it is looked at."""
    def __init__(self, processes, delay, many, rounds):
        self.processes, self.delay, self.many, self.rounds = processes, delay, many, max(1, rounds)
        self.screens = {
            "panetop": [PANETOP, "-d", str(delay), "cpu"],
            "cpustat": ["cpustat", "-X", str(delay)],
            "top": ["top", "-d", str(delay)],
            "htop": ["htop", "-d", str(int(delay * 10))],
        }
        self.batches = {
            "panetop": lambda count: [PANETOP, "-b", "-d", str(delay), "-n", str(count), "cpu"],
            "cpustat": lambda count: ["cpustat", str(delay), str(count)],
            "top": lambda count: ["top", "-b", "-d", str(delay), "-n", str(count)],
            "floor": lambda count: [FLOOR, str(delay), str(count)],
        }


FEW = 4  # samples
SIZES = [Size(200, 0.5, 12, ROUNDS), Size(2000, 0.5, 12, ROUNDS * 3 // 5), Size(10000, 1, 14, ROUNDS * 4 // 5)]
NAMES = ("panetop", "cpustat", "top", "htop", "floor")


def cost(command):
    """CPU seconds and peak resident KiB of a whole run."""
    words = subprocess.run([f"{TOOLS}/cost", *command], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    return float(words[0]), int(words[1])


def measure_batch(size, name):
    command_of = size.batches[name]
    first, _ = cost(command_of(1))
    few, _ = cost(command_of(FEW))  # what is done once is done by then
    many, peak = cost(command_of(size.many))
    return {"sample": (many - few) / (size.many - FEW) * 1000, "first": first * 1000, "peak": peak / 1024}


def measure_screen(size, name):
    seconds = 6 * size.delay
    cpu, sent, peak = steady(size.screens[name], seconds, size.delay)
    return {"screen": cpu, "bytes": sent / size.delay, "screen peak": peak / 1024}


def idle_bytes(size, busy, name):
    """Bytes per second that this one sends while the busy ones are stopped."""
    for pid in busy:
        os.kill(pid, signal.SIGSTOP)
    pid, fd, _ = spawn(size.screens[name])
    drain(fd, 3 * size.delay)
    sent = drain(fd, 8)[0] / 8
    stop(pid, fd)
    for pid in busy:
        os.kill(pid, signal.SIGCONT)
    return sent


def grown_peak_mib(size):
    """What panetop holds when it has read every command line, which it does bit by bit."""
    return cost([PANETOP, "-b", "-d", "0.05", "-n", str(size.processes // 60 + 10), "cpu"])[1] / 1024


def measure_size(size):
    runs = {name: [] for name in NAMES}
    with crowd(f"{TOOLS}/crowd", size.processes) as busy:
        for _ in range(size.rounds):  # alternating, so that what else the machine does meets all alike
            for name in size.batches:
                runs[name].append(measure_batch(size, name))
            for name, command in size.screens.items():
                runs[name].append({"start": first_screen_ms(command, SCREEN_BYTES)})
        for _ in range(2):
            for name in size.screens:
                runs[name].append(measure_screen(size, name))
        for _ in range(3):
            for name in size.screens:
                runs[name].append({"idle": idle_bytes(size, busy, name)})
        runs["panetop"].append({"grown": grown_peak_mib(size)})
    return {name: {key: median(run.get(key) for run in runs[name]) for run in runs[name] for key in run}
            for name in NAMES}


COLUMNS = (("sample", "CPU/sample", "ms", 2), ("first", "run of one", "CPU ms", 2), ("peak", "peak RSS", "MiB", 2),
           ("start", "first screen", "ms", 0), ("screen", "CPU/screen", "ms", 2), ("screen peak", "its RSS", "MiB", 2),
           ("bytes", "sent", "bytes/s", 0), ("idle", "sent at rest", "bytes/s", 0))


def print_size(size, results):
    print(f"\n{size.processes} processes, {BUSY} of them busy; a sample each {size.delay} s; medians of {size.rounds} "
          f"rounds (CPU/screen, its RSS, sent: of 2)")
    for line in (1, 2):
        print(f"{'':9}" + "".join(f"{column[line]:>14}" for column in COLUMNS))
    for name in NAMES:
        cells = []
        for key, _, _, digits in COLUMNS:
            value = results[name].get(key)
            cells.append("-" if value is None else f"{value:.{digits}f}")
        print(f"{name:9}" + "".join(f"{cell:>14}" for cell in cells))
    mine = results["panetop"]
    print(f"panetop: {mine['sample'] / results['cpustat']['sample']:.2f} of cpustat's sample; "
          f"{mine['grown']:.1f} MiB when all command lines are read")


def print_limits(results):
    most, least = results[SIZES[-1].processes], results[SIZES[0].processes]
    mine = most["panetop"]
    limits = (
        ("a sample at 10,000, of cpustat's", mine["sample"] / most["cpustat"]["sample"], 0.04, "", 3),
        ("peak RSS at 10,000", max(mine["peak"], mine["screen peak"], mine["grown"]), 16, " MiB", 1),
        ("an idle screen at 10,000", mine["idle"], 300, " bytes/s", 0),
        ("first screen at 10,000", mine["start"] / 1000, 0.3, " s", 2),
        ("a sample at 200, of cpustat's", least["panetop"]["sample"] / least["cpustat"]["sample"], 1, "", 2),
    )
    print("\nlimits: " + "; ".join(
        f"{what} {value:.{digits}f}{unit} (at most {limit}): {'holds' if value <= limit else 'missed'}"
        for what, value, limit, unit, digits in limits))


def main():
    results = {}
    for size in SIZES:
        results[size.processes] = measure_size(size)
        print_size(size, results[size.processes])
        sys.stdout.flush()
    print_limits(results)


main()
