# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys and mouse: what they do to the screen."""
import itertools
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager

from common import EVENT_RECORDING, PANETOP, POWER_RECORDING, RECORDING, TESTS, configuration, configured, edited, expect, fixture, needs_nicer, panes, recording_named, recording_of, replay, running, screen, sleeper
from terminal import Terminal

sys.path.append(TESTS)
from ordinary_user import is_root  # noqa: E402

SELECTED = "5fafd7"  # background of the selected cell
ROW = "444444"       # background of the selected row


@contextmanager
def meminfo(*arguments, **rest):
    """The lines of /proc/meminfo of a recording: a long table."""
    with replay(*arguments, "memory", **rest) as terminal:
        terminal.view("Meminfo")
        yield terminal


def first_row(terminal):
    return terminal.row_of("key ") + 1


def options(terminal, title):
    """Changes the option with this title."""
    terminal.send("o", *title, "Enter", "Esc")


def action(terminal, name):
    """Chooses from the menu of actions."""
    terminal.send("F9", *name, "Enter")


def selected_row(terminal):
    for y in range(terminal.screen.lines):
        if terminal.background(y, 1) in (ROW, SELECTED) and terminal.background(y, 70) in (ROW, SELECTED):
            return terminal.lines()[y]
    return ""


def selection_keeps_its_row(_scratch):
    """The rows move when the order changes; the selection goes with its key."""
    with meminfo() as terminal:
        terminal.send("I", "/", *"Dirty", "Enter")
        for _ in range(4):
            expect(selected_row(terminal).startswith("Dirty"), terminal, "Dirty is not selected")
            terminal.send(">")


def search_and_next(_scratch):
    with meminfo() as terminal:
        first, second = selected_row(terminal.send("/", *"swap", "Enter")), selected_row(terminal.send("n"))
        expect(first.startswith("SwapTotal") and second.startswith("SwapFree"), terminal, f"{first} / {second}")


def filter_rows(_scratch):
    with meminfo() as terminal:
        terminal.send("\\", *"^Mem", "Enter")
        only = [line for line in terminal.lines()[first_row(terminal):20] if line]
        expect(all(line.startswith("Mem") for line in only) and len(only) == 3, terminal, str(only))
        terminal.shows("^Mem")
        terminal.send("F4", "Bksp", "Bksp", "Bksp", "Bksp", "(", "Enter")
        terminal.shows("Unmatched")
        terminal.send("Bksp", "Enter").shows("Committed_AS")


def filter_live(_scratch):
    """Rows go at each key; an expression that is not finished changes nothing; Esc brings the old filter back."""
    with meminfo() as terminal:
        terminal.send("\\", *"^Swa").shows("SwapTotal").hides("MemFree")
        terminal.send("(")
        terminal.shows("SwapTotal").hides("MemFree")
        terminal.send("Bksp", "Enter", "\\", *["Bksp"] * 4, *"Mem", "Esc").shows("SwapTotal").hides("MemFree")


def prompts_are_edited(_scratch):
    """The cursor, words and the whole line, as in a shell."""
    with meminfo() as terminal:
        terminal.send("\\", *"Mem Tot", "\x17", *"Fée", "Home", "Right", "+", "Left", "Left", "Del", "End", "Left", "Bksp", "!")
        expect(terminal.lines()[-1].endswith(": +em F!e"), terminal, "not as it was edited")
        expect(terminal.screen.cursor.x == len(terminal.lines()[-1]) - 1, terminal, "the cursor is elsewhere")
        terminal.send("End", "\x15", *"Swap", "Enter", "F4")
        expect(terminal.lines()[-1].endswith(": Swap"), terminal, "the filter is not there to be edited")
        terminal.send("\x15", *"Mem", "Home", "\x0b", "\x15", "Bksp", "Left", "Enter").shows("Committed_AS")


def the_answer_stays_with_its_error(_scratch):
    with screen(fixture("linux-6.1"), "memory") as terminal:
        terminal.send("d", *["Bksp"] * 4, *"soon", "Enter").in_line(-1, ": soon", "use seconds")
        terminal.send(*["Bksp"] * 4, "3", "Enter").in_line(0, "  3 s").hides("use seconds")
    with screen(fixture("linux-6.1"), "memory", width=40, height=12) as terminal:
        terminal.send("d", *["Bksp"] * 4, *"soon", "Enter").in_line(-1, ": soon").in_line(-2, "use seconds from")


def sort_by_mouse(_scratch):
    with meminfo() as terminal:
        y = first_row(terminal) - 1
        terminal.click(terminal.lines()[y].index("size"), y)
        largest = terminal.lines()[y + 1]
        terminal.click(terminal.lines()[y].index("size"), y)
        smallest = terminal.lines()[y + 1]
        terminal.click(3, y + 3)
        clicked = terminal.lines()[y + 3]
        expect(largest.startswith("Committed_AS") and smallest.startswith("Dirty"), terminal, "wrong order")
        expect(selected_row(terminal) == clicked, terminal, "the click selects no row")


def wheel_scrolls(_scratch):
    with meminfo(height=14) as terminal:
        y = first_row(terminal)
        top = terminal.lines()[y]
        terminal.click(5, y + 2, button=65)
        expect(terminal.lines()[y] != top, terminal, "nothing moved")


def units_cycle(_scratch):
    with meminfo() as terminal:
        seen = []
        for _ in range(6):
            seen.append(terminal.send("U").lines()[first_row(terminal)].split()[1])
        expect(seen == ["8589934592", "8388608", "8192", "8", "8.0G", "8.0G"], terminal, str(seen))


def definitions_of_used(_scratch):
    with replay("memory") as terminal:
        terminal.hides("used, with cache")
        options(terminal, "Definition")
        terminal.shows("used, with cache")


