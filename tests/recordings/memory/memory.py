# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory: programs grow until the cache is squeezed and wanted again, then one of them ends."""
from clock import STEP

MIB = 1 << 20


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


def tables(step):
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
        "pgsteal_kswapd": now["steals"], "pgsteal_direct": 0, "allocstall": 12 if step >= 29 else 0,
        "oom_kill": 1 if step >= 29 else 0,
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
        "swap": [
            {"device": "/dev/zram0", "kind": "zram", "size_bytes": 512 * MIB, "used_bytes": size["swap_used"],
             "used_ratio": now["swap_used"] / 512, "priority": 100, "stored_bytes": size["swap_used"],
             "memory_bytes": size["swap_used"] * 5 // 16, "memory_limit_bytes": False,
             "compression_ratio": 3.2 if now["swap_used"] else None},
            {"device": "/dev/vda2", "kind": "partition", "size_bytes": 1536 * MIB, "used_bytes": 0, "used_ratio": 0,
             "priority": -2, "stored_bytes": False, "memory_bytes": False, "memory_limit_bytes": False},
        ],
        "reclaim": [{"counter": key, "total": value, "counts": "pages", "meaning": "meaning of " + key}
                    for key, value in counters.items()],
        "paging": [paging(step)],
        "pressure": [{"resource": resource, "kind": kind, "avg10_ratio": recent * share, "avg60_ratio": recent / 2 * share,
                      "avg300_ratio": recent / 9 * share, "stalled_seconds": 5 + waits * share}
                     for resource in ("cpu", "memory", "io") for kind, share in (("some", 1), ("full", 0.5))],
    }
