# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys and mouse: what they do to the screen."""
import os
import re
import stat
import subprocess
from contextlib import contextmanager

from common import EVENT_RECORDING, edited, expect, fixture, replay, screen

SELECTED = "ffaf00"  # background of the selected cell
ROW = "444444"       # background of the selected row


def selected_row(terminal):
    for y in range(terminal.screen.lines):
        if terminal.background(y, 40) in (ROW, SELECTED) and terminal.background(y, 70) in (ROW, SELECTED):
            return terminal.lines()[y]
    return ""


def selection_keeps_its_row(_scratch):
    """The rows move when the sizes change; the selection goes with its key."""
    with replay() as terminal:
        terminal.send("e", "r", "/", "D", "i", "r", "t", "y", "Enter")
        before = terminal.row_of("Dirty")
        terminal.send(">")  # sort by key, then by size: Dirty moves
        for _ in range(3):
            problem = expect(selected_row(terminal).startswith("Dirty"), terminal, "Dirty is not selected")
            if problem:
                return problem
            terminal.send(">")
        return expect(before >= 0, terminal, "no row Dirty")


def search_and_next(_scratch):
    with replay() as terminal:
        terminal.send("e", "/", "s", "w", "a", "p", "Enter")
        first = selected_row(terminal)
        terminal.send("n")
        second = selected_row(terminal)
        return expect(first.startswith("SwapTotal") and second.startswith("SwapFree"), terminal, f"{first} / {second}")


def filter_rows(_scratch):
    with replay() as terminal:
        terminal.send("e", "\\", "^", "M", "e", "m", "Enter")
        only = [line for line in terminal.lines()[3:22] if line and not line.startswith(("key", "Cached", "which"))]
        problem = expect(all(line.startswith("Mem") for line in only) and len(only) == 3, terminal, str(only)) or \
            expect("filter ^Mem: 3 rows" in terminal.text(), terminal, "the filter is not shown")
        terminal.send("F4", "Bksp", "Bksp", "Bksp", "Bksp", "(", "Enter")
        problem = problem or expect("Unmatched" in terminal.text(), terminal, "a wrong expression is not refused")
        terminal.send("Bksp", "Enter")
        return problem or expect("Committed_AS" in terminal.text(), terminal, "the filter did not go")


def sort_by_mouse(_scratch):
    with replay() as terminal:
        terminal.send("e")
        y = terminal.row_of("key ")
        terminal.click(terminal.lines()[y].index("size"), y)
        largest = terminal.lines()[y + 1]
        terminal.click(terminal.lines()[y].index("size"), y)
        smallest = terminal.lines()[y + 1]
        terminal.click(3, y + 3)
        clicked = terminal.lines()[y + 3]
        return expect(largest.startswith("Committed_AS") and smallest.startswith("Dirty"), terminal, "wrong order") or \
            expect(selected_row(terminal) == clicked, terminal, "the click selects no row")


def wheel_scrolls(_scratch):
    with replay(height=12) as terminal:
        terminal.send("e")
        top = terminal.lines()[3]
        terminal.click(5, 6, button=65)
        return expect(terminal.lines()[3] != top, terminal, "nothing moved")


def units_cycle(_scratch):
    with replay() as terminal:
        seen = []
        for _ in range(6):
            terminal.send("u")
            seen.append(terminal.lines()[3].split()[1])
        return expect(seen == ["8589934592", "8388608", "8192", "8", "8.0G", "8192"], terminal, str(seen))


def percent_is_shown_as_such(_scratch):
    with replay("--unit=percent") as terminal:
        return expect(terminal.lines()[2].startswith("%"), terminal, "no unit in the heading")


def definitions_of_used(_scratch):
    with replay() as terminal:
        seen = []
        for _ in range(3):
            terminal.send("f")
            seen.append((terminal.lines()[2].split()[2], terminal.lines()[3].split()[2]))
        return expect([name for name, _ in seen] == ["used*", "used*", "used"] and len({value for _, value in seen}) == 3,
                      terminal, str(seen)) or \
            expect("used = total - free" in terminal.text(), terminal, "the formula is not shown")


