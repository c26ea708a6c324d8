# SPDX-License-Identifier: GPL-2.0-or-later
"""events.py PANETOP TOOLS ROUNDS: the events pane beside forkstat, in storms that count themselves, at rest and
during a compile.

TOOLS is the directory of storm and gone, which bench/run compiles, and of config.h."""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager

import pyte

from measure import cpu_seconds, median, peak_resident_kib, spawn

PANETOP, TOOLS, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STORM, GONE = f"{TOOLS}/storm", f"{TOOLS}/gone"
FORK_SECONDS, EXEC_SECONDS, IDLE_SECONDS, WORKERS = 10, 5, 10, 2
KEPT_BYTES = 1 << 22  # of what a monitor writes to its terminal: enough for the statistics at the end
SETTLE_SECONDS = 1.5
SCREEN = {
    "panetop": [PANETOP, "events"],
    "forkstat -r": ["forkstat", "-r", "-S"],
    "forkstat": ["forkstat", "-S"],
}
SOURCES = sorted(source for part in ("kernel", "model", "sys", "topic")
                 for source in glob.glob(f"{TOP}/src/{part}/**/*.c", recursive=True))
# as big as is usual: it decides where the arguments lie on the stack of a new program
ENVIRONMENT = {f"VARIABLE_{number}": 80 * "x" for number in range(20)}
NOBODY = "nobody"  # watches: the storm alone


class Monitor:
    """One that runs in a terminal of its own, 80x24, whose output is read as fast as it comes."""
    def __init__(self, command):
        self.pid, self.fd, _ = spawn(command)
        self.text = b""
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        time.sleep(SETTLE_SECONDS)

    def _read(self):
        while True:
            try:
                data = os.read(self.fd, 1 << 20)
            except OSError:
                return
            if not data:
                return
            self.text = (self.text + data)[-KEPT_BYTES:]

    def cpu(self):
        return cpu_seconds(self.pid)

    def peak_mib(self):
        return peak_resident_kib(self.pid) / 1024

    def press(self, key):
        os.write(self.fd, key.encode())
        time.sleep(2 * SETTLE_SECONDS)

    def screen(self):
        """The lines that are shown."""
        screen = pyte.Screen(80, 24)
        pyte.ByteStream(screen).feed(self.text)
        return screen.display

    def end(self):
        os.kill(self.pid, signal.SIGINT)
        for _ in range(50):
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                break
            time.sleep(0.1)
        else:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.reader.join()
        os.close(self.fd)