def sort_menu(_scratch):
    """Headings and keys, the present one with its direction; it says when a column is not shown."""
    with replay("cpu", opening=True) as terminal:
        line = selected_row(terminal.send("s"))
        expect("%CPU" in line and "cpu_ratio" in line and "largest first; Enter reverses" in line, terminal,
               "the present column is not selected")
        terminal.send("Enter")
        heading = terminal.lines()[terminal.row_of("%user")]
        expect("▲%CPU" in heading, terminal, "it is not reversed")
        terminal.send("s", *"~watts", "Enter")
        expect("sorted by ~watts, which is not shown" in terminal.text() and
               "by ~watts" in terminal.lines()[terminal.row_of("%user") - 1], terminal, "it is silent")


def sorting_stays_in_sight(_scratch):
    """The mark is in the headings at each step, and both ends say so."""
    with replay("cpu", opening=True) as terminal:
        for key, end in ((">", "this is the last column"), ("<", "this is the first column")):
            for _ in range(20):
                terminal.send(key)
                expect(re.search("[▼▲]", terminal.lines()[terminal.row_of("%user")]), terminal, f"{key}: no mark")
                if end in terminal.text():
                    break
            terminal.shows(end)


def columns_by_heading_and_key(_scratch):
    with replay("cpu", opening=True) as terminal:
        terminal.send("c")
        rows = {line.split()[2]: line for line in terminal.lines() if line.startswith("[")}
        expect("RSS" in rows["resident_bytes"] and "resident memory" in rows["resident_bytes"], terminal, "no heading")
        expect("does not fit" in rows["threads"] and "does not fit" not in rows["pid"], terminal, "what does not fit is silent")


def columns_are_added_by_a_part_of_their_name(_scratch):
    """Before the text that names the rows, rather than other columns; one that is not shown comes before one that is."""
    with replay("cpu", opening=True) as terminal:
        for typed, headings in (("sta", "RSS    started command"), ("growth", "growth/s command"), ("chflt/s", "chflt/s command")):
            terminal.send("c", *typed).shows(f"Columns of process: {typed}").send("Enter")
            expect(headings in terminal.lines()[terminal.row_of("%CPU")], terminal, f"{typed}: not before the command")
        terminal.send("c", "q", "c").shows("Columns of process: c")


def why_shows_the_number_beside_its_row(_scratch):
    """As the screen shows it, exact behind it, its heading and row first; the row stays in sight."""
    with replay("cpu", opening=True) as terminal:
        for _ in range(2):
            terminal.send("Down", "i")
            y = terminal.row_of("%CPU of ")
            found = re.search(r"%CPU of (\d+) .*\n *([0-9.]+) % \((0\.\d+|\d)\)\n", terminal.text())
            expect(found and float(found[2]) == round(100 * float(found[3]), 1), terminal, "not the number")
            expect(f" {found[1]} " in "".join(terminal.lines()[:y - 1] + terminal.lines()[y + 5:-1]), terminal,
                   "its row is covered")
            terminal.shows("process.cpu_ratio")
            terminal.send("Esc", *["Down"] * 6)


def why_explains_numbers_of_sentences(_scratch):
    """By their columns, of the row that was chosen; one that is made of others says so."""
    with replay("overview", opening=True, height=500) as terminal:
        terminal.send("i").shows("disk.busy_ratio, device sda", "From: cpu.all.user_ratio + cpu.all.guest_ratio", "cpu.guest_ratio, cpu all",
                                 "system.load15").hides("self.cpu_ratio")
    with replay("power", recording=POWER_RECORDING, opening=True, height=500) as terminal:
        terminal.send("i").shows("power.watts, domain total", "temperature.celsius, sensor x86_pkg_temp")


def the_graph_of_memory_has_two_axes(_scratch):
    with replay("memory") as terminal:
        terminal.send(*"g+200", "Enter").shows("used 5.8G of 8.0G", "render 15400 most of it")
        options(terminal, "Axis")
        terminal.shows("3.00G to 6.00G")


def growth_in_a_short_time_is_not_of_a_minute(scratch):
    """By how much, and in which time; from half a minute on how fast."""
    tree = os.path.join(scratch, "tree")
    shutil.copytree(os.path.join(os.environ["ROOTS"], "linux-6.18", "tick0"), tree, symlinks=True)
    with screen("--root=" + tree, "memory") as terminal:
        terminal.tick()
        with open(tree + "/proc/meminfo", "r+", encoding="utf-8") as file:
            lines = re.sub(r"(?<=MemAvailable: )( *)(\d+)", lambda found: f"{int(found[2]) - (512 << 10):{len(found[0])}}", file.read())
            file.seek(0)
            file.write(lines)
        terminal.tick(10)
        terminal.shows(re.compile(r" \+512M in 1\d s "))
        terminal.tick(10)
        terminal.tick(10)
        terminal.shows(re.compile(r" \+\d{3}M/min "))


def enter_drops_no_caches(_scratch):
    """The first entry of the menu, which Enter takes, does nothing to the machine."""
    with screen("-d", "0.2", "memory") as terminal:
        terminal.until("who has it")
        terminal.send("F9").shows("Drop the caches")
        terminal.send("Enter").hides("Drop the caches", "[y/n]", "drop")


def memory_has_its_processes(_scratch):
    """They can be opened and signalled there; in the views without them these keys say where they work."""
    seconds = f"1{os.getpid()}.5"  # no other command has it
    with running("sleep", seconds) as child, screen("-d", "0.2", "memory") as terminal:
        terminal.comes("who has it")
        terminal.send("\\", *seconds, "Enter").comes(f"filter {seconds}: 1 of ")
        terminal.send("Down", "F9").comes(re.compile(rf"Send a signal to sleep \({child.pid}\) +sleep {seconds}"))
        terminal.send("Esc", "Enter").comes("[Pro")
        terminal.send("3").view("Meminfo").send("F7").says("no process is shown here")


