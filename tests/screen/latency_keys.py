# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys of the latency pane: what starts and stops the threads, and which numbers stand under which title."""
import os
import time

from common import RECORDING, edited, expect, replay, screen
from terminal import PATIENCE

LAST = [*"g+350", "Enter"]
OFFER = "Press Enter to measure wake-up latency (like cyclictest: one FIFO-80 thread per CPU"


def threads(terminal):
    """The measuring threads of the program."""
    count = 0
    for task in os.listdir(f"/proc/{terminal.pid}/task"):
        try:
            with open(f"/proc/{terminal.pid}/task/{task}/comm", encoding="utf-8") as file:
                count += file.read().startswith("panetop-latency")
        except OSError:
            pass
    return count


def measures(terminal):
    """Waits for the threads."""
    end = time.monotonic() + PATIENCE
    while not threads(terminal) and time.monotonic() < end:
        terminal.pump(0.05)
    return threads(terminal) > 0


def walking_starts_nothing(_scratch):
    """The pane asks; its threads run from Enter until they are stopped, behind other panes, too."""
    with screen("-d", "0.2", "memory", width=100) as terminal:
        terminal.send("9")
        for _ in range(6):
            terminal.send("Tab")
            assert OFFER in terminal.text() and not threads(terminal), f"{threads(terminal)} threads without being asked\n" + terminal.text()
        terminal.send("9", "Enter")
        expect(measures(terminal) and terminal.wait_for("All CPUs, since"), terminal, "Enter starts no thread")
        terminal.send("3")
        expect(terminal.wait_for("[3M") and threads(terminal) > 0, terminal, "leaving ends it")
        terminal.in_line(1, "9Latency*")
        terminal.send("9", "F9", "Enter")
        expect(terminal.wait_for("stopped after") and threads(terminal) == 0, terminal, "it does not stop")
        terminal.shows("Worst wake-ups, since")
        terminal.send("3")
        expect("*" not in terminal.lines()[1], terminal, "it is marked as if it went on")
        terminal.send("9")
        terminal.send("Enter")
        expect(measures(terminal), terminal, "it does not start again")


def named_it_starts(_scratch):
    with screen("-d", "0.2", "latency") as terminal:
        expect(terminal.wait_for("s measured") and threads(terminal) > 0, terminal, "it waits")
        terminal.send("F9", "Down", "Enter").tells("measurement restarted")


def a_replay_starts_nothing(_scratch):
    with replay("latency") as terminal:
        terminal.send(*LAST, "Enter")
        expect("a recording is not measured again" in terminal.text() and threads(terminal) == 0, terminal, "it measures")


def titles_have_their_span(_scratch):
    """The window is of the charts; a table since the start says so."""
    with replay("latency", width=100) as terminal:
        terminal.send(*LAST, "o", "Enter", "Esc").shows("All CPUs, last 10 s", "max 8.0 µs")
        terminal.shows("Worst wake-ups, since 09:30:00")
        for view in ("CPUs side by side, last 10 s", "CPU 0, last 10 s", "Numbers, since 09:30:00", "Buckets, since 09:30:00",
                     "Worst, since 09:30:00"):
            terminal.send("Tab").shows(view)


def a_cpu_is_chosen(_scratch):
    with replay("latency", width=100) as terminal:
        terminal.send(*LAST, "Tab", "Tab")
        shown = []
        for key in ("Right", ")", "(", "Left", "Left"):
            terminal.send(key)
            shown.append("CPU 1" if "CPU 1, since" in terminal.text() else "CPU 0" if "CPU 0, since" in terminal.text() else "none")
        expect(shown == ["CPU 1", "CPU 0", "CPU 1", "CPU 0", "CPU 1"], terminal, str(shown))


def an_interval_is_told_once(scratch):
    """Wake-ups of one interval share what the machine did then; another interval has its own."""
    def change(_number, tables):
        rows = tables["latency_worst"]
        for row in rows[1:3]:
            row.update({key: rows[0][key] for key in rows[0] if key not in ("latency_seconds", "clock", "woken_time", "cpu")})
    with replay("latency", recording=edited(scratch, change, RECORDING, 175), width=140) as terminal:
        terminal.send(*LAST, "[")
        lines = [line for line in terminal.lines() if " 09:3" in line and "µs" in line]
        told = ["kworker/1:2" in line and "virtio0-input.0" in line for line in lines]
        expect("busiest task then" in terminal.text() and told == [True, False, False, False] and "LOC" in lines[3] and
               "LOC" not in lines[1], terminal, str(told))


def buckets_have_a_width(_scratch):
    with replay("latency") as terminal:
        terminal.send(*LAST, "Tab", "Tab", "Tab", "Tab")
        edges = [line.split()[1:3] for line in terminal.lines() if line.startswith("all ")]
        expect(edges and all(low != high for low, high in edges), terminal, "a bucket from x to x")
