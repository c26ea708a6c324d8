# SPDX-License-Identifier: GPL-2.0-or-later
"""Interrupts, soft interrupts, backlogs, wake-ups, slab caches, and panetop's own programs in the kernel."""
from clock import STEP

INTERRUPTS = {  # device: its CPUs' rates, microseconds each, where it may go, where it goes
    "24": ("ACPI:Ged", (0, 0, 0, 0), 0, "0-3", "0"),
    "36": ("nvme0q1", (1800, 0, 0, 0), 1.8, "0", "0"),
    "37": ("nvme0q2", (0, 900, 0, 0), 1.9, "1", "1"),
    "41": ("eth0-rx-0", (900, 0, 0, 0), 7.1, "0-3", "0"),
    "42": ("eth0-rx-1", (700, 0, 0, 0), 7.3, "0-3", "0"),
    "LOC": ("Local timer interrupts", (250, 260, 240, 255), 0, None, None),
    "RES": ("Rescheduling interrupts", (30, 12, 18, 40), 0, None, None),
}
SOFTIRQS = {  # rates of the CPUs, microseconds each, longest
    "TIMER": ((120, 90, 80, 100), 4.5, 27), "NET_TX": ((2, 0, 0, 1), 3, 12), "NET_RX": ((1600, 20, 10, 12), 14, 310),
    "BLOCK": ((1800, 900, 0, 0), 10, 176), "SCHED": ((80, 70, 60, 90), 14, 30), "RCU": ((95, 96, 80, 81), 10.7, 47),
}
BACKLOG = ((4200, 0.5, 12), (30, 0, 0), (20, 0, 0), (25, 0, 0))  # packets, drops, squeezed polls per second
CACHES = {  # objects in use, growth per second, room for, bytes each, bytes of all slabs
    "dentry": (120_400, 90, 124_950, 192, 24_371_200), "ext4_inode_cache": (61_000, 40, 61_236, 1184, 74_317_824),
    "buffer_head": (180_200, 0, 194_922, 104, 20_471_808), "kmalloc-64": (41_000, 3, 43_136, 64, 2_760_704),
    "task_struct": (310, 0, 340, 8128, 2_785_280), "filp": (5_100, -4, 5_984, 256, 1_531_904),
}
CAUSES = ("timer", "device", "network", "task", "kernel")
WAKEUPS = {  # PID: command, wake-ups per second by cause, of those from idle CPUs
    15400: ("render", (12, 0, 0, 460, 0), 8), 2001: ("postgres", (20, 310, 140, 95, 0), 240), 812: ("nginx", (1, 0, 900, 2, 0), 410),
    17: ("rcu_preempt", (60, 0, 0, 4, 31), 88), 1: ("systemd", (0.5, 0, 0, 0.5, 0), 0.5), 0: ("(exited)", (3, 1, 0, 9, 0), 4),
}
TIMERS = {  # PID, function: armed, fired per second, command
    (0, "tick_nohz_handler"): (1000, 990, "(kernel)"), (15400, "hrtimer_wakeup"): (60, 12, "render"),
    (2001, "hrtimer_wakeup"): (20, 20, "postgres"), (2001, "tcp_write_timer"): (140, 2, "postgres"), (812, "timerfd_tmrproc"): (1, 1, "nginx"),
    (17, "process_timeout"): (90, 60, "rcu_preempt"), (812, "delayed_work_timer_fn"): (7, 3, "nginx"),
}
IDLE = {  # what wakes up each CPU, per second, device
    "irq 36": ((900, 0, 0, 0), "nvme0q1"), "irq 41": ((450, 0, 0, 0), "eth0-rx-0"), "timer": ((60, 90, 80, 85), None),
    "reschedule": ((25, 9, 12, 30), None), "call": ((1, 2, 0, 1), None),
}
PROGRAMS = (("call", "a timed system call returns", "sys_exit", 3450, 142), ("call", "a timed system call begins", "sys_enter", 3450, 104),
            ("opened_total", "a file is opened", "sys_exit", 98, 597), ("interrupt", "start of a handler", "irq_handler_entry", 4300, 90),
            ("interrupt", "end of a handler", "irq_handler_exit", 4300, 110),
            ("softirq", "start of a soft interrupt", "softirq_entry", 5500, 85),
            ("softirq", "end of a soft interrupt", "softirq_exit", 5500, 105))


