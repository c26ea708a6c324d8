# SPDX-License-Identifier: GPL-2.0-or-later
"""disks.py PANETOP [ROUNDS]: what counting costs each block request, as the kernel measures panetop's programs (BPF_ENABLE_STATS, while this
runs), at a given and at the highest rate of direct reads from a loop device, less what it measures of programs that do nothing; the CPU
time of the machine with and without, alternating."""
import ctypes
import glob
import os
import platform
import statistics
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests"))
from loop_disk import Loop  # pylint: disable=wrong-import-position

PANETOP, ROUNDS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
REQUESTS, LIMIT_NS = 50_000, 250
BPF_CALL = {"x86_64": 321, "aarch64": 280}[platform.machine()]
BPF_PROG_LOAD, BPF_RAW_TRACEPOINT_OPEN, BPF_ENABLE_STATS = 5, 17, 32
BPF_PROG_TYPE_RAW_TRACEPOINT = 17


def bpf(command, *words):
    """words: of union bpf_attr, in order."""
    attributes = struct.pack(f"{len(words)}Q", *words).ljust(128, b"\0")
    result = ctypes.CDLL(None, use_errno=True).syscall(BPF_CALL, command, attributes, len(attributes))
    if result < 0:
        sys.exit(f"BPF programs cannot be measured here: {os.strerror(ctypes.get_errno())}")
    return result


def do_nothing(tracepoint):
    """A program at this tracepoint that returns at once; it lasts as long as its descriptors."""
    code = ctypes.create_string_buffer(struct.pack("<QQ", 0xb7, 0x95))  # r0 = 0, exit
    text = ctypes.create_string_buffer(b"GPL")
    program = bpf(BPF_PROG_LOAD, BPF_PROG_TYPE_RAW_TRACEPOINT | 2 << 32, ctypes.addressof(code), ctypes.addressof(text))
    name = ctypes.create_string_buffer(tracepoint.encode())
    return program, bpf(BPF_RAW_TRACEPOINT_OPEN, ctypes.addressof(name), program)


def programs(pid):
    """Runs and nanoseconds of the BPF programs of a process."""
    runs = spent = 0
    for name in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            with open(name, encoding="ascii") as file:
                lines = dict(line.split(":", 1) for line in file if ":" in line)
        except FileNotFoundError:
            continue  # that of the list itself
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


def price_of(pid, loop, per_second):
    """Runs of the programs of this process by request, nanoseconds by run, and requests per second."""
    before = programs(pid)
    count = per_second or REQUESTS
    rate = loop.read(count, per_second)
    runs, spent = (new - old for new, old in zip(programs(pid), before))
    return runs / count, spent / max(1, runs), rate


def price(loop, topic, per_second):
    """What a request costs panetop's programs, and programs that do nothing, in nanoseconds; requests per second."""
    ours, nothing, rates = [], [], []
    for _ in range(ROUNDS):
        panetop = counting(topic)
        loop.read(REQUESTS)  # what comes often has its place then
        panetop.stdout.readline()
        panetop.stdout.readline()
        runs, each, rate = price_of(panetop.pid, loop, per_second)
        end(panetop)
        opened = do_nothing("block_rq_complete")
        _, empty, _ = price_of(os.getpid(), loop, per_second)
        for one in opened:
            os.close(one)
        ours.append(runs * each)
        nothing.append(runs * empty)
        rates.append(rate)
    return statistics.median(ours), statistics.median(nothing), statistics.median(rates)


def machine_seconds():
    for path, unit in ("/sys/fs/cgroup/cpuacct/cpuacct.usage", 1e-9), ("/sys/fs/cgroup/cpu.stat", 1e-6):
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                return int(file.readline().split()[-1]) * unit
    sys.exit("no control group tells the CPU time of the machine")


def alternating(loop, topic):
    """Microseconds of CPU of the whole machine by request, the least of all rounds: without, with."""
    without, with_it = [], []
    for _ in range(ROUNDS):
        for found, topics in (without, None), (with_it, topic):
            panetop = counting(topics) if topics else None
            loop.read(REQUESTS // 10)
            before = machine_seconds()
            loop.read(REQUESTS)
            found.append((machine_seconds() - before) / REQUESTS * 1e6)
            if panetop:
                end(panetop)
    return min(without), min(with_it)


def main():
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        loop = Loop(file.name, 64 << 20)
        loop.read(REQUESTS)
        print("CPU time of the machine, a request: without %.2f us, with disk_latency %.2f us" % alternating(loop, "disk_latency"))
        bpf(BPF_ENABLE_STATS, 0)  # this alone takes some microseconds of a request
        for topic in ("disk_latency", "disk_user"):
            for per_second in (1000, 0):
                cost, nothing, rate = price(loop, topic, per_second)
                print(f"{topic:13} at {rate:7.0f} requests/s: {cost - nothing:4.0f} ns a request (limit {LIMIT_NS}); "
                      f"measured {cost:.0f}, of programs that do nothing {nothing:.0f}")


if __name__ == "__main__":
    main()
