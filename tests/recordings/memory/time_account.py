# SPDX-License-Identifier: GPL-2.0-or-later
"""What the threads of processes do and wait for."""
from clock import STEP

PARTS = ("running", "ready", "disk", "memory", "lock", "sleep", "other")
PROCESSES = {  # PID: command, threads, shares of their time
    15400: ("render", 4, (0.50, 0.10, 0.02, 0.06, 0.12, 0.20, 0)), 2001: ("postgres", 1, (0.12, 0.01, 0.55, 0, 0.02, 0.30, 0)),
    1: ("systemd", 1, (0, 0, 0, 0, 0, 1, 0)),
}


def tables(step):
    seconds = step * STEP
    return {"time_account": [
        {"pid": pid, "start_seconds": pid / 10, "part": part, "seconds": share * threads * seconds, "threads": threads, "how": "bpf",
         "command": command}
        for pid, (command, threads, shares) in PROCESSES.items() for part, share in zip(PARTS, shares)]}
