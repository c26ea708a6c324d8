# SPDX-License-Identifier: GPL-2.0-or-later
"""switches.py PANETOP SWITCHES ROUNDS: what counting costs a context switch, each of which comes with a wake-up. Time
accounts are of another process, of one of the two that switch, and of all.

Two ways, alternating, medians: the time of the programs by the kernel's own statistics of BPF, which other load changes
little, and the CPU time of the two that switch. The statistics include the clock that they read, and leave out what calling
a program takes: both are measured with programs that do nothing."""
import ctypes
import os
import statistics
import struct
import subprocess
import sys
import time

PANETOP, SWITCHES, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
HAND_OVERS, SETTLE_SECONDS = 100000, 0.7
PER_SECOND = 100000
EMPTY = 4  # programs that do nothing, at the same time
WATCHED = {  # what panetop shows, and its limit of one CPU at that rate; None: none is set
    "nothing": (None, None), "overview": (["overview"], 0.005), "another process": (["-t", "time_account", "--pid=1"], 0.01),
    "one that switches": (["-t", "time_account", "--pid=SWITCHES"], 0.01), "all processes": (["-t", "time_account"], 0.05),
    "waits of another": (["-t", "waiting", "--pid=1"], 0.03), "waits of one": (["-t", "waiting", "--pid=SWITCHES"], None),
    "waits, other scope": (["-t", "waiting", "--tree=1", "--user=backup"], None), "who wakes whom": (["-t", "wake"], 0.03),
    "wake-ups": (["-t", "wakeup"], None), "timers": (["-t", "timer"], None), "exits from idle": (["-t", "idle_exit"], None),
}
# of linux/bpf.h
PROG_LOAD, PROG_GET_NEXT_ID, PROG_GET_FD_BY_ID, OBJ_GET_INFO_BY_FD = 5, 11, 13, 15
RAW_TRACEPOINT_OPEN, ENABLE_STATS = 17, 32
RAW_TRACEPOINT, INFO_BYTES, RUN_TIME_AT = 17, 256, 192
SYSCALL = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
LIBC = ctypes.CDLL(None, use_errno=True)


def bpf(command, form, *values):
    """What bpf(2) returns, and what it left in the attributes."""
    attributes = ctypes.create_string_buffer(struct.pack(form, *values), 128)
    result = LIBC.syscall(SYSCALL, command, attributes, len(attributes))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result, attributes.raw


def programs():
    """Nanoseconds and runs of every program so far, by its number."""
    found, number = {}, 0
    while True:
        try:
            number = struct.unpack_from("4xI", bpf(PROG_GET_NEXT_ID, "II", number, 0)[1])[0]
        except FileNotFoundError:
            return found
        try:
            fd = bpf(PROG_GET_FD_BY_ID, "I", number)[0]
        except FileNotFoundError:  # it is gone
            continue
        info = ctypes.create_string_buffer(INFO_BYTES)
        bpf(OBJ_GET_INFO_BY_FD, "IIQ", fd, INFO_BYTES, ctypes.addressof(info))
        os.close(fd)
        found[number] = struct.unpack_from("QQ", info.raw, RUN_TIME_AT)


def empty_program():
    """Does nothing at each switch, until both are closed."""
    code = ctypes.create_string_buffer(struct.pack("=BBhiBBhi", 0xb7, 0, 0, 0, 0x95, 0, 0, 0))  # r0 = 0; exit
    licence, where = ctypes.create_string_buffer(b"GPL"), ctypes.create_string_buffer(b"sched_switch")
    program = bpf(PROG_LOAD, "IIQQIIQI", RAW_TRACEPOINT, 2, ctypes.addressof(code), ctypes.addressof(licence), 0, 0, 0, 0)[0]
    return program, bpf(RAW_TRACEPOINT_OPEN, "QI", ctypes.addressof(where), program)[0]


def close(fds):
    for fd in fds:
        os.close(fd)


def switch(who=None, counted=False):
    """Nanoseconds a switch: of the two that switch, and of what programs measured; and runs a switch."""
    start_late = ["/bin/sh", "-c", f"sleep {SETTLE_SECONDS}; exec {SWITCHES} {HAND_OVERS}"]
    statistics_fd = bpf(ENABLE_STATS, "I", 0)[0] if counted else None
    with subprocess.Popen(start_late, stdout=subprocess.PIPE) as switches:
        watcher = None
        if who:
            shown = [word.replace("SWITCHES", str(switches.pid)) for word in who]
            watcher = subprocess.Popen([PANETOP, "-b", "-d", "1", "-o", "json", *shown], stdout=subprocess.DEVNULL)
        time.sleep(SETTLE_SECONDS / 2)
        before = programs() if counted else {}
        own = float(switches.communicate()[0])
    after = programs() if counted else {}
    if watcher:
        watcher.terminate()
        watcher.wait()
    if counted:
        os.close(statistics_fd)
    grown = [[after[number][i] - before.get(number, (0, 0))[i] for i in range(2)] for number in after]
    return own, sum(part[0] for part in grown) / (2 * HAND_OVERS), sum(part[1] for part in grown) / (2 * HAND_OVERS)


def calibrate():
    """Nanoseconds of a run that does nothing, by the statistics; and those of the call, from a few programs."""
    fds = empty_program()
    _, spent, runs = switch(counted=True)
    close(fds)
    alone = switch()[0]
    many = [fd for _ in range(EMPTY) for fd in empty_program()]
    called = switch()[0]
    close(many)
    return spent / runs, (called - alone) / EMPTY


def main():
    clock, call = (statistics.median(values) for values in zip(*(calibrate() for _ in range(ROUNDS))))
    print(f"a run that does nothing: {clock:.1f} ns by the statistics, of the clock that they read; {call:.1f} ns to call it")
    runs = {who: [] for who in WATCHED}
    for _ in range(ROUNDS):
        for who, (shown, _) in WATCHED.items():
            runs[who].append((switch(shown)[0], *switch(shown, counted=True)[1:]))
    print(f"{'shown':18}{'ns a switch':>12}{'more':>7}{'runs':>7}{'work ns':>9}{'with calls':>12}{'of a CPU at 100,000/s':>24}")
    alone = statistics.median(own for own, _, _ in runs["nothing"])
    for who, rounds in runs.items():
        own, spent, count = (statistics.median(values) for values in zip(*rounds))
        work = max(0, spent - count * clock)
        share, limit = (work + count * call) * PER_SECOND / 1e9, WATCHED[who][1]
        print(f"{who:18}{own:12.0f}{own - alone:7.0f}{count:7.2f}{work:9.0f}{work + count * call:12.0f}{100 * share:22.2f} %"
              + ("" if limit is None else f"  limit {100 * limit:.1f} %: {'holds' if share <= limit else 'missed'}"))


main()
