# SPDX-License-Identifier: GPL-2.0-or-later
"""watch.py PANETOP CROWD: what rules cost: at rest, by their number, and for each end and each start of a process.

Limits: no wake-up at rest; 1,000 rules on one table at most 1.1 times one; each of 10,000 ends fires once, with its code."""
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PANETOP, CROWD = sys.argv[1], sys.argv[2]
ENDS = 10000
EXECS = 2000
REST = 30
ROUNDS = 5


def wakeups(pid):
    """Times that it slept, and so was woken up."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("voluntary_ctxt_switches"))


def cpu_seconds(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as stat:
        return int(stat.read().split()[0]) / 1e9


def watching(*rules, delay="1"):
    words = [PANETOP, "-d", delay]
    for rule in rules:
        words += ["--when", rule]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    time.sleep(2)
    return process


def end(process):
    process.send_signal(signal.SIGTERM)
    process.wait()


def rest():
    """Ends and pressure, while programs of other names come and go."""
    process = watching("process(command=nginx).exits", "pressure(memory,full).stalled_ratio > 90% for 2s")
    before, cpu, last, ended = wakeups(process.pid), cpu_seconds(process.pid), time.monotonic() + REST, 0
    while time.monotonic() < last:
        subprocess.run(["/bin/true"], check=True)
        ended += 1
        time.sleep(0.02)
    print(f"at rest, {REST} s, in which {ended} other processes ended: {wakeups(process.pid) - before} wake-ups, "
          f"{1e3 * (cpu_seconds(process.pid) - cpu):.2f} ms of CPU (limit: no wake-up)", flush=True)
    end(process)


def cost_of(n_rules, seconds=8):
    """CPU of a sample of the table of processes with so many rules on it."""
    process = watching(*(f"process(name=program-{i}).cpu_ratio > 0.5" for i in range(n_rules)), delay="0.2")
    cpu, began = cpu_seconds(process.pid), time.monotonic()
    time.sleep(seconds)
    used = (cpu_seconds(process.pid) - cpu) / ((time.monotonic() - began) / 0.2)
    end(process)
    return 1e3 * used


def number():
    with subprocess.Popen([CROWD, "180", "20"], stdout=subprocess.PIPE, text=True) as crowd:
        crowd.stdout.readline()
        rounds = [(cost_of(1), cost_of(1000)) for _ in range(ROUNDS)]
        crowd.terminate()
    one, many = (sorted(column)[ROUNDS // 2] for column in zip(*rounds))
    print(f"a sample of some 300 processes, 20 of them busy, median of {ROUNDS}: one rule {one:.2f} ms, 1,000 rules {many:.2f} ms: "
          f"{many / one:.2f} (limit 1.1)", flush=True)


def execs():
    """A rule on starts, while programs of other names start: each wakes it up."""
    process = watching("process(command=nginx).starts")
    before, cpu = wakeups(process.pid), cpu_seconds(process.pid)
    for _ in range(EXECS):
        subprocess.run(["/bin/true"], check=True)
    print(f"{EXECS} starts of other programs: {wakeups(process.pid) - before} wake-ups, "
          f"{1e6 * (cpu_seconds(process.pid) - cpu) / EXECS:.0f} µs of CPU each", flush=True)
    end(process)


def truth(event):
    """Ends with known codes and signals, or their starts, by a shell that the kernel calls ends-here."""
    with tempfile.TemporaryDirectory() as place:
        program = shutil.copy("/bin/sh", f"{place}/ends-here")
        wanted = [f"c{i % 256}" if i % 5 else f"s{(6, 9, 11, 15)[i // 5 % 4]}" for i in range(ENDS)]
        with open(f"{place}/rows", "w+", encoding="utf-8") as rows:
            process = subprocess.Popen([PANETOP, "-o", "json", "-d", "0.2", "-t", "watch", "--when",
                                        f"process(command=ends-here).{event} at most once per 0s"], stdin=subprocess.DEVNULL, stdout=rows)
            time.sleep(1)
            cpu, started, began = cpu_seconds(process.pid), {}, time.monotonic()
            for how in wanted:
                code = f"exit {how[1:]}" if how[0] == "c" else f"kill -{how[1:]} $$"
                child = subprocess.Popen([program, "-c", code])
                child.wait()
                started[child.pid] = started.get(child.pid, []) + [how]
            seconds = time.monotonic() - began
            time.sleep(1)
            cpu = cpu_seconds(process.pid) - cpu
            end(process)
            rows.seek(0)
            found = collections.defaultdict(list)
            for line in rows:
                for row in json.loads(line)["tables"]["watch"]:
                    found[row["pid"]].append(f"c{row['exit_code']}" if row["signal"] is None else f"s{row['signal']}")
        same = sum(sorted(found[pid]) == sorted(hows) for pid, hows in started.items())
        fired = sum(len(hows) for hows in found.values())
        known = f", {same} of {len(started)} processes with their code or signal" if event == "exits" else ""
        print(f"{ENDS} {event} in {seconds:.0f} s: {fired} fired{known}, {1e6 * cpu / ENDS:.0f} µs of CPU each, with the samples",
              flush=True)


rest()
execs()
number()
truth("exits")
truth("starts")
if os.geteuid() != 0:
    print("as root, exit records are used")
