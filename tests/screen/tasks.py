# SPDX-License-Identifier: GPL-2.0-or-later
"""What people do with a top, from the first screen on: its keys, and how many the best of htop, btop and atop takes (None: none does it).
The names of the tests are the log. What is typed, as ~word, counts once here and there."""
import functools
import re

from common import BUSY_RECORDING, EVENT_RECORDING, expect, needs_nicer, replay, running, screen

AT_ONCE = ()
LIVE, MEMORY, LATER, BUSY, EVENTS = range(5)
MORE = ("renice", "set the refresh to 2 s")  # than a peer: the one asks first, and + and - fold trees

TASKS = (
    ("kill the top process", LIVE, ("F9", "Enter"), r"sent SIGTERM to sleep \(\d+\)", 2),
    ("sort by memory", MEMORY, ("M",), r"── all processes in .*\n.*▼RSS .*\n.* 900M ", 1),
    ("see the tree", MEMORY, ("t",), "── all processes as a tree", 1),
    ("filter by name", MEMORY, ("F4", "~make", "Enter"), "filter make: 1 of 11", 3),
    ("filter by user", MEMORY, ("u", "p", "Enter"), "── postgres: all processes", 3),
    ("renice", LIVE, ("F8", "y"), r"sleep \(\d+\) has nice \d+", 1),
    ("see threads", MEMORY, ("H",), "── threads in", 1),
    ("see open files", LIVE, ("l",), r"^ +1 \w+ +[rw]", 1),
    ("see the environment", LIVE, ("e",), "^TASK +known", 1),
    ("choose its CPUs", LIVE, ("a",), r"CPUs for all threads of sleep \(\d+\): ", 1),
    ("see who writes to the disk", MEMORY, AT_ONCE, "── most disk I/O ", 1),
    ("see who uses the network", MEMORY, AT_ONCE, "── most TCP ", None),
    ("find the group with most memory", BUSY, ("6", "M"), "▼memory .*\n.*\n.* 929M .*system.slice", None),
    ("see what was two minutes ago", LATER, ("{", "{"), "paused 09:32:00", None),
    ("see why it is slow", MEMORY, ("Enter",), r"why +\w+", None),
    ("see who started one that is gone", EVENTS, ("7", "F4", "~main40", "Enter"),
     r"filter main40: 2 (.*\n)+.* make +cc -c main40", None),
    ("see the latency of disks", MEMORY, ("4",), r"r wait .*\n.*\n?.* \d", None),
    ("see whether memory leaks", MEMORY, ("3",), "growth/s", None),
    ("see which CPU takes interrupts", MEMORY, ("F2", "K", "Enter"), r" per CPU|CPU0", None),
    ("save what is seen", LATER, ("S", "Enter"), r"saved: panetop-\S+", None),
    ("set the refresh to 2 s", LIVE, ("d", "2", "Enter"), "every 2 s", 1),
    ("hide kernel threads", MEMORY, ("K",), ", hidden: 3 ─", 1),
    ("see the processes of one user only", MEMORY, ("u", "p", "Enter"), "── postgres: all processes", 3),
    ("add a column", MEMORY, ("2", "c", "s", "t", "a", "Enter"), " started command", 10),
    ("compare with a minute ago", LATER, ("{", "m", "G", "="), "compared with 09:33:00", None),
    ("profile one process", MEMORY, ("Enter", "v", "c", "Enter"), "── Code of render", None),
    ("count its system calls", MEMORY, ("Enter", "v", "C", "a", "Enter"), "── Calls of render", None),
    ("see what is opened in vain", MEMORY, ("F2", "C", "a", "Enter", "Tab"), "ENOENT", None),
)


def begun(kind, pid, scratch):
    """The first screen, of a machine of this kind."""
    size = {"width": 120, "height": 40, "cwd": scratch}
    if kind == LIVE:
        return screen("-d", "0.2", f"-p{pid}", **size)
    moment = {BUSY: {"recording": BUSY_RECORDING, "at": "09:15:01"}, EVENTS: {"recording": EVENT_RECORDING, "at": "09:30:28"},
              LATER: {"at": "09:34:00"}, MEMORY: {"opening": True}}
    return replay("overview", **moment[kind], **size)


def done(task, scratch):
    what, kind, keys, shown, peer = task
    assert peer is None or what in MORE or len(keys) <= peer, f"{what}: {len(keys)} keys, where a peer takes {peer}"
    if what == "renice":
        needs_nicer()
    with running("sleep", "1000", env={"TASK": "known"}) as child, begun(kind, child.pid, scratch) as terminal:
        if kind == LIVE:
            terminal.comes("sleep 1000")
        expect(not keys or not re.search(shown, terminal.text()), terminal, f"there before: {shown}")
        for key in keys:
            terminal.send(*key[1:] if key.startswith("~") else [key])
        if not any(re.search(shown, line) for line in terminal.answers):  # a message may have left again
            expect(re.search(shown, terminal.text()) or terminal.wait_for(re.compile(shown)), terminal, f"not shown: {shown}")


def tests():
    for task in TASKS:
        what, _, keys, _, peer = task
        yield f"tasks: {what}: {' '.join(keys) or 'none'} ({len(keys)}; the best peer: {peer})", functools.partial(done, task)
