# SPDX-License-Identifier: GPL-2.0-or-later
"""Groups of resctrl on a machine with two L3 caches, of which one group moves most."""
from clock import STEP

L3_BYTES = 36608 * 1024
GROUPS = {  # mask, share of the bandwidth that is allowed, bytes in the cache, bytes moved per second, local part; threads, process
    "/": ("control", ((0x7ff, 1, 19_083_264, 210e6, 0.97), (0x7ff, 1, 2_310_144, 40e6, 0.9)), 431, None),
    "mon_groups/panetop-4302-88412-9f02c1d7": ("monitor", ((0x7ff, 1, 2_621_440, 96e6, 0.99), (0x7ff, 1, 0, 0, 1)), 9, "postgres (2001)"),
    "render": ("control", ((0x00f, 1, 3_014_656, 9.1e9, 0.99), (0x7ff, 1, 376_832, 0, 1)), 8, None),
    "web": ("control", ((0x7fe, 0.3, 9_961_472, 800e6, 0.75), (0x7ff, 1, 1_245_184, 120e6, 0.8)), 64, None),
}


def tables(step):
    seconds = step * STEP
    rows = []
    for name, (kind, caches, tasks, process) in GROUPS.items():
        for cache, (mask, allowed, occupied, rate, local) in enumerate(caches):
            moved = 50_000_000_000 + int(rate * seconds)
            rows.append({
                "group": name, "domain": str(cache), "kind": kind, "ways": bin(mask).count("1"), "cache_ways": 11, "mask": f"{mask:x}",
                "occupancy_bytes": occupied, "occupancy_ratio": occupied / L3_BYTES, "cache_bytes": L3_BYTES,
                "allocated_bytes": L3_BYTES // 11 * bin(mask).count("1"), "throttle_ratio": allowed, "tasks": tasks, "note": "",
                "total_bytes": moved, "local_bytes": 40_000_000_000 + int(rate * local * seconds),
                "process": process, "mode": "shareable" if kind == "control" else None,
            })
    return {"cache_group": rows}