def why_names_a_missing_source(_scratch):
    """Not the lack of an earlier sample."""
    with screen(fixture("linux-4.4"), "power", height=200) as terminal:
        terminal.send("i").shows("watts of total")
        text = terminal.text()[terminal.text().find("watts of total"):].split("What:")[0]
        expect("unknown: no power meter" in text and "no earlier sample" not in text, terminal, "it blames the sample")


def playing_and_stepping(_scratch):
    with replay("-d", "0.2") as terminal:
        terminal.shows("1/36  paused 09:30:00")
        terminal.send(".", ".", ".", ",").shows("3/36  paused 09:30:20")
        first = terminal.text()
        terminal.send(*"g09:31:05", "Enter").shows("09:31:00")
        terminal.send(*"g-40", "Enter")
        expect(terminal.text() == first, terminal, "the same frame looks different")
        terminal.send("g", "x", "Enter").in_line(-1, "use 12:03", ": x")
        terminal.send("Esc", "Z").comes("paused 09:35:50")


def it_opens_on_the_last_sample(scratch):
    """With what came before it; that of a recording of one sample, too."""
    for path, where in (RECORDING, "36/36  paused 09:35:50"), (edited(scratch, lambda *_: None, frames=1), "1/1  paused 09:30:00"):
        with screen("--replay=" + path, "cpu") as terminal:
            terminal.shows(where)
            expect("!" not in terminal.lines()[-2], terminal, "it complains")


def it_opens_at_a_time(_scratch):
    """As if it had been played up to there; a time that was not recorded is refused before there is a screen."""
    for at, shown, steps in (("09:31:00", "7/36  paused 09:31:00", 5), ("-340", "2/36  paused 09:30:10", 0), ("09:30", "1/36  paused 09:30:00", -1)):
        with replay("cpu", opening=True) as terminal:
            terminal.send(*["."] * steps or [","] * -steps)
            wanted = terminal.lines()[1:-2]
        with replay("--at=" + at, "cpu", opening=True) as terminal:
            terminal.shows(shown)
            expect(terminal.lines()[1:-2] == wanted, terminal, "\n".join(wanted) + "\nis shown there, not:")
    with screen("--replay=" + RECORDING, "--at=2000-01-01T00:00") as terminal:
        status, said = terminal.end(), "".join(terminal.text().split())  # lines are cut anywhere
        expect(status == 1 and "nothingwasrecordedat'2000-01-01T00:00':" in said, terminal, "a time that was not recorded")


def far_jumps(_scratch):
    """Minutes, the ends, and a time outside of the recording, which stays in its prompt."""
    with replay("memory") as terminal:
        for key, shown in (("}", "09:31:00"), ("}", "09:32:00"), ("{", "09:31:00"), ("End", "36/36  paused 09:35:50"),
                           ("Home", "1/36  paused 09:30:00"), ("G", "36/36")):
            terminal.send(key).in_line(0, shown)
        terminal.send("}").shows("this is the last sample")
        terminal.send("g", *"06:00", "Enter").in_line(-1, "06:00", "the recording is 09:30:00 to 09:35:50")
        terminal.send(*["Bksp"] * 5, *"09:30", "Enter").in_line(0, "1/36")
        terminal.send("Space").shows("Z plays and pauses")


def success_is_plain_and_warnings_are_marked(_scratch):
    with screen(fixture("linux-6.1"), "-d", "3600", "memory") as terminal:
        terminal.send("U")
        y = terminal.row_of("sizes in")
        expect(terminal.lines()[y].startswith("sizes in") and terminal.screen.buffer[y][0].fg == "default", terminal,
               "success is a warning")
        terminal.leaves("sizes in")
        terminal.send("y")
        y = terminal.row_of("does nothing here")
        expect(terminal.lines()[y].startswith("! y") and terminal.screen.buffer[y][0].fg != "default", terminal,
               "a warning is not marked")


def a_notice_of_the_view_comes_first(scratch):
    """It does not wait until the time of another one is over."""
    path = os.path.join(scratch, "noticed")
    with open(edited(scratch, lambda *_: None), encoding="utf-8") as source, open(path, "w", encoding="utf-8") as out:
        out.write(next(source))
        for line in source:
            notices = [{"topic": topic, "text": text, "remedy": None} for topic, text in (("wakeup", "no causes"), ("softirq", "no times"))]
            out.write(json.dumps({**json.loads(line), "notices": notices}) + "\n")
    with replay("kernel", recording=path) as terminal:
        terminal.shows("no times").hides("! no times")
        terminal.view("Wake-ups").shows("no causes")


def a_notice_is_shown_once_in_a_pane(_scratch):
    """Grey; then its number stays; what to do about it is never cut, but behind i. No other pane repeats it."""
    with screen(fixture("linux-4.4"), "-d", "0.5", "memory") as terminal:
        terminal.shows("/proc/pressure/cpu: No such file or directory (i)").hides("! /proc/pressure")
        terminal.send("i")
        expect("Notices" in terminal.text() and "\n  " in terminal.text().split("Notices")[1], terminal, "no remedy")
        terminal.send("Esc").leaves("/proc/pressure")
        expect(re.search(" 1 i|1 notice \\(i\\)", "".join(terminal.lines()[:2])), terminal, "its number is not there")
        terminal.send("1", "2", "3").hides("/proc/pressure")


def live_has_no_past(_scratch):
    with screen("--past=0", fixture("linux-6.1")) as terminal:
        for key in (",", ".", "{", "}", "g"):
            terminal.send("U", key).shows("nothing is kept to go back to")


def freeze(_scratch):
    """The clock stands while frozen; afterwards the machine is seen as it is by then."""
    with screen("-d", "0.4") as terminal:  # a shorter delay may be raised, with a message that leaves
        terminal.send("Z")
        frozen = terminal.text()
        expect("paused" in frozen, terminal, "it does not say so")
        terminal.pump(1)
        expect(terminal.text() == frozen, terminal, "something moved")
        terminal.send("Z").hides("paused")