def playing_and_stepping(_scratch):
    with replay() as terminal:
        problem = expect("paused 09:30:00" in terminal.text(), terminal, "it does not start paused at the first frame")
        terminal.send(".", ".", ".", ",")
        problem = problem or expect("09:30:20" in terminal.text(), terminal, "steps do not count")
        first = terminal.text()
        terminal.send("g", "0", "9", ":", "3", "1", ":", "0", "5", "Enter")
        problem = problem or expect("09:31:00" in terminal.text(), terminal, "it did not go to the time")
        terminal.send("g", "-", "4", "0", "Enter")
        problem = problem or expect(terminal.text() == first, terminal, "the same frame looks different")
        terminal.send("g", "x", "Enter")
        problem = problem or expect("use 12:03" in terminal.text(), terminal, "nonsense is not refused")
        terminal.send("Esc", "-", "-", "-", "-", "Space")
        return problem or expect(terminal.wait_for("paused 09:35:50"), terminal, "it does not play to its end")


def freeze(_scratch):
    """The clock stands while frozen; afterwards the machine is seen as it is by then."""
    with screen("-d", "0.1") as terminal:
        terminal.send("Space")
        frozen = terminal.text()
        problem = expect("frozen" in frozen, terminal, "it does not say so")
        terminal.pump(0.6)
        problem = problem or expect(terminal.text() == frozen, terminal, "something moved")
        terminal.send("Space")
        return problem or expect("frozen" not in terminal.text(), terminal, "it is still frozen")


def frozen_lacks_what_is_asked_later(_scratch):
    with screen(fixture("linux-6.1"), "cpu") as terminal:
        terminal.send("Space", "D")
        problem = expect("not in the frozen sample; Space goes on" in terminal.text(), terminal, "it does not say why")
        terminal.send("Space")
        return problem or expect(terminal.wait_for("95.0"), terminal, "it does not go on")


def unchanged_screen_sends_nothing(_scratch):
    with replay() as terminal:
        terminal.send(".")
        terminal.quiet()
        return expect(terminal.pump(2.5) == 0, terminal, "bytes were sent")


def no_color(_scratch):
    with replay(env={"NO_COLOR": "1"}) as terminal:
        colored = any(cell.fg != "default" or cell.bg != "default"
                      for y in range(24) for cell in terminal.screen.buffer[y].values())
        return expect(not colored, terminal, "there are colours")


def ascii_only(_scratch):
    with replay("--ascii") as terminal:
        terminal.send("g", "+", "3", "5", "0", "Enter")
        return expect(terminal.text().isascii(), terminal, "there are other characters")


def hostile_names(_scratch):
    with screen("-d", "0.1", fixture("readers")) as terminal:
        terminal.send("b")
        problem = expect(terminal.wait_for("cc1??[31m"), terminal, "the name is not there, cleaned")
        return problem or expect("a) R (b" in terminal.text(), terminal, "the other name is not there")


def drop_needs_the_live_machine(_scratch):
    with screen(fixture("linux-6.1")) as terminal:
        terminal.send("D")
        return expect("[y/n]" not in terminal.text(), terminal, "it asks for what it cannot do") or \
            expect("cannot be dropped: this is not the live machine" in terminal.text(), terminal, "it does not say why")


def drop_asks_first(_scratch):
    with screen() as terminal:
        terminal.send("D")
        if os.geteuid() != 0:
            return expect("only root may drop caches" in terminal.text(), terminal, "it does not say who may")
        problem = expect("[y/n]" in terminal.text(), terminal, "it does not ask")
        terminal.send("n")
        return problem or expect("[y/n]" not in terminal.text() and "dropp" not in terminal.lines()[-2], terminal,
                                 "no is not no")


def pages_that_were_not_recorded(_scratch):
    with replay("events", recording=EVENT_RECORDING) as terminal:
        terminal.send("4")
        return expect("the recording has no pages of a process" in terminal.text(), terminal, "it does not say so")


def a_message_goes_with_its_pane(_scratch):
    """What one pane said does not hide the notice of the next one; what concerns all panes stays."""
    with screen(fixture("linux-6.1")) as terminal:
        terminal.send("D")
        problem = expect("cannot be dropped" in terminal.text(), terminal, "it says nothing")
        terminal.send("3")
        problem = problem or expect("cannot be dropped" not in terminal.text(), terminal, "it is still said")
        terminal.send("u", "1")
        return problem or expect("sizes in" in terminal.text(), terminal, "what concerns all panes has gone")


