# SPDX-License-Identifier: GPL-2.0-or-later
"""The pane pages: its views, the ways between them, and what its keys change."""
import json
import os
import re
import subprocess
import time
from contextlib import contextmanager

from common import PANETOP, expect, fixture, replay, running, screen

VIEWS = ("Map", "Regions", "Page", "Values", "History", "Touched", "Page events", "Processes")
DRAWN = {"Map": "── map: 1 cell = ", "Regions": "── regions ", "Page": "── page ", "Values": "── all numbers of the process ",
         "History": "── memory over time ", "Touched": "How much memory does this process really use?", "Page events": "── page events of the whole machine",
         "Processes": "── processes: Enter opens the map of one "}


@contextmanager
def mapped(*arguments, wait="1 cell = ", **rest):
    """The map of a process of our own."""
    with running("sleep", "1000") as child:
        with screen("-d", "0.2", "-p", str(child.pid), *arguments, "pages", **rest) as terminal:
            terminal.until(wait)
            yield terminal, child


def shown(terminal):
    """The view in the strip, if what is drawn is that view."""
    strip = terminal.lines()[2]
    name = strip[strip.index("[") + 1:strip.index("]")]
    return name if terminal.wait_for(DRAWN[name], 10) else None


def every_view_is_walked(_scratch):
    """Tab goes through all of them and back to the first, and stops in none; nor do two keys that once led to an empty screen."""
    with mapped() as (terminal, _):
        walked = []
        for _ in VIEWS:
            walked.append(shown(terminal))
            terminal.send("p", "p")
            expect(shown(terminal) == walked[-1] is not None, terminal, f"an empty view, or another after p: {walked}")
            terminal.send("Tab")
        expect(walked == list(VIEWS) and shown(terminal) == "Map", terminal, f"walked {walked}")


def escape_goes_up(_scratch):
    """Page, map, processes; and home by the digit."""
    with mapped() as (terminal, _):
        for view in VIEWS[1:7]:
            terminal.view(view).send("Esc")
            expect(shown(terminal) == "Map", terminal, f"not from {view} to the map")
            terminal.view(view).send("0")
            expect(shown(terminal) == "Map", terminal, f"not home from {view}")
        terminal.send("Esc")
        expect(shown(terminal) == "Processes", terminal, "not from the map to the processes")


def escape_goes_back(_scratch):
    """To the pane in which the process was chosen."""
    with running("sleep", "1000") as child, screen("--idle", "-p", str(child.pid), "cpu") as terminal:
        terminal.until("sleep")
        terminal.send("Down", "Enter").until("[Summary]").view("Files")
        terminal.send("Esc", "Esc").shows("[2")


def enter_walks(_scratch):
    """From the map to the region under its cursor, and from a region to its place in the map."""
    with mapped() as (terminal, _):
        terminal.send(")", ")")
        address = next(line.split()[1] for line in terminal.lines() if line.startswith("> "))
        terminal.send("Enter")
        y = next((y for y, line in enumerate(terminal.lines()) if address in line), 0)
        expect(shown(terminal) == "Regions" and terminal.background(y, 2) != "default", terminal, "another region")
        terminal.send("Down")
        following = terminal.lines()[y + 1].split()[0]
        terminal.send("Enter")
        expect(shown(terminal) == "Map" and terminal.wait_for("> " + following), terminal, "another place")


def largest_first(_scratch):
    """One key in the regions; the map has no table to sort."""
    sizes = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    with mapped() as (terminal, _):
        terminal.send("M").shows("this view has no table")
        terminal.send("Tab", "M")
        rows = [line.split() for line in terminal.lines()[6:20]]
        present = [float(row[2][:-1]) * sizes[row[2][-1]] for row in rows if len(row) > 5]
        expect(len(present) > 5 and present == sorted(present, reverse=True), terminal, f"{present}")


def actions_ask(_scratch):
    with mapped() as (terminal, child):
        terminal.send("F9", *"Populate", "Enter").shows(f"Populate {child.pid} sleep?", "[y/n]")
        terminal.send("n", "F9", *"Reset", "Enter")
        text = terminal.text()
        expect(f"Reset the soft-dirty bits of {child.pid} sleep?" in text or "CONFIG_MEM_SOFT_DIRTY" in text, terminal,
               "reset neither asks nor says why it cannot be")


def touched_memory_is_measured(_scratch):
    """After a question, in a window; nothing of it goes on once the view is left."""
    with mapped("--touched-window=1") as (terminal, child):
        terminal.view("Touched").send("Enter")
        while not terminal.has("[y/n]") and terminal.has("the next sample prepares it"):
            terminal.send("Enter")
        terminal.shows(f"Clear the accessed bits of {child.pid} sleep", "[y/n]")
        terminal.send("n").shows(DRAWN["Touched"])
        terminal.send("Enter", "y").comes(re.compile(r"resident, .* used in [0-9.]+ s"))
        terminal.shows("1 cell = ", "touched memory by region").hides("window open")
        terminal.send("F9", *"Touched: watch", "Enter").shows("while this view is shown?")
        terminal.send("y").comes("window open").view("Map")
        terminal.view("Touched").comes(DRAWN["Touched"])