def frozen_lacks_what_is_asked_later(_scratch):
    with screen(fixture("linux-6.1"), "cpu") as terminal:
        terminal.send("Z").view("Distribution").shows("not in the paused sample; Z goes on")
        terminal.send("Z").leaves("not in the paused sample")


def unchanged_screen_sends_nothing(_scratch):
    with replay() as terminal:
        terminal.send(".")
        terminal.quiet()
        expect(terminal.pump(2.5) == 0, terminal, "bytes were sent")


LIGHT, DARK = (b"\x1b]11;rgb:" + ground + b"\x1b\\\x1b[?62;22c" for ground in (b"fdfd/f6f6/e3e3", b"0000/2b2b/3636"))
TAB_ON = {"light": "005faf", "dark": "5fafd7"}


def tab_color(terminal):
    line = terminal.lines()[1]
    return terminal.screen.buffer[1][line.index("Memory")].fg


def the_ground_of_the_terminal(_scratch):
    """It is asked for once; whenever the answer comes, it changes the theme, and nothing of it is a key."""
    with replay("memory", width=120) as terminal:
        expect(terminal.raw.count(b"\x1b]11;?") == 1, terminal, "it does not ask, or again")
        expect(tab_color(terminal) == TAB_ON["dark"], terminal, "it does not begin dark")
        before = terminal.text()
        for answer, name in ((LIGHT, "it stays dark"), (DARK, "it takes what it has not asked for")):
            terminal.press(answer)
            terminal.quiet()
            expect(tab_color(terminal) == TAB_ON["light"], terminal, name)
        expect(terminal.text() == before, terminal, "an answer is a key")


def a_chosen_theme_stays(scratch):
    with replay("memory", width=120, env=configured(scratch, "theme = dark\n")) as terminal:
        terminal.press(LIGHT)
        terminal.quiet()
        expect(b"\x1b]11;?" not in terminal.raw, terminal, "it asks")
        expect(tab_color(terminal) == TAB_ON["dark"], terminal, "it changes")


def a_theme_of_a_file(scratch):
    """Its colours; what is wrong in it is reported with its line, and the rest is taken."""
    env = configured(scratch, "# mine\naccent = #d7005f\nbackground = 17\nframe = 3\ncalm = blue\n", "mine.theme")
    with replay("--theme=mine", "memory", width=120, env=env) as terminal:
        said = terminal.raw.decode(errors="replace")
        expect("panetop: frame, line 4 of " in said and "panetop: calm, line 5 of " in said and "mine.theme" in said,
               terminal, "wrong lines are not reported")
        expect(tab_color(terminal) == "d7005f", terminal, "the shown pane has another colour: " + tab_color(terminal))
        expect(terminal.background(terminal.screen.lines - 2, 60) == "00005f", terminal, "the background is another one")
        terminal.send("w")
        terminal.told("written")
    assert "theme = mine\n" in configuration(scratch), "the configuration has another theme"


def an_unknown_theme(scratch):
    """An option that names none ends it; a configuration is reported."""
    ended = Terminal([PANETOP, "--replay=" + RECORDING, "--theme=nowhere"], env=configured(scratch))
    status = ended.end()
    assert status == 2 and b"nowhere.theme: No such file or directory; or use dark" in ended.raw, f"status {status}: {bytes(ended.raw)!r}"
    with replay("memory", width=120, env=configured(scratch, "theme = nowhere\n")) as terminal:
        expect(b"nowhere.theme: No such file" in terminal.raw and tab_color(terminal) == TAB_ON["dark"], terminal,
               "it is not reported, or the theme is not the usual one")


def themes_use_what_the_terminal_has(_scratch):
    """The theme terminal has no colour of 256, and where there are 16 no theme has."""
    for term, theme in (("xterm-256color", "terminal"), ("xterm-16color", "warm"), ("xterm", "contrast")):
        with replay("--theme=" + theme, "overview", env={"TERM": term}) as terminal:
            terminal.send(".")
            assert not re.search(rb"\x1b\[[0-9;]*[34]8[;:]", terminal.raw), f"{theme} in {term} has a colour of 256"


DIRECT = r"""panetop-direct|direct colours,
	RGB, colors#0x1000000, pairs#0x7FFF,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e38\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e48\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
	initc@, ccc@, use=xterm-256color,
"""


def direct_colors_are_those_of_the_theme(scratch):
    """Colour 74 of the palette, of headings, is 5fafd7; black on it is not a colour of the palette either."""
    subprocess.run(["tic", "-x", "-o", scratch, "-"], input=DIRECT.encode(), check=True)
    saved = os.path.join(scratch, "direct.svg")
    with replay("--theme=dark", "memory", env={"TERM": "panetop-direct", "TERMINFO": scratch}) as terminal:
        terminal.send("Down")
        raw = bytes(terminal.raw)
        assert b"\x1b[38:2::95:175:215m" in raw and not re.search(rb"\x1b\[[0-9;]*[34]8;",
               raw), f"other colours: {set(re.findall(rb'[34]8[:;][0-9:;]*', raw))}"
        terminal.send("S", *saved, "Enter")
        terminal.wait_for("direct.svg")
    with open(saved, encoding="utf-8") as file:
        assert 'fill="#5fafd7"' in file.read(), "the picture has other colours"


def no_color(_scratch):
    with replay(env={"NO_COLOR": "1"}) as terminal:
        colored = any(cell.fg != "default" or cell.bg != "default"
                      for y in range(24) for cell in terminal.screen.buffer[y].values())
        expect(not colored, terminal, "there are colours")


def ascii_only(_scratch):
    with replay("--ascii") as terminal:
        terminal.send(*"g+350", "Enter")
        expect(terminal.text().isascii(), terminal, "there are other characters")


