# SPDX-License-Identifier: GPL-2.0-or-later
"""The process page: the ways to it and back, its views, and a process that exits while it is open."""
import functools
import os
import re
import subprocess
import sys
from contextlib import contextmanager

from common import RECORDING, TESTS, as_lines, edited, expect, loop, replay, running, screen
from drawn import live_seconds, rows_under_cursor

sys.path.insert(0, TESTS)
from ordinary_user import NET_ADMIN, has_capability  # noqa: E402

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


def a_scope_from_the_page(_scratch):
    """@ there is about its process, and the page stays."""
    with replay("cpu") as terminal:
        terminal.send(".", "Down", "Enter").comes("[Summary]", "15400 render")
        terminal.send("@").shows("15400 render with its descendants", "15400 render alone")
        terminal.send("Enter").shows("only tree of 15400 (1 task)", "[Summary]")


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
        terminal.comes("in read")
        child.stdin.close()
        child.wait()
        terminal.comes("Exited with code 7 at ").shows(f"{child.pid} sh", re.compile(" lived (about )?[0-9]"), "read line; exit 7", "python")


def stopped_and_why(_scratch):
    with paged(["sleep", "1000"]) as (terminal, child):
        child.send_signal(19)
        terminal.comes(re.compile("Stopped by (SIGSTOP|a signal); SIGCONT"))  # which one is told to who may trace it
        child.send_signal(18)
        terminal.comes("S sleeping")


def steady(scratch, change, frames=36, stuck=()):
    """What "why" says at each second of a recording in which change(second, rows of 2001 by topic) has changed the page of 2001, and
    its tasks in uninterruptible sleep are these."""
    counters = ("cpu_seconds", "user_seconds", "system_seconds", "wait_seconds", "disk_seconds", "group_throttled_periods")

    def change_page(number, tables):
        detail, process = tables["process_detail"][0], next(row for row in tables["process"] if row["pid"] == 2001)
        detail.update({key: 0 for key in counters if key in detail} | {"state": "S", "system_call": "", "wait_channel": ""})
        process.update({key: 0 for key in counters if key in process})
        times = {row["part"]: row for row in tables["time_account"] if row["pid"] == 2001}
        for row in times.values():
            row["seconds"] = 0
        change(number, detail, process, times)
        tables["stuck"] = list(stuck)

    said = []
    with replay("process", recording=edited(scratch, change_page, frames=frames, step=0.999), width=130, height=40) as terminal:
        terminal.send(",")  # of the two in the first second
        for _ in range(frames):
            said.append(re.search("^why +(.*?)(?: +$|$)", terminal.text(), re.M).group(1))
            terminal.send(".")
        for second in range(frames - 2, 11, -1):  # and back
            terminal.send(",").shows(re.compile(f"^why +{re.escape(said[second])} *$"))
    assert not any("(last 11 s)" in text for text in said), said  # the tenth sample may come early
    return [re.sub(r" \(last \d+ s\)", "", text) for text in said]


def why_is_a_mean(scratch):
    """That of two seconds is not that of ten; what has held goes on to a lower limit, as long as twenty seconds."""
    for waits, told in ((lambda second: 0.5 if second % 2 else 0.06, "Waiting for CPU: wants 0.5 CPUs, gets 0.2."),
                        (lambda second: 0.35 if second % 2 else 0.01, "no obvious cause"),
                        (lambda second: 0.22 if second < 15 else 0.17, "Waiting for CPU: wants 0.4 CPUs, gets 0.2.")):
        def change(second, detail, process, _times, waits=waits):
            detail["cpu_seconds"] = process["cpu_seconds"] = second * 0.2
            process["wait_seconds"] = sum(waits(each) for each in range(second))
        said = steady(scratch, change, 30)
        assert all(text == told for text in said[10:]), said


def a_ring_is_not_storage(scratch):
    """Its own account goes before that of the kernel; without it, a ring that waits may wait for anything."""
    for counted in (True, False):
        for call, told in (("io_uring_enter", "Sleeping for completions of io_uring (io_uring_enter)."),
                           ("pread64", "no obvious cause" if counted else "Waiting for storage 100 % of the time.")):
            def change(second, detail, _process, times, counted=counted, call=call):
                detail.update({"system_call": call, "system_call_file": "", "disk_seconds": second})
                times["disk"]["seconds"] = 0 if counted else None
            said = steady(scratch, change, 16)
            assert set(said[10:]) == {told}, (counted, call, said)