@contextmanager
def sleeper(*arguments):
    """A process of our own, alone on the screen and selected."""
    child = subprocess.Popen(["sleep", "1000"])
    try:
        with screen("--idle", "-p", str(child.pid), *arguments, "cpu") as terminal:
            terminal.wait_for("sleep")
            terminal.send("Down")
            yield terminal, child
    finally:
        child.kill()
        child.wait()


def what_is_old_has_an_age(_scratch):
    """Of a process that sleeps, beside many that do; the oldest comes first, and the sample is frozen."""
    sleepers = [subprocess.Popen(["sleep", "1000"]) for _ in range(100)]
    try:
        with screen("--idle", "-d", "0.5", "-s", "stat_age_seconds", "--columns=stat_age_seconds,resident_bytes,pid",
                    "cpu") as terminal:
            old = re.compile(r"age.*RSS.*\n *([1-9][0-9.]*)s ")  # a second or more
            for _ in range(600):
                if old.search(terminal.text()):
                    break
                terminal.pump(0.1)
            terminal.send("Space")
            shown = old.search(terminal.text())
            terminal.send("Down", "Right", "i")
            found = re.search(r"process\.resident_bytes.*\nAge: ([0-9.]+) s", terminal.text(), re.S)
            problem = expect(shown and found, terminal, "no age")
            return problem or expect(float(found[1]) >= float(shown[1]) - 0.1, terminal, f"its age is {shown[1]}")
    finally:
        for sleeper_process in sleepers:
            sleeper_process.kill()
            sleeper_process.wait()


def signal_asks_and_hits(_scratch):
    with sleeper() as (terminal, child):
        terminal.send("F9")
        problem = expect(f"Signal to {child.pid} sleep" in terminal.text(), terminal, "it does not name the process")
        terminal.send("Esc")
        problem = problem or expect(child.poll() is None, terminal, "Esc sent it")
        terminal.send("F9", *["Bksp"] * 4, *"nonsense", "Enter")
        problem = problem or expect("unknown signal" in terminal.text() and child.poll() is None, terminal, "nonsense was sent")
        terminal.send("F9", *["Bksp"] * 4, *"usr1", "Enter")
        return problem or expect(child.wait(10) == -10, terminal, "it was not the signal")


def nicer_by(child):
    """How much nicer it is than these tests."""
    return os.getpriority(os.PRIO_PROCESS, child.pid) - os.getpriority(os.PRIO_PROCESS, 0)


def renice_asks_and_hits(_scratch):
    with sleeper() as (terminal, child):
        terminal.send("F8")
        problem = expect(f"Give {child.pid} sleep less" in terminal.text(), terminal, "it does not name the process")
        terminal.send("n")
        problem = problem or expect(nicer_by(child) == 0, terminal, "no is not no")
        terminal.send("F8", "y")
        return problem or expect(nicer_by(child) == 1, terminal, "nothing happened")


def read_only_changes_nothing(_scratch):
    with sleeper("--read-only") as (terminal, child):
        terminal.send("F9")
        problem = expect("--read-only" in terminal.text() and "Signal to" not in terminal.text(), terminal, "it asks")
        return problem or expect(child.poll() is None, terminal, "it was hit")


def pages_of_a_process(_scratch):
    """From the list of the cpu pane to its map, through the zooms, to its end."""
    with sleeper() as (terminal, child):
        terminal.send("Enter")
        problem = expect(terminal.wait_for(f"PID {child.pid}") and terminal.wait_for("1 cell ="), terminal, "no map")
        terminal.send("[")
        problem = problem or expect(terminal.wait_for("1 cell = 1 page"), terminal, "no zoom to a page")
        terminal.send("}", "Tab")
        problem = problem or expect(terminal.wait_for("bits ") and "page " in terminal.lines()[3], terminal, "no page")
        terminal.send("Tab", "Enter", "Down", "Enter", "]", "v")
        problem = problem or expect(terminal.wait_for("faults since its start without I/O"), terminal, "no values")
        terminal.send("v")
        child.kill()
        child.wait()
        return problem or expect(terminal.wait_for("gone"), terminal, "it does not say that the process has ended")


