# SPDX-License-Identifier: GPL-2.0-or-later
"""No pane leaves more than a quarter of a large screen empty while it has rows to show.

Every view that the program lists (--keys) is drawn, of a machine that works hard where it is recorded, and its empty lines are
counted: no table may be cut there, and a pane's home must have more to show, unless HOMES says why it has not.
"""
import itertools
import os
import re

from common import BUSY_RECORDING, panes, recording_named, recording_of, replay
from golden import MOMENTS
from walk import listed

MOST = 0.25
SIZES = {(120, 40): MOST, (200, 60): 0.5}  # and what a home may leave empty
NOT_BUSY = ("latency", "pages", "power", "process")  # these are not in it
FEW_ROWS = ("groups", "kernel", "profile")  # also where there are few: other tables stand below
HOMES = {("pages", "Map"): "the map of a small process", ("process", "Processes"): "one of few processes is to be chosen",
         ("fleet", "Machines"): "one machine"}
COUNT = re.compile(r"(?<=─ )(\d+)(?: of \d+)?(?: \+ \d+ ended)? ──")


def empty_lines(lines):
    return sum(not line.strip() for line in lines)


def cut_tables(lines):
    """Tables that count more rows than they show. Below the rule most have headings."""
    for y, line in enumerate(lines):
        counts = [int(count) for count in COUNT.findall(line)]
        shown = list(itertools.takewhile(lambda line: line.strip() and "──" not in line, lines[y + 1:]))
        if counts and max(counts) > len(shown):
            yield line.strip("─ ")


def problem_of(terminal, pane, title, home):
    height = terminal.screen.lines
    lines = terminal.lines()[3:-1]
    if empty_lines(lines) <= MOST * height:
        return None
    cut = list(cut_tables(lines))
    if cut:
        return f"{title} cuts {cut} and leaves {empty_lines(lines)} of {height} lines empty\n{terminal.text()}"
    if home and empty_lines(lines) > SIZES[terminal.screen.columns, height] * height and (pane, title) not in HOMES:
        return f"{title} leaves {empty_lines(lines)} of {height} lines empty\n{terminal.text()}"
    return None


def fills(pane, titles, recording, begin, moment, width, height):
    def test(_scratch):
        found = []
        with replay(pane, recording=recording, at=begin, width=width, height=height) as terminal:
            terminal.send("g", "+", *moment, "Enter")
            for number, title in enumerate(titles):
                found.append(problem_of(terminal, pane, title, number == 0))
                terminal.send("Tab")
        return "\n".join(problem for problem in found if problem) or None
    return test


def tests():
    _, _, views = listed()
    for pane in panes():
        name = recording_of(pane)
        moments = [(recording_named(name), "09:30:00", MOMENTS[name])] if pane in NOT_BUSY + FEW_ROWS else []
        moments += [] if pane in NOT_BUSY else [(BUSY_RECORDING, "09:10:56", "250")]
        for recording, begin, moment in moments:
            for width, height in SIZES:
                yield (f"{pane} of {os.path.basename(recording)} fills {width}x{height}",
                       fills(pane, views[pane] or [pane], recording, begin, moment, width, height))
