# SPDX-License-Identifier: GPL-2.0-or-later
"""The process page: the ways to it and back, its views, and a process that exits while it is open."""
import os
import re
import subprocess
from contextlib import contextmanager

from common import RECORDING, as_lines, expect, replay, running, screen
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
    with running("sleep", seconds) as child:
        for pane, home in (("cpu", "[2"), ("memory", "[3")):
            with screen("-d", "0.2", pane, width=120, height=40) as terminal:
                terminal.until(home)
                if pane == "memory":
                    terminal.view("Processes")
                terminal.send("\\", *f"sleep {seconds}", "Enter").comes(f" {child.pid} ")
                terminal.send("Down", "Enter").comes(f"{child.pid} sleep", "[Pro")
                terminal.send("Esc").comes(home).shows(f" {child.pid} ")


def opened_from_the_overview(_scratch):
    with running("sh", "-c", "while :; do :; done") as child:
        with screen("-d", "0.5", f"--in=tree={child.pid}", "overview") as terminal:
            used = re.compile(rf"^ +[0-9.]+ +{child.pid} sh")  # a share of the CPUs takes two samples
            terminal.comes(used)
            for _ in range(20):  # a finding may have come before it
                if not any(f"{child.pid} sh" in line for line in rows_under_cursor(terminal)):
                    terminal.send("Down")
            terminal.send("Enter").comes("[Pro", "[Summary]")
            terminal.send("Esc").comes("[1")


def opened_with_its_past(_scratch):
    """The chart of its CPU time begins with the samples that the list had of it."""
    name = f"busy-{os.getpid()}-loop"  # digits of a pid may be in other rows, too
    with running("sh", "-c", "while :; do :; done", name) as child:
        with screen("-d", "0.2", "cpu", width=120, height=40) as terminal:
            terminal.send("\\", *name, "Enter")
            live_seconds(terminal, 2)
            terminal.send("Down", "Enter").comes(f"{child.pid} sh", "[Summary]")
            terminal.wait_for("█")
            terminal.send("Z")
            plots = [re.split("[│└]", line)[1] for line in terminal.lines() if len(re.findall("[│└]", line)) == 2]
            expect(any(len(plot.strip()) >= 6 for plot in plots), terminal, "its chart begins when it is opened")


def a_long_command_is_whole(_scratch):
    """Where lines are free; all other lines stay."""
    words = [f"word{number}" for number in range(100)]
    for width, height in ((80, 45), (200, 60)):
        with paged(["sh", "-c", "read line", *words], width=width, height=height) as (terminal, _child):
            terminal.comes("word99", "word50 ").shows(re.compile("^signals"), re.compile("^program"))


def every_view_shows_this_process(_scratch):
    with paged(["sleep", "1000"], width=110, height=40) as (terminal, child):
        for view, sight in (("Threads", "sleep"), ("Files", "pipe:"), ("Limits", "Max open files"), ("Signals", "KILL"),
                            ("Environment", "known value"), ("Memory", "Private_Dirty"), ("Map", "[stack]"),
                            ("Processes", "sleep 1000"), ("Summary", f"{child.pid} sleep")):
            terminal.view(view).comes(sight)
            if view not in ("Processes", "Summary"):
                terminal.shows(f"── {view} of sleep ({child.pid}) ─")


def a_long_value_scrolls(_scratch):
    """Right of the last column goes on in its text, Left goes back, and the value begins where it began."""
    words = " ".join(f"word{number}" for number in range(60))
    with paged(["env", f"LONG={words}", "sleep", "1000"]) as (terminal, _child):
        terminal.view("Environment").until("LONG").shows("word0 word1").hides("word59")
        terminal.send("/", *"LONG", "Enter", "Enter").shows("value of LONG", "word59")
        terminal.send("Esc", *["Right"] * 40).shows("word59")
        terminal.send("Enter").shows("value of LONG", "word0 word1", "word59")
        terminal.send("Esc", *["Left"] * 40).shows("word0 word1").hides("word59")


