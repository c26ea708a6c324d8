# SPDX-License-Identifier: GPL-2.0-or-later
"""Run times and changes of many processes, with a walk in the kernel and without. Run by run_times.test."""
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager

from tap import Skip, end, same, test

PANETOP = os.environ["PANETOP"]
SLEEPING = 520  # with fewer than 500 processes there is no walk
CROWD = """
import os, signal, sys
pids = []
for _ in range(int(sys.argv[1])):
    pid = os.fork()
    if pid == 0:
        sys.stdin.close()
        signal.alarm(600)
        signal.pause()
    pids.append(pid)
print(*pids, flush=True)
sys.stdin.read()
for pid in pids:
    os.kill(pid, signal.SIGKILL)
"""
BURNER = """
import sys, threading, time
def burn():
    end = time.thread_time() + 0.05
    while time.thread_time() < end:
        pass
def burn_and_wait():
    burn()
    waits.wait()
waits = threading.Barrier(3)
gone = threading.Thread(target=burn)
gone.start()
gone.join()
for _ in range(2):
    threading.Thread(target=burn_and_wait, daemon=True).start()
while waits.n_waiting < 2:
    time.sleep(0.01)
print(flush=True)
sys.stdin.read()
"""


def sleeps(pid):
    """All its threads, of which the first is asked first: it may wake the others before it sleeps itself."""
    states = []
    for thread in sorted(os.listdir(f"/proc/{pid}/task"), key=int):
        with open(f"/proc/{pid}/task/{thread}/stat", encoding="latin-1") as file:
            states.append(file.read().rpartition(") ")[2][0])
    return set(states) == {"S"}


def until_asleep(pids):
    for pid in pids:
        while not sleeps(pid):
            time.sleep(0.01)


@contextmanager
def python(script, *arguments):
    """It ends when its input does; gives its first line."""
    with subprocess.Popen([sys.executable, "-c", script, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, process.stdout.readline()
        finally:
            process.stdin.close()
            process.wait()


@contextmanager
def panetop(samples, *options):
    with subprocess.Popen([PANETOP, "-b", "-n", str(samples), "-d", "0.4", "-o", "json", "--idle", *options, "cpu", "kernel"],
                          stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout
        for _ in process.stdout:
            pass


def tables(line):
    return json.loads(line)["tables"]


def by_pid(line):
    return {row["pid"]: row for row in tables(line)["process"]}


def check_walks(line):
    """Skips the test where this kernel has none."""
    programs = [row for row in tables(line)["tracing"] if row["topic"] == "process"]
    if not programs:
        raise Skip("needs Linux 6.7 and the rights to use BPF")
    same(programs[0]["runs"] > 0 and programs[0]["lost"] == 0, True, f"walks: {programs[0]}")


def same_times():
    """the CPU time of 520 processes that sleep, and of threads that run no more, is that of their clocks"""
    with python(CROWD, str(SLEEPING)) as (_, pids), python(BURNER) as (burner, _):
        pids = [int(pid) for pid in pids.split()] + [burner.pid]
        until_asleep(pids)
        with panetop(4) as walk, panetop(4, "--no-bpf") as clocks:
            walked, read = walk.readlines()[-1], clocks.readlines()[-1]
    check_walks(walked)
    same(tables(read)["tracing"], [], "programs without BPF")
    walked, read = by_pid(walked), by_pid(read)
    same(len(pids), SLEEPING + 1, "processes")
    same({pid: walked[pid]["cpu_seconds"] for pid in pids}, {pid: read[pid]["cpu_seconds"] for pid in pids}, "CPU time")
    same(walked[burner.pid]["cpu_seconds"] >= 0.15, True, f"of three threads: {walked[burner.pid]['cpu_seconds']}")


def changes():
    """what changes in processes that do not run is shown in the next sample: priority, parent"""
    with python(CROWD, str(SLEEPING)) as (parent, pids):
        pids = [int(pid) for pid in pids.split()]
        until_asleep(pids)
        mine = os.getpriority(os.PRIO_PROCESS, 0)
        nicer = mine + 1 if mine < 19 else mine - 1
        with panetop(7) as walk:
            line = [walk.readline() for _ in range(3)][-1]
            check_walks(line)
            before = by_pid(line)
            for pid in pids[:100]:
                os.setpriority(os.PRIO_PROCESS, pid, nicer)
            reniced = [by_pid(walk.readline()) for _ in range(2)][-1]
            same({before[pid]["nice"] for pid in pids}, {mine}, "nice before")
            same({reniced[pid]["nice"] for pid in pids[:100]}, {nicer}, "nice")
            same({reniced[pid]["nice"] for pid in pids[100:]}, {mine}, "nice of the others")
            parent.kill()
            parent.wait()
            adopted = [by_pid(walk.readline()) for _ in range(2)][-1]
        same([pid for pid in pids if adopted[pid]["ppid"] == parent.pid], [], "children of a process that is gone")
        for pid in pids:
            os.kill(pid, 9)


for each in same_times, changes:
    test(each)
end()
