# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine, and what panetop itself costs."""
from clock import STEP

MIB = 1 << 20


def tables(step):
    return {
        "system": [{"load1": 0.42 + step / 100, "load5": 0.31, "load15": 0.2, "cpus": 4, "tasks": 214 + step,
                    "threads": 700 + step, "running": 2, "blocked": 0, "context_switches": 654_321 + step * 24_000,
                    "interrupts": 123_456 + step * 8_000, "forks": 4_321 + step * 17,
                    "uptime_seconds": 273_120 + step * STEP}],
        "self": [{"topic": "all", "sample_seconds": 0.00012, "reads": 20 * step, "lost": 0,
                  "cpu_seconds": 0.02 * step, "resident_bytes": 5 * MIB}],
    }
