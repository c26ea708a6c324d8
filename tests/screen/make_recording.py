# SPDX-License-Identifier: GPL-2.0-or-later
"""make_recording.py PANETOP: writes the recording behind the golden screens to standard output.

A machine of 8 GiB in the course of six minutes: programs grow until the cache is squeezed and wanted again,
then one of them ends. The columns come from PANETOP itself, the values from here.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import time

from recorded_pages import page_rows

MIB = 1 << 20
STEP = 10  # seconds between frames
FRAMES = 36
START_WALL = 1_732_095_000  # 2024-11-20 09:30:00 UTC
START_MONO = 270_000


def header(panetop):
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(root + "/proc")
        out = subprocess.run([panetop, "--record=-", "-n", "1", "-d", "0.05", "--root=" + root, "memory", "cpu", "latency"],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    return json.loads(out.splitlines()[0])


def machine(step):
    """Sizes in MiB and counters at this step."""
    squeeze = min(max(step - 8, 0), 16)
    ended = step >= 29
    anonymous = 2100 + squeeze * 270 - (3300 if ended else 0)
    caches = 3600 - squeeze * 190 + (step - 29) * 60 * ended
    kernel, others = 210 + step, 160
    free = 8192 - anonymous - caches - kernel - others
    refaults = max(0, step - 18) * 9000 if not ended else 11 * 9000
    return {
        "anonymous": anonymous, "caches": caches, "kernel": kernel, "others": others, "free": free,
        "available": min(8192, free + caches * 4 // 5), "swap_used": min(max(0, step - 14), 12) * 24,
        "refaults": refaults, "steals": max(0, step - 9) * 21000, "swapins": refaults // 20,
        "pageins": 700_000 + step * 12_000 + refaults * 4, "stalled": max(0, min(step, 28) - 18) * 0.9,
    }


def paging(step):
    """The sums of counters at this step, and over the 300 s before it."""
    now, first = machine(step), max(step - 300 // STEP, 0)
    refaults = [machine(at)["refaults"] + machine(at)["swapins"] for at in range(step + 1)]
    changed = next(at for at in range(step + 1) if refaults[at] == refaults[step])
    row = {"page_in_bytes": now["pageins"] * 1024, "swap_ins": now["swapins"], "refaults": refaults[step],
           "evictions": now["steals"], "scans": now["steals"] * 3 // 2, "window_seconds": (step - first) * STEP,
           "calm_seconds": (step - changed) * STEP}
    if step > first:
        row["window_refaults"] = refaults[step] - refaults[first]
        row["window_refaults_per_second"] = row["window_refaults"] / row["window_seconds"]
        row["window_evictions"] = now["steals"] - machine(first)["steals"]
        row["window_swap_ins"] = now["swapins"] - machine(first)["swapins"]
    return row


def rows_of(step):
    now = machine(step)
    size = {key: value * MIB for key, value in now.items()}
    total = 8192 * MIB
    meminfo = {
        "MemTotal": total, "MemFree": size["free"], "MemAvailable": size["available"],
        "Buffers": 120 * MIB, "Cached": size["caches"] - 200 * MIB, "SwapTotal": 2048 * MIB,
        "SwapFree": 2048 * MIB - size["swap_used"], "Dirty": 5 * MIB, "AnonPages": size["anonymous"] - 60 * MIB,
        "Mapped": 330 * MIB, "Shmem": 60 * MIB, "Slab": 250 * MIB, "Committed_AS": 9000 * MIB,
    }
    counters = {
        "pgpgin": now["pageins"], "pswpin": now["swapins"], "workingset_refault_file": now["refaults"],
        "workingset_refault_anon": now["swapins"], "pgscan_kswapd": now["steals"] * 3 // 2, "pgscan_direct": 0,
        "pgsteal_kswapd": now["steals"], "pgsteal_direct": 0, "oom_kill": 1 if step >= 29 else 0,
    }
    waits = now["stalled"]
    limited = min(now["anonymous"] + 900, 6144)
    recent = 0.09 if 18 < step < 29 else 0.0
    return {
        "memory": [
            {"name": "mem", "total_bytes": total, "used_bytes": total - size["free"], "free_bytes": size["free"],
             "anonymous_bytes": size["anonymous"], "kernel_bytes": size["kernel"], "caches_bytes": size["caches"],
             "others_bytes": size["others"], "used_procps_bytes": total - size["available"],
             "used_htop_bytes": size["anonymous"] + size["kernel"],
             "page_cache_bytes": meminfo["Cached"] - meminfo["Shmem"], "note": ""},
            {"name": "available", "used_bytes": total - size["available"], "free_bytes": size["available"],
             "total_bytes": False, "anonymous_bytes": False, "kernel_bytes": False, "caches_bytes": False,
             "others_bytes": False, "used_procps_bytes": False, "used_htop_bytes": False,
             "page_cache_bytes": False, "note": ""},
            {"name": "swap", "total_bytes": 2048 * MIB, "used_bytes": size["swap_used"],
             "free_bytes": 2048 * MIB - size["swap_used"], "anonymous_bytes": False, "kernel_bytes": False,
             "caches_bytes": False, "others_bytes": False, "used_procps_bytes": False, "used_htop_bytes": False,
             "page_cache_bytes": False, "note": ""},
        ],
        "memory_limit": [
            {"resource": "memory", "cgroup": "/work.slice", "limit_bytes": 6144 * MIB,
             "used_bytes": limited * MIB, "free_bytes": (6144 - limited) * MIB,
             "caches_bytes": 800 * MIB},
        ] if step < 29 else [],
        "meminfo": [{"key": key, "value_bytes": value, "count": False, "part_of": "", "meaning": "meaning of " + key}
                    for key, value in meminfo.items()],
        "memory_check": [
            {"formula": "SReclaimable + SUnreclaim = Slab", "sum_bytes": 250 * MIB, "total_bytes": 250 * MIB,
             "error_bytes": 0, "error_ratio": 0},
            {"formula": "MemFree + Active + Inactive + Unevictable + Slab + KernelStack + PageTables + Percpu"
                        " + VmallocUsed + Hugetlb = MemTotal",
             "sum_bytes": total - 54 * MIB, "total_bytes": total, "error_bytes": -54 * MIB,
             "error_ratio": -54 / 8192},
        ],
        "reclaim": [{"counter": key, "total": value, "counts": "pages", "meaning": "meaning of " + key}
                    for key, value in counters.items()],
        "paging": [paging(step)],
        "pressure": [{"resource": resource, "kind": kind, "avg10_ratio": recent * share, "avg60_ratio": recent / 2 * share,
                      "avg300_ratio": recent / 9 * share, "stalled_seconds": 5 + waits * share}
                     for resource in ("cpu", "memory", "io") for kind, share in (("some", 1), ("full", 0.5))],
        "system": [{"load1": 0.42 + step / 100, "load5": 0.31, "load15": 0.2, "cpus": 4, "tasks": 214 + step,
                    "threads": 700 + step, "running": 2, "blocked": 0, "context_switches": 654_321 + step * 24_000,
                    "interrupts": 123_456 + step * 8_000, "forks": 4_321 + step * 17,
                    "uptime_seconds": 273_120 + step * STEP}],
        "self": [{"topic": "all", "sample_seconds": 0.00012, "reads": 20 * step, "lost": 0,
                  "cpu_seconds": 0.02 * step, "resident_bytes": 5 * MIB}],
    }


PROCESSES = [
    # pid, parent, name, command, user, nice, threads, share of a CPU, of that in the kernel, MiB, state
    (1, 0, "systemd", "/usr/lib/systemd/systemd --switched-root", "root", 0, 1, 0.0, 0.5, 12, "S"),
    (2, 0, "kthreadd", "[kthreadd]", "root", 0, 1, 0.0, 1, 0, "S"),
    (14, 2, "ksoftirqd/0", "[ksoftirqd/0]", "root", 0, 1, 0.004, 1, 0, "S"),
    (15, 2, "rcu_preempt", "[rcu_preempt]", "root", 0, 1, 0.004, 1, 0, "I"),
    (812, 1, "systemd-journal", "/usr/lib/systemd/systemd-journald", "root", 0, 1, 0.031, 0.8, 18, "S"),
    (2001, 1, "postgres", "postgres: writer process", "postgres", 0, 1, 0.12, 0.3, 310, "D"),
    (15001, 2044, "make", "make -j4 all", "ada", 0, 1, 0.012, 0.5, 6, "S"),
    (15385, 15001, "cc1", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -O2 main.c", "ada", 0, 1, 0.41, 0.03, 412, "R"),
    (15400, 2044, "render", "/home/ada/bin/render --threads 4 scene.json", "ada", 10, 5, 2.0, 0.05, 900, "R"),
    (15999, 15001, "x\u001b[31m) (y", "evil\u001b]0;name\u0007 \u202etxt", "mallory", 0, 1, 0.06, 0.1, 2, "R"),
    (2044, 1, "bash", "-bash", "ada", 0, 1, 0.0, 0.4, 5, "S"),
]


# what these use more and less than their share, in turns: not enough to be seen
UNSTEADY = {15: 0.0003}


def processes(step):
    rows = []
    for pid, parent, name, command, user, nice, threads, share, kernel, size, state in PROCESSES:
        cpu = 3.5 + (share * step + UNSTEADY.get(pid, 0) * (step % 2)) * STEP
        program = command.split(" ")[0]
        base = program.rpartition("/")[2]
        rows.append({"pid": pid, "start_seconds": pid / 10, "ppid": parent, "cpu_seconds": cpu,
                     "user_seconds": cpu * (1 - kernel), "system_seconds": cpu * kernel,
                     "user": user, "uid": 1000, "state": state, "processor": pid % 4, "threads": threads, "nice": nice,
                     "resident_bytes": size * MIB, "minor_faults": pid, "major_faults": 0, "name": name,
                     "program": program, "program_base": base, "command": command,
                     "command_base": command.replace(program, base, 1)})
    return rows


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
                       "total_seconds": 400 + count * seconds})
    return listed


def account_rows(step):
    seconds = step * STEP
    parts = {"tasks": sum(process[7] for process in PROCESSES), "exited": 0.19, "irq": 0, "softirq": 0.03, "steal": 0.04}
    busy = sum(sum(shares) for shares in CPUS.values()) + 0.04
    parts["unaccounted"] = busy - sum(parts.values())
    return [{"part": part, "cpu_seconds": share * seconds, "from": "from " + part}
            for part, share in {**parts, "busy": busy}.items()]


def exited_rows(step):
    return [{"command": "cc1", "exits": 38 * step, "cpu_seconds": 0.121 * step * STEP},
            {"command": "as", "exits": 12 * step, "cpu_seconds": 0.069 * step * STEP},
            {"command": "true", "exits": 3 * step, "cpu_seconds": 0}]


EVENTS = [
    # name, each second, share of, counted in this part of the time
    ("cycles", 2.1e9, None, 1), ("instructions", 3.4e9, "cycles", 1), ("cache-references", 4e7, None, 0.62),
    ("cache-misses", 3e6, "cache-references", 0.62), ("branches", 6e8, None, 0.62), ("branch-misses", 9e6, "branches", 0.62),
]


def counted_rows(step, names):
    rates, rows = {event[0]: event[1] for event in EVENTS}, []
    for event, rate, base, running in EVENTS:
        row = {**names, "event": event, "total": int(rate * step * STEP), "running_ratio": running, "share_of": ""}
        if base == "cycles":
            row["cycles_total"] = int(rates[base] * step * STEP)
        elif base:
            row["whole_total"] = int(rates[base] * step * STEP)
            row["share_of"] = base
        rows.append(row)
    return rows


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
               "samples": samples, "missed": 3 if step > 4 and cpu != "0" else 0, "cpus": len(both) if cpu == "all" else None, "thread_seconds": 0.01 * step * STEP}
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
                         "clock": time.strftime("%H:%M:%S.114", clock), "cpu": cpu, "latency_seconds": late * US,
                         "task": task, "task_ratio": share, "n_interrupts": 281, "interrupts": interrupts,
                         "n_softirqs": 12, "softirqs": "TIMER 9, SCHED 3", "frequency_hertz": 2.6e9,
                         "forks_per_second": 12, "context_switches_per_second": 8200, "throttles": None})
    return rows


def main():
    head = header(sys.argv[1])
    print(json.dumps(head, separators=(",", ":")))
    for step in range(FRAMES):
        mono = (START_MONO + step * STEP) * 10**9
        tables = {}
        rows_by_topic = {**rows_of(step), "process": processes(step), "cpu": cpu_rows(step),
                         "account": account_rows(step), "exited": exited_rows(step), "latency_worst": worst_rows(step),
                         "counter": counted_rows(step, {"cpu": "all"}) + counted_rows(step, {"cpu": "0"}),
                         "counter_process": counted_rows(step, {"pid": 15400, "start_seconds": 1540.0, "name": "render",
                                                                "scope": "all"}),
                         **page_rows(step)}
        rows_by_topic["latency"], rows_by_topic["latency_bucket"] = latency_rows(step)
        for topic, rows in rows_by_topic.items():
            keys = [column["key"] for column in head["topics"][topic]["columns"]]
            tables[topic] = {"mono_ns": mono, "rows": [[row.get(key) for key in keys] for row in rows]}
        frame = {"wall_ns": (START_WALL + step * STEP) * 10**9, "mono_ns": mono, "host": "vbox", "tables": tables,
                 "notices": []}
        if step == 29:
            frame["notices"] = [{"topic": "reclaim", "text": "a process was killed for want of memory",
                                 "remedy": "see the kernel's log"}]
        print(json.dumps(frame, separators=(",", ":")))


main()
