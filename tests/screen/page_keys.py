# SPDX-License-Identifier: GPL-2.0-or-later
"""The pane pages: its views, the ways between them, and what its keys change."""
import json
import os
import re
import subprocess
import time
from contextlib import contextmanager

from common import PANETOP, expect, fixture, replay, screen

VIEWS = ("Map", "Regions", "Page", "Values", "History", "Touched", "Page events", "Processes")
DRAWN = {"Map": "── map: 1 cell = ", "Regions": "── regions ", "Page": "── page ", "Values": "── all numbers of the process ",
         "History": "── memory over time ", "Touched": "How much memory does this process really use?", "Page events": "── page events of the whole machine",
         "Processes": "── processes: Enter opens the map of one "}


@contextmanager
def mapped(*arguments, wait="1 cell = ", **rest):
    """The map of a process of our own."""
    child = subprocess.Popen(["sleep", "1000"])
    try:
        with screen("-d", "0.2", "-p", str(child.pid), *arguments, "pages", **rest) as terminal:
            terminal.until(wait)
            yield terminal, child
    finally:
        child.kill()
        child.wait()


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
            problem = expect(shown(terminal) == walked[-1] is not None, terminal, f"an empty view, or another after p: {walked}")
            if problem:
                return problem
            terminal.send("Tab")
        return expect(walked == list(VIEWS) and shown(terminal) == "Map", terminal, f"walked {walked}")


def escape_goes_up(_scratch):
    """Page, map, processes; and home by the digit."""
    with mapped() as (terminal, _):
        for view in VIEWS[1:7]:
            terminal.view(view)
            terminal.send("Esc")
            problem = expect(shown(terminal) == "Map", terminal, f"not from {view} to the map")
            terminal.view(view)
            terminal.send("0")
            problem = problem or expect(shown(terminal) == "Map", terminal, f"not home from {view}")
            if problem:
                return problem
        terminal.send("Esc")
        return expect(shown(terminal) == "Processes", terminal, "not from the map to the processes")


def escape_goes_back(_scratch):
    """To the pane in which the process was chosen."""
    child = subprocess.Popen(["sleep", "1000"])
    try:
        with screen("--idle", "-p", str(child.pid), "cpu") as terminal:
            terminal.until("sleep")
            terminal.send("Down", "Enter")
            terminal.until("[Summary]")
            terminal.view("Page")
            terminal.send("Esc", "Esc")
            return expect("[2" in terminal.text(), terminal, "it does not come back")
    finally:
        child.kill()
        child.wait()


def enter_walks(_scratch):
    """From the map to the region under its cursor, and from a region to its place in the map."""
    with mapped() as (terminal, _):
        terminal.send(")", ")")
        address = next(line.split()[1] for line in terminal.lines() if line.startswith("> "))
        terminal.send("Enter")
        y = next((y for y, line in enumerate(terminal.lines()) if address in line), 0)
        problem = expect(shown(terminal) == "Regions" and terminal.background(y, 2) != "default", terminal, "another region")
        terminal.send("Down")
        following = terminal.lines()[y + 1].split()[0]
        terminal.send("Enter")
        return problem or expect(shown(terminal) == "Map" and terminal.wait_for("> " + following), terminal, "another place")


def largest_first(_scratch):
    """One key in the regions; the map has no table to sort."""
    sizes = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    with mapped() as (terminal, _):
        terminal.send("M")
        problem = expect("this view has no table" in terminal.text(), terminal, "it does not say why nothing is sorted")
        terminal.send("Tab", "M")
        rows = [line.split() for line in terminal.lines()[6:20]]
        present = [float(row[2][:-1]) * sizes[row[2][-1]] for row in rows if len(row) > 5]
        return problem or expect(len(present) > 5 and present == sorted(present, reverse=True), terminal, f"{present}")


def actions_ask(_scratch):
    with mapped() as (terminal, child):
        terminal.send("F9", *"Populate", "Enter")
        problem = expect(f"Populate {child.pid} sleep?" in terminal.text() and "[y/n]" in terminal.text(), terminal, "populate does not ask")
        terminal.send("n", "F9", *"Reset", "Enter")
        text = terminal.text()
        return problem or expect(f"Reset the soft-dirty bits of {child.pid} sleep?" in text or "CONFIG_MEM_SOFT_DIRTY" in text, terminal,
                                 "reset neither asks nor says why it cannot be")


def touched_memory_is_measured(_scratch):
    """After a question, in a window; nothing of it goes on once the view is left."""
    with mapped("--touched-window=1") as (terminal, child):
        terminal.view("Touched")
        terminal.send("Enter")
        while not terminal.has("[y/n]") and terminal.has("the next sample prepares it"):
            terminal.send("Enter")
        problem = expect(f"Clear the accessed bits of {child.pid} sleep" in terminal.text() and "[y/n]" in terminal.text(), terminal, "does not ask")
        terminal.send("n")
        problem = problem or expect(DRAWN["Touched"] in terminal.text(), terminal, "begins without a yes")
        terminal.send("Enter", "y")
        problem = problem or expect(terminal.wait_for(re.compile(r"resident, .* used in [0-9.]+ s")), terminal, "no result")
        problem = problem or expect("1 cell = " in terminal.text() and "touched memory by region" in terminal.text(), terminal, "no map")
        problem = problem or expect("window open" not in terminal.text(), terminal, "another window that was not asked for")
        terminal.send("F9", *"Touched: watch", "Enter")
        problem = problem or expect("while this view is shown?" in terminal.text(), terminal, "to watch does not ask")
        terminal.send("y")
        problem = problem or expect(terminal.wait_for("window open"), terminal, "no window after a yes")
        terminal.view("Map")
        terminal.view("Touched")
        return problem or expect(terminal.wait_for(DRAWN["Touched"]), terminal, "it went on in the background")


