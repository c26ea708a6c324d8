# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys and mouse: what they do to the screen."""
import json
import os
import re
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager

from common import EVENT_RECORDING, PANETOP, RECORDING, TESTS, edited, expect, fixture, replay, screen
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
        terminal.send("I", "/", "D", "i", "r", "t", "y", "Enter")
        for _ in range(4):
            problem = expect(selected_row(terminal).startswith("Dirty"), terminal, "Dirty is not selected")
            if problem:
                return problem
            terminal.send(">")
        return None


def search_and_next(_scratch):
    with meminfo() as terminal:
        terminal.send("/", "s", "w", "a", "p", "Enter")
        first = selected_row(terminal)
        terminal.send("n")
        second = selected_row(terminal)
        return expect(first.startswith("SwapTotal") and second.startswith("SwapFree"), terminal, f"{first} / {second}")


def filter_rows(_scratch):
    with meminfo() as terminal:
        terminal.send("\\", "^", "M", "e", "m", "Enter")
        only = [line for line in terminal.lines()[first_row(terminal):20] if line]
        problem = expect(all(line.startswith("Mem") for line in only) and len(only) == 3, terminal, str(only)) or \
            expect("^Mem" in terminal.text(), terminal, "the filter is not shown")
        terminal.send("F4", "Bksp", "Bksp", "Bksp", "Bksp", "(", "Enter")
        problem = problem or expect("Unmatched" in terminal.text(), terminal, "a wrong expression is not refused")
        terminal.send("Bksp", "Enter")
        return problem or expect("Committed_AS" in terminal.text(), terminal, "the filter did not go")


def filter_live(_scratch):
    """Rows go at each key; an expression that is not finished changes nothing; Esc brings the old filter back."""
    with meminfo() as terminal:
        terminal.send("\\", "^", "S", "w", "a")
        problem = expect("SwapTotal" in terminal.text() and "MemFree" not in terminal.text(), terminal, "it waits for Enter")
        terminal.send("(")
        problem = problem or expect("SwapTotal" in terminal.text() and "MemFree" not in terminal.text(), terminal, "rows went")
        terminal.send("Bksp", "Enter", "\\", *["Bksp"] * 4, "M", "e", "m", "Esc")
        return problem or expect("SwapTotal" in terminal.text() and "MemFree" not in terminal.text(), terminal,
                                 "Esc does not restore the filter")


def prompts_are_edited(_scratch):
    """The cursor, words and the whole line, as in a shell."""
    with meminfo() as terminal:
        terminal.send("\\", *"Mem Tot", "\x17", *"Fée", "Home", "Right", "+", "Left", "Left", "Del", "End", "Left", "Bksp", "!")
        problem = expect(terminal.lines()[-1].endswith(": +em F!e"), terminal, "not as it was edited")
        problem = problem or expect(terminal.screen.cursor.x == len(terminal.lines()[-1]) - 1, terminal, "the cursor is elsewhere")
        terminal.send("End", "\x15", *"Swap", "Enter", "F4")
        problem = problem or expect(terminal.lines()[-1].endswith(": Swap"), terminal, "the filter is not there to be edited")
        terminal.send("\x15", *"Mem", "Home", "\x0b", "\x15", "Bksp", "Left", "Enter")
        return problem or expect("Committed_AS" in terminal.text(), terminal, "the line is not empty")


def the_answer_stays_with_its_error(_scratch):
    with screen(fixture("linux-6.1"), "memory") as terminal:
        terminal.send("d", *["Bksp"] * 4, *"soon", "Enter")
        problem = expect(": soon" in terminal.lines()[-1] and "use seconds" in terminal.lines()[-1], terminal, "not both")
        terminal.send(*["Bksp"] * 4, "3", "Enter")
        problem = problem or expect("  3 s" in terminal.lines()[0] and "use seconds" not in terminal.text(), terminal,
                                    "it cannot be mended")
    with screen(fixture("linux-6.1"), "memory", width=40, height=12) as terminal:
        terminal.send("d", *["Bksp"] * 4, *"soon", "Enter")
        return problem or expect(": soon" in terminal.lines()[-1] and "use seconds from" in terminal.lines()[-2], terminal,
                                 "not both where it is narrow")


def sort_by_mouse(_scratch):
    with meminfo() as terminal:
        y = first_row(terminal) - 1
        terminal.click(terminal.lines()[y].index("size"), y)
        largest = terminal.lines()[y + 1]
        terminal.click(terminal.lines()[y].index("size"), y)
        smallest = terminal.lines()[y + 1]
        terminal.click(3, y + 3)
        clicked = terminal.lines()[y + 3]
        return expect(largest.startswith("Committed_AS") and smallest.startswith("Dirty"), terminal, "wrong order") or \
            expect(selected_row(terminal) == clicked, terminal, "the click selects no row")


def wheel_scrolls(_scratch):
    with meminfo(height=14) as terminal:
        y = first_row(terminal)
        top = terminal.lines()[y]
        terminal.click(5, y + 2, button=65)
        return expect(terminal.lines()[y] != top, terminal, "nothing moved")


def units_cycle(_scratch):
    with meminfo() as terminal:
        seen = []
        for _ in range(6):
            terminal.send("U")
            seen.append(terminal.lines()[first_row(terminal)].split()[1])
        return expect(seen == ["8589934592", "8388608", "8192", "8", "8.0G", "8.0G"], terminal, str(seen))


def percent_is_shown_as_such(_scratch):
    with replay("--unit=percent", "memory") as terminal:
        return expect("%" in terminal.text(), terminal, "no unit in the heading")


def definitions_of_used(_scratch):
    with replay("memory") as terminal:
        before = terminal.text()
        options(terminal, "Definition")
        return expect("used, with cache" in terminal.text() and "used, with cache" not in before, terminal,
                      "another definition is not named")


