# SPDX-License-Identifier: GPL-2.0-or-later
"""Counted events, of the CPUs and of a process."""
from clock import STEP

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


def tables(step):
    render = {"pid": 15400, "start_seconds": 1540.0, "name": "render", "scope": "all"}
    return {"counter": counted_rows(step, {"cpu": "all"}) + counted_rows(step, {"cpu": "0"}),
            "counter_process": counted_rows(step, render)}