def few_looks_see_it_asleep(scratch):
    """Of a process that uses little, some find it running; of one that uses more, it is said how much."""
    for used, told in ((0.015, "Sleeping for input or a timer (poll)."),
                       (0.4, "Computing 40 % of the time, else mostly sleeping for input or a timer (poll).")):
        def change(second, detail, process, _times, used=used):
            detail["cpu_seconds"] = process["cpu_seconds"] = second * used
            detail.update({"state": "R"} if second % 3 else {"system_call": "poll", "system_call_file": ""})
        said = steady(scratch, change, 20)
        assert set(said[10:]) == {told}, (used, said)


def a_convoy_names_its_lock(scratch):
    def change(second, detail, process, times):
        detail.update({"threads": 12, "lock_threads": 8 + second % 3, "lock_address": "0x5581"})
        process.update({"threads": 12, "wait_seconds": second * 3.0})
        times["lock"]["seconds"] = second * 8.7
    said = steady(scratch, change, 16)
    assert set(said[10:]) == {"Lock contention: about 9 of 12 threads wait for one lock, futex 0x5581."}, said


def stuck_for_ten_seconds(scratch):
    """Not while it runs between the samples."""
    for used, told in ((0, "Stuck in uninterruptible sleep (D) for at least 15 s in openat: percpu_rwsem_wait."),
                       (0.01, "no obvious cause")):
        def change(second, detail, process, times, used=used):
            detail.update({"state": "D", "system_call": "openat", "wait_channel": "percpu_rwsem_wait"})
            detail["cpu_seconds"] = process["cpu_seconds"] = second * used
            times["disk"]["seconds"] = 0
        said = steady(scratch, change, 16)
        assert said[15] == told and "Stuck" not in said[9], said
    looked = {"tid": 2001, "pid": 2001, "process": "worker.sh (2001)", "stuck_seconds": 0.4}
    said = steady(scratch, functools.partial(change, used=0), 16, [looked])
    assert "Stuck" not in said[15], said


def the_page_of_the_dead_has_what_is_known(scratch):
    """Its exit has command, parent and life time; no line is made of dashes."""
    def change(_number, tables):
        detail = tables["process_detail"][0]
        tables["process_detail"] = [dict.fromkeys(detail) | {"pid": 2001, "start_seconds": 200.1, "name": "worker.sh", "state": "X"}]
        tables["process"] = [row for row in tables["process"] if row["pid"] != 2001]
        tables["time_account"] = [row for row in tables["time_account"] if row["pid"] != 2001]
        for topic in ("limit", "open_file", "signal"):
            tables[topic] = []
        tables["event"] = [{"number": 1, "time": 1732095000000000000, "pid": 2001, "ppid": 2000, "event": "exit", "mark": "!",
                            "exit_code": 3, "parent": "starter.sh", "duration_seconds": 0.244, "command": "/bin/sh ./worker.sh",
                            "user": "root"}]
    with replay("process", recording=edited(scratch, change), width=100, height=30) as terminal:
        terminal.shows(re.compile("^why +Exited with code 3 at "), "2001 worker.sh  user root  lived 244 ms",
                       re.compile("^command +/bin/sh ./worker.sh"), re.compile("^parents +starter.sh 2000"))
        terminal.hides(re.compile("^(threads|CPU|memory|I/O|faults|limits|open|priority) "), " - ")


def start_life_and_end_of_the_dead_add_up(scratch):
    """By the sample that found it ended, and then by its record, which is better."""
    def change(number, tables):
        detail = tables["process_detail"][0]
        tables["process_detail"] = [dict.fromkeys(detail) | {"pid": 2001, "start_seconds": 200.1, "name": "worker.sh", "state": "X",
                                                             "started_time": 1732094977900000000, "exited_time": 1732094992600000000}]
        tables["process"] = [row for row in tables["process"] if row["pid"] != 2001]
        tables["event"] = []
        tables["ended"] = [{"number": 1, "time": 1732094993100000000, "pid": 2001, "start_seconds": 200.1, "name": "worker.sh",
                            "exit_signal": 9, "duration_seconds": 14.45}] if number > 0 else []
    with replay("process", recording=edited(scratch, change), width=100, height=30) as terminal:
        terminal.shows("at 09:29:52", " 09:29:37  lived about 15 s")
        terminal.send(".").shows("Killed by SIGKILL at 09:29:52", " 09:29:37  lived 15 s")