def sort_menu(_scratch):
    """Headings and keys, the present one with its direction; it says when a column is not shown."""
    with replay("cpu", opening=True) as terminal:
        terminal.send("s")
        line = selected_row(terminal)
        problem = expect("%CPU" in line and "cpu_ratio" in line and "largest first; Enter reverses" in line, terminal,
                         "the present column is not selected")
        terminal.send("Enter")
        heading = terminal.lines()[terminal.row_of("%user")]
        problem = problem or expect("▲%CPU" in heading, terminal, "it is not reversed")
        terminal.send("s", *"~watts", "Enter")
        return problem or expect("sorted by ~watts, which is not shown" in terminal.text() and
                                 "by ~watts" in terminal.lines()[terminal.row_of("%user") - 1], terminal, "it is silent")


def sorting_stays_in_sight(_scratch):
    """The mark is in the headings at each step, and both ends say so."""
    with replay("cpu", opening=True) as terminal:
        for key, end in ((">", "this is the last column"), ("<", "this is the first column")):
            for _ in range(20):
                terminal.send(key)
                problem = expect(re.search("[▼▲]", terminal.lines()[terminal.row_of("%user")]), terminal, f"{key}: no mark")
                if problem or end in terminal.text():
                    break
            problem = problem or expect(end in terminal.text(), terminal, f"{key} is silent at the end")
            if problem:
                return problem
        return None


def columns_by_heading_and_key(_scratch):
    with replay("cpu", opening=True) as terminal:
        terminal.send("c")
        rows = {line.split()[2]: line for line in terminal.lines() if line.startswith("[")}
        return expect("RSS" in rows["resident_bytes"] and "resident memory" in rows["resident_bytes"], terminal, "no heading") or \
            expect("does not fit" in rows["threads"] and "does not fit" not in rows["pid"], terminal, "what does not fit is silent")


def why_shows_the_number_beside_its_row(_scratch):
    """As the screen shows it, exact behind it, its heading and row first; the row stays in sight."""
    with replay("cpu", opening=True) as terminal:
        for _ in range(2):
            terminal.send("Down", "i")
            y = terminal.row_of("%CPU of ")
            found = re.search(r"%CPU of (\d+) .*\n *([0-9.]+) % \((0\.\d+|\d)\)\n", terminal.text())
            problem = expect(found and float(found[2]) == round(100 * float(found[3]), 1), terminal, "not the number") or \
                expect(f" {found[1]} " in "".join(terminal.lines()[:y - 1] + terminal.lines()[y + 5:-1]), terminal, "its row is covered") or \
                expect("process.cpu_ratio" in terminal.text(), terminal, "no name for programs")
            if problem:
                return problem
            terminal.send("Esc", *["Down"] * 6)
        return None


def the_graph_of_memory_has_two_axes(_scratch):
    with replay("memory") as terminal:
        terminal.send("g", "+", "2", "0", "0", "Enter")
        problem = expect("3.00G to 6.00G" in terminal.text() and "render 15400 most of it" in terminal.text(), terminal,
                         "the axis does not fit, or nothing is said of growth")
        options(terminal, "Axis")
        return problem or expect("0 to 8.0G" in terminal.text(), terminal, "it does not begin at zero")


def enter_drops_no_caches(_scratch):
    """The first entry of the menu, which Enter takes, does nothing to the machine."""
    with screen("-d", "0.2", "memory") as terminal:
        terminal.until("who has it")
        terminal.send("F9")
        problem = expect("Drop the caches" in terminal.text(), terminal, "no menu")
        terminal.send("Enter")
        return problem or expect("[Processes]" in terminal.text() and "Drop all caches" not in terminal.text(), terminal,
                                 "it asks whether to drop them")


def memory_has_its_processes(_scratch):
    """They can be opened and signalled there; in the views without them these keys say where they work."""
    seconds = f"1{os.getpid()}.5"  # no other command has it
    with subprocess.Popen(["sleep", seconds]) as child:
        try:
            with screen("-d", "0.2", "memory") as terminal:
                problem = expect(terminal.wait_for("who has it"), terminal, "no processes")
                terminal.send("\\", *seconds, "Enter")
                problem = problem or expect(terminal.wait_for(f"filter {seconds}: 1 of "), terminal, "it is not found")
                terminal.send("Down", "F9")
                problem = problem or expect(terminal.wait_for("Send a signal to sleep"), terminal, "no action on it")
                terminal.send("Esc", "Enter")
                problem = problem or expect(terminal.wait_for("[Pro"), terminal, "it was not opened")
                terminal.send("3")
                terminal.view("Meminfo")
                terminal.send("F7")
                return problem or expect(terminal.said("Overview and Processes"), terminal, "F7 does not say where it works")
        finally:
            child.kill()


def why_names_a_missing_source(_scratch):
    """Not the lack of an earlier sample."""
    with screen(fixture("linux-4.4"), "power", height=60) as terminal:
        terminal.send("i")
        text = terminal.text()[terminal.text().find("watts of total"):].split("What:")[0]
        return expect("unknown: no power meter" in text and "no earlier sample" not in text, terminal, "it blames the sample")


def playing_and_stepping(_scratch):
    with replay("-d", "0.2") as terminal:
        problem = expect("1/36  paused 09:30:00" in terminal.text(), terminal, "it does not show where it is")
        terminal.send(".", ".", ".", ",")
        problem = problem or expect("3/36  paused 09:30:20" in terminal.text(), terminal, "steps do not count")
        first = terminal.text()
        terminal.send("g", "0", "9", ":", "3", "1", ":", "0", "5", "Enter")
        problem = problem or expect("09:31:00" in terminal.text(), terminal, "it did not go to the time")
        terminal.send("g", "-", "4", "0", "Enter")
        problem = problem or expect(terminal.text() == first, terminal, "the same frame looks different")
        terminal.send("g", "x", "Enter")
        problem = problem or expect("use 12:03" in terminal.lines()[-1] and ": x" in terminal.lines()[-1], terminal,
                                    "nonsense is not refused, or lost")
        terminal.send("Esc", "Z")
        return problem or expect(terminal.wait_for("paused 09:35:50"), terminal, "it does not play to its end")