def touched_memory_is_refused(_scratch):
    with mapped("--read-only") as (terminal, _):
        terminal.view("Touched")
        terminal.send("Enter")
        return expect(terminal.wait_for("it was started with --read-only"), terminal, "not refused")


def a_mark_of_another_zoom(_scratch):
    """Differences of other cells would mean nothing: it says so, and m marks again."""
    with mapped() as (terminal, _):
        terminal.send("m")
        problem = expect("changes since" in terminal.text() and "+ 0B new" in terminal.text(), terminal, "no mark")
        terminal.send(*["-"] * 4)
        terminal.until("1 cell = 64.0K")
        problem = problem or expect(terminal.wait_for("zoom changed since the mark: press m to mark again"), terminal, "not said")
        terminal.send("m")
        return problem or expect(terminal.wait_for("changes since"), terminal, "it is not marked again")


def the_legend_is_complete(_scratch):
    with mapped() as (terminal, _):
        text = terminal.text()
        return expect("░▒▓█ anon" in text and "█ changed since" in text and "small letter: less than half" in text and
                      "absent" in text and "hole" in text, terminal, "something is not explained")


def what_is_not_counted_is_said_once(_scratch):
    """Several events are absent for one reason."""
    with mapped() as (terminal, _):
        terminal.view("Page events")
        problem = expect(terminal.wait_for("page-faults"), terminal, "nothing is counted") \
            if "perf" not in terminal.text() else None
        terminal.send("i")
        lines = [line for line in terminal.lines() if line.startswith("page_event: ")]
        return problem or expect(len(lines) == len({line.rpartition(":")[2] for line in lines}), terminal, f"{lines}")


def every_view_explains(_scratch):
    with replay("pages") as terminal:
        terminal.send(".")
        for view in VIEWS[:5]:
            terminal.view(view)
            terminal.send("i")
            problem = expect("From: " in terminal.text() and "Age:" in terminal.text(), terminal, f"{view}: no explanation")
            terminal.send("q")
            if problem:
                return problem
    return None


def without_a_process(_scratch):
    """The list is home, and other views say where one is chosen."""
    with screen(fixture("pages"), "pages") as terminal:
        problem = expect(shown(terminal) == "Processes", terminal, "the list is not home")
        for view in VIEWS[:5]:
            terminal.view(view)
            problem = problem or expect("choose one in the view Processes" in terminal.text() and f"── {view} ──" in terminal.text(),
                                        terminal, f"{view} is empty, or has no title")
            terminal.send("Esc")
            problem = problem or expect(shown(terminal) == "Processes", terminal, f"Esc stays in {view}")
        return problem


def small_and_large(_scratch):
    for width, height in ((20, 5), (40, 12), (200, 60)):
        with mapped(wait="sleep", width=width, height=height) as (terminal, _):
            for _ in VIEWS:
                problem = expect(sum(1 for line in terminal.lines() if line) >= 3, terminal, f"{width}x{height}: an empty view")
                terminal.send("Tab")
                if problem:
                    return problem
    return None


def a_key_does_not_wait(_scratch):
    """With a delay of ten minutes: what a key wants is sampled at once, and so is what follows from its cells."""
    with mapped("-d", "600") as (terminal, _):
        terminal.send("-", "-", "-", "-")
        problem = expect(terminal.wait_for("1 cell = 64.0K"), terminal, "the zoom waits for the delay")
        terminal.send("F9", *"One page", "Enter")
        problem = problem or expect(terminal.wait_for("1 cell = 1 page"), terminal, "one page waits for the delay")
        terminal.send("End")
        problem = problem or expect(terminal.wait_for(re.compile(r"^> [0-9a-f]+ .*\[v?(syscall|vdso|vvar|stack)", re.M)), terminal,
                                    "cells that were not sampled wait for the delay")
        terminal.view("Page")
        problem = problem or expect(shown(terminal) == "Page" and terminal.wait_while("not read yet"), terminal, "a page waits for the delay")
        return problem


def intervals_kept(terminal, scratch):
    """The seconds between samples so far, by what is saved of them."""
    terminal.send("S", *["Bksp"] * 40, *"kept.recording", "Enter")
    terminal.until("saved: kept.recording")
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
        problem = expect(len(calm) >= 2 and unasked(calm) <= 0, terminal, f"samples unasked: {calm}")
        terminal.send("-")
        time.sleep(7)
        more = intervals_kept(terminal, scratch)[begun + len(calm):]
        return problem or expect(len(more) >= 2 and unasked(more) <= 3, terminal, f"samples unasked: {more}")


def tests():
    return [
        ("pages: every view is walked", every_view_is_walked),
        ("pages: Esc goes up", escape_goes_up),
        ("pages: Esc goes back to the pane it came from", escape_goes_back),
        ("pages: Enter walks between map and regions", enter_walks),
        ("pages: the largest mappings by one key", largest_first),
        ("pages: actions ask", actions_ask),
        ("pages: touched memory is measured after a question", touched_memory_is_measured),
        ("pages: touched memory is refused with --read-only", touched_memory_is_refused),
        ("pages: a mark of another zoom", a_mark_of_another_zoom),
        ("pages: the legend is complete", the_legend_is_complete),
        ("pages: what is not counted is said once", what_is_not_counted_is_said_once),
        ("pages: every view explains its numbers", every_view_explains),
        ("pages: without a process", without_a_process),
        ("pages: small and large screens", small_and_large),
        ("pages: a key does not wait for the delay", a_key_does_not_wait),
        ("pages: without a key the delay holds", without_a_key_the_delay_holds),
    ]
