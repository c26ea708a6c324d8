# SPDX-License-Identifier: GPL-2.0-or-later
"""The process page: the ways to it and back, its views, and a process that exits while it is open."""
import os
import re
import subprocess
from contextlib import contextmanager

from common import RECORDING, as_lines, expect, replay, screen
from drawn import live_seconds, rows_under_cursor

VIEWS = ("Summary", "Threads", "Files", "Limits", "Signals", "Environment", "Memory", "Map", "Events", "Code", "Waits", "Processes")


@contextmanager
def paged(command, *arguments, **rest):
    """The page of a process of our own; its directory and a variable are known."""
    child = subprocess.Popen(command, cwd="/", env={"PATH": "/usr/bin:/bin", "KNOWN_VARIABLE": "known value"}, stdin=subprocess.PIPE)
    try:
        with screen("-d", "0.2", "-p", str(child.pid), *arguments, "process", **rest) as terminal:
            terminal.until("in /")
            yield terminal, child
    finally:
        child.kill()
        child.wait()
        child.stdin.close()


def opened_from_each_pane(_scratch):
    """Enter opens it, its pid is that of the row, and Esc goes back to the same row."""
    seconds = f"1{os.getpid()}.75"  # no other command has it
    with subprocess.Popen(["sleep", seconds]) as child:
        try:
            for pane, home in (("cpu", "[2"), ("memory", "[3")):
                with screen("-d", "0.2", pane, width=120, height=40) as terminal:
                    terminal.until(home)
                    if pane == "memory":
                        terminal.view("Processes")
                    terminal.send("\\", *f"sleep {seconds}", "Enter")
                    problem = expect(terminal.wait_for(f" {child.pid} "), terminal, f"{pane}: it is not listed")
                    terminal.send("Down", "Enter")
                    problem = problem or expect(terminal.wait_for(f"{child.pid} sleep") and terminal.wait_for("[Pro"), terminal,
                                                f"{pane}: Enter does not open it")
                    terminal.send("Esc")
                    problem = problem or expect(terminal.wait_for(home) and f" {child.pid} " in terminal.text(), terminal,
                                                f"{pane}: Esc does not go back to it")
                    if problem:
                        return problem
            return None
        finally:
            child.kill()


def opened_from_the_overview(_scratch):
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as child:
        try:
            with screen("-d", "0.5", f"--in=tree={child.pid}", "overview") as terminal:
                used = re.compile(rf"^ +[0-9.]+ +{child.pid} sh")  # a share of the CPUs takes two samples
                problem = expect(terminal.wait_for(used), terminal, "it is not in the list")
                for _ in range(20):  # a finding may have come before it
                    if not any(f"{child.pid} sh" in line for line in rows_under_cursor(terminal)):
                        terminal.send("Down")
                terminal.send("Enter")
                problem = problem or expect(terminal.wait_for("[Pro") and terminal.wait_for("[Summary]"), terminal, "it is not opened")
                terminal.send("Esc")
                return problem or expect(terminal.wait_for("[1"), terminal, "Esc does not go back")
        finally:
            child.kill()


def opened_with_its_past(_scratch):
    """The chart of its CPU time begins with the samples that the list had of it."""
    name = f"busy-{os.getpid()}-loop"  # digits of a pid may be in other rows, too
    with subprocess.Popen(["sh", "-c", "while :; do :; done", name]) as child:
        try:
            with screen("-d", "0.2", "cpu", width=120, height=40) as terminal:
                terminal.send("\\", *name, "Enter")
                live_seconds(terminal, 2)
                terminal.send("Down", "Enter")
                problem = expect(terminal.wait_for(f"{child.pid} sh") and terminal.wait_for("[Summary]"), terminal, "it is not opened")
                terminal.wait_for("█")
                terminal.send("Z")
                plots = [re.split("[│└]", line)[1] for line in terminal.lines() if len(re.findall("[│└]", line)) == 2]
                return problem or expect(any(len(plot.strip()) >= 6 for plot in plots), terminal, "its chart begins when it is opened")
        finally:
            child.kill()


