# SPDX-License-Identifier: GPL-2.0-or-later
"""System calls that are too dear to be counted all the time: a sample each two seconds, between two bursts of 1 s."""
from recording import Recording

STEP, FRAMES = 2, 5
START_WALL = 1_732_095_000  # 2024-11-20 09:30:00 UTC
START_MONO = 270_000
CALLS = {  # pid, command, call: calls in a burst, errors a second, their name
    (4810, "dd", "write"): (512_000, 0, None), (4810, "dd", "read"): (512_000, 0, None), (2001, "postgres", "openat"): (90, 77, "ENOENT"),
    (812, "cron", "clock_nanosleep"): (0, 0, None), (0, "(exited)", "execve"): (4, 2, "ENOENT"),
}
NOTICE = {"topic": "call", "text": "Estimates: system calls were counted for 1.0 s of each 10 s, since all of them cost 31 % of a CPU",
          "remedy": "select one process (Enter) or a scope (@) with fewer calls"}


def row(key, counted, seconds, age):
    pid, command, call = key
    calls, errors, error = counted
    return {"pid": pid or None, "start_seconds": 100.0 if pid else 0.0, "call": call, "calls": 40 + calls * seconds, "errors": errors * seconds,
            "error_names": f"{error} {errors * seconds}" if errors else "", "how": "burst", "command": command, "age_seconds": age,
            "error_ratio": calls ** -0.5 if calls else None}


def write(panetop, out):
    recording = Recording(panetop, out, START_WALL, START_MONO)
    for step in range(FRAMES):
        seconds = STEP * step
        calls = [row(*one, seconds, seconds + 1.0) for one in CALLS.items()]
        recording.frame(seconds, {"call": calls, "tracing": []}, [NOTICE])
