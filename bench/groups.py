# SPDX-License-Identifier: GPL-2.0-or-later
"""groups.py PANETOP [ROUNDS]: what a sample of many control groups costs, beside systemd-cgtop where it can run.

Makes 2,000 groups in every hierarchy of version 1 that it finds, or in that of version 2, below one group that it
removes again; 20 of them hold a process that uses 1 % of a CPU, in one run 500. Printed are medians of CPU time; the limit is for groups most of which are idle."""
import contextlib
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time

PANETOP, ROUNDS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
GROUPS, SECTIONS = 2000, 20
TOP = f"panetop-bench-{os.getpid()}"
LIMIT_MS = 20


def places():
    """Hierarchies that panetop reads."""
    found = []
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for line in mounts:
            before, after = line.rstrip("\n").split(" - ")
            kind, _, options = after.split(" ", 2)
            wanted = {"cpu", "cpuacct", "memory", "blkio", "pids", "name=systemd"} & set(options.split(","))
            if kind == "cgroup2" or (kind == "cgroup" and wanted):
                found.append((kind, before.split(" ")[4]))
    first = [place for kind, place in found if kind == "cgroup"]
    return first or [place for _, place in found]


PLACES = places()


def path_of(number):
    return f"{TOP}/section-{number % SECTIONS}.slice/job-{number}.service"


def empty(group):
    for _ in range(1000):
        try:
            os.rmdir(group)
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)


@contextlib.contextmanager
def tree():
    try:
        for place in PLACES:
            for number in range(GROUPS):
                os.makedirs(f"{place}/{path_of(number)}", exist_ok=True)
        yield
    finally:
        for place in PLACES:
            for directory, _, _ in os.walk(f"{place}/{TOP}", topdown=False):
                empty(directory)


def work():
    """A little, again and again."""
    while True:
        end = time.process_time() + 0.001
        while time.process_time() < end:
            pass
        time.sleep(0.1)


@contextlib.contextmanager
def busy(count):
    pids = []
    try:
        for number in range(count):
            pid = os.fork()
            if pid == 0:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                for place in PLACES:
                    with open(f"{place}/{path_of(number * (GROUPS // count))}/cgroup.procs", "w", encoding="ascii") as file:
                        file.write(str(os.getpid()))
                work()
            pids.append(pid)
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        for pid in pids:
            os.waitpid(pid, 0)


def cpu_of(command, samples):
    """CPU ms of a run, by its rusage."""
    before = os.times()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used * 1000 / samples


def per_sample(command_of):
    """What many samples cost more than few."""
    few, many = 2, 12
    return (cpu_of(command_of(many), 1) - cpu_of(command_of(few), 1)) / (many - few)


def panetop_of(count):
    return [PANETOP, "-b", "-d", "1", "-n", str(count), "-t", "group", "groups"]


def cgtop_of(count):
    return ["systemd-cgtop", "-b", "-d", "1s", "-n", str(count)]


def median(function):
    return statistics.median(function() for _ in range(ROUNDS))


def stop(*_):
    raise SystemExit("stopped")


def main():
    signal.signal(signal.SIGTERM, stop)  # as by timeout: the groups are removed then, too
    has_cgtop = shutil.which("systemd-cgtop") is not None
    print(f"{GROUPS} groups in {len(PLACES)} hierarchies, a sample each second: CPU ms")
    print("busy  panetop: first  a sample  systemd-cgtop")
    worst = 0
    with tree():
        for count in (0, 20, 500):
            with busy(count):
                first = cpu_of(panetop_of(1), 1)
                sample = median(lambda: per_sample(panetop_of))
                other = median(lambda: per_sample(cgtop_of)) if has_cgtop else None
                worst = max(worst, sample if count < 500 else 0)
                print(f"{count:4}  {first:14.1f}  {sample:8.1f}  " + (f"{other:13.1f}" if other is not None else "not installed"),
                      flush=True)
    if worst > LIMIT_MS:
        raise SystemExit(f"a sample takes more than {LIMIT_MS} ms")


main()
