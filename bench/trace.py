# SPDX-License-Identifier: GPL-2.0-or-later
"""trace.py PANETOP CALLS ROUNDS: what a table of a tracepoint costs each event, beside perf stat and bpftrace, alternating, the best of the
rounds, since other load only adds; and how long it takes until such a table counts, seen by strace, which makes it longer.

Limits: 3 % of a CPU at 100,000 events a second, with the tracepoint itself; ready within 5 ms."""
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PANETOP, CALLS, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
EVENTS = 2_000_000
PER_SECOND = 100_000
SETTLE_SECONDS = 1.5
COST_LIMIT, READY_LIMIT_MS = 0.03, 5
EVENT = "syscalls:sys_enter_getppid"
SPECS = (EVENT, f"{EVENT} by comm", f"{EVENT} by comm,pid,cpu hist(__syscall_nr) max(__syscall_nr) if pid > 1")
READY = ("block:block_rq_issue by comm,rwbs sum(nr_sector) hist if nr_sector > 8", "sched:sched_switch by prev_comm,next_comm")
PROBE = "tracepoint:syscalls:sys_enter_getppid { @[comm] = count(); }"


def watchers():
    """What counts beside it, by name."""
    found = {"bare": None, "perf stat": ["perf", "stat", "-a", "-e", EVENT]}
    if shutil.which("bpftrace"):
        found[f"bpftrace '{PROBE}'"] = ["bpftrace", "-e", PROBE]
    return found | {f"panetop --trace='{spec}'": [PANETOP, "-b", "-n", "9", "-d", "600", "-t", "trace", f"--trace={spec}"] for spec in SPECS}


def cost(work, command):
    """CPU time of an event and its call, in ns, while the command runs."""
    watcher = command and subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if watcher:
        time.sleep(SETTLE_SECONDS)
    work.stdin.write(f"{EVENTS}\n")
    took = float(work.stdout.readline())
    if watcher:
        watcher.send_signal(signal.SIGINT)
        watcher.wait()
    return took


def ready(spec):
    """Milliseconds from the first look at the tracepoint until the program is attached."""
    with tempfile.NamedTemporaryFile("r") as log:
        subprocess.run(["strace", "-ttt", "-e", "trace=openat,bpf,ioctl", "-o", log.name, PANETOP, "-n", "1", "-d", "0.05", "-t", "trace",
                        f"--trace={spec}"], check=True, stdout=subprocess.DEVNULL)
        lines = [(float(line.split()[0]), line) for line in log]
    attached = next(number for number, (_, line) in enumerate(lines) if "PERF_EVENT_IOC_SET_BPF" in line)
    made = next(number for number, (_, line) in enumerate(lines) if "BPF_MAP_CREATE" in line)
    begun = max(when for when, line in lines[:made] if re.search(r'openat\(\d+, "sys/kernel/tracing"', line))
    return 1e3 * (lines[attached][0] - begun)


def main():
    work = subprocess.Popen([CALLS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    commands, best = watchers(), {}
    if not shutil.which("bpftrace"):
        print("bpftrace is not here")
    for _ in range(ROUNDS):
        for name, command in commands.items():
            best[name] = min(best.get(name, float("inf")), cost(work, command))
    work.stdin.close()
    work.wait()
    good = True
    print(f"{'':102} ns more  % of a CPU at {PER_SECOND:,}/s")
    for name, took in best.items():
        more = took - best["bare"]
        share = more * PER_SECOND / 1e9
        if PANETOP in (commands[name] or [""]):
            good &= share <= COST_LIMIT
        print(f"{name:102} {more:7.0f} {100 * share:6.2f}")
    for spec in READY:
        milliseconds = min(ready(spec) for _ in range(ROUNDS))
        good &= milliseconds <= READY_LIMIT_MS
        print(f"ready under strace, {spec}: {milliseconds:.1f} ms")
    print("within the limits" if good else f"above a limit: {100 * COST_LIMIT} % of a CPU, {READY_LIMIT_MS} ms")
    return 0 if good else 1


sys.exit(main())
