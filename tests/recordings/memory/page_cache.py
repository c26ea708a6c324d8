# SPDX-License-Identifier: GPL-2.0-or-later
"""What reads ask of the page cache: all of it is there, until memory is short."""
from clock import STEP

PROCESSES = {  # PID: command, pages asked a second, the share that is missed while memory is short
    2001: ("postgres", 31_000, 0.12), 15400: ("render", 4_200, 0.4), 812: ("rsync", 16_000, 0.9),
}
FILES = {  # (device, inode): the process, its share of that one's reads, path
    ("259:2", 1_310_722): (2001, 0.8, "/var/lib/postgresql/15/main/base/16384/16397"),
    ("259:2", 1_310_745): (2001, 0.2, "/var/lib/postgresql/15/main/base/16384/2619"),
    ("259:2", 2_883_601): (15400, 1.0, "/home/anna/scene/textures.pak"),
    ("254:1", 77_120): (812, 1.0, ""),
}


def counted(step, rate, share):
    """Pages asked for and missed at this step."""
    squeezed = min(max(step - 18, 0), 11) * STEP
    return int(rate * step * STEP), int(rate * share * squeezed)


def tables(step):
    rows, files = [], []
    sums = dict.fromkeys(("asked_pages", "hit_pages", "missed_pages", "ahead_pages", "mapped_faults", "dirtied_pages"), 0)
    for pid, (command, rate, share) in PROCESSES.items():
        asked, missed = counted(step, rate, share)
        row = {"asked_pages": asked, "hit_pages": asked - missed, "missed_pages": missed, "ahead_pages": 32 * (missed > 0),
               "mapped_faults": 12 * step, "dirtied_pages": rate // 250 * step}
        sums = {key: sums[key] + row[key] for key in sums}
        rows.append({"pid": pid, "start_seconds": pid / 10, "how": "bpf", "note": "", "command": command, **row})
    for (device, inode), (pid, part, path) in FILES.items():
        _, rate, share = PROCESSES[pid]
        asked, missed = counted(step, rate * part, share)
        files.append({"device": device, "inode": inode, "last_pid": pid, "asked_pages": asked, "hit_pages": asked - missed,
                      "missed_pages": missed, "added_pages": missed, "path": path})
    everything = {"pid": 0, "start_seconds": 0, "how": "bpf", "note": "", "command": "(all)", **sums}
    return {"cache_use": [everything, *rows], "cache_file": files}
