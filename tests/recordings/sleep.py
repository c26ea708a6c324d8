# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine that sleeps for a minute, and whose clock is set: for make.py, above the tables of memory/."""
from clock import STEP

SLEPT_AT, SLEPT = 26, 60  # step, seconds
SET_AT, SET = 31, 3
SOURCES = {  # name: directory, events, active, broke off, seconds active, seconds since its last change
    "PNP0C0D:00": (7, 14, 14, 2, 0.0, 84.6), "PNP0C0C:00": (3, 1, 1, 0, 0.0, 5011.2), "00:03": (12, 0, 0, 0, 0.0, None),
    "alarmtimer.0.auto": (20, 311, 311, 0, 1.204, 61.0), "usb1/1-4": (31, 902, 88, 0, 40.3, 12.9),
}


def moved(step):
    """By how much the clock moves before this step, apart from the time awake."""
    return {SLEPT_AT: SLEPT, SET_AT: SET}.get(step, 0)


def events(step, wall):
    now = wall * 10**9 + 2_000_000
    if step == SLEPT_AT:
        return [{"number": 1, "time": now, "kind": "suspend", "seconds": 60.000214, "from_time": now - (SLEPT + STEP) * 10**9, "irq": 9,
                 "irq_device": "acpi", "wake_source": "PNP0C0D:00, alarmtimer.0.auto"}]
    if step == SET_AT:
        return [{"number": 2, "time": now, "kind": "clock", "seconds": 3.000011, "from_time": now - SET * 10**9, "irq_device": "",
                 "wake_source": ""}]
    return []


def tables(step, wall):
    slept = step >= SLEPT_AT
    return {
        "event": [],
        "sleep": events(step, wall),
        "suspend": [{"asleep_seconds": 0, "states": ""}] if step == 0 else [{"asleep_seconds": 28_801.5 + 60.000214 * slept, "suspends": 12 + slept, "failures": 1, "states": "freeze mem disk",
                     "mem_sleep": "s2idle [deep]", "failed_device": "0000:00:14.0", "failed_step": "suspend", "failed_error": "-16"}],
        "wake_source": [{"name": name, "source": f"wakeup{number}", "events": events, "activations": active, "wakeups": broke,
                         "age_seconds": ago, "total_seconds": seconds, "prevented_seconds": 0,
                         "state": "active" if name.startswith("usb") else "", "awake_seconds": 12.9 if name.startswith("usb") else 0}
                        for name, (number, events, active, broke, seconds, ago) in SOURCES.items()],
    }