def touched_memory_is_refused(_scratch):
    with mapped("--read-only") as (terminal, _):
        terminal.view("Touched").send("Enter").comes("it was started with --read-only")


def a_mark_of_another_zoom(_scratch):
    """Differences of other cells would mean nothing: it says so, and m marks again."""
    with mapped() as (terminal, _):
        terminal.send("m").shows("changes since", "+ 0B new")
        terminal.send(*["-"] * 4).until("1 cell = 64.0K")
        terminal.comes("zoom changed since the mark: press m to mark again")
        terminal.send("m").comes("changes since")


def the_legend_is_complete(_scratch):
    with mapped() as (terminal, _):
        text = terminal.text()
        expect("░▒▓█ anon" in text and "█ changed since" in text and "small letter: less than half" in text and
               "absent" in text and "hole" in text, terminal, "something is not explained")


def what_is_not_counted_is_said_once(_scratch):
    """Several events are absent for one reason."""
    with mapped() as (terminal, _):
        terminal.view("Page events")
        if "perf" not in terminal.text():
            terminal.comes("page-faults")
        terminal.send("i")
        lines = [line for line in terminal.lines() if line.startswith("page_event: ")]
        expect(len(lines) == len({line.rpartition(":")[2] for line in lines}), terminal, f"{lines}")


def every_view_explains(_scratch):
    with replay("pages") as terminal:
        terminal.send(".")
        for view in VIEWS[:5]:
            terminal.view(view).send("i").shows("From: ", "Age:")
            terminal.send("q")


def without_a_process(_scratch):
    """The list is home, and other views say where one is chosen."""
    with screen(fixture("pages"), "pages") as terminal:
        expect(shown(terminal) == "Processes", terminal, "the list is not home")
        for view in VIEWS[:5]:
            terminal.view(view).shows("choose one in the view Processes", f"── {view} ──").send("Esc")
            expect(shown(terminal) == "Processes", terminal, f"Esc stays in {view}")


def small_and_large(_scratch):
    for width, height in ((20, 5), (40, 12), (200, 60)):
        with mapped(wait="sleep", width=width, height=height) as (terminal, _):
            for _ in VIEWS:
                expect(sum(1 for line in terminal.lines() if line) >= 3, terminal, f"{width}x{height}: an empty view")
                terminal.send("Tab")


def a_key_does_not_wait(_scratch):
    """With a delay of ten minutes: what a key wants is sampled at once, and so is what follows from its cells."""
    with mapped("-d", "600") as (terminal, _):
        terminal.send("-", "-", "-", "-").comes("1 cell = 64.0K")
        terminal.send("F9", *"One page", "Enter").comes("1 cell = 1 page")
        terminal.send("End").comes(re.compile(r"^> [0-9a-f]+ .*\[v?(syscall|vdso|vvar|stack)", re.M)).view("Page")
        expect(shown(terminal) == "Page" and terminal.wait_while("not read yet"), terminal, "a page waits for the delay")


def intervals_kept(terminal, scratch):
    """The seconds between samples so far, by what is saved of them."""
    terminal.send("S", *["Bksp"] * 40, *"kept.recording", "Enter").until("saved: kept.recording")
    played = subprocess.run([PANETOP, "--replay=" + os.path.join(scratch, "kept.recording"), "-b", "-o", "json", "-t", "page_total", "pages"],
                            stdout=subprocess.PIPE, check=True, text=True)
    os.remove(os.path.join(scratch, "kept.recording"))
    frames = [json.loads(line) for line in played.stdout.splitlines()]
    return [frame["interval_seconds"] for frame in frames if frame["interval_seconds"]]


def without_a_key_the_delay_holds(scratch):
    """No more samples than the delay gives; with a key up to three more. Messages come and go meanwhile."""
    def unasked(intervals):
        return len(intervals) - sum(intervals) / 2 - 1

    with mapped("-d", "2", cwd=scratch) as (terminal, _):
        time.sleep(1)
        begun = len(intervals_kept(terminal, scratch))
        time.sleep(7)
        calm = intervals_kept(terminal, scratch)[begun:]
        expect(len(calm) >= 2 and unasked(calm) <= 0, terminal, f"samples unasked: {calm}")
        terminal.send("-")
        time.sleep(7)
        more = intervals_kept(terminal, scratch)[begun + len(calm):]
        expect(len(more) >= 2 and unasked(more) <= 3, terminal, f"samples unasked: {more}")
