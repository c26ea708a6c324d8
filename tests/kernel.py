# SPDX-License-Identifier: GPL-2.0-or-later
"""What an ordinary user sees of interrupts, wake-ups and kernel memory. Run by kernel.test."""
import json
import os
import subprocess
import sys

from ordinary_user import NOBODY, names_remedy, ordinary_copy
from tap import end, same, test

PANETOP = os.environ["PANETOP"]
SLEEPS = 50
SLEEPER = "import sys, time\nfor _ in range(int(sys.argv[1])):\n    time.sleep(0.002)\nprint('done', flush=True)\ninput()"


def sample(table, meanwhile=None):
    """The rows and notices of the second sample of an ordinary user, and what meanwhile gave, which ran between the two."""
    with ordinary_copy(PANETOP) as copy:
        with subprocess.Popen([*NOBODY, copy, "-b", "-n", "2", "-d", "0.5", "-o", "json", "-t", table], stdout=subprocess.PIPE, text=True) as panetop:
            panetop.stdout.readline()
            found = meanwhile() if meanwhile else None
            last = json.loads(panetop.stdout.readline())
    return last["tables"][table], last["notices"], found


def check_remedy(notices):
    same(any(names_remedy(notice["remedy"] or "", "cap_bpf") for notice in notices), True, f"a notice names cap_bpf: {notices}")


def counts_of(path):
    """The sum of each line over the CPUs, by its name."""
    with open(path, encoding="ascii") as file:
        cpus = len(file.readline().split())
        lines = [line.split() for line in file]
    return {line[0].rstrip(":"): sum(int(word) for word in line[1:cpus + 1]) for line in lines if len(line) > cpus}


def between(rows, key, before, after, count):
    for row in rows:
        name = row[key]
        if row["cpu"] == "all" and name in before and not before[name] <= row[count] <= after[name]:
            raise AssertionError(f"{name}: {row[count]}, not {before[name]} to {after[name]}")


def check_counts(table, key, count, path):
    before = counts_of(path)
    rows, notices, _ = sample(table)
    after = counts_of(path)
    same(sum(row["cpu"] == "all" for row in rows) >= 5, True, f"rows of all CPUs: {len(rows)}")
    between(rows, key, before, after, count)
    same({(row["how"], row["seconds"]) for row in rows}, {("proc", None)}, "times")
    check_remedy(notices)


def interrupts():
    """an ordinary user sees interrupts, as many as /proc/interrupts, but not their time, and why"""
    check_counts("interrupt", "irq", "interrupts", "/proc/interrupts")


def softirqs():
    """the same of soft interrupts"""
    check_counts("softirq", "kind", "runs", "/proc/softirqs")


def wakeups():
    """voluntary switches of a process that sleeps, but not what woke it up, and why"""
    sleeper = subprocess.Popen([sys.executable, "-c", SLEEPER, str(SLEEPS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        rows, notices, _ = sample("wakeup", sleeper.stdout.readline)
        rows = [row for row in rows if row["pid"] == sleeper.pid]
        same(len(rows), 1, "rows of it")
        with open(f"/proc/{sleeper.pid}/status", encoding="ascii") as file:
            switches = next(int(line.split()[1]) for line in file if line.startswith("voluntary"))
        same(SLEEPS <= rows[0]["wakeups"] <= switches, True, f"{rows[0]['wakeups']} wake-ups of {SLEEPS} sleeps, {switches} switches")
        same([rows[0][name] for name in ("by_timer", "by_device", "by_network", "by_task", "by_kernel", "from_idle")], [None] * 6, "causes")
        same(rows[0]["how"], "proc", "how")
        check_remedy(notices)
    finally:
        sleeper.kill()
        sleeper.wait()


def only_by_bpf():
    """timers, exits from idle, and files of the page cache are only known with BPF: no rows, and why"""
    for table in "timer", "idle_exit", "cache_file":
        rows, notices, _ = sample(table)
        same(rows, [], f"rows of {table}")
        check_remedy(notices)


def slab():
    """kernel memory in all, as in /proc/meminfo; its caches are of root alone"""
    rows, _, _ = sample("slab")
    with open("/proc/meminfo", encoding="ascii") as file:
        whole = next(int(line.split()[1]) * 1024 for line in file if line.startswith("Slab:"))
    same([row["cache"] for row in rows], ["all"], "rows")
    same(abs(rows[0]["bytes"] - whole) < 0.1 * whole, True, f"slab {rows[0]['bytes']}, {whole} by meminfo")


for each in interrupts, softirqs, wakeups, only_by_bpf, slab:
    test(each)
end()