def a_long_command_is_whole(_scratch):
    """Where lines are free; all other lines stay."""
    words = [f"word{number}" for number in range(100)]
    for width, height in ((80, 45), (200, 60)):
        with paged(["sh", "-c", "read line", *words], width=width, height=height) as (terminal, _child):
            problem = expect(terminal.wait_for("word99") and terminal.wait_for("word50 ") and terminal.has(re.compile("^signals")) and
                             terminal.has(re.compile("^program")), terminal, "the command is cut, or it hides a line")
            if problem:
                return problem
    return None


def every_view_shows_this_process(_scratch):
    with paged(["sleep", "1000"], width=110, height=40) as (terminal, child):
        for view, sight in (("Threads", "sleep"), ("Files", "pipe:"), ("Limits", "Max open files"), ("Signals", "KILL"),
                            ("Environment", "known value"), ("Memory", "Private_Dirty"), ("Map", "[stack]"),
                            ("Processes", "sleep 1000"), ("Summary", f"{child.pid} sleep")):
            terminal.view(view)
            problem = expect(terminal.wait_for(sight), terminal, f"{view} does not show {sight}")
            if view not in ("Processes", "Summary"):
                problem = problem or expect(f"── {view} of sleep ({child.pid}) ─" in terminal.text(), terminal, f"{view} does not name it")
            if problem:
                return problem
        return None


def a_long_value_scrolls(_scratch):
    """Right of the last column goes on in its text, Left goes back, and the value begins where it began."""
    words = " ".join(f"word{number}" for number in range(60))
    with paged(["env", f"LONG={words}", "sleep", "1000"]) as (terminal, _child):
        terminal.view("Environment")
        terminal.until("LONG")
        problem = expect("word0 word1" in terminal.text() and "word59" not in terminal.text(), terminal, "before")
        terminal.send("/", *"LONG", "Enter", "Enter")
        problem = problem or expect("value of LONG" in terminal.text() and "word59" in terminal.text(), terminal,
                                    "Enter on the name does not show the value")
        terminal.send("Esc", *["Right"] * 40)
        problem = problem or expect("word59" in terminal.text(), terminal, "its end is not to be seen")
        terminal.send("Enter")
        problem = problem or expect("value of LONG" in terminal.text() and "word0 word1" in terminal.text() and "word59" in terminal.text(), terminal, "Enter does not show all of it")
        terminal.send("Esc", *["Left"] * 40)
        return problem or expect("word0 word1" in terminal.text() and "word59" not in terminal.text(), terminal, "Left does not go back")


def it_exits_while_its_page_is_open(_scratch):
    with paged(["sh", "-c", "read line; exit 7"]) as (terminal, child):
        problem = expect(terminal.wait_for("for data"), terminal, "it does not say what it waits for")
        child.stdin.close()
        child.wait()
        return problem or expect(terminal.wait_for("Its exit was seen at") and f"{child.pid} sh" in terminal.text(), terminal,
                                 "it does not stay, or does not say that it exited")


def stopped_and_why(_scratch):
    with paged(["sleep", "1000"]) as (terminal, child):
        child.send_signal(19)
        problem = expect(terminal.wait_for("has stopped it; SIGCONT"), terminal, "it does not say that it is stopped")
        child.send_signal(18)
        return problem or expect(terminal.wait_for("S sleeping"), terminal, "it is not seen to go on")


def its_map_is_one_key_away(_scratch):
    """And Esc leads from the map to the page."""
    with paged(["sleep", "1000"]) as (terminal, _):
        terminal.view("Map")
        terminal.until("[stack]")
        terminal.send("Enter")
        problem = expect(terminal.wait_for("1 cell ="), terminal, "no map")
        terminal.send("Esc")
        return problem or expect(terminal.wait_for("[Pro"), terminal, "Esc does not go back")


def its_parent_opens(_scratch):
    with paged(["sleep", "1000"]) as (terminal, _):
        terminal.send("Enter")
        return expect(terminal.wait_for(re.compile(rf"^process +{os.getpid()} ")) and
                      terminal.told("the parent of sleep; Esc goes back"), terminal,
                      "Enter does not open its parent, by name")


def esc_goes_back_to_the_child(_scratch):
    """From the parent's parent step by step, then to the list from which the child was opened."""
    with paged(["sh", "-c", "sleep 1000 & wait"]) as (_terminal, child):
        with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as children:
            grandchild = int(children.read())
        try:
            return steps_back(child.pid, grandchild)
        finally:
            os.kill(grandchild, 9)