def it_opens_with_rates(scratch):
    """On the second sample; a recording of one sample shows that."""
    with replay("cpu", opening=True) as terminal:
        problem = expect("2/36  paused 09:30:10" in terminal.text() and "render" in terminal.text(), terminal, "no rates")
    with replay("cpu", recording=edited(scratch, lambda number, tables: None, frames=1), opening=True) as terminal:
        return problem or expect("1/1  paused 09:30:00" in terminal.text() and "!" not in terminal.lines()[-2], terminal,
                                 "one sample is not shown, or complained about")


def it_opens_at_a_time(_scratch):
    """As if it had been played up to there; a time that was not recorded is refused before there is a screen."""
    for at, shown, steps in (("09:31:00", "7/36  paused 09:31:00", 5), ("-340", "2/36  paused 09:30:10", 0), ("09:30", "1/36  paused 09:30:00", -1)):
        with replay("cpu", opening=True) as terminal:
            terminal.send(*["."] * steps or [","] * -steps)
            wanted = terminal.lines()[1:-2]
        with replay("--at=" + at, "cpu", opening=True) as terminal:
            problem = expect(shown in terminal.text(), terminal, f"it does not open at {at}")
            problem = problem or expect(terminal.lines()[1:-2] == wanted, terminal, "\n".join(wanted) + "\nis shown there, not:")
            if problem:
                return problem
    with screen("--replay=" + RECORDING, "--at=2000-01-01T00:00") as terminal:
        status, said = terminal.end(), "".join(terminal.text().split())  # lines are cut anywhere
        return expect(status == 1 and "nothingwasrecordedat'2000-01-01T00:00':" in said, terminal, "a time that was not recorded")


def far_jumps(_scratch):
    """Minutes, the ends, and a time outside of the recording, which stays in its prompt."""
    with replay("memory") as terminal:
        problem = None
        for key, shown in (("}", "09:31:00"), ("}", "09:32:00"), ("{", "09:31:00"), ("End", "36/36  paused 09:35:50"),
                           ("Home", "1/36  paused 09:30:00"), ("G", "36/36")):
            terminal.send(key)
            problem = problem or expect(shown in terminal.lines()[0], terminal, f"{key} does not lead to {shown}")
        terminal.send("}")
        problem = problem or expect("this is the last sample" in terminal.text(), terminal, "the end is silent")
        terminal.send("g", *"06:00", "Enter")
        problem = problem or expect("06:00" in terminal.lines()[-1] and
                                    "the recording is 09:30:00 to 09:35:50" in terminal.lines()[-1], terminal, "it is not said")
        terminal.send(*["Bksp"] * 5, *"09:30", "Enter")
        problem = problem or expect("1/36" in terminal.lines()[0], terminal, "the prompt did not stay")
        terminal.send("Space")
        return problem or expect("Z plays and pauses" in terminal.text(), terminal, "Space is silent")


def success_is_plain_and_warnings_are_marked(_scratch):
    with screen(fixture("linux-6.1"), "-d", "3600", "memory") as terminal:
        terminal.send("U")
        y = terminal.row_of("sizes in")
        plain = terminal.screen.buffer[y][0]
        problem = expect(terminal.lines()[y].startswith("sizes in") and plain.fg == "default", terminal, "success is a warning")
        problem = problem or expect(terminal.wait_while("sizes in"), terminal, "it stays")
        terminal.send("y")
        y = terminal.row_of("does nothing here")
        return problem or expect(terminal.lines()[y].startswith("! y") and terminal.screen.buffer[y][0].fg != "default",
                                 terminal, "a warning is not marked")


def a_notice_of_the_view_comes_first(scratch):
    """It does not wait until the time of another one is over."""
    path = os.path.join(scratch, "noticed")
    with open(edited(scratch, lambda *_: None), encoding="utf-8") as source, open(path, "w", encoding="utf-8") as out:
        out.write(next(source))
        for line in source:
            notices = [{"topic": topic, "text": text, "remedy": None} for topic, text in (("wakeup", "no causes"), ("softirq", "no times"))]
            out.write(json.dumps({**json.loads(line), "notices": notices}) + "\n")
    with replay("kernel", recording=path) as terminal:
        problem = expect("! no times" in terminal.text(), terminal, "no notice")
        terminal.view("Wake-ups")
        return problem or expect("! no causes" in terminal.text(), terminal, "that of the view is not there")


def a_notice_is_shown_once_in_a_pane(_scratch):
    """Then its number stays; what to do about it is never cut, but behind i. Another pane shows its own."""
    with screen(fixture("linux-4.4"), "-d", "0.5", "memory") as terminal:
        problem = expect("! /proc/pressure/cpu: No such file or directory (i)" in terminal.text(), terminal, "no notice")
        terminal.send("i")
        problem = problem or expect("Notices" in terminal.text() and "\n  " in terminal.text().split("Notices")[1], terminal,
                                    "no remedy")
        terminal.send("Esc")
        problem = problem or expect(terminal.wait_while("! /proc/pressure"), terminal, "it stays for ever")
        problem = problem or expect(re.search("!1 i|1 notice \\(i\\)", "".join(terminal.lines()[:2])), terminal, "its number is not there")
        terminal.send("2", "3")
        return problem or expect("! /proc/pressure" not in terminal.text(), terminal, "it is shown again")


def live_has_no_past(_scratch):
    with screen("--past=0", fixture("linux-6.1")) as terminal:
        for key in (",", ".", "{", "}", "g"):
            terminal.send("U", key)
            problem = expect("nothing is kept to go back to" in terminal.text(), terminal, f"{key} is silent")
            if problem:
                return problem
        return None


