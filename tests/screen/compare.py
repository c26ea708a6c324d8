# SPDX-License-Identifier: GPL-2.0-or-later
"""Marks and comparisons: = shows what changed between two moments, in all panes, live, in the past and in a replay."""
import re
import subprocess

from common import PANETOP, RECORDING, expect, replay, running, screen
from drawn import live_seconds

SPAN = re.compile(r"(\d\d:\d\d:\d\d) compared with (\d\d:\d\d:\d\d) \(\S+ s\)$|(\d\d:\d\d:\d\d)-(\d\d:\d\d:\d\d)$")


def span(terminal):
    """The later and the earlier time of the top line; None: it compares nothing."""
    found = SPAN.search(terminal.lines()[0].rstrip())
    return found and tuple(filter(None, found.groups()))


def rows_of(terminal, user):
    return [line for line in terminal.lines() if f" {user} " in line]


def waits_for_row(terminal, mark, name):
    """A row of this process with this mark."""
    return terminal.wait_for(name) and any(re.search(rf"{mark} .*{name}", line) for line in terminal.lines())


def of_a_replay(_scratch):
    """Its numbers are those of --between; moving on goes on comparing; = and Esc leave."""
    with replay("memory") as terminal:
        before = rows_of(terminal, "ada")
        terminal.send("=").shows("no moment is marked")
        times = span(terminal.send("m", ".", ".", "=", "Tab", "Tab"))
        expect(times, terminal, "no span in the top line")
        row = next((line.split() for line in terminal.lines() if line.startswith("MemFree")), ["", ""])
        printed = subprocess.run([PANETOP, "--replay=" + RECORDING, f"--between={times[1]},{times[0]}", "-t", "meminfo"], check=True,
                                 capture_output=True, encoding="utf-8").stdout
        free = next(line.split() for line in printed.splitlines() if line.startswith("MemFree"))
        expect(row[1] == free[1] and row[1][0] in "+-0", terminal, f"--between has {free}")
        terminal.send(".")
        expect(span(terminal) and span(terminal)[0] > times[0], terminal, "it does not follow the shown moment")
        terminal.send(*[","] * 3, "=", "Esc")
        expect(not span(terminal), terminal, "= does not leave")
        expect(rows_of(terminal, "ada")[:3] == before[:3], terminal, f"not as before: {before}")


def backwards(_scratch):
    """The later moment is B, whichever of both was marked."""
    with replay("cpu") as terminal:
        times = span(terminal.send(".", ".", "m", ",", ",", "="))
        expect(times and times[0] > times[1], terminal, "the earlier one less the later one")


def live(_scratch):
    """New and ended processes are marked, and nothing can be changed."""
    with subprocess.Popen(["sleep", "1111"]) as ends:
        with screen("-d", "0.2", "cpu", "--filter=^sleep 111") as terminal:
            terminal.send("Tab").comes("sleep 1111")
            terminal.send("m")
            ends.kill()
            ends.wait()
            with running("sleep", "1112") as begins:
                terminal.send("=")
                for mark, name in (("new", "sleep 1112"), ("ended", "sleep 1111")):
                    expect(waits_for_row(terminal, mark, name), terminal, f"{name} is not {mark}")
                terminal.send("Down", "F9").shows("not in a comparison")
                terminal.send("i").shows("the difference of two samples")
                terminal.send("Esc", "w").shows("not in a comparison")
                terminal.send("=")
                expect(not span(terminal) and "sleep 1111" not in terminal.text(), terminal, "it does not leave")


def in_the_past(_scratch):
    with screen("-d", "0.2", "cpu") as terminal:
        live_seconds(terminal, 1)
        terminal.send(",", ",", ",", "m", "=", ".", "3")
        expect(span(terminal) and "[3" in terminal.text(), terminal, "no comparison in the past")
        terminal.send("4", "Esc", "G")
        expect(not span(terminal), terminal, "Esc does not leave")


def at_every_size(_scratch):
    for width, height in ((20, 5), (40, 12), (200, 60)):
        with replay("memory", width=width, height=height) as terminal:
            terminal.send("m", ".", "=")
            expect(span(terminal) or width < 40, terminal, "no difference")
            terminal.send("/", "m", "Enter", "\\", "m", "Enter", "s", "Esc", "c", "Esc", "?", "Esc", *"1234567890", "=")
            assert not terminal.ended(), "it ended"


def in_every_view(_scratch):
    """The map of pages, for one, is of the frame, not of differences."""
    with replay("memory", width=120, height=40) as terminal:
        terminal.send("m", ".", "=")
        for pane in "1234567890":
            terminal.send(pane, pane, *(["Tab", "i", "Esc"] * 4))
        expect(not terminal.ended(), terminal, "it ended")
