# SPDX-License-Identifier: GPL-2.0-or-later
"""CPUs, and the account of their time."""
from clock import START_WALL, STEP
from process import PROCESSES

CPUS = {"0": (0.62, 0.0, 0.09, 0.01), "1": (0.35, 0.0, 0.2, 0.02), "2": (0.0, 0.58, 0.03, 0.0), "3": (0.9, 0.0, 0.1, 0.0)}


def cpu_rows(step):
    """User, nice, system and soft interrupts as listed; one part in fifty waits for a disk, one in a hundred is stolen."""
    rows, sums = [], [0.0] * 4
    for cpu, shares in CPUS.items():
        sums = [a + b for a, b in zip(sums, shares)]
        rows.append((cpu, 1, shares))
    rows.insert(0, ("all", 4, tuple(sums)))
    listed = []
    for cpu, count, (user, nice, system, softirq) in rows:
        seconds, busy = step * STEP, user + nice + system + softirq
        waits, stolen = (0.02 * count, 0.01 * count) if busy < 0.9 * count else (0, 0)
        listed.append({"cpu": cpu, "frequency_hertz": 2.6e9, "user_seconds": 50 + user * seconds,
                       "nice_seconds": 50 + nice * seconds, "system_seconds": 50 + system * seconds,
                       "softirq_seconds": 50 + softirq * seconds, "irq_seconds": 50, "iowait_seconds": 50 + waits * seconds,
                       "steal_seconds": 50 + stolen * seconds, "guest_seconds": 0,
                       "idle_seconds": 50 + (count - busy - waits - stolen) * seconds,
                       "busy_seconds": 300 + (busy + stolen) * seconds, "total_seconds": 400 + count * seconds})
    return listed


def account_rows(step):
    seconds = step * STEP
    parts = {"tasks": sum(process[7] for process in PROCESSES), "exited": 0.19, "irq": 0, "softirq": 0.03, "steal": 0.04}
    busy = sum(sum(shares) for shares in CPUS.values()) + 0.04
    parts["unaccounted"] = busy - sum(parts.values())
    return [{"part": part, "cpu_seconds": share * seconds, "from": "from " + part}
            for part, share in {**parts, "busy": busy}.items()]


def exited_rows(step):
    recent = min(step, 60 // STEP)
    over = {"recent_seconds": recent * STEP if step else None}
    return [{"command": "cc1", "exits": 38 * step, "failures": 2 * step, "cpu_seconds": 0.121 * step * STEP,
             "recent_exits": 38 * recent, "recent_failures": 2 * recent, **over},
            {"command": "as", "exits": 12 * step, "failures": 0, "cpu_seconds": 0.069 * step * STEP,
             "recent_exits": 12 * recent, "recent_failures": 0, **over},
            {"command": "true", "exits": 3 * step, "failures": 0, "cpu_seconds": 0,
             "recent_exits": 3 * recent, "recent_failures": 0, **over}]


def ended_rows(step):
    if not step:
        return []
    end = {"time": (START_WALL + step * STEP) * 10**9, "user": "root", "ppid": 15400, "parent": "render"}
    return [{"number": 2 * step - 1, "pid": 20000 + step, "name": "cc1", "status": "1", "exit_code": 1, "duration_seconds": 1.25,
             "cpu_seconds": 1.121, "resident_peak_bytes": 183 << 20, "disk_bytes": 3 << 20, **end},
            {"number": 2 * step, "pid": 21000 + step, "name": "true", "ppid": 15, "parent": "sh"}]


def tables(step):
    return {"cpu": cpu_rows(step), "account": account_rows(step), "exited": exited_rows(step), "ended": ended_rows(step)}