def opened_of_an_exit(_scratch):
    """From the overview the last process of the name, with what its record has; it stays when others of that name end."""
    with replay("overview", at="09:31:00", width=120, height=40) as terminal:
        terminal.send("Tab", "Tab", "Tab")
        terminal.send("Enter").shows(re.compile("^why +Exited with code 1 at 09:31:00"), re.compile("^parents +render 15400$"),
                                     re.compile("^process +20006 cc1  user root  lived 1.2 s$"),
                                     re.compile("^CPU +time 1.121s$"), re.compile("^memory +peak 183M$"))
        terminal.hides(re.compile("^(command|program|group|threads|faults|priority|limits|open|signals) "), " - ", "── CPU")
        terminal.send(".").shows("09:31:10", "20006 cc1").send(",", ",").shows("not in this sample")
        terminal.send(".").shows("20006 cc1").send("Enter").shows(re.compile("^process +15400 render"))
        terminal.send("Esc").shows("20006 cc1").send("Esc").shows("[1").hides("20006 cc1")
        terminal.send("Down", "Down", "Enter").shows(re.compile("^process +21006 true$"), re.compile("^parents +sh 15 \\(has ended\\)$"))
        terminal.hides(re.compile("^(CPU|memory|I/O) "))


def opened_of_an_exit_now(scratch):
    if not has_capability(NET_ADMIN):
        return  # else there are no exit records
    with loop(scratch) as child, screen("-d", "0.5", f"--in=tree={child.pid}", "overview", width=120, height=40) as terminal:
        terminal.until(re.compile(r"^ +\d+ +0 shortlived"))
        for _ in range(10):  # lists without rows leave their places to others
            if not any(re.search(r"\d +0 shortlived", line) for line in rows_under_cursor(terminal)):
                terminal.send("Tab")
        terminal.send("Enter")
        terminal.comes(re.compile(r"^process +\d+ shortlived  user "), re.compile(f"^parents +sh {child.pid}$"), re.compile("^why +Exited"))


def an_exit_that_is_not_recorded_does_not_open(scratch):
    """As in a recording that began later, or of an earlier version."""
    def change(_number, tables):
        tables["ended"] = []

    with replay("overview", recording=edited(scratch, change), at="09:30:20") as terminal:
        terminal.send("Tab", "Tab", "Tab", "Enter").tells("it has exited").shows("[1")


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
        terminal.send("F9").comes(f"Send a signal to {child.pid} (")
        terminal.send("Esc", "Esc", "Esc")  # out of the menu, of the selected row, of the pane
        terminal.comes("[Pro")


def opened_from_a_recording(_scratch):
    """Of a process that was not recorded in detail, the page has what the list has."""
    with replay("cpu") as terminal:
        terminal.send(".", "Down", "Enter").shows("[Pro", "15400 render")
        terminal.send("F9").shows("cannot be changed")


def its_chart_is_its_own(_scratch):
    """Not that of the process whose page was open before, also on the way back from its parent, in both forms of a recording."""
    def chart_ends_at(terminal, cpu, memory):
        return any(cpu in line and memory in line for line in terminal.lines() if line.count("┤") == 2)

    for recording in (RECORDING, as_lines(RECORDING)):
        with replay("cpu", recording=recording, width=120, height=40) as terminal:
            terminal.send(".", "Down", "Enter")
            expect(chart_ends_at(terminal, "300%", "1.0G"), terminal, "of the first one")
            terminal.send("Esc", "Down", "Enter")
            expect(chart_ends_at(terminal, "50%", "512M"), terminal, "of the second one")
            terminal.send("Enter")
            expect(chart_ends_at(terminal, " 5%", "7.0M"), terminal, "of its parent")
            terminal.send("Esc")
            expect(chart_ends_at(terminal, "50%", "512M"), terminal, "on the way back")


def a_row_without_its_process(_scratch):
    """A connection whose owner is not known opens no page, and says so; one with its owner does."""
    with replay("network", width=120, height=40) as terminal:
        terminal.view("Connections")
        terminal.send("Down", "Down", "Down", "Enter").shows("this row is not of one living process", "[5")
        terminal.send("Up", "Enter").shows("[Pro", "15400")
    with replay("network", width=120, height=40) as terminal:
        terminal.send(".", *["Down"] * 7)  # past interfaces and processes
        expect(rows_under_cursor(terminal)[0].startswith("tcp   established"), terminal, "the cursor does not go on")
        terminal.send("Up")
        expect(rows_under_cursor(terminal)[0].endswith("scene.json"), terminal, "nor back")
        terminal.send("Down", "Down", "Enter").shows("[Process]", "15400")