def marked_address(terminal):
    return next(line.split()[1] for line in terminal.lines() if line.startswith("> "))


def from_region_to_region(_scratch):
    """The first press moves the cursor already."""
    with replay("pages") as terminal:
        terminal.send(".")
        at = [marked_address(terminal)]
        for key in ("}", "}", "{", "{"):
            terminal.send(key)
            at.append(marked_address(terminal))
        return expect(at[0] < at[1] < at[2] and at[3:] == [at[1], at[0]], terminal, f"the cursor was at {at}")


def one_that_has_just_ended(_scratch):
    """Frozen, the screen still lists it: where its pages would be it is told that it has ended, not waited for."""
    with sleeper() as (terminal, child):
        terminal.send("Space")
        child.kill()
        child.wait()
        terminal.send("Enter", "Space")
        return expect(terminal.wait_for(f"{child.pid} sleep has exited"), terminal, "it is not told that it has ended") or \
            expect("it has ended; r waits for the next" in terminal.text() and "waiting for" not in terminal.text(),
                   terminal, "it is not told what would help")


def forcing_pages_asks_first(_scratch):
    with sleeper() as (terminal, child):
        terminal.send("Enter")
        terminal.wait_for("1 cell =")
        terminal.send("R")
        problem = expect(f"Force the absent pages of {child.pid} sleep in?" in terminal.text(), terminal, "it does not ask")
        terminal.send("n")
        problem = problem or expect("read in" not in terminal.text(), terminal, "no is not no")
        terminal.send("R", "y")
        return problem or expect(terminal.wait_for("were read in"), terminal, "nothing happened")


def a_process_is_chosen_from_the_list(_scratch):
    seconds = f"1{os.getpid()}.25"  # no other command has it
    with subprocess.Popen(["sleep", seconds]) as child:
        try:
            with screen("-d", "0.2", "pages", height=7) as terminal:  # so low that it is not in sight
                problem = expect(terminal.wait_for("Which process?"), terminal, "no list")
                for _ in range(100):  # its command line is read once it is looked for
                    terminal.send("/", *seconds, "Enter")
                    if f"sleep {seconds}" in selected_row(terminal):
                        break
                    terminal.send("Esc")  # a search that found nothing stays open
                    terminal.pump(0.2)
                terminal.send("Enter")
                return problem or expect(terminal.wait_for("1 cell ="), terminal, "no map")
        finally:
            child.kill()


def configuration_is_kept(scratch):
    home = os.path.join(scratch, "not", "there")
    env = {"XDG_CONFIG_HOME": home}
    path = os.path.join(home, "panetop", "config")
    with replay(env=env) as terminal:
        terminal.send("u", "u", "f", "+", "q")
        if terminal.end() != 0 or os.path.exists(path):
            return "it was written without being asked for"
    with replay(env=env) as terminal:
        terminal.send("u", "u", "f", "+", "w")
        problem = expect("written: " + path in terminal.text().replace("\n", ""), terminal, "it was not written")
        problem = problem or (None if os.stat(path).st_mode & 0o777 == 0o600 else "the mode is not 0600")
        problem = problem or (None if os.stat(os.path.dirname(home)).st_mode & 0o777 == 0o700 else "the folder is not 0700")
    with replay(env=env) as terminal:
        return problem or expect("KiB" in terminal.lines()[2] and "used*" in terminal.lines()[2] and "2 s" in terminal.lines()[0],
                                 terminal, "it was not read")


def configuration_behind_a_link(scratch):
    """The file that the link names is written, with its mode, comments and what panetop does not know; nothing that lies
    beside it is opened or changed."""
    folder, dotfiles = os.path.join(scratch, "panetop"), os.path.join(scratch, "dotfiles")
    os.mkdir(folder)
    os.mkdir(dotfiles)
    path, target = os.path.join(folder, "config"), os.path.join(dotfiles, "config")
    os.symlink("../dotfiles/link", path)
    os.symlink(target, os.path.join(dotfiles, "link"))
    for beside in (path, target):
        os.mkfifo(beside + ".new")
    with open(target, "w", encoding="utf-8") as file:
        file.write("# my own\nunit = MiB\n\nof.another = version\n")
    os.chmod(target, 0o640)
    with replay(env={"XDG_CONFIG_HOME": scratch}) as terminal:
        terminal.send("+", "w")
        problem = expect("written: " + path in terminal.text().replace("\n", ""), terminal, "it was not written")
    with open(target, encoding="utf-8") as file:
        text = file.read()
    return problem or (None if os.path.islink(path) else "the link was replaced") or \
        (None if text == "# my own\nunit = MiB\n\nof.another = version\ndelay = 2\n" else text) or \
        (None if os.stat(target).st_mode & 0o777 == 0o640 else "the mode changed") or \
        (None if sorted(os.listdir(dotfiles)) == ["config", "config.new", "link"] else str(os.listdir(dotfiles)))