def hostile_names(_scratch):
    with screen("-d", "0.1", fixture("readers"), "memory") as terminal:
        terminal.view("Readers").comes("cc1 ?[31m").shows("a) R (b")


def drop_needs_the_live_machine(_scratch):
    with screen(fixture("linux-6.1"), "memory") as terminal:
        action(terminal, "Drop")
        terminal.hides("[y/n]").shows("cannot be dropped: this is not the live machine")


def drop_asks_first(_scratch):
    with screen("memory") as terminal:
        action(terminal, "Drop")
        if os.geteuid() != 0:
            terminal.shows("only root can drop caches")
            return
        if not os.access("/proc/sys/vm/drop_caches", os.W_OK):
            terminal.shows("the caches cannot be dropped")
            return
        terminal.shows("[y/n]")
        terminal.send("n")
        expect("[y/n]" not in terminal.text() and "dropp" not in terminal.lines()[-2], terminal, "no is not no")


def pages_that_were_not_recorded(_scratch):
    with replay("events", recording=EVENT_RECORDING) as terminal:
        terminal.send("0")
        expect("not recorded" in terminal.text() or "no process was selected then" in terminal.text(), terminal,
               "it does not say so")


def a_message_goes_with_its_pane(_scratch):
    """What one pane said does not hide the notice of the next one; what concerns all panes stays."""
    with screen(fixture("linux-6.1"), "memory") as terminal:
        action(terminal, "Drop")
        terminal.says("cannot be dropped")
        terminal.send("2").hides("cannot be dropped")
        terminal.send_at_once("U", "3").says("sizes in")


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
            terminal.send("Z")
            shown = old.search(terminal.text())
            terminal.send("Down", "Right", "i")
            found = re.search(r"process\.resident_bytes.*\nAge: ([0-9.]+) s", terminal.text(), re.S)
            expect(shown and found, terminal, "no age")
            expect(float(found[1]) >= float(shown[1]) - 0.1, terminal, f"its age is {shown[1]}")
    finally:
        for sleeper_process in sleepers:
            sleeper_process.kill()
            sleeper_process.wait()


def nicer_by(child):
    """How much nicer it is than these tests."""
    return os.getpriority(os.PRIO_PROCESS, child.pid) - os.getpriority(os.PRIO_PROCESS, 0)


def renice_asks_and_hits(_scratch):
    needs_nicer()
    with sleeper() as (terminal, child):
        terminal.send("F8").shows(f"Renice sleep ({child.pid}) from")
        terminal.send("n")
        expect(nicer_by(child) == 0, terminal, "no is not no")
        terminal.send("F8", "y")
        expect(nicer_by(child) == 1, terminal, "nothing happened")


def renice_ends_at_nineteen(_scratch):
    with sleeper(nice=19) as (terminal, child):
        terminal.send("F8").tells(f"sleep ({child.pid}) has nice 19, which is the most")


def read_only_changes_nothing(_scratch):
    with sleeper("--read-only") as (terminal, child):
        terminal.send("F9").shows("--read-only").hides("Send a signal")
        expect(child.poll() is None, terminal, "it was hit")


def open_map(terminal):
    """By the page of the process."""
    terminal.send("Enter").until("[Pro").view("Map")
    terminal.until("r-xp")  # Enter needs a row
    terminal.send("Enter")


def pages_of_a_process(_scratch):
    """From the list of the cpu pane to its map, through the zooms, to its end."""
    with sleeper() as (terminal, child):
        open_map(terminal)
        terminal.comes(f"PID {child.pid}", "1 cell =")
        terminal.send(*["+"] * 12).comes("1 cell = 1 page")
        terminal.send(")")
        terminal.view("Page").comes("bits ").view("Values").comes("faults since its start without I/O")
        terminal.view("Map")
        child.kill()
        child.wait()
        terminal.comes("exited; last map shown")


def marked_address(terminal):
    return next(line.split()[1] for line in terminal.lines() if line.startswith("> "))


def from_region_to_region(_scratch):
    """The first press moves the cursor already."""
    with replay("pages") as terminal:
        terminal.send(".")
        at = [marked_address(terminal)] + [marked_address(terminal.send(key)) for key in "))(("]
        expect(at[0] < at[1] < at[2] and at[3:] == [at[1], at[0]], terminal, f"the cursor was at {at}")


def one_that_has_just_ended(_scratch):
    """Paused, the screen still lists it: where its pages would be it is told that it has ended, not waited for."""
    with sleeper() as (terminal, child):
        terminal.send("Z")
        child.kill()
        child.wait()
        terminal.send("Enter", "Z").comes(re.compile("(Exited|Killed by SIGKILL) at ")).hides("waiting for")


def forcing_pages_asks_first(_scratch):
    with sleeper() as (terminal, child):
        open_map(terminal)
        terminal.until("1 cell =")
        action(terminal, "Populate")
        terminal.shows(f"{child.pid} sleep", "[y/n]")
        terminal.send("n").hides("read in")
        action(terminal, "Populate")
        terminal.press(b"y")  # the message may leave before all is quiet
        terminal.comes("were read in")


def the_only_row_of_a_filter(_scratch):
    """Enter opens the map of the first process that is shown, where none is selected."""
    seconds = f"1{os.getpid()}.125"  # no other command has it
    with running("sleep", seconds) as child, screen("-d", "0.2", "pages") as terminal:
        terminal.comes("command")
        terminal.send("\\", *seconds, "Enter").comes(f"filter {seconds}: 1 of ")
        terminal.send("Enter").comes(f"PID {child.pid}", "1 cell =")


def a_process_is_chosen_from_the_list(_scratch):
    seconds = f"1{os.getpid()}.25"  # no other command has it
    with running("sleep", seconds) as child:
        with screen("-d", "0.2", "pages", height=7) as terminal:  # so low that it is not in sight
            terminal.comes("command")
            for _ in range(100):  # its command line is read once it is looked for
                terminal.send("/", *seconds, "Enter")
                if f"sleep {seconds}" in selected_row(terminal):
                    break
                terminal.send("Esc")  # a search that found nothing stays open
                terminal.pump(0.2)
            terminal.send("Enter").comes("1 cell =")