def counted(key, name, rates, each, seconds, more):
    """The row of the sum and those of the CPUs, as a topic writes them."""
    rows = []
    for cpu, rate in [("all", sum(rates)), *((str(i), rate) for i, rate in enumerate(rates) if rate)]:
        runs = int(rate * seconds)
        row = {key: name, "cpu": cpu, ("runs" if key == "kind" else "interrupts"): 100_000 + runs, **more}
        row["how"] = "bpf" if each else "proc"
        if each:
            row["seconds"] = runs * each / 1e6
        rows.append(row)
    return rows


def tables(step):
    seconds = step * STEP
    interrupts, softirqs = [], []
    for irq, (device, rates, each, affinity, effective) in INTERRUPTS.items():
        more = {"device": device}
        if affinity:
            more |= {"affinity": affinity, "effective": effective, "node": 0}
        interrupts += counted("irq", irq, rates, each, seconds, more)
    for kind, (rates, each, longest) in SOFTIRQS.items():
        softirqs += counted("kind", kind, rates, each, seconds, {"max_seconds": longest / 1e6})
    backlog = []
    for cpu, rates in [("all", [sum(column) for column in zip(*BACKLOG)]), *((str(i), r) for i, r in enumerate(BACKLOG))]:
        processed, dropped, squeezed = (int(rate * seconds) for rate in rates)
        backlog.append({"cpu": cpu, "processed": 1_000_000 + processed, "dropped": dropped, "squeezed": squeezed, "steered": 0,
                        "limited": 0, "waiting": 0})
    slab = [{"cache": name, "active": active + growth * seconds, "objects": room + growth * seconds, "object_bytes": each,
             "bytes": size + growth * each * seconds, "used_ratio": active / room}
            | ({} if name.startswith("kmalloc") else {"allocations": int(12 * growth * seconds), "allocator": "find (4711)"})
            for name, (active, growth, room, each, size) in CACHES.items()]
    slab.append({"cache": "(not in a cache)", "bytes": 1_212_416})
    slab.insert(0, {"cache": "all", "bytes": sum(row["bytes"] for row in slab)})
    wakeups = []
    for pid, (command, rates, idle) in WAKEUPS.items():
        counts = [int(rate * seconds) for rate in rates]
        wakeups.append({"pid": pid, "start_seconds": pid / 10, "wakeups": sum(counts), "from_idle": int(idle * seconds),
                        "observed_seconds": seconds, "how": "bpf", "command": command,
                        **{f"by_{cause}": count for cause, count in zip(CAUSES, counts)}})
    timers = [{"pid": pid, "function": function, "armed": int(armed * seconds), "fired": int(fired * seconds), "command": command}
              for (pid, function), (armed, fired, command) in TIMERS.items()]
    idle = [{"cpu": cpu, "cause": cause, "exits": int(rate * seconds)} | ({"device": device} if device else {})
            for cause, (rates, device) in IDLE.items()
            for cpu, rate in [("all", sum(rates)), *((str(i), rate) for i, rate in enumerate(rates) if rate)]]
    tracing = [{"topic": topic, "program": program, "tracepoint": tracepoint, "runs": int(rate * seconds),
                "used_seconds": rate * seconds * ns / 1e9, "mean_seconds": ns / 1e9, "entries": 9, "entries_max": 8192, "lost": 0}
               for topic, program, tracepoint, rate, ns in PROGRAMS]
    return {"interrupt": interrupts, "softirq": softirqs, "backlog": backlog, "wakeup": wakeups, "timer": timers,
            "idle_exit": idle, "slab": slab, "tracing": tracing}
