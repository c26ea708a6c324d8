# SPDX-License-Identifier: GPL-2.0-or-later
"""The key x: what changed around the shown moment, in a recording with a spike, in the past and live."""
import os
import re
import shutil
import sys

from common import PANETOP, TESTS, expect, running, screen
from drawn import live_seconds, rows_under_cursor

sys.path.insert(0, os.path.join(TESTS, "recordings"))
from recording import Recording  # noqa: E402

START_WALL, START_MONO = 1_732_095_000, 5_000  # 2024-11-20 09:30:00 UTC; uptime and the other clock are one
SECONDS, SPIKE, MOMENT = 130, 115, 120


def tables(second):
    """make has always been there and works from the spike on; cc starts with it, and is gone 3 s after the moment."""
    more = max(0, min(second, MOMENT + 2) - SPIKE + 1)
    busy = 0.03 * second + 0.9 * more
    rows = [("init", 1, 1, 10, 20), ("make", 42, 90, 5 + 0.6 * more, 30)]
    if SPIKE <= second < MOMENT + 3:
        rows.append(("cc", 4711, START_MONO + SPIKE - 0.5, 1.2 * more, 200))
    return {"system": [{"uptime_seconds": START_MONO + second, "load1": 0.5, "cpus": 2, "tasks": len(rows)}],
            "cpu": [{"cpu": "all", "busy_seconds": 2 * busy, "total_seconds": 2.0 * second},
                    {"cpu": "0", "busy_seconds": busy, "total_seconds": 1.0 * second}],
            "process": [{"name": name, "command": name, "pid": pid, "start_seconds": start, "cpu_seconds": cpu, "state": "S",
                         "resident_bytes": mib << 20} for name, pid, start, cpu, mib in rows]}


def recorded(folder):
    path = os.path.join(folder, "spike.jsonl")
    with open(path, "w", encoding="utf-8") as out:
        recording = Recording(PANETOP, out, START_WALL, START_MONO)
        for second in range(SECONDS):
            recording.frame(second, tables(second))
    return "--replay=" + path


def at(terminal, second):
    minutes, seconds = divmod(second, 60)
    terminal.send("g", *f"09:{30 + minutes}:{seconds:02}", "Enter")


def a_spike(scratch):
    """What it was, by numbers; Enter shows the process, Esc leads back; an ordinary moment has nothing."""
    with screen(recorded(scratch), "cpu", width=100, height=30, env={"TZ": "UTC"}) as terminal:
        at(terminal, MOMENT)
        terminal.send("x").shows("3 changes around 09:32:00, compared with the 2 min before")
        for part in ("CPU busy  93 %, usually 3.0 %", "rose 5 s before", "started 5.5 s before", "CPU 60 %, usually 0.0 %",
                     "rose in the last 6 s", "CPU busy: 93 %, rose 5 s before; usually 3.0 %.", "Not sampled then: pressure, memory"):
            expect(part in " ".join(terminal.text().split()).replace("CPU busy ", "CPU busy  "), terminal, part)
        terminal.hides("median")
        terminal.send("i")
        part = "In 114 samples of the 2 min before: median 3.0 %, spread 0.0 %, at most 3.0 %."
        expect(part in " ".join(terminal.text().split()), terminal, "i does not tell how it was compared")
        lines = [line.strip() for line in terminal.lines()]
        terminal.send(*["Down"] * (next(y for y, line in enumerate(lines) if line.startswith("cc 4711")) - 3), "Enter")
        terminal.in_line(0, "09:32:00").shows("[All]")
        expect(any("4711" in line for line in rows_under_cursor(terminal)), terminal, "the process is not selected")


def what_is_gone(scratch):
    """After its end the line leads to the last sample that has it."""
    with screen(recorded(scratch), "overview", env={"TZ": "UTC"}) as terminal:
        at(terminal, MOMENT + 6)
        terminal.send("x")
        expect("last seen 4 s before, gone 3 s before" in " ".join(terminal.text().split()), terminal, "it is not gone")
        terminal.send("Enter").in_line(0, "09:32:02").shows("[2")
        terminal.send("Esc", "Esc", "Esc").shows("[1")


def an_ordinary_moment(scratch):
    with screen(recorded(scratch), "cpu", env={"TZ": "UTC"}) as terminal:
        at(terminal, 60)
        terminal.send("x").shows(re.compile("No change around .*, compared with the 60 s before"))
        terminal.send("Enter", "x").hides("nothing sampled departs")
        terminal.send(".").in_line(0, "09:31:01")


def a_moment_with_too_little_before_it(scratch):
    """Nothing was compared: no word of whether anything changed."""
    with screen(recorded(scratch), "cpu", env={"TZ": "UTC"}) as terminal:
        at(terminal, 5)
        terminal.send("x").shows("Too few samples to compare 09:30:05 with").hides("No change")
        terminal.shows("at least 10 are needed")
        terminal.send("Esc")
        at(terminal, 20)
        terminal.send("x").shows("No change around 09:30:20").hides("Too few")


def live(scratch):
    """Of the present, which goes on behind it; of the past; and not where nothing is kept."""
    burner = os.path.join(scratch, f"burner{os.getpid()}")  # no other has its name, and it is among the first
    shutil.copy("/bin/sh", burner)
    with screen("-d", "0.1", "cpu", width=100, height=60) as terminal:
        live_seconds(terminal, 2)
        with running(burner, "-c", "while :; do :; done") as child:
            live_seconds(terminal, 1)
            terminal.send("x")
            if "+ Other changes" in terminal.text():  # where another process changed the CPU more
                terminal.send("End", "Enter")
            terminal.shows(f"burner{os.getpid()} {child.pid}")
            child.kill()
            terminal.send("Esc", ",", "x")
            expect(" around " in terminal.text() and re.search(r" -[0-9:]{8} of ", terminal.lines()[0]), terminal,
                   "not in the past")
            terminal.send("Enter").hides(" around ")
    with screen("-d", "0.2", "--past=0", "cpu") as terminal:
        terminal.send("x").shows("nothing is kept to go back to")


def at_every_size(scratch):
    replay = recorded(scratch)
    for width, height in ((20, 5), (40, 12), (200, 60)):
        with screen(replay, "cpu", width=width, height=height, env={"TZ": "UTC"}) as terminal:
            at(terminal, MOMENT)
            terminal.send("x", "Down", "End", "Home", "PgDn").shows(" around ")
            terminal.send("Enter")
            expect(" around " not in terminal.text() and not terminal.ended(), terminal, "Enter")