def configuration_is_kept(scratch):
    home = os.path.join(scratch, "not", "there")
    env = configured(home)
    path = os.path.join(home, "panetop", "config")
    with replay("memory", env=env) as terminal:
        terminal.send(*"UUq")
        assert terminal.end() == 0 and not os.path.exists(path), "it was written without being asked for"
    with replay("memory", env=env) as terminal:
        terminal.send("U", "U")
        options(terminal, "Definition")
        terminal.send("w").over_lines("written: " + path)
        assert os.stat(path).st_mode & 0o777 == 0o600, "the mode is not 0600"
        assert os.stat(os.path.dirname(home)).st_mode & 0o777 == 0o700, "the folder is not 0700"
    with replay(env=env) as terminal:
        terminal.shows("[3Memory]", "used, with cache")


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
    with replay(env=configured(scratch, "# my own\nunit = MiB\n\nof.another = version\n")) as terminal:
        os.chmod(target, 0o640)
        terminal.send("U", "w").over_lines("written: " + path)
    assert os.path.islink(path), "the link was replaced"
    assert configuration(scratch) == "# my own\nunit = GiB\n\nof.another = version\n", configuration(scratch)
    assert os.stat(target).st_mode & 0o777 == 0o640, "the mode changed"
    assert sorted(os.listdir(dotfiles)) == ["config", "config.new", "link"], str(os.listdir(dotfiles))


def configuration_that_is_no_file(scratch):
    os.mkdir(os.path.join(scratch, "panetop"))
    path, pipe = os.path.join(scratch, "panetop", "config"), os.path.join(scratch, "pipe")
    os.symlink(pipe, path)
    os.mkfifo(pipe)
    with replay(env=configured(scratch), width=160) as terminal:
        terminal.send("w").over_lines("could not be written: this is not a regular file")
        assert stat.S_ISFIFO(os.lstat(pipe).st_mode), "the pipe was replaced"


def configuration_behind_a_link_of_another_user(scratch):
    """Neither such a file nor such a directory is written, and a new file is not made there."""
    if not is_root():
        return  # only root can give links away
    outside = os.path.join(scratch, "outside")
    os.mkdir(outside)
    for home, link, target in (("a", "panetop", outside), ("b", "panetop/config", os.path.join(outside, "config"))):
        home = os.path.join(scratch, home)
        link = os.path.join(home, link)
        os.makedirs(os.path.dirname(link))
        os.symlink(target, link)
        os.lchown(link, 65534, 65534)
        with replay(env=configured(home), width=200) as terminal:
            terminal.send("w").over_lines(f"could not be written: {link} is a symbolic link of another user")
            assert os.listdir(outside) == [], str(os.listdir(outside))


def configuration_that_cannot_be_read(scratch):
    path = os.path.join(scratch, "panetop", "config")
    os.makedirs(path)
    with replay(env=configured(scratch), width=160) as terminal:
        said = terminal.raw.decode()
        terminal.send("w")
        expect(f"panetop: {path}: cannot be read: Is a directory" in said, terminal, "it is not told")
        terminal.over_lines("could not be written: this is not a regular file")


def wrong_configuration_is_told(scratch):
    env = configured(scratch, "delay = soon\npane = nonsense\nlatency.period = nonsense\nmemory.used = htop\n"
                              "cpu.tre = yes\nrun.read-only = yes\ncpu.tree = yes\nevents.command = name\n"
                              "power.line.load = L 1 shown\nprocess.column = pid\nprocess.columns = pid,name\n"
                              "finding.group_killed_kills = many\n")
    with replay(env=env, height=60) as terminal:
        said = terminal.raw.decode()
        shown = re.search(r"! 8 faults \(i\): .*", terminal.drawn())
        terminal.send("i")
        listed = terminal.text()
        terminal.send("Esc", "3")
        place = f" of {scratch}/panetop/config"
        for sentence in (f"delay, line 1{place}: 'soon': use 0.05 to 86400 seconds", f"latency.period, line 3{place}: 'nonsense': use 50us",
                         f"pane, line 2{place}: unknown pane 'nonsense'; use overview, ",
                         f"finding.group_killed_kills, line 12{place}: it is called finding.limit_killed_kills now",
                         f"finding.group_killed_kills, line 12{place}: 'many': expected a number"):
            expect("panetop: " + sentence in said, terminal, f"not told: {sentence}")
        expect(re.findall(f"panetop: unknown setting '(.*)', line ([0-9]+){place}", said) == [("cpu.tre", "5"),
               ("run.read-only", "6"), ("process.column", "10")], terminal, "unknown names are not told")
        expect(shown and "line" in shown[0], terminal, "the screen does not show it")
        expect("Reported at the start" in listed and "process.column" in listed, terminal, "they are not listed")
        expect("memory.used" not in said and "used (htop)" in terminal.text(), terminal, "what is right does not count")


def what_is_written_is_known(scratch):
    with screen("cpu", env=configured(scratch, "finding.group_killed = off\n")) as terminal:
        terminal.send("t")
        for pane, title in (("2", "Command"), ("2", "Directories"), ("7", "Command"), ("9", "Scale of times")):
            terminal.send(pane)
            options(terminal, title)
        terminal.send("w", "q").end()
    names = {line.split(" = ")[0] for line in configuration(scratch).splitlines()}
    with screen("cpu", env=configured(scratch)) as terminal:
        expect(b"unknown setting" not in terminal.raw, terminal, "what was written is not known")
        expect(names >= {"cpu.tree", "cpu.command", "cpu.directories", "events.command", "latency.times",
               "finding.limit_killed"} and "finding.group_killed" not in names, terminal, f"only these were written: {names}")