def configuration_that_is_no_file(scratch):
    os.mkdir(os.path.join(scratch, "panetop"))
    path, pipe = os.path.join(scratch, "panetop", "config"), os.path.join(scratch, "pipe")
    os.symlink(pipe, path)
    os.mkfifo(pipe)
    with replay(env={"XDG_CONFIG_HOME": scratch}) as terminal:
        terminal.send("w")
        return expect("could not be written: Operation not supported" in terminal.text().replace("\n", ""), terminal,
                      "it is not refused") or (None if stat.S_ISFIFO(os.lstat(pipe).st_mode) else "the pipe was replaced")


def configuration_that_cannot_be_read(scratch):
    path = os.path.join(scratch, "panetop", "config")
    os.makedirs(path)
    with replay(env={"XDG_CONFIG_HOME": scratch}) as terminal:
        said = terminal.raw.decode()
        terminal.send("w")
        return expect(f"panetop: {path}: cannot be read: Is a directory" in said, terminal, "it is not told") or \
            expect("could not be written: Operation not supported" in terminal.text().replace("\n", ""), terminal,
                   "it is not refused")


def wrong_configuration_is_told(scratch):
    os.mkdir(os.path.join(scratch, "panetop"))
    with open(os.path.join(scratch, "panetop", "config"), "w", encoding="utf-8") as file:
        file.write("delay = soon\npane = nonsense\nlatency.period = nonsense\nmemory.used = procps\n"
                   "cpu.tre = yes\nrun.read-only = yes\ncpu.tree = yes\nevents.command = name\npower.line.load = L 1 shown\n"
                   "process.column = pid\nprocess.columns = pid,name\n")
    with replay(env={"XDG_CONFIG_HOME": scratch}) as terminal:
        said = terminal.raw.decode()
        place = f" of {scratch}/panetop/config"
        return expect(f"panetop: delay, line 1{place}: 'soon': use 0.05 to 86400 seconds" in said, terminal,
                      "the delay is not told") or \
            expect(f"panetop: pane, line 2{place}: unknown pane 'nonsense'; use memory, " in said, terminal,
                   "the pane is not told") or \
            expect(f"panetop: latency.period, line 3{place}: 'nonsense': use 50us" in said, terminal,
                   "the option is not told") or \
            expect(re.findall(f"panetop: unknown setting '(.*)', line ([0-9]+){place}", said) ==
                   [("cpu.tre", "5"), ("run.read-only", "6"), ("process.column", "10")], terminal,
                   "unknown names are not told") or \
            expect("memory.used" not in said and "used*" in terminal.text(), terminal, "what is right does not count")


def what_is_written_is_known(scratch):
    env = {"XDG_CONFIG_HOME": scratch}
    with screen("cpu", env=env) as terminal:
        terminal.send("z", "t", "a", "s", "d", "2", "C", "d", "6", "x", "y", "3", "w", "q")
        terminal.end()
    with open(os.path.join(scratch, "panetop", "config"), encoding="utf-8") as file:
        names = {line.split(" = ")[0] for line in file}
    with screen("cpu", env=env) as terminal:
        return expect(b"unknown setting" not in terminal.raw, terminal, "what was written is not known") or \
            expect(names >= {"cpu.tree", "cpu.command", "cpu.directories", "events.command", "latency.times"},
                   terminal, f"only these were written: {names}")


def what_a_recording_lacks_is_told(_scratch):
    """It holds events alone: another pane than the one that was asked for is shown, and this is said."""
    with replay("memory", recording=EVENT_RECORDING) as terminal:
        return expect("memory: it holds none of the requested tables" in terminal.text(), terminal, "it is not said") or \
            expect("[2 Events]" in terminal.text(), terminal, "what there is is not shown")