def freeze(_scratch):
    """The clock stands while frozen; afterwards the machine is seen as it is by then."""
    with screen("-d", "0.4") as terminal:  # a shorter delay may be raised, with a message that leaves
        terminal.send("Z")
        frozen = terminal.text()
        problem = expect("paused" in frozen, terminal, "it does not say so")
        terminal.pump(1)
        problem = problem or expect(terminal.text() == frozen, terminal, "something moved")
        terminal.send("Z")
        return problem or expect("paused" not in terminal.text(), terminal, "it is still paused")


def frozen_lacks_what_is_asked_later(_scratch):
    with screen(fixture("linux-6.1"), "cpu") as terminal:
        terminal.send("Z")
        terminal.view("Distribution")
        problem = expect("not in the paused sample; Z goes on" in terminal.text(), terminal, "it does not say why")
        terminal.send("Z")
        return problem or expect(terminal.wait_while("not in the paused sample"), terminal, "it does not go on")


def unchanged_screen_sends_nothing(_scratch):
    with replay() as terminal:
        terminal.send(".")
        terminal.quiet()
        return expect(terminal.pump(2.5) == 0, terminal, "bytes were sent")


LIGHT, DARK = (b"\x1b]11;rgb:" + ground + b"\x1b\\\x1b[?62;22c" for ground in (b"fdfd/f6f6/e3e3", b"0000/2b2b/3636"))
TAB_ON = {"light": "005faf", "dark": "5fafd7"}


def tab_color(terminal):
    line = terminal.lines()[1]
    return terminal.screen.buffer[1][line.index("Memory")].fg


def the_ground_of_the_terminal(_scratch):
    """It is asked for once; whenever the answer comes, it changes the theme, and nothing of it is a key."""
    with replay("memory", width=120) as terminal:
        problem = expect(terminal.raw.count(b"\x1b]11;?") == 1, terminal, "it does not ask, or again") or \
            expect(tab_color(terminal) == TAB_ON["dark"], terminal, "it does not begin dark")
        before = terminal.text()
        for answer, name in ((LIGHT, "it stays dark"), (DARK, "it takes what it has not asked for")):
            terminal.press(answer)
            terminal.quiet()
            problem = problem or expect(tab_color(terminal) == TAB_ON["light"], terminal, name)
        return problem or expect(terminal.text() == before, terminal, "an answer is a key")


def a_chosen_theme_stays(scratch):
    os.makedirs(os.path.join(scratch, "panetop"))
    with open(os.path.join(scratch, "panetop", "config"), "w", encoding="utf-8") as file:
        file.write("theme = dark\n")
    with replay("memory", width=120, env={"XDG_CONFIG_HOME": scratch}) as terminal:
        terminal.press(LIGHT)
        terminal.quiet()
        return expect(b"\x1b]11;?" not in terminal.raw, terminal, "it asks") or \
            expect(tab_color(terminal) == TAB_ON["dark"], terminal, "it changes")


def a_theme_of_a_file(scratch):
    """Its colours; what is wrong in it is reported with its line, and the rest is taken."""
    os.makedirs(os.path.join(scratch, "panetop"))
    with open(os.path.join(scratch, "panetop", "mine.theme"), "w", encoding="utf-8") as file:
        file.write("# mine\naccent = #d7005f\nbackground = 17\nframe = 3\ncalm = blue\n")
    with replay("--theme=mine", "memory", width=120, env={"XDG_CONFIG_HOME": scratch}) as terminal:
        said = terminal.raw.decode(errors="replace")
        problem = expect("panetop: frame, line 4 of " in said and "panetop: calm, line 5 of " in said and "mine.theme" in said, terminal,
                         "wrong lines are not reported") or \
            expect(tab_color(terminal) == "d7005f", terminal, "the shown pane has another colour: " + tab_color(terminal)) or \
            expect(terminal.background(terminal.screen.lines - 2, 60) == "00005f", terminal, "the background is another one")
        terminal.send("w")
        terminal.told("written")
    with open(os.path.join(scratch, "panetop", "config"), encoding="utf-8") as file:
        return problem or (None if "theme = mine\n" in file.read() else "the configuration has another theme")


def an_unknown_theme(scratch):
    """An option that names none ends it; a configuration is reported."""
    os.makedirs(os.path.join(scratch, "panetop"))
    env = {"XDG_CONFIG_HOME": scratch}
    ended = Terminal([PANETOP, "--replay=" + RECORDING, "--theme=nowhere"], env=env)
    status = ended.end()
    if status != 2 or b"nowhere.theme: No such file or directory; or use dark" not in ended.raw:
        return f"status {status}: {bytes(ended.raw)!r}"
    with open(os.path.join(scratch, "panetop", "config"), "w", encoding="utf-8") as file:
        file.write("theme = nowhere\n")
    with replay("memory", width=120, env=env) as terminal:
        return expect(b"nowhere.theme: No such file" in terminal.raw and tab_color(terminal) == TAB_ON["dark"], terminal,
                      "it is not reported, or the theme is not the usual one")


def themes_use_what_the_terminal_has(_scratch):
    """The theme terminal has no colour of 256, and where there are 16 no theme has."""
    for term, theme in (("xterm-256color", "terminal"), ("xterm-16color", "warm"), ("xterm", "contrast")):
        with replay("--theme=" + theme, "overview", env={"TERM": term}) as terminal:
            terminal.send(".")
            if re.search(rb"\x1b\[[0-9;]*[34]8[;:]", terminal.raw):
                return f"{theme} in {term} has a colour of 256"
    return None


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
        if b"\x1b[38:2::95:175:215m" not in raw or re.search(rb"\x1b\[[0-9;]*[34]8;", raw):
            return f"other colours: {set(re.findall(rb'[34]8[:;][0-9:;]*', raw))}"
        terminal.send("S", *saved, "Enter")
        terminal.wait_for("direct.svg")
    with open(saved, encoding="utf-8") as file:
        return None if 'fill="#5fafd7"' in file.read() else "the picture has other colours"


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
    with screen("-d", "0.1", fixture("readers"), "memory") as terminal:
        terminal.view("Readers")
        problem = expect(terminal.wait_for("cc1 ?[31m"), terminal, "the name is not there, cleaned")
        return problem or expect("a) R (b" in terminal.text(), terminal, "the other name is not there")


