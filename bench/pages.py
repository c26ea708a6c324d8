# SPDX-License-Identifier: GPL-2.0-or-later
"""pages.py PANETOP TOOLS ROUNDS: maps of processes that are dense, sparse or in pieces, beside a bare loop and pagemon.

TOOLS is the directory of pages and cost, which bench/run compiles. The loop reads all of pagemap in preads of 1 MiB and
throws it away; pagemon shows one part of a process at a time, and is compared on the screen alone."""
import subprocess
import sys
from contextlib import contextmanager

from measure import median, steady

PANETOP, TOOLS, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
FEW, MANY = 2, 8
LOADS = {
    "dense: 4 GiB in pages of 4 KiB": ["dense", "4096"],
    "sparse: 1 TiB, 10,000 pages of it there": ["sparse", "1024", "10000"],
    "5,000 regions": ["regions", "5000"],
    "ordinary: 64 MiB": ["dense", "64"],
}


@contextmanager
def load(arguments):
    with subprocess.Popen([f"{TOOLS}/pages", *arguments], stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout.readline() != "ready\n":
                sys.exit(f"{arguments}: there is not enough memory for this")
            yield str(process.pid)
        finally:
            process.terminate()


def cost(command):
    """CPU seconds and peak resident KiB of a whole run."""
    words = subprocess.run([f"{TOOLS}/cost", *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                           text=True).stdout.split()
    return float(words[0]), int(words[1])


def map_cost(pid):
    """CPU ms of one map with all that is printed of it, and peak resident MiB."""
    def run(count):
        return cost([PANETOP, "-b", "-d", "0.05", "-n", str(count), "-p", pid, "-t", "page_total", "pages"])

    few, many = run(FEW)[0], run(MANY)
    return (many[0] - few) / (MANY - FEW) * 1000, many[1] / 1024


def loop_cost(pid):
    return float(subprocess.run([f"{TOOLS}/pages", "loop", pid, "3"], stdout=subprocess.PIPE, check=True,
                                text=True).stdout)


def screen_cost(command):
    """CPU ms per second on a terminal of 80x24, bytes sent per second, peak resident MiB."""
    cpu, sent, peak = steady(command, 5, 1)
    return cpu, sent, peak / 1024


def measure(arguments):
    maps, loops = [], []
    with load(arguments) as pid:
        for _ in range(ROUNDS):  # alternating, so that what else the machine does meets both alike
            maps.append(map_cost(pid))
            loops.append(loop_cost(pid))
        screens = {"panetop": screen_cost([PANETOP, "-p", pid, "pages"]), "pagemon": screen_cost(["pagemon", "-p", pid])}
    return {"map": median(cpu for cpu, _ in maps), "peak": max(peak for _, peak in maps), "loop": median(loops),
            "screens": screens}


def print_result(name, result):
    print(f"\n{name}\n  a map: {result['map']:.2f} ms of CPU, the bare loop {result['loop']:.2f} ms: "
          f"{result['map'] / result['loop']:.2f} times as much; peak RSS {result['peak']:.1f} MiB")
    for program, (cpu, sent, peak) in result["screens"].items():
        print(f"  on the screen {program}: {cpu / 10:.1f} % of a CPU, {sent:.0f} bytes/s, {peak:.1f} MiB")
    sys.stdout.flush()


def print_limits(results):
    dense, sparse, regions, ordinary = results
    limits = (
        ("dense, of the bare loop", dense["map"] / dense["loop"], 1.2, "", 2),
        ("dense, peak RSS", max(dense["peak"], dense["screens"]["panetop"][2]), 32, " MiB", 1),
        ("sparse", sparse["map"], 60, " ms", 1),
        ("5,000 regions, all of a map", regions["map"], 8, " ms", 1),
        ("ordinary, ten maps a second", ordinary["screens"]["panetop"][0] / 10, 10, " %", 1),
    )
    print("\nlimits: " + "; ".join(
        f"{what} {value:.{digits}f}{unit} (at most {limit}): {'holds' if value <= limit else 'missed'}"
        for what, value, limit, unit, digits in limits))


def main():
    results = []
    for name, arguments in LOADS.items():
        results.append(measure(arguments))
        print_result(name, results[-1])
    print_limits(results)


main()