def usual_things_are_not_written(scratch):
    """What is as without a configuration stays out of it: it may get better with a later version."""
    env = {"XDG_CONFIG_HOME": scratch}
    with replay(env=env) as terminal:
        terminal.send("u", "e", ">", ">", "w")
        terminal.send("r", "<", "<", "e", "u", "u", "u", "u", "u", "w", "q")
        terminal.end()
    with open(os.path.join(scratch, "panetop", "config"), encoding="utf-8") as file:
        text = file.read()
    return None if text == "" else text


def options_on_the_screen(_scratch):
    with replay("-c", "name,free_bytes", "-s", "+free_bytes", "-l", "2", "--unit=MiB") as terminal:
        rows = [terminal.lines()[y].split()[:2] for y in (3, 4)]
        return expect(rows == [["swap", "2048"], ["mem", "2122"]], terminal, f"columns or order are wrong: {rows}") or \
            expect("caches" not in terminal.lines()[2], terminal, "too many columns")


def the_legend_stays(scratch):
    """What there was in the frame before is still named in the one that has none of it."""
    counted = {}

    def change(number, tables):
        for row in tables["cpu"]:
            if number == 2:
                counted[row["cpu"]] = row["softirq_seconds"]
            if number >= 2:
                row["softirq_seconds"] = counted[row["cpu"]] + (0, 0, 1, 2)[min(number - 2, 3)]

    recording = edited(scratch, change, frames=10)
    with replay("cpu", recording=recording, width=120) as terminal:
        named = []
        for _ in range(6):
            terminal.send(".")
            named.append("softirq" in terminal.lines()[6])
        return expect(named == [True] * 6, terminal, f"named: {named}")


def tests():
    return [
        ("the selection keeps its row", selection_keeps_its_row),
        ("search, and on to the next", search_and_next),
        ("filter", filter_rows),
        ("a click on a heading sorts, on a row selects", sort_by_mouse),
        ("the wheel scrolls", wheel_scrolls),
        ("units", units_cycle),
        ("percent", percent_is_shown_as_such),
        ("definitions of used", definitions_of_used),
        ("a recording is played, stepped and searched by time", playing_and_stepping),
        ("freeze", freeze),
        ("a frozen screen says why a table is not there", frozen_lacks_what_is_asked_later),
        ("an unchanged screen sends no bytes", unchanged_screen_sends_nothing),
        ("NO_COLOR", no_color),
        ("--ascii", ascii_only),
        ("hostile process names", hostile_names),
        ("caches are dropped on the live machine only", drop_needs_the_live_machine),
        ("dropping caches asks first", drop_asks_first),
        ("a replay without pages says so", pages_that_were_not_recorded),
        ("a message goes with its pane", a_message_goes_with_its_pane),
        ("a signal asks, and hits the one that was named", signal_asks_and_hits),
        ("a priority asks, and changes the one that was named", renice_asks_and_hits),
        ("--read-only changes nothing", read_only_changes_nothing),
        ("the pages of a process", pages_of_a_process),
        ("what is old has an age", what_is_old_has_an_age),
        ("the cursor of the map goes from region to region", from_region_to_region),
        ("the pages of a process that has just ended", one_that_has_just_ended),
        ("forcing pages in asks first", forcing_pages_asks_first),
        ("a process is chosen from the list", a_process_is_chosen_from_the_list),
        ("the configuration is written when asked, and read", configuration_is_kept),
        ("the configuration is written behind a link", configuration_behind_a_link),
        ("a configuration that is no file is not replaced", configuration_that_is_no_file),
        ("a configuration that cannot be read", configuration_that_cannot_be_read),
        ("what is written to the configuration is known when it is read", what_is_written_is_known),
        ("what is wrong in the configuration is told", wrong_configuration_is_told),
        ("a replay says what its recording lacks", what_a_recording_lacks_is_told),
        ("the configuration holds only what differs", usual_things_are_not_written),
        ("columns, sort, limit and unit from the command line", options_on_the_screen),
        ("the legend names what there was lately", the_legend_stays),
    ]