def drop_needs_the_live_machine(_scratch):
    with screen(fixture("linux-6.1"), "memory") as terminal:
        action(terminal, "Drop")
        return expect("[y/n]" not in terminal.text(), terminal, "it asks for what it cannot do") or \
            expect("cannot be dropped: this is not the live machine" in terminal.text(), terminal, "it does not say why")


def drop_asks_first(_scratch):
    with screen("memory") as terminal:
        action(terminal, "Drop")
        if os.geteuid() != 0:
            return expect("only root can drop caches" in terminal.text(), terminal, "it does not say who may")
        if not os.access("/proc/sys/vm/drop_caches", os.W_OK):
            return expect("the caches cannot be dropped" in terminal.text(), terminal, "it does not say why")
        problem = expect("[y/n]" in terminal.text(), terminal, "it does not ask")
        terminal.send("n")
        return problem or expect("[y/n]" not in terminal.text() and "dropp" not in terminal.lines()[-2], terminal,
                                 "no is not no")


def pages_that_were_not_recorded(_scratch):
    with replay("events", recording=EVENT_RECORDING) as terminal:
        terminal.send("0")
        return expect("not recorded" in terminal.text() or "no process was selected then" in terminal.text(), terminal, "it does not say so")


def a_message_goes_with_its_pane(_scratch):
    """What one pane said does not hide the notice of the next one; what concerns all panes stays."""
    with screen(fixture("linux-6.1"), "memory") as terminal:
        action(terminal, "Drop")
        problem = expect(terminal.said("cannot be dropped"), terminal, "it says nothing")
        terminal.send("2")
        problem = problem or expect("cannot be dropped" not in terminal.text(), terminal, "it is still said")
        terminal.send_at_once("U", "3")
        return problem or expect(terminal.said("sizes in"), terminal, "what concerns all panes has gone")


@contextmanager
def sleeper(*arguments, nice=0):
    """A process of our own, alone on the screen and selected."""
    child = subprocess.Popen(["sleep", "1000"])
    os.setpriority(os.PRIO_PROCESS, child.pid, max(nice, os.getpriority(os.PRIO_PROCESS, 0)))
    try:
        with screen("--idle", "-p", str(child.pid), *arguments, "cpu") as terminal:
            terminal.until("sleep")
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
            terminal.send("Z")
            shown = old.search(terminal.text())
            terminal.send("Down", "Right", "i")
            found = re.search(r"process\.resident_bytes.*\nAge: ([0-9.]+) s", terminal.text(), re.S)
            problem = expect(shown and found, terminal, "no age")
            return problem or expect(float(found[1]) >= float(shown[1]) - 0.1, terminal, f"its age is {shown[1]}")
    finally:
        for sleeper_process in sleepers:
            sleeper_process.kill()
            sleeper_process.wait()


def nicer_by(child):
    """How much nicer it is than these tests."""
    return os.getpriority(os.PRIO_PROCESS, child.pid) - os.getpriority(os.PRIO_PROCESS, 0)


def renice_asks_and_hits(_scratch):
    with sleeper() as (terminal, child):
        terminal.send("F8")
        problem = expect(f"Renice sleep ({child.pid}) from" in terminal.text(), terminal, "it does not name the process")
        terminal.send("n")
        problem = problem or expect(nicer_by(child) == 0, terminal, "no is not no")
        terminal.send("F8", "y")
        return problem or expect(nicer_by(child) == 1, terminal, "nothing happened")


def renice_ends_at_nineteen(_scratch):
    with sleeper(nice=19) as (terminal, child):
        terminal.send("F8")
        return expect(terminal.told(f"sleep ({child.pid}) has nice 19, which is the most"), terminal, "it does not say so")


def read_only_changes_nothing(_scratch):
    with sleeper("--read-only") as (terminal, child):
        terminal.send("F9")
        problem = expect("--read-only" in terminal.text() and "Send a signal" not in terminal.text(), terminal, "it asks")
        return problem or expect(child.poll() is None, terminal, "it was hit")


def open_map(terminal):
    """By the page of the process."""
    terminal.send("Enter")
    terminal.until("[Pro")
    terminal.view("Map")
    terminal.until("r-xp")  # Enter needs a row
    terminal.send("Enter")


def pages_of_a_process(_scratch):
    """From the list of the cpu pane to its map, through the zooms, to its end."""
    with sleeper() as (terminal, child):
        open_map(terminal)
        problem = expect(terminal.wait_for(f"PID {child.pid}") and terminal.wait_for("1 cell ="), terminal, "no map")
        terminal.send(*["+"] * 12)
        problem = problem or expect(terminal.wait_for("1 cell = 1 page"), terminal, "no zoom to a page")
        terminal.send(")")
        terminal.view("Page")
        problem = problem or expect(terminal.wait_for("bits "), terminal, "no page")
        terminal.view("Values")
        problem = problem or expect(terminal.wait_for("faults since its start without I/O"), terminal, "no values")
        terminal.view("Map")
        child.kill()
        child.wait()
        return problem or expect(terminal.wait_for("exited; last map shown"), terminal, "it does not say that the process has ended")


def marked_address(terminal):
    return next(line.split()[1] for line in terminal.lines() if line.startswith("> "))


def from_region_to_region(_scratch):
    """The first press moves the cursor already."""
    with replay("pages") as terminal:
        terminal.send(".")
        at = [marked_address(terminal)]
        for key in (")", ")", "(", "("):
            terminal.send(key)
            at.append(marked_address(terminal))
        return expect(at[0] < at[1] < at[2] and at[3:] == [at[1], at[0]], terminal, f"the cursor was at {at}")


