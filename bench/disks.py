# SPDX-License-Identifier: GPL-2.0-or-later
"""disks.py PANETOP [ROUNDS]: what counting costs each block request, as the kernel measures panetop's programs (BPF_ENABLE_STATS, while this
runs), at a given and at the highest rate of direct reads from a loop device; the CPU time of the machine with and without, alternating."""
import ctypes
import glob
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

from loop_device import Loop

PANETOP, ROUNDS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
REQUESTS, LIMIT_NS = 50_000, 250
BPF_CALL = {"x86_64": 321, "aarch64": 280}[platform.machine()]
BPF_ENABLE_STATS = 32


def programs(pid):
    """Runs and nanoseconds of the BPF programs of a process."""
    runs = spent = 0
    for name in glob.glob(f"/proc/{pid}/fdinfo/*"):
        with open(name, encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file if ":" in line)
        runs += int(lines.get("run_cnt", 0))
        spent += int(lines.get("run_time_ns", 0))
    return runs, spent


def counting(topic):
    panetop = subprocess.Popen([PANETOP, "-b", "-o", "json", "-d", "1", "-t", topic], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    panetop.stdout.readline()
    panetop.stdout.readline()
    return panetop


def end(panetop):
    panetop.kill()
    panetop.wait()
    panetop.stdout.close()


def price(loop, topic, per_second):
    """Nanoseconds of all programs by request, and requests per second."""
    costs, rates = [], []
    for _ in range(ROUNDS):
        panetop = counting(topic)
        before = programs(panetop.pid)
        count = per_second or REQUESTS
        rates.append(loop.read(count, per_second))
        after = programs(panetop.pid)
        costs.append((after[1] - before[1]) / count)
        end(panetop)
    return statistics.median(costs), statistics.median(rates)


def machine_seconds():
    with open("/proc/stat", encoding="ascii") as file:
        words = file.readline().split()
    return sum(int(words[i]) for i in (1, 2, 3, 6, 7)) / os.sysconf("SC_CLK_TCK")


def alternating(loop, topic):
    """Microseconds of CPU of the whole machine by request: without, with."""
    without, with_it = [], []
    for _ in range(ROUNDS):
        for found, topics in (without, None), (with_it, topic):
            panetop = counting(topics) if topics else None
            before = machine_seconds()
            loop.read(REQUESTS)
            found.append((machine_seconds() - before) / REQUESTS * 1e6)
            if panetop:
                end(panetop)
    return statistics.median(without), statistics.median(with_it)


def main():
    attributes = ctypes.create_string_buffer(16)
    if ctypes.CDLL(None, use_errno=True).syscall(BPF_CALL, BPF_ENABLE_STATS, attributes, 4) < 0:
        sys.exit("BPF programs cannot be measured here")
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        file.truncate(64 << 20)
        loop = Loop(file.name)
        loop.read(REQUESTS)
        for topic in ("disk_latency", "disk_user"):
            for per_second in (1000, 0):
                cost, rate = price(loop, topic, per_second)
                print(f"{topic:13} at {rate:7.0f} requests/s: {cost:4.0f} ns a request (limit {LIMIT_NS})")
        print("CPU time of the machine, a request: without %.2f us, with disk_latency %.2f us" % alternating(loop, "disk_latency"))


if __name__ == "__main__":
    main()