def it_exits_while_its_page_is_open(_scratch):
    with paged(["sh", "-c", "read line; exit 7"]) as (terminal, child):
        terminal.comes("for data")
        child.stdin.close()
        child.wait()
        terminal.comes("Its exit was seen at").shows(f"{child.pid} sh")


def stopped_and_why(_scratch):
    with paged(["sleep", "1000"]) as (terminal, child):
        child.send_signal(19)
        terminal.comes("has stopped it; SIGCONT")
        child.send_signal(18)
        terminal.comes("S sleeping")


def its_map_is_one_key_away(_scratch):
    """And Esc leads from the map to the page."""
    with paged(["sleep", "1000"]) as (terminal, _):
        terminal.view("Map").until("[stack]").send("Enter").comes("1 cell =")
        terminal.send("Esc").comes("[Pro")


def its_parent_opens(_scratch):
    with paged(["sleep", "1000"]) as (terminal, _):
        terminal.send("Enter").comes(re.compile(rf"^process +{os.getpid()} "))
        terminal.tells("the parent of sleep; Esc goes back")


def esc_goes_back_to_the_child(_scratch):
    """From the parent's parent step by step, then to the list from which the child was opened."""
    with paged(["sh", "-c", "sleep 1000 & wait"]) as (_terminal, child):
        with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as children:
            grandchild = int(children.read())
        try:
            steps_back(child.pid, grandchild)
        finally:
            os.kill(grandchild, 9)


def steps_back(child, grandchild):
    with screen("-d", "0.2", "-p", str(grandchild), "process") as page:
        page.until(f"{grandchild} sleep")
        page.send("Enter").comes(f"{child} sh")
        page.send("Enter").comes(f"{os.getpid()} ")
        page.send("Esc").comes(f"{child} sh").view("Threads")
        page.send("Esc", "Esc").comes(f"{grandchild} sleep")
        page.send("Esc").comes("[Processes]")


def signalled_from_its_page(_scratch):
    with paged(["sleep", "1000"]) as (terminal, child):
        terminal.send("F9").comes(f"sleep ({child.pid})")
        terminal.send("Esc", "Esc", "Esc")  # out of the menu, of the selected row, of the pane
        terminal.comes("[Pro")


def opened_from_a_recording(_scratch):
    """Of a process that was not recorded in detail, the page has what the list has."""
    with replay("cpu") as terminal:
        terminal.send(".", "Down", "Enter").shows("[Pro", "15400 render")
        terminal.send("F9").shows("cannot be changed")


def its_chart_is_its_own(_scratch):
    """Not that of the process whose page was open before, also on the way back from its parent, in both forms of a recording."""
    def chart_begins_with(terminal, cpu, memory):
        return any(cpu in line and memory in line for line in terminal.lines() if line.count("┤") == 2)

    for recording in (RECORDING, as_lines(RECORDING)):
        with replay("cpu", recording=recording, width=120, height=40) as terminal:
            terminal.send(".", "Down", "Enter")
            expect(chart_begins_with(terminal, "200 %", "900M"), terminal, "of the first one")
            terminal.send("Esc", "Down", "Enter")
            expect(chart_begins_with(terminal, "41 %", "412M"), terminal, "of the second one")
            terminal.send("Enter")
            expect(chart_begins_with(terminal, "1 %", "6.0M"), terminal, "of its parent")
            terminal.send("Esc")
            expect(chart_begins_with(terminal, "41 %", "412M"), terminal, "on the way back")


def a_row_without_its_process(_scratch):
    """A connection whose owner is not known opens no page, and says so; one with its owner does."""
    with replay("network", width=120, height=40) as terminal:
        terminal.view("Connections")
        terminal.send("Down", "Down", "Down", "Enter").shows("the process of this row is not known", "[5")
        terminal.send("Up", "Enter").shows("[Pro", "15400")