def what_a_recording_lacks_is_told(_scratch):
    """It holds events alone: another pane than the one that was asked for is shown, and this is said."""
    with replay("memory", recording=EVENT_RECORDING) as terminal:
        terminal.shows("holds no tables of the pane memory").shows("[7Events]")


def usual_things_are_not_written(scratch):
    """What is as without a configuration stays out of it: it may get better with a later version."""
    with replay(env=configured(scratch)) as terminal:
        terminal.send(*"U>><<UUUUUwq").end()
    assert configuration(scratch) == "", configuration(scratch)


def options_on_the_screen(_scratch):
    with replay("-c", "command,pid", "-s", "+pid", "-l", "2", "--idle", "cpu") as terminal:
        y = terminal.row_of("command")
        rows = [line.split()[-1] for line in terminal.lines()[y + 1:-2] if line]
        expect(rows and terminal.lines()[y].split() in (["command", "▲PID"], ["command", "PID"]), terminal, "wrong columns")
        expect(len(rows) == 2 and int(rows[0]) < int(rows[1]), terminal, f"wrong rows: {rows}")


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
        for _ in range(6):
            terminal.send(".").in_line(3, "softirq")


def letters_go_to_the_beginning_of_words(_scratch):
    """In Disks there is a k, too, and in Scale a c."""
    with replay("latency") as terminal:
        for key, letters, expected in (("F2", "k", "Kernel"), ("F2", "ork", "Network"), ("o", "c", "Colors"), ("o", "ti", "Scale of times")):
            row = selected_row(terminal.send(key, *letters))
            terminal.send("Esc")
            expect(expected in row, terminal, f"{key} {letters}: {row}")


def tabs_keep_their_places(_scratch):
    """Only the shown name grows; Kernel has a tab, which a click finds, and the page of a process is behind it."""
    for width, kernel, shown in ((80, "Ker", r"\[(\d?\w{3})\w*\]"), (200, "Kernel", r"\[(.*)\]")):
        with replay("cpu", width=width) as terminal:
            seen = set()
            for keys in ([], *"1234567890", ["F2", *"Kern", "Enter"]):
                terminal.send(*keys)
                seen.add(re.sub(shown, r" \1 ", terminal.lines()[1])[:55])
            expect(len(seen) == 1, terminal, "\n".join(seen))
            terminal.in_line(1, "[Kernel]").send("2")
            terminal.click(terminal.lines()[1].index(kernel) + 1, 1).in_line(1, "[Kernel]")
            for pane in ("[Pro", "[Cal", "[1"):
                terminal.send("S-Right").in_line(1, pane)
            terminal.send("F2", *"Proc", "Enter").in_line(1, "[Pro")


def a_resize_draws_all(_scratch):
    """Also where the size is the old one again by the time it is read: what the terminal made of its lines meanwhile is not known."""
    with replay("cpu") as terminal:
        terminal.feed(b"\x1b[7;3Hmixed up")
        os.kill(terminal.pid, signal.SIGWINCH)
        terminal.leaves("mixed up")


def unknown_sequences_are_swallowed(_scratch):
    """No part of them is a key: 1, 4 and 9 would choose panes, k would open the menu of actions."""
    with meminfo() as terminal:
        before = terminal.text()
        for sequence in ("\x1b[1;6P", "\x1b[4;9~", "\x1b[99~", "\x1bO4", "\x1b[[E", "\x1b[I", "\x1bk", "\x1b2", "\x1b]11;rgb:1/2/3\x1b\\"):
            terminal.send_at_once(sequence)
            expect(terminal.text() == before, terminal, f"{sequence!r} did something")
        terminal.send_at_once("\x1b[1;")
        terminal.send("4P")
        expect(terminal.text() == before, terminal, "what comes in two pieces did something")


def home_and_end_of_any_terminal(_scratch):
    homes, ends = ("\x1b[1~", "\x1b[7~", "\x1b[H", "\x1bOH"), ("\x1b[4~", "\x1b[8~", "\x1b[F", "\x1bOF")
    for term in ("xterm-256color", "screen-256color"):
        with meminfo(term=term) as terminal:
            first = selected_row(terminal.send_at_once("\x1b[B"))
            for home, end in zip(homes, ends):
                last = selected_row(terminal.send_at_once(end))
                terminal.send_at_once(home)
                expect(first and selected_row(terminal) == first and last not in ("", first), terminal,
                       f"{term}: {end!r} went to {last}, {home!r} from there not to {first}")


def findings_open_while_one_is_selected(_scratch):
    with replay("overview") as terminal:
        terminal.send("End").shows("+2 more: /srv/mail, web; +1 earlier")
        terminal.send("Up", "Up", "Down", "Down", "Down").shows("!  web")
        terminal.send("Esc").shows("+2 more: /srv/mail, web; +1 earlier")


def findings_move_nothing(scratch):
    """Bars and lists are where they were when findings come."""
    def none_at_first(number, tables):
        if number == 0:
            tables["filesystem"].clear()
    for height, parts in ((12, ("CPU  ", "memory  ")), (24, ("CPU  ", "network  ", "most CPU", "most TCP")), (40, ("CPU  ", "100% ┤", "most CPU", "most TCP"))):
        with replay("overview", recording=edited(scratch, none_at_first), width=120, height=height) as terminal:
            terminal.shows("CPU  ").hides("/boot")
            before = [terminal.row_of(part) for part in parts]
            terminal.send(".", ".").shows("!! /boot")
            after = [terminal.row_of(part) for part in parts]
            expect(before == after, terminal, f"{parts} were in rows {before}")


