# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of the process render."""
PAGE = 4096
CELL_PAGES = 8
ENDS = 34  # step

REGIONS = [
    # start, pages, permissions, path; what is there: kind and share
    (0x55d0c1a00000, 40, "r-xp", "/home/ada/bin/render", "file", 0.6),
    (0x55d0c1a28000, 4, "rw-p", "/home/ada/bin/render", "own", 1.0),
    (0x55d0c2e00000, 96, "rw-p", "[heap]", "own", 0.9),
    (0x7f3a00000000, 512, "rw-p", "", "huge", 1.0),
    (0x7f3a40000000, 256, "rw-p", "", "own", 0.3),
    (0x7f3a60000000, 128, "rw-s", "/dev/shm/scene \u001b[31m (deleted)", "file", 0.5),
    (0x7f3a80000000, 64, "rw-p", "", "zero", 1.0),
    (0x7f3a90000000, 48, "rw-p", "", "swap", 0.8),
    (0x7f3aa0000000, 80, "r-xp", "/usr/lib/x86_64-linux-gnu/libc.so.6", "file", 0.75),
    (0x7ffc10000000, 33, "rw-p", "[stack]", "own", 0.2),
]


def counts_of(step, pages, kind, share, first):
    """Of a cell: what is there is the beginning of its region; own data grows, what is swapped comes back."""
    limit = pages * share * (min(step + 12, 36) / 36 if kind == "own" else 1)
    in_cell = min(CELL_PAGES, pages - first)
    there = sum(page < limit for page in range(first, first + in_cell))
    back = min(there, step // 6) if kind == "swap" else 0
    return {"pages": in_cell, "present": back if kind == "swap" else there,
            "swapped": there - back if kind == "swap" else 0, "file": there if kind == "file" else 0,
            "exclusive": there if kind == "own" else 0, "huge": there if kind == "huge" else 0,
            "zero": there if kind == "zero" else 0, "ksm": 0}


def add(sums, counts):
    for key, value in counts.items():
        sums[key] = sums.get(key, 0) + value


def map_rows(step):
    """Cells, regions, and the sums over all."""
    cells, regions, totals, end = [], [], {}, None
    for start, pages, permissions, path, kind, share in REGIONS:
        sums = {}
        for first in range(0, pages, CELL_PAGES):
            counts = counts_of(step, pages, kind, share, first)
            cells.append({"pid": 15400, "start_address": start + first * PAGE, "cell_pages": CELL_PAGES,
                          "end_address": start + (first + counts["pages"]) * PAGE, **counts,
                          "hole_bytes": None if end is None else start + first * PAGE - end,
                          "offset_bytes": first * PAGE if path.startswith("/") else None})
            end = cells[-1]["end_address"]
            add(sums, counts)
        add(totals, sums)
        regions.append({"pid": 15400, "start_address": start, "end_address": start + pages * PAGE,
                        "size_bytes": pages * PAGE, "anonymous_bytes": own_pages(sums) * PAGE,
                        **{key + "_bytes": sums[key] * PAGE
                           for key in ("present", "swapped", "file", "exclusive", "huge", "zero", "ksm")},
                        "permissions": permissions, "offset_bytes": 0, "inode": 77 if path.startswith("/") else 0,
                        "path": path})
    return cells, regions, totals


def own_pages(sums):
    return sums["present"] - sums["file"] - sums["zero"]


def total_row(step, totals):
    return {"pid": 15400, "command": "render", "state": "R" if step < ENDS else "gone", "mapped_pages": totals["pages"],
            "anonymous_pages": own_pages(totals),
            **{key + "_pages": totals[key] for key in ("present", "swapped", "file", "huge", "zero", "ksm", "exclusive")},
            "minor_faults": 5000 + 130 * step, "major_faults": 7 + step // 6, "threads": 5, "oom_score": 667,
            "oom_adjustment": -17, "regions": len(REGIONS), "vm_size_bytes": totals["pages"] * PAGE,
            "vm_resident_bytes": (totals["present"] - totals["zero"]) * PAGE, "vm_swap_bytes": totals["swapped"] * PAGE,
            "map_cpu_seconds": 0.0004, "map_done_ratio": 1, "start_seconds": 1540}


def bytes_row(step, row):
    return {"pid": 15400, "byte_address": REGIONS[0][0] + 16 * row, "text": "................",
            "hex": " ".join(f"{(row * 16 + i + (step if row == 2 else 0)) % 256:02x}" for i in range(16))}


def touched_rows(step):
    """From the sixth step on, windows of 10 s: own data is used, what is of files for a while."""
    if step < 6:
        return []
    rows, sums = [], [0, 0]
    for start, pages, permissions, path, kind, share in REGIONS:
        resident = int(pages * share) * PAGE
        seen = {"own": (0, 2), "huge": (2, 3), "file": (45 * (step > 12), 3), "zero": (700, 4)}.get(kind)
        touched = resident // seen[1] // PAGE * PAGE if seen and seen[0] < 10 else 0
        if kind != "swap":
            rows.append({**touched_sizes(resident, touched), "start_address": start, "end_address": start + pages * PAGE,
                         "permissions": permissions, "path": path, "huge_bytes": resident if kind == "huge" else 0,
                         "age_seconds": seen and seen[0], "last_touched_bytes": seen and resident // seen[1] // PAGE * PAGE})
            sums = [sums[0] + resident, sums[1] + touched]
    total = {**touched_sizes(*sums), "file_touched_bytes": 0 if step > 12 else 300 * PAGE // 4, "start_address": 0, "path": "all", "permissions": "", "windows": step // 10,
             "watched_seconds": 2.0 * step, "open_seconds": 2.0 * (step % 5) if step < ENDS else None, "cost_seconds": 0.0002,
             "state": "open" if step < ENDS else "ended"}
    return [{"pid": 15400, "start_seconds": 1540, "window_seconds": 10.04, **row} for row in [total, *rows]]


def touched_sizes(resident, touched):
    return {"resident_bytes": resident, "touched_bytes": touched, "untouched_bytes": resident - touched,
            "touched_ratio": touched / resident if resident else None}


def tables(step):
    cells, regions, totals = map_rows(step)
    own = own_pages(totals)
    level = {"pid": 15400, "present_bytes": (own + totals["file"]) * PAGE, "anonymous_bytes": own * PAGE,
             "file_bytes": totals["file"] * PAGE, "swapped_bytes": totals["swapped"] * PAGE, "peak_bytes": 1100 * PAGE}
    page = {"pid": 15400, "page_address": REGIONS[0][0], "bits": "present file or shared", "frame": 123456, "node": 0,
            "mappings": 2, "flags": "referenced uptodate lru active mmap"}
    damon = {"p25_seconds": 0.4, "p50_seconds": 12.2, "p75_seconds": 95, "p90_seconds": 310.5, "p99_seconds": 2000,
             "max_seconds": 2400, "bandwidth_bytes_per_second": 210000000}
    return {"damon_stat": [damon], "touched": touched_rows(step), "cell": cells, "region": regions, "page_total": [total_row(step, totals)],
            "page_level": [level] if step < ENDS else [], "page": [page],
            "page_bytes": [bytes_row(step, row) for row in range(64)] if step < 4 else []}