class Storm:
    """Waiting to be let loose; it lives on until it is ended, so that nothing of it is counted too late."""
    def __init__(self, seconds, programs=()):
        self.process = subprocess.Popen([STORM, str(WORKERS), str(seconds), *programs], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)

    def blow(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        counts = [int(count) for count in self.process.stdout.readline().split()]
        time.sleep(SETTLE_SECONDS)  # what is still on its way
        return counts

    def end(self):
        self.process.stdin.close()
        if self.process.wait():
            sys.exit("a storm could not start its children: look at ulimit -u and pid_max")


def alternating(measure, names):
    runs = {name: [] for name in names}
    for _ in range(ROUNDS):  # so that what else the machine does meets all alike
        for name in names:
            runs[name].append(measure(name))
    return runs


def share(part, whole):
    return 100 * part / whole if whole else None


# --- two storms of vfork and exit, while the screen is drawn

def screen_numbers(monitor):
    """Forks and exits of the storm, and losses, as the screen shows them."""
    monitor.press("s")
    lines = monitor.screen()
    head = next((line.split() for line in lines if " forks " in line), [])
    row = next((line.split() for line in lines if line.split()[:1] == ["storm"]), None)
    lost = re.search(r"lost (\S+)", "\n".join(lines))
    if not row or len(row) < len(head) - 1:
        return {}
    cells = dict(zip([word for word in head if word not in ("per",)], row))
    return {"forks": cells.get("forks"), "exits": cells.get("exits"), "lost": lost and lost[1]}


def forkstat_numbers(text):
    """Its own sums, of all processes: what else the machine starts is counted, too."""
    table = text.rpartition("Total Process")[2]
    rows = re.findall(r"^ *(\d+) +(\d+) +(\d+) ", table, re.MULTILINE)
    if not rows:
        return {}
    return {"forks": sum(int(row[0]) for row in rows), "exits": sum(int(row[2]) for row in rows)}


def measure_forks(name):
    storm = Storm(FORK_SECONDS)
    monitor = Monitor(SCREEN[name]) if name != NOBODY else None
    before = monitor.cpu() if monitor else 0
    made = sum(storm.blow())
    result = {"made": made, "rate": made / FORK_SECONDS}
    if monitor:
        result |= {"cpu": monitor.cpu() - before, "peak": monitor.peak_mib()}
        numbers = screen_numbers(monitor) if name == "panetop" else {}
        monitor.end()
        if name != "panetop":
            numbers = forkstat_numbers(monitor.text.decode(errors="replace"))
        result |= numbers
    storm.end()
    return result


def exact_totals():
    """The same storm as programs are told of it: forks that were made, and forks, exits and losses in JSON."""
    storm = Storm(FORK_SECONDS)
    count = FORK_SECONDS + 2 * round(SETTLE_SECONDS) + 1
    command = [PANETOP, "-o", "json", "-n", str(count), "--events=core", "--statistics", "events"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as panetop:
        time.sleep(SETTLE_SECONDS)
        made = sum(storm.blow())
        tables = json.loads(panetop.stdout.readlines()[-1])["tables"]
    storm.end()
    row = next(row for row in tables["event_total"] if row["command"] == "storm")
    lost = sum(row["lost"] or 0 for row in tables["event_source"])
    return made + WORKERS, row["forks"], row["exits"], lost


def print_forks(runs):
    print(f"{WORKERS} storms of vfork and exit for {FORK_SECONDS} s, the screen drawn at 80x24; medians of "
          f"{ROUNDS} rounds, of forks/s the best")
    print(f"{'':12}{'forks/s':>10}{'slower by':>11}{'CPU s':>9}{'peak RSS':>11}{'forks told':>12}{'exits told':>12}"
          f"{'of':>10}{'lost':>6}")
    alone = max(run["rate"] for run in runs[NOBODY])
    for name, results in runs.items():
        rate = max(run["rate"] for run in results)
        print(f"{name:12}{rate:10.0f}", end="")
        if name == NOBODY:
            print()
            continue
        last = results[-1]
        print(f"{100 * (1 - rate / alone):10.1f}%{median(run['cpu'] for run in results):9.2f}"
              f"{median(run['peak'] for run in results):7.1f} MiB{last.get('forks', '-'):>12}{last.get('exits', '-'):>12}"
              f"{last['made'] + WORKERS:>10}{last.get('lost', 'untold'):>7}")


# --- storms of exec

WATCHERS = {
    "panetop": [PANETOP, "-o", "json", "--events=exec", "--statistics", "events"],
    "--no-bpf": [PANETOP, "--no-bpf", "-o", "json", "--events=exec", "--statistics", "events"],
    "forkstat -r": ["forkstat", "-r", "-e", "exec"],
    "forkstat": ["forkstat", "-e", "exec"],
}


@contextmanager
def programs(target):
    """One program under several names, so that a wrong name can be told from the right one."""
    with tempfile.TemporaryDirectory() as directory:
        names = [f"{directory}/program-{word}" for word in ("ash", "birch", "cedar", "elm")]
        for name in names:
            os.symlink(target, name)
        yield names


def commands_of_json(text):
    for line in text.splitlines():
        for row in json.loads(line)["tables"].get("event", []):
            yield row["program"] or "", row["command"] or ""


def commands_of_forkstat(text):
    for line in text.splitlines():
        words = line.split(None, 3)
        if len(words) == 4 and words[1] == "exec":
            yield words[3].split(" ")[0], words[3].strip()


def compare(told, counts, names):
    """Percent of the execs whose name was right, and whose whole command line was."""
    made = {name: set() for name in names}
    for worker, count in enumerate(counts):
        for number in range(count):
            name = names[number % len(names)]
            made[name].add(f"{name} --number={worker}.{number} --of=storm")
    named = dict.fromkeys(names, 0)
    whole = {name: set() for name in names}
    for program, command in told:
        if program in made:
            named[program] += 1
            if command in made[program]:
                whole[program].add(command)
    all_made = sum(counts)
    return (share(sum(min(named[name], len(made[name])) for name in names), all_made),
            share(sum(len(commands) for commands in whole.values()), all_made))


def measure_execs(name, names):
    storm = Storm(EXEC_SECONDS, names)
    with tempfile.TemporaryFile("w+") as output:
        watcher = subprocess.Popen(WATCHERS[name], stdout=output) if name != NOBODY else None
        time.sleep(SETTLE_SECONDS)
        before = cpu_seconds(watcher.pid) if watcher else 0
        counts = storm.blow()
        result = {"rate": sum(counts) / EXEC_SECONDS}
        if watcher:
            result |= {"cpu": cpu_seconds(watcher.pid) - before, "peak": peak_resident_kib(watcher.pid) / 1024}
            watcher.send_signal(signal.SIGINT)
            watcher.wait()
            output.seek(0)
            read = commands_of_forkstat if name.startswith("forkstat") else commands_of_json
            result["named"], result["whole"] = compare(read(output.read()), counts, names)
    storm.end()
    return result


def print_execs(runs, what):
    print(f"\n{WORKERS} storms of exec of {what}, {EXEC_SECONDS} s; told in batch; medians of {ROUNDS} "
          "rounds, of execs/s the best, named and whole line: the worst")
    print(f"{'':12}{'execs/s':>10}{'slower by':>11}{'CPU s':>9}{'peak RSS':>11}{'named':>10}{'whole line':>12}")
    alone = max(run["rate"] for run in runs[NOBODY])
    for name, results in runs.items():
        rate = max(run["rate"] for run in results)
        print(f"{name:12}{rate:10.0f}", end="")
        print("" if name == NOBODY else
              f"{100 * (1 - rate / alone):10.1f}%{median(run['cpu'] for run in results):9.2f}"
              f"{median(run['peak'] for run in results):7.1f} MiB{min(run['named'] for run in results):9.3f}%"
              f"{min(run['whole'] for run in results):11.3f}%")


# --- at rest

def switches(pid):
    """How often each thread gave up its CPU or lost it, by the thread."""
    counts = {}
    for task in glob.glob(f"/proc/{pid}/task/*"):
        with open(f"{task}/status", encoding="ascii", errors="replace") as file:
            counts[task] = sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)
    return counts


def processes_made():
    with open("/proc/stat", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("processes "))


def measure_idle(name):
    monitor = Monitor(SCREEN[name])
    time.sleep(3)
    cpu, before, made = monitor.cpu(), switches(monitor.pid), processes_made()
    time.sleep(IDLE_SECONDS)
    cpu, after, made = monitor.cpu() - cpu, switches(monitor.pid), processes_made() - made
    monitor.end()
    threads = sorted((after[task] - before.get(task, 0) for task in after), reverse=True)
    return {"wakeups": sum(threads) / IDLE_SECONDS, "cpu": cpu * 1000 / IDLE_SECONDS, "made": made,
            "threads": [count / IDLE_SECONDS for count in threads]}


def print_idle(runs):
    print(f"\nat rest for {IDLE_SECONDS} s, the screen drawn each second; the quietest of {ROUNDS} rounds")
    print(f"{'':12}{'wake-ups/s':>11}{'CPU ms/s':>10}{'begun meanwhile':>17}  wake-ups/s of each thread")
    for name, results in runs.items():
        best = min(results, key=lambda run: run["made"])
        print(f"{name:12}{best['wakeups']:11.1f}{best['cpu']:10.2f}{best['made']:17}  "
              + " ".join(f"{count:.1f}" for count in best["threads"]))


# --- a compile

def compile_once():
    """Seconds that it takes to compile a good part of this tree."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        command = f"cd {directory} && printf '%s\\n' \"$@\" | xargs -n1 -P{os.cpu_count()} gcc -g -O2 -I{TOP}/src -I{TOOLS} -c"
        subprocess.run(["sh", "-c", command, "sh", *SOURCES], check=True)
    return time.monotonic() - start


def measure_compile(name):
    monitor = Monitor(SCREEN[name]) if name != NOBODY else None
    cpu = monitor.cpu() if monitor else 0
    result = {"seconds": compile_once()}
    if monitor:
        result["cpu"] = monitor.cpu() - cpu
        monitor.end()
    return result


def print_compile(runs):
    print(f"\na compile of {len(SOURCES)} files; the best of {ROUNDS} rounds")
    print(f"{'':12}{'seconds':>10}{'slower by':>11}{'CPU ms':>9}")
    alone = min(run["seconds"] for run in runs[NOBODY])
    for name, results in runs.items():
        seconds = min(run["seconds"] for run in results)
        print(f"{name:12}{seconds:10.2f}", end="")
        print("" if name == NOBODY else f"{100 * (seconds / alone - 1):10.1f}%"
              f"{1000 * median(run['cpu'] for run in results):9.0f}")


def measure_program(target, what):
    with programs(target) as names:
        execs = alternating(lambda name: measure_execs(name, names), (NOBODY, *WATCHERS))
    print_execs(execs, what)
    return execs


def print_limits(forks, execs, totals):
    made, told_forks, told_exits, lost = totals
    cpu = {name: median(run["cpu"] for run in results) for name, results in forks.items() if name != NOBODY}
    named, whole = (min(run[part] for run in execs["panetop"]) for part in ("named", "whole"))
    with_bpf, without = (median(run["cpu"] / run["rate"] for run in execs[name]) for name in ("panetop", "--no-bpf"))
    print(f"\nin JSON: forks {told_forks} and exits {told_exits} of {made}, lost {lost}")
    limits = ((f"{lost} lost", lost == 0), ("forks and exits counted exactly", told_forks == told_exits == made),
              (f"CPU {cpu['panetop'] / cpu['forkstat -r']:.2f} of forkstat -r's (less than 1)",
               cpu["panetop"] < cpu["forkstat -r"]),
              (f"{named:.3f} % of the execs named (at least 99.9)", named >= 99.9),
              (f"{whole:.3f} % of them with all arguments (at least 99.9)", whole >= 99.9),
              (f"CPU per exec {with_bpf / without:.2f} of that without BPF (less than 1)", with_bpf < without))
    print("limits: " + "; ".join(f"{what}: {'holds' if holds else 'missed'}" for what, holds in limits))


def main():
    forks = alternating(measure_forks, (NOBODY, *SCREEN))
    print_forks(forks)
    execs = measure_program(GONE, "a static program that ends at once")
    measure_program("/bin/true", "/bin/true")
    print_idle(alternating(measure_idle, SCREEN))
    print_compile(alternating(measure_compile, (NOBODY, *SCREEN)))
    print_limits(forks, execs, exact_totals())


main()
