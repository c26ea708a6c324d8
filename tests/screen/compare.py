# SPDX-License-Identifier: GPL-2.0-or-later
"""Marks and comparisons: = shows what changed between two moments, in all panes, live, in the past and in a replay."""
import re
import subprocess

from common import PANETOP, RECORDING, expect, replay, screen
from drawn import live_seconds

SPAN = re.compile(r"B − A \S+ (\d\d:\d\d:\d\d)−(\d\d:\d\d:\d\d)$")


def span(terminal):
    """The later and the earlier time of the top line; None: it compares nothing."""
    found = SPAN.search(terminal.lines()[0].rstrip())
    return found and found.groups()


def rows_of(terminal, user):
    return [line for line in terminal.lines() if f" {user} " in line]


def waits_for_row(terminal, mark, name):
    """A row of this process with this mark."""
    return terminal.wait_for(name) and any(re.search(rf"{mark} .*{name}", line) for line in terminal.lines())


def of_a_replay(_scratch):
    """Its numbers are those of --between; moving on goes on comparing; = and Esc leave."""
    with replay("memory") as terminal:
        before = rows_of(terminal, "ada")
        terminal.send("=")
        problem = expect("no moment is marked" in terminal.text(), terminal, "a comparison with nothing")
        terminal.send("m", ".", ".", "=", "Tab", "Tab")
        times = span(terminal)
        problem = problem or expect(times, terminal, "no span in the top line")
        row = next((line.split() for line in terminal.lines() if line.startswith("MemFree")), ["", ""])
        printed = subprocess.run([PANETOP, "--replay=" + RECORDING, f"--between={times[1]},{times[0]}", "-t", "meminfo"], check=True,
                                 capture_output=True, encoding="utf-8").stdout
        free = next(line.split() for line in printed.splitlines() if line.startswith("MemFree"))
        problem = problem or expect(row[1] == free[1] and row[1][0] in "+-0", terminal, f"--between has {free}")
        terminal.send(".")
        problem = problem or expect(span(terminal) and span(terminal)[0] > times[0], terminal, "it does not follow the shown moment")
        terminal.send(*[","] * 3, "=", "Esc")
        problem = problem or expect(not span(terminal), terminal, "= does not leave")
        return problem or expect(rows_of(terminal, "ada")[:3] == before[:3], terminal, f"not as before: {before}")


def backwards(_scratch):
    """The later moment is B, whichever of both was marked."""
    with replay("cpu") as terminal:
        terminal.send(".", ".", "m", ",", ",", "=")
        times = span(terminal)
        return expect(times and times[0] > times[1], terminal, "the earlier one less the later one")


def live(_scratch):
    """New and ended processes are marked, and nothing can be changed."""
    with subprocess.Popen(["sleep", "1111"]) as ends:
        with screen("-d", "0.2", "cpu", "--filter=^sleep 111") as terminal:
            terminal.send("Tab")
            problem = expect(terminal.wait_for("sleep 1111"), terminal, "no process to compare")
            terminal.send("m")
            ends.kill()
            ends.wait()
            with subprocess.Popen(["sleep", "1112"]) as begins:
                try:
                    terminal.send("=")
                    for mark, name in (("new", "sleep 1112"), ("ended", "sleep 1111")):
                        problem = problem or expect(waits_for_row(terminal, mark, name), terminal, f"{name} is not {mark}")
                    terminal.send("Down", "F9")
                    problem = problem or expect("not in a comparison" in terminal.text(), terminal, "a signal")
                    terminal.send("i")
                    problem = problem or expect("the difference of two samples" in terminal.text(), terminal, "i does not say so")
                    terminal.send("Esc", "w")
                    problem = problem or expect("not in a comparison" in terminal.text(), terminal, "the configuration is written")
                    terminal.send("=")
                    return problem or expect(not span(terminal) and "ended" not in terminal.text(), terminal, "it does not leave")
                finally:
                    begins.kill()


def in_the_past(_scratch):
    with screen("-d", "0.2", "cpu") as terminal:
        live_seconds(terminal, 1)
        terminal.send(",", ",", ",", "m", "=", ".", "3")
        problem = expect(span(terminal) and "[3" in terminal.text(), terminal, "no comparison in the past")
        terminal.send("4", "Esc", "G")
        return problem or expect(not span(terminal), terminal, "Esc does not leave")


def at_every_size(_scratch):
    for width, height in ((20, 5), (40, 12), (200, 60)):
        with replay("memory", width=width, height=height) as terminal:
            terminal.send("m", ".", "=")
            problem = expect(span(terminal) or width < 40, terminal, "no difference")
            terminal.send("/", "m", "Enter", "\\", "m", "Enter", "s", "Esc", "c", "Esc", "?", "Esc", *"1234567890", "=")
            if problem or terminal.ended():
                return problem or "it ended"
    return None


def in_every_view(_scratch):
    """The map of pages, for one, is of the frame, not of differences."""
    with replay("memory", width=120, height=40) as terminal:
        terminal.send("m", ".", "=")
        for pane in "1234567890":
            terminal.send(pane, pane, *(["Tab", "i", "Esc"] * 4))
        return expect(not terminal.ended(), terminal, "it ended")


def tests():
    return [
        ("compare: a replay", of_a_replay),
        ("compare: backwards", backwards),
        ("compare: new and ended processes", live),
        ("compare: in the past", in_the_past),
        ("compare: at every size", at_every_size),
        ("compare: in every view", in_every_view),
    ]