def steps_back(child, grandchild):
    with screen("-d", "0.2", "-p", str(grandchild), "process") as page:
        page.until(f"{grandchild} sleep")
        page.send("Enter")
        problem = expect(page.wait_for(f"{child} sh"), page, "Enter does not open its parent")
        page.send("Enter")
        problem = problem or expect(page.wait_for(f"{os.getpid()} "), page, "Enter does not open the parent's parent")
        page.send("Esc")
        problem = problem or expect(page.wait_for(f"{child} sh"), page, "Esc does not go back to the parent")
        page.view("Threads")
        page.send("Esc", "Esc")
        problem = problem or expect(page.wait_for(f"{grandchild} sleep"), page, "Esc does not go back to the child")
        page.send("Esc")
        return problem or expect(page.wait_for("[Processes]"), page, "Esc does not go back to the list")


def signalled_from_its_page(_scratch):
    with paged(["sleep", "1000"]) as (terminal, child):
        terminal.send("F9")
        problem = expect(terminal.wait_for(f"sleep ({child.pid})"), terminal, "the menu is not about it")
        terminal.send("Esc", "Esc", "Esc")  # out of the menu, of the selected row, of the pane
        return problem or expect(terminal.wait_for("[Pro"), terminal, "Esc does not go back")


def opened_from_a_recording(_scratch):
    """Of a process that was not recorded in detail, the page has what the list has."""
    with replay("cpu") as terminal:
        terminal.send(".", "Down", "Enter")
        problem = expect("[Pro" in terminal.text() and "15400 render" in terminal.text(), terminal, "it is not opened")
        terminal.send("F9")
        return problem or expect("cannot be changed" in terminal.text(), terminal, "it does not say that it cannot be signalled")


def its_chart_is_its_own(_scratch):
    """Not that of the process whose page was open before, also on the way back from its parent, in both forms of a recording."""
    def chart_begins_with(terminal, cpu, memory):
        return any(cpu in line and memory in line for line in terminal.lines() if line.count("┤") == 2)

    problem = None
    for recording in (RECORDING, as_lines(RECORDING)):
        with replay("cpu", recording=recording, width=120, height=40) as terminal:
            terminal.send(".", "Down", "Enter")
            problem = problem or expect(chart_begins_with(terminal, "200 %", "900M"), terminal, "of the first one")
            terminal.send("Esc", "Down", "Enter")
            problem = problem or expect(chart_begins_with(terminal, "41 %", "412M"), terminal, "of the second one")
            terminal.send("Enter")
            problem = problem or expect(chart_begins_with(terminal, "1 %", "6.0M"), terminal, "of its parent")
            terminal.send("Esc")
            problem = problem or expect(chart_begins_with(terminal, "41 %", "412M"), terminal, "on the way back")
    return problem


def a_row_without_its_process(_scratch):
    """A connection whose owner is not known opens no page, and says so; one with its owner does."""
    with replay("network", width=120, height=40) as terminal:
        terminal.view("Connections")
        terminal.send("Down", "Down", "Down", "Enter")
        problem = expect("the process of this row is not known" in terminal.text() and "[5" in terminal.text(), terminal, "it opens something")
        terminal.send("Up", "Enter")
        return problem or expect("[Pro" in terminal.text() and "15400" in terminal.text(), terminal, "the one above does not open")


def tests():
    return [
        ("the process page opens from each pane, and Esc goes back", opened_from_each_pane),
        ("the process page opens from the overview", opened_from_the_overview),
        ("the process page opens with its past", opened_with_its_past),
        ("a long command is whole on the process page", a_long_command_is_whole),
        ("every view of the process page is of this process", every_view_shows_this_process),
        ("a long value of the environment scrolls", a_long_value_scrolls),
        ("a process exits while its page is open", it_exits_while_its_page_is_open),
        ("the process page says that it is stopped", stopped_and_why),
        ("the map of pages is one key from the process page", its_map_is_one_key_away),
        ("the process page opens the parent", its_parent_opens),
        ("Esc on the page of a parent goes back to the child", esc_goes_back_to_the_child),
        ("a process is signalled from its page", signalled_from_its_page),
        ("the process page of a recording", opened_from_a_recording),
        ("the chart of a process page of a recording is its own", its_chart_is_its_own),
        ("a row whose process is not known", a_row_without_its_process),
    ]
