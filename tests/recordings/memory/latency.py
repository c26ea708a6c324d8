# SPDX-License-Identifier: GPL-2.0-or-later
"""Latencies of wake-ups: a hump that is there in every interval, and the worst as they come."""
import math
import time

from clock import START_WALL, STEP

US = 1e-6
CENTRES = {"0": 5.0, "1": 6.5}  # microseconds
WORST = [(4, "1", 812.4, "kworker/1:2 88", 0.31, "LOC 250, virtio0-input.0 31"), (17, "0", 95.0, "cc1 15385", 0.41, "LOC 251"),
         (23, "1", 61.2, "x\u001b[31m) (y 15999", 0.06, "LOC 250, eth0 7"), (2, "0", 44.8, None, None, "LOC 250")]


def buckets(cpu, step):
    """Counts by lower bound in ns: a hump that is there in every interval, and the worst as they come."""
    counts = {}
    for offset in range(-4, 14):
        lower = int(CENTRES[cpu] * 1000) // 128 * 128 + 128 * offset
        share = math.exp(-(offset / 2) ** 2) if offset < 2 else 0.6 * math.exp(-offset / 2)
        counts[lower] = int(share * 1000) * step
    for when, where, late, *_ in WORST:
        if where == cpu and when < step:
            counts[int(late * 1000) // 512 * 512] = 1
    return {lower: count for lower, count in counts.items() if count > 0}


def percentile(counts, percent):
    rank, below = sum(counts.values()) * percent / 100, 0
    for lower, count in sorted(counts.items()):
        below += count
        if below >= rank:
            return (lower + 31) * 1e-9
    return None


def latency_rows(step):
    both = {cpu: buckets(cpu, step) for cpu in CENTRES}
    merged = {}
    for counts in both.values():
        for lower, count in counts.items():
            merged[lower] = merged.get(lower, 0) + count
    figures, listed = [], []
    for cpu, counts in {"all": merged, **both}.items():
        samples = sum(counts.values())
        row = {"cpu": cpu, "policy": "fifo", "priority": 80, "degraded": 0, "method": "clock_ns", "period_seconds": 1e-3,
               "slack_seconds": 0, "locked": "all", "idle_states": "as they are", "measured_seconds": step * STEP,
               "samples": samples, "missed": 3 if step > 4 and cpu != "0" else 0,
               "cpus": len(both) if cpu == "all" else None, "thread_seconds": 0.01 * step * STEP}
        if samples:
            row.update({f"p{name}_seconds": percentile(counts, float(name.replace("_", ".")))
                        for name in ("25", "50", "75", "90", "95", "99", "99_5", "99_9", "99_99")})
            row.update(min_seconds=min(counts) * 1e-9, max_seconds=(max(counts) + 31) * 1e-9, stddev_seconds=1.1 * US,
                       mean_seconds=sum(lower * count for lower, count in counts.items()) / samples * 1e-9,
                       mode_seconds=CENTRES.get(cpu, 5) * US)
        figures.append(row)
        listed += [{"cpu": cpu, "from_seconds": lower * 1e-9, "to_seconds": (lower + 32) * 1e-9, "samples": count}
                   for lower, count in sorted(counts.items())]
    return figures, listed


def worst_rows(step):
    rows = []
    for when, cpu, late, task, share, interrupts in sorted(WORST, key=lambda worst: -worst[2]):
        clock = time.gmtime(START_WALL + when * STEP + 3)
        if when < step:
            rows.append({"woken_time": time.strftime("%Y-%m-%dT%H:%M:%S.114000000Z", clock),
                         "clock": time.strftime("%H:%M:%S.114", clock), "cpu": cpu, "latency_seconds": late * US, "task": task,
                         "task_ratio": share, "n_interrupts": 281, "interrupts": interrupts,
                         "n_softirqs": 12, "softirqs": "TIMER 9, SCHED 3", "frequency_hertz": 2.6e9,
                         "forks_per_second": 12, "context_switches_per_second": 8200, "throttles": None})
    return rows


def tables(step):
    figures, listed = latency_rows(step)
    return {"latency": figures, "latency_bucket": listed, "latency_worst": worst_rows(step)}