def an_empty_list_leaves_its_place(scratch):
    """Once it was empty in ten samples, to a list that has no room, else to those above it; in each step to a sample the same."""
    def none_exited(number, tables):
        if number < 14:
            tables["exited"].clear()
        for row in tables["process"]:
            row["growth_bytes_per_second"] = 0
    def place(terminal):
        return max(terminal.row_of(" exits in "), terminal.row_of("─ exited ─"))
    path = edited(scratch, none_exited, frames=16)
    for width, height, moves in ((80, 24, lambda before, after: after < 0), (120, 40, lambda before, after: after > before + 2)):
        with replay("overview", recording=path, width=width, height=height) as terminal:
            screens = []
            for number in range(16):
                terminal.send(*["."] * (number > 0))
                screens.append((place(terminal), terminal.lines()[2:-1]))
                expect(place(terminal) >= 0 or terminal.has("─ most TCP ─"), terminal, "nothing in its place")
            places = [then for then, _ in screens]
            expect(len({*places[:9], *places[14:]}) == 1 and len(set(places[9:14])) == 1 and moves(places[0], places[9]), terminal, str(places))
            for _, lines in screens[-2::-1]:
                terminal.send(",")
                expect(terminal.lines()[2:-1] == lines, terminal, "going back shows another screen")


def panetop_does_not_grow(_scratch):
    """Its own memory, which its samples need, is not in the list of what grows."""
    itself = ("sh", "-c", 'exec "$0" --in=pid=$$ "$@"', PANETOP)
    with screen("-d", "0.2", "overview", program=itself, width=200, height=60) as terminal:
        while not terminal.lines()[terminal.row_of(" growing ") + 2].endswith("none in this interval"):
            terminal.tick(0.2)
            terminal.shows(re.compile(r" growing ─+ 0 of 1 ──$"), re.compile(r" most memory ─+ 1 ──"))


def machine_with_groups(folder):
    """One of which all can be read that rules judge."""
    root = os.path.join(folder, "machine")
    shutil.copytree(fixture("linux-6.1").removeprefix("--root="), root)
    os.makedirs(os.path.join(root, "sys/fs/cgroup"), exist_ok=True)
    for path, text in (("proc/self/mountinfo", "25 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
                       ("sys/fs/cgroup/cgroup.controllers", "cpu memory\n")):
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as out:
            out.write(text)
    return root


def no_all_clear_without_pressure(scratch):
    """Where the kernel does not account it, shortages are never seen: that is said, and calmly."""
    root = machine_with_groups(scratch)
    shutil.rmtree(os.path.join(root, "proc/pressure"))
    with screen("--root=" + root, "overview") as terminal:
        terminal.shows("not judged, since not sampled here: pressure").hides("nothing out of the ordinary")
        for _ in range(4):
            terminal.tick(10)
        terminal.shows("not judged, since not sampled here: pressure").hides("nothing out of the ordinary")


def no_all_clear_at_once(scratch):
    """What takes a while to be judged is said, and not in green."""
    root = machine_with_groups(scratch)
    with screen("--root=" + root, "overview", env=configured(scratch, "finding.failing_command = off\n")) as terminal:
        terminal.until("nothing out of the ordinary so far (watched ")
        row = terminal.row_of("nothing out of the ordinary so far")
        expect(terminal.screen.buffer[row][0].fg == "default", terminal, str(terminal.screen.buffer[row][0]))
        for _ in range(4):
            terminal.tick(10)
        terminal.shows("nothing out of the ordinary").hides("so far", "not judged")
        expect(terminal.screen.buffer[row][0].fg != "default", terminal, str(terminal.screen.buffer[row][0]))


def an_all_clear_says_what_is_not_judged(scratch):
    """As for an ordinary user, who may not read exit records: what else is judged is as good as before, but not green."""
    with screen("--root=" + machine_with_groups(scratch), "overview") as terminal:
        for _ in range(4):
            terminal.tick(10)
        terminal.shows("nothing out of the ordinary; without exit records failing commands are unknown").hides("so far")
        row = terminal.row_of("nothing out of the ordinary")
        expect(terminal.screen.buffer[row][0].fg == "default", terminal, str(terminal.screen.buffer[row][0]))


def no_all_clear_while_a_process_may_leak(scratch):
    """A rule that holds, but not for its two minutes: the screen awaits it; a process that rests is not awaited."""
    root = machine_with_groups(scratch)
    os.mkdir(os.path.join(root, "proc/4711"))
    pages = 1000

    def tick(more):
        nonlocal pages
        pages += more
        with open(os.path.join(root, "proc/4711/stat"), "w", encoding="utf-8") as out:
            out.write(f"4711 (leaker) S 1 1 1 0 -1 4194560 100 200 3 5 6 7 8 9 20 0 1 0 9001 1000000000 {pages}" + " 0" * 28 + "\n")
        if terminal:
            terminal.tick(10)

    terminal = None
    tick(0)
    with screen("--root=" + root, "overview") as terminal:
        for _ in range(4):
            tick(5000)
        terminal.shows(re.compile(r"nothing out of the ordinary so far \(watched [4-9]\d of 120 s\)"))  # 40, and up to the first tick
        for _ in range(2):
            tick(0)
        terminal.shows("nothing out of the ordinary").hides("so far")
        for _ in range(14):
            tick(5000)
        terminal.shows("PID 4711 grows by ")
        terminal.send(*[","] * 16).shows(" so far (watched 4")
        terminal.send(".", ".").shows("nothing out of the ordinary").hides("so far")


def a_notice_only_shortens_the_list(_scratch):
    """What stands above it stays where it was, but for the map of pages, below which its cell is described."""
    for pane, height in itertools.product(sorted({*panes()} - {"pages"}), (8, 9, 11, 16, 24, 40)):
        with replay(pane, recording=recording_named(recording_of(pane)), height=height) as terminal:
            before = terminal.lines()[:-2]
            terminal.send(",").shows("this is the first sample")
            moved = [(y, *lines) for y, lines in enumerate(zip(before, terminal.lines())) if lines[0] != lines[1]]
            expect(not moved, terminal, f"{pane} at {height} lines: {moved}")