def one_that_has_just_ended(_scratch):
    """Paused, the screen still lists it: where its pages would be it is told that it has ended, not waited for."""
    with sleeper() as (terminal, child):
        terminal.send("Z")
        child.kill()
        child.wait()
        terminal.send("Enter", "Z")
        return expect(terminal.wait_for("It has exited"), terminal, "it is not told that it has ended") or \
            expect("waiting for" not in terminal.text(), terminal, "it is not told what would help")


def forcing_pages_asks_first(_scratch):
    with sleeper() as (terminal, child):
        open_map(terminal)
        terminal.until("1 cell =")
        action(terminal, "Populate")
        problem = expect(f"{child.pid} sleep" in terminal.text() and "[y/n]" in terminal.text(), terminal, "it does not ask")
        terminal.send("n")
        problem = problem or expect("read in" not in terminal.text(), terminal, "no is not no")
        action(terminal, "Populate")
        terminal.press(b"y")  # the message may leave before all is quiet
        return problem or expect(terminal.wait_for("were read in"), terminal, "nothing happened")


def a_process_is_chosen_from_the_list(_scratch):
    seconds = f"1{os.getpid()}.25"  # no other command has it
    with subprocess.Popen(["sleep", seconds]) as child:
        try:
            with screen("-d", "0.2", "pages", height=7) as terminal:  # so low that it is not in sight
                problem = expect(terminal.wait_for("command"), terminal, "no list")
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
    with replay("memory", env=env) as terminal:
        terminal.send("U", "U", "q")
        if terminal.end() != 0 or os.path.exists(path):
            return "it was written without being asked for"
    with replay("memory", env=env) as terminal:
        terminal.send("U", "U")
        options(terminal, "Definition")
        terminal.send("w")
        problem = expect("written: " + path in terminal.text().replace("\n", ""), terminal, "it was not written")
        problem = problem or (None if os.stat(path).st_mode & 0o777 == 0o600 else "the mode is not 0600")
        problem = problem or (None if os.stat(os.path.dirname(home)).st_mode & 0o777 == 0o700 else "the folder is not 0700")
    with replay(env=env) as terminal:
        return problem or expect("[3Mem]" in terminal.text() and "used, with cache" in terminal.text(),
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
        terminal.send("U", "w")
        problem = expect("written: " + path in terminal.text().replace("\n", ""), terminal, "it was not written")
    with open(target, encoding="utf-8") as file:
        text = file.read()
    return problem or (None if os.path.islink(path) else "the link was replaced") or \
        (None if text == "# my own\nunit = GiB\n\nof.another = version\n" else text) or \
        (None if os.stat(target).st_mode & 0o777 == 0o640 else "the mode changed") or \
        (None if sorted(os.listdir(dotfiles)) == ["config", "config.new", "link"] else str(os.listdir(dotfiles)))


def configuration_that_is_no_file(scratch):
    os.mkdir(os.path.join(scratch, "panetop"))
    path, pipe = os.path.join(scratch, "panetop", "config"), os.path.join(scratch, "pipe")
    os.symlink(pipe, path)
    os.mkfifo(pipe)
    with replay(env={"XDG_CONFIG_HOME": scratch}, width=160) as terminal:
        terminal.send("w")
        return expect("could not be written: this is not a regular file" in terminal.text().replace("\n", ""), terminal,
                      "it is not refused") or (None if stat.S_ISFIFO(os.lstat(pipe).st_mode) else "the pipe was replaced")


def configuration_behind_a_link_of_another_user(scratch):
    """Neither such a file nor such a directory is written, and a new file is not made there."""
    outside = os.path.join(scratch, "outside")
    os.mkdir(outside)
    for home, link, target in (("a", "panetop", outside), ("b", "panetop/config", os.path.join(outside, "config"))):
        home = os.path.join(scratch, home)
        link = os.path.join(home, link)
        os.makedirs(os.path.dirname(link))
        os.symlink(target, link)
        os.lchown(link, 65534, 65534)
        with replay(env={"XDG_CONFIG_HOME": home}, width=200) as terminal:
            terminal.send("w")
            said = f"could not be written: {link} is a symbolic link of another user"
            problem = expect(said in terminal.text().replace("\n", ""), terminal, "it is not refused") or (None if os.listdir(outside) == [] else str(os.listdir(outside)))
        if problem:
            return problem
    return None


def configuration_that_cannot_be_read(scratch):
    path = os.path.join(scratch, "panetop", "config")
    os.makedirs(path)
    with replay(env={"XDG_CONFIG_HOME": scratch}, width=160) as terminal:
        said = terminal.raw.decode()
        terminal.send("w")
        return expect(f"panetop: {path}: cannot be read: Is a directory" in said, terminal, "it is not told") or \
            expect("could not be written: this is not a regular file" in terminal.text().replace("\n", ""), terminal,
                   "it is not refused")


def wrong_configuration_is_told(scratch):
    os.mkdir(os.path.join(scratch, "panetop"))
    with open(os.path.join(scratch, "panetop", "config"), "w", encoding="utf-8") as file:
        file.write("delay = soon\npane = nonsense\nlatency.period = nonsense\nmemory.used = htop\n"
                   "cpu.tre = yes\nrun.read-only = yes\ncpu.tree = yes\nevents.command = name\npower.line.load = L 1 shown\n"
                   "process.column = pid\nprocess.columns = pid,name\n")
    with replay(env={"XDG_CONFIG_HOME": scratch}, height=60) as terminal:
        said = terminal.raw.decode()
        shown = re.search(r"! 6 faults \(i\): .*", terminal.drawn())
        terminal.send("i")
        listed = terminal.text()
        terminal.send("Esc", "3")
        place = f" of {scratch}/panetop/config"
        return expect(f"panetop: delay, line 1{place}: 'soon': use 0.05 to 86400 seconds" in said, terminal,
                      "the delay is not told") or \
            expect(f"panetop: pane, line 2{place}: unknown pane 'nonsense'; use overview, " in said, terminal,
                   "the pane is not told") or \
            expect(f"panetop: latency.period, line 3{place}: 'nonsense': use 50us" in said, terminal,
                   "the option is not told") or \
            expect(re.findall(f"panetop: unknown setting '(.*)', line ([0-9]+){place}", said) ==
                   [("cpu.tre", "5"), ("run.read-only", "6"), ("process.column", "10")], terminal,
                   "unknown names are not told") or \
            expect(shown and "line" in shown[0], terminal, "the screen does not show it") or \
            expect("Reported at the start" in listed and "process.column" in listed, terminal, "they are not listed") or \
            expect("memory.used" not in said and "used (htop)" in terminal.text(), terminal, "what is right does not count")


def what_is_written_is_known(scratch):
    env = {"XDG_CONFIG_HOME": scratch}
    with screen("cpu", env=env) as terminal:
        terminal.send("t", "2")
        options(terminal, "Command")
        options(terminal, "Directories")
        terminal.send("7")
        options(terminal, "Command")
        terminal.send("9")
        options(terminal, "Scale of times")
        terminal.send("w", "q")
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
        return expect("holds no tables of the pane memory" in terminal.text(), terminal, "it is not said") or \
            expect("[7Eve]" in terminal.text(), terminal, "what there is is not shown")


def usual_things_are_not_written(scratch):
    """What is as without a configuration stays out of it: it may get better with a later version."""
    env = {"XDG_CONFIG_HOME": scratch}
    with replay(env=env) as terminal:
        terminal.send("U", ">", ">", "<", "<", "U", "U", "U", "U", "U", "w", "q")
        terminal.end()
    with open(os.path.join(scratch, "panetop", "config"), encoding="utf-8") as file:
        text = file.read()
    return None if text == "" else text


def options_on_the_screen(_scratch):
    with replay("-c", "command,pid", "-s", "+pid", "-l", "2", "--idle", "cpu") as terminal:
        y = terminal.row_of("command")
        rows = [line.split()[-1] for line in terminal.lines()[y + 1:-2] if line]
        return expect(rows and terminal.lines()[y].split() in (["command", "▲PID"], ["command", "PID"]), terminal, "wrong columns") or \
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
        named = []
        for _ in range(6):
            terminal.send(".")
            named.append("softirq" in terminal.lines()[3])
        return expect(named == [True] * 6, terminal, f"named: {named}")


def letters_go_to_the_beginning_of_words(_scratch):
    """In Disks there is a k, too, and in Scale a c."""
    with replay("latency") as terminal:
        for key, letters, expected in (("F2", "k", "Kernel"), ("F2", "ork", "Network"), ("o", "c", "Colors"), ("o", "ti", "Scale of times")):
            terminal.send(key, *letters)
            row = selected_row(terminal)
            terminal.send("Esc")
            if expected not in row:
                return expect(False, terminal, f"{key} {letters}: {row}")
        return None


def tabs_keep_their_places(_scratch):
    """Only brackets move; Kernel has a tab, which a click finds, and the page of a process is behind it."""
    for width, kernel in ((80, "Ker"), (200, "Kernel")):
        with replay("cpu", width=width) as terminal:
            seen = set()
            for keys in ([], *"1234567890", ["F2", *"Kern", "Enter"]):
                terminal.send(*keys)
                seen.add(re.sub(r"[][]", " ", terminal.lines()[1])[:60])
            problem = expect(len(seen) == 1, terminal, "\n".join(seen)) or \
                expect("[" + kernel + "]" in terminal.lines()[1], terminal, "Kernel is not marked")
            x = terminal.lines()[1].index(kernel)
            terminal.send("2")
            terminal.click(x + 1, 1)
            problem = problem or expect("[" + kernel + "]" in terminal.lines()[1], terminal, "a click does not choose Kernel")
            terminal.send("S-Right")
            problem = problem or expect("[Pro" in terminal.lines()[1], terminal, "Profile is not behind it")
            terminal.send("S-Right")
            problem = problem or expect("[Cal" in terminal.lines()[1], terminal, "Calls is not behind it")
            terminal.send("S-Right")
            problem = problem or expect("[1" in terminal.lines()[1], terminal, "Calls is not the last that S-Right goes to")
            terminal.send("F2", *"Proc", "Enter")
            problem = problem or expect("[Pro" in terminal.lines()[1], terminal, "Process is not behind")
            if problem:
                return problem
    return None


def a_resize_draws_all(_scratch):
    """Also where the size is the old one again by the time it is read: what the terminal made of its lines meanwhile is not known."""
    with replay("cpu") as terminal:
        terminal.feed(b"\x1b[7;3Hmixed up")
        os.kill(terminal.pid, signal.SIGWINCH)
        return expect(terminal.wait_while("mixed up"), terminal, "what was not drawn by panetop stays")


def unknown_sequences_are_swallowed(_scratch):
    """No part of them is a key: 1, 4 and 9 would choose panes, k would open the menu of actions."""
    with meminfo() as terminal:
        before = terminal.text()
        for sequence in ("\x1b[1;6P", "\x1b[4;9~", "\x1b[99~", "\x1bO4", "\x1b[[E", "\x1b[I", "\x1bk", "\x1b2", "\x1b]11;rgb:1/2/3\x1b\\"):
            terminal.send_at_once(sequence)
            if terminal.text() != before:
                return expect(False, terminal, f"{sequence!r} did something")
        terminal.send_at_once("\x1b[1;")
        terminal.send("4P")
        return expect(terminal.text() == before, terminal, "what comes in two pieces did something")


def home_and_end_of_any_terminal(_scratch):
    homes, ends = ("\x1b[1~", "\x1b[7~", "\x1b[H", "\x1bOH"), ("\x1b[4~", "\x1b[8~", "\x1b[F", "\x1bOF")
    for term in ("xterm-256color", "screen-256color"):
        with meminfo(term=term) as terminal:
            terminal.send_at_once("\x1b[B")
            first = selected_row(terminal)
            for home, end in zip(homes, ends):
                terminal.send_at_once(end)
                last = selected_row(terminal)
                terminal.send_at_once(home)
                if not first or selected_row(terminal) != first or last in ("", first):
                    return expect(False, terminal, f"{term}: {end!r} went to {last}, {home!r} from there not to {first}")
    return None
def findings_open_while_one_is_selected(_scratch):
    with replay("overview") as terminal:
        terminal.send("End")
        problem = expect("+2 more: /srv/mail, web" in terminal.text(), terminal, "it does not say what has no room")
        terminal.send("Up", "Up", "Down", "Down", "Down")
        problem = problem or expect("!  web" in terminal.text(), terminal, "the last one is not reached")
        terminal.send("Esc")
        return problem or expect("+2 more: /srv/mail, web" in terminal.text(), terminal, "the list stays open")


def no_all_clear_at_once(_scratch):
    """What takes a while to be judged is said, and not in green."""
    with screen(fixture("linux-6.1"), "overview") as terminal:
        terminal.until("nothing out of the ordinary yet (watching, ")
        row = terminal.row_of("nothing out of the ordinary yet")
        return expect(terminal.screen.buffer[row][0].fg == "default", terminal, str(terminal.screen.buffer[row][0]))


def tests():
    return [
        ("findings open while one of them is selected", findings_open_while_one_is_selected),
        ("there is no all-clear before all rules were judged", no_all_clear_at_once),
        ("the selection keeps its row", selection_keeps_its_row),
        ("search, and on to the next", search_and_next),
        ("filter", filter_rows),
        ("the filter works at each key", filter_live),
        ("prompts are edited", prompts_are_edited),
        ("a wrong answer stays with its error", the_answer_stays_with_its_error),
        ("a click on a heading sorts, on a row selects", sort_by_mouse),
        ("the wheel scrolls", wheel_scrolls),
        ("units", units_cycle),
        ("percent", percent_is_shown_as_such),
        ("definitions of used", definitions_of_used),
        ("the graph of memory has two axes", the_graph_of_memory_has_two_axes),
        ("memory has its processes", memory_has_its_processes),
        ("Enter in the menu of the memory pane drops no caches", enter_drops_no_caches),
        ("a recording is played, stepped and searched by time", playing_and_stepping),
        ("the sort menu", sort_menu),
        ("sorting stays in sight", sorting_stays_in_sight),
        ("columns by heading and key", columns_by_heading_and_key),
        ("why shows the number beside its row", why_shows_the_number_beside_its_row),
        ("why names a missing source", why_names_a_missing_source),
        ("a replay opens with rates", it_opens_with_rates),
        ("minutes, both ends and wrong times in a replay", far_jumps),
        ("a replay opens at a time", it_opens_at_a_time),
        ("success is plain, warnings are marked", success_is_plain_and_warnings_are_marked),
        ("a notice of the view comes first", a_notice_of_the_view_comes_first),
        ("a notice is shown once in a pane", a_notice_is_shown_once_in_a_pane),
        ("going back needs a past", live_has_no_past),
        ("freeze", freeze),
        ("a frozen screen says why a table is not there", frozen_lacks_what_is_asked_later),
        ("an unchanged screen sends no bytes", unchanged_screen_sends_nothing),
        ("the ground of the terminal", the_ground_of_the_terminal),
        ("a chosen theme stays", a_chosen_theme_stays),
        ("a theme of a file", a_theme_of_a_file),
        ("an unknown theme", an_unknown_theme),
        ("themes use what the terminal has", themes_use_what_the_terminal_has),
        ("direct colours are those of the theme", direct_colors_are_those_of_the_theme),
        ("NO_COLOR", no_color),
        ("--ascii", ascii_only),
        ("hostile process names", hostile_names),
        ("caches are dropped on the live machine only", drop_needs_the_live_machine),
        ("dropping caches asks first", drop_asks_first),
        ("a replay without pages says so", pages_that_were_not_recorded),
        ("a message goes with its pane", a_message_goes_with_its_pane),
        ("a priority asks, and changes the one that was named", renice_asks_and_hits),
        ("a priority ends at 19", renice_ends_at_nineteen),
        ("--read-only changes nothing", read_only_changes_nothing),
        ("the pages of a process", pages_of_a_process),
        ("what is old has an age", what_is_old_has_an_age),
        ("the cursor of the map goes from region to region", from_region_to_region),
        ("the pages of a process that has just ended", one_that_has_just_ended),
        ("forcing pages in asks first", forcing_pages_asks_first),
        ("a process is chosen from the list", a_process_is_chosen_from_the_list),
        ("the configuration is written when asked, and read", configuration_is_kept),
        ("the configuration is written behind a link", configuration_behind_a_link),
        *([("the configuration is not written behind a link of another user", configuration_behind_a_link_of_another_user)]
          if is_root() else []),  # only root can give links away
        ("a configuration that is no file is not replaced", configuration_that_is_no_file),
        ("a configuration that cannot be read", configuration_that_cannot_be_read),
        ("what is written to the configuration is known when it is read", what_is_written_is_known),
        ("what is wrong in the configuration is told", wrong_configuration_is_told),
        ("a replay says what its recording lacks", what_a_recording_lacks_is_told),
        ("the configuration holds only what differs", usual_things_are_not_written),
        ("columns, sort, limit and unit from the command line", options_on_the_screen),
        ("the legend names what there was lately", the_legend_stays),
        ("letters go to the beginning of a word in a menu first", letters_go_to_the_beginning_of_words),
        ("tabs keep their places", tabs_keep_their_places),
        ("a resize draws all of the screen", a_resize_draws_all),
        ("an unknown key sequence is no key", unknown_sequences_are_swallowed),
        ("Home and End of any terminal", home_and_end_of_any_terminal),
    ]
