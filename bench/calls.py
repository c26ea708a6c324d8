# SPDX-License-Identifier: GPL-2.0-or-later
"""calls.py PANETOP CALLS ROUNDS: what counting and timing cost a system call, beside perf stat, strace and perf trace, alternating; the best
of the rounds, since other load only adds. Whether counts and errors are those of strace -c. And what the path of an opened file costs, and how
many are lost, beside opensnoop (of bpftrace).

Limits: counting 1.3 times what perf stat adds, timing 3.5 times, others no more than that while one process is timed; 4 % of a CPU at 100,000
calls a second."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PANETOP, CALLS, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
MANY, FEW, MIXED, OPENS = 5_000_000, 20_000, 20_000, 20_000
PER_SECOND = 100_000
SETTLE_SECONDS = 1.5
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
LONG = ["-b", "-n", "9", "-d", "600"]  # no sample meanwhile, after which a loop of calls would not be timed any more

BARE, PERF, COUNTED, OTHER, TIMED = "bare", "perf stat", "panetop, all counted", "panetop, another is timed", "panetop, timed"
OPENED = "panetop, opened files"
WATCHED = {  # what runs beside it, and how many calls
    BARE: (None, MANY), PERF: (["perf", "stat", "-e", "syscalls:sys_enter_getppid", "-p", "WORK"], MANY),
    COUNTED: ([PANETOP, *LONG, "-t", "call"], MANY), OTHER: ([PANETOP, *LONG, "-t", "call", "--pid=OTHER"], MANY),
    TIMED: ([PANETOP, *LONG, "-t", "call", "--pid=WORK"], MANY), OPENED: ([PANETOP, *LONG, "-t", "opened_total"], MANY),
    "strace -c": (["strace", "-c", "-p", "WORK"], FEW), "perf trace -s": (["perf", "trace", "-s", "-p", "WORK"], FEW),
}
LIMITS = {COUNTED: 1.3, OTHER: 1.0, TIMED: 3.5}


class Work:
    """The program that makes calls."""

    def __init__(self, before=()):
        self.process = subprocess.Popen([*before, CALLS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.pid = self.process.pid

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def measure(work, other, command, calls):
    """CPU time of a call, in ns, while the command runs."""
    watcher = None
    if command:
        names = {"WORK": str(work.pid), "OTHER": str(other.pid)}
        watcher = subprocess.Popen([re.sub("WORK|OTHER", lambda name: names[name[0]], word) for word in command], **QUIET)
        time.sleep(SETTLE_SECONDS)
    nanoseconds = float(work.ask(str(calls)))
    if watcher:
        watcher.send_signal(signal.SIGINT)
        watcher.wait()
    return nanoseconds


def costs():
    work, other = Work(), Work()
    best = {}
    for _ in range(ROUNDS):
        for name, (command, calls) in WATCHED.items():
            if command and not shutil.which(command[0]):
                continue
            found = measure(work, other, command, calls)
            best[name] = min(found, best.get(name, found))
    work.end()
    other.end()
    perf = best.get(PERF, 0) - best[BARE]
    for name, found in best.items():
        more = found - best[BARE]
        line = f"  {name:26} {found:9.1f} ns a call"
        if name != BARE:
            line += f", {more:+9.1f}, {100 * more * PER_SECOND / 1e9:6.2f} % of a CPU at {PER_SECOND}/s"
        if perf > 0 and name in LIMITS:
            line += f"; {more / perf:.2f} times what perf stat adds (limit {LIMITS[name]})"
        print(line)


def listed_by_panetop(out):
    """Paths that the stream has, and how many it says it has lost, at most."""
    frames = [json.loads(line) for line in out.splitlines()]
    lost = [int(found[1]) for frame in frames for notice in frame.get("notices", []) if (found := re.match(r"(\d+) opened files", notice["text"]))]
    rows = [row for frame in frames for row in frame["tables"].get("opened", [])]
    return sum(row["path"].startswith("/nowhere/") for row in rows), max(lost, default=0)


def opens():
    """What an open takes more, and how many of them are reported, at the most that a program can make."""
    ways = {
        BARE: (None, None),
        "panetop, sums": (["-t", "opened_total"], None),
        "panetop, stream": (["-t", "opened"], listed_by_panetop),
        "opensnoop": (None, lambda out: (len(re.findall("/nowhere/", out)), None)),
    }
    work, best, reported = Work(), {}, {}
    with tempfile.NamedTemporaryFile(mode="w+", encoding="utf-8", errors="replace") as out:
        for _ in range(ROUNDS):
            for name, (topic, count) in ways.items():
                command = [PANETOP, "-o", "json", "-d", "1", *topic, f"--pid={work.pid}"] if topic else ["opensnoop.bt"]
                if name != BARE and not shutil.which(command[0]):
                    continue
                watcher = None
                if name != BARE:
                    out.seek(0)
                    out.truncate()
                    watcher = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
                    time.sleep(2 * SETTLE_SECONDS)
                nanoseconds = float(work.ask(f"open {OPENS}"))
                best[name] = min(nanoseconds, best.get(name, nanoseconds))
                if not watcher:
                    continue
                time.sleep(SETTLE_SECONDS)
                watcher.send_signal(signal.SIGINT)
                watcher.wait()
                out.seek(0)
                if count:
                    reported.setdefault(name, []).append(count(out.read()))
    work.end()
    for name, found in best.items():
        line = f"  an open, {name:16} {found:9.1f} ns"
        if name != BARE:
            line += f", {found - best[BARE]:+9.1f}"
        for listed, lost in reported.get(name, []):
            line += f"; {listed} of {OPENS} listed" + ("" if lost is None else f", {lost} said to be lost at most")
        print(line)


def by_strace():
    """Calls and errors of the mixed calls, as strace -c has them."""
    with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as out:
        work = Work(["strace", "-c", "-o", out.name])
        work.ask(f"mix {MIXED}")
        work.end()
        rows = [line.split() for line in out.read().splitlines()]
    return {row[-1]: (int(row[3]), int(row[4]) if len(row) > 5 else 0) for row in rows if len(row) >= 5 and row[3].isdigit()}


def by_panetop():
    work = Work()
    with subprocess.Popen([PANETOP, "-o", "json", "-n", "1", "-d", "5", "-t", "call", f"--pid={work.pid}"], stdout=subprocess.PIPE) as watcher:
        time.sleep(SETTLE_SECONDS)
        work.ask(f"mix {MIXED}")
        rows = json.loads(watcher.stdout.readline())["tables"]["call"]
    work.end()
    return {row["call"]: (row["calls"], row["errors"]) for row in rows}


def main():
    print(f"load {os.getloadavg()[0]:.1f}, best of {ROUNDS}")
    costs()
    opens()
    if not shutil.which("strace"):
        return
    found, truth = by_panetop(), by_strace()
    for call in ("getppid", "openat", "pread64", "pwrite64"):
        more = (2, 0) if call in ("openat", "pread64") else (0, 0)  # of the start of the program, which only strace sees
        same = all(0 <= there - here <= most for here, there, most in zip(found[call], truth[call], more))
        print(f"  {call}: {found[call][0]} calls, {found[call][1]} errors; strace {truth[call][0]}, {truth[call][1]}{'' if same else '  DIFFERS'}")


main()
