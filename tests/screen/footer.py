# SPDX-License-Identifier: GPL-2.0-or-later
"""Which keys the footer and the help page offer."""
import re

from common import EVENT_RECORDING, RECORDING, expect, fixture, panes, replay, screen


def a_recording_is_not_acted_upon(_scratch):
    """Keys that would act are neither in the footer nor in the help, and say why they do nothing."""
    for pane, label, help_text, key, said in (
            ("memory", "F9 Actions", "drop the caches", "F9", "a recording has nothing to signal or to drop"),
            ("cpu", "F9 Signal", "send a signal", "k", "processes in a recording cannot be changed"),
            ("cpu", "F7 F8 Nice", "nice + 1", "F8", "processes in a recording cannot be changed"),
            ("latency", "F9 Actions", "stop, restart or start", "F9", "a recording is not measured again"),
            ("latency", "Enter Start", "start measuring", "Enter", "a recording is not measured again"),
            ("cpu", "d Delay", "delay between samples", "d", "the delay it was made with")):
        with replay(pane, width=200, height=60) as terminal:
            expect(label not in terminal.lines()[-1], terminal, f"{pane}: the footer offers {label}")
            terminal.send("F1").hides(help_text).shows("quit panetop")
            terminal.send("q", key).shows(said)


def the_list_offers_what_acts(_scratch):
    """Where no process is chosen yet, keys of its map are not offered."""
    with screen(fixture("pages"), "pages", width=300) as terminal:
        footer = terminal.lines()[-1]
        expect("Enter" in footer and "Zoom" not in footer and "Mark" not in footer, terminal,
               "the footer offers what does not act")
        terminal.send("Down", "Enter").comes("1 cell =").in_line(-1, "Zoom")


def help_and_quit_stay_in_the_footer(_scratch):
    for pane in panes():
        for width, height in ((80, 24), (40, 12), (20, 5)):
            with screen(fixture("linux-6.1"), pane, width=width, height=height) as terminal:
                terminal.in_line(-1, "F1 Help  q Quit")


def keys_of_the_help(terminal):
    """The keys of the pane, a line of the help page each: one key, or several for the same."""
    terminal.send("F1")
    lines = terminal.lines()
    terminal.send("q")
    first = next(y for y, line in enumerate(lines) if line.startswith("Keys of this pane")) + 1
    return [line[2:12].split("  ")[0].split() for line in lines[first:lines.index("", first)]]


def keys_of_the_footer(terminal):
    words = terminal.lines()[-1].split()
    return {word for word in words if len(word) == 1 or word in ("Enter", "Tab", "Space") or re.fullmatch("F[0-9]+", word)}


LABELLESS = {"<", ">", "I", "M", "P", "T", "n", "Space", "[", "]", "Esc", "U", "d", "w"}


def a_wide_footer_names_every_key(_scratch):
    """But a key that has no label in the table of actions."""
    for pane, pressed, shown in (("memory", [], "[3 Memory]"), ("events", [], "[7 Events]"), ("cpu", [], "[2 CPU]"),
                                 ("power", [], "[8 Power]"), ("pages", ["Down", "Enter"], "1 cell =")):
        with screen(fixture("pages" if pane == "pages" else "linux-6.1"), pane, width=500, height=60) as terminal:
            terminal.send(*pressed).comes(shown)
            offered, named = keys_of_the_help(terminal), keys_of_the_footer(terminal)
            missing = [keys for keys in offered if not named & set(keys) and not LABELLESS & set(keys)]
            expect(not missing, terminal, f"{pane}: the footer lacks {missing}")


# what a footer needs at 80 cells, in every pane that has a table
NEEDED = ["/ Search", "\\ Filter", "s Sort", "F1 Help", "q Quit"]
NEEDED_LIVE, NEEDED_IN_A_REPLAY = ["o Options"], ["Z Play", ", . Step", "g Go to"]


def what_one_needs_is_in_the_footer(_scratch):
    for pane in ("cpu", "memory", "events"):
        for arguments in ((fixture("linux-6.1"),), ("--replay=" + RECORDING,)):
            if pane == "events" and arguments[0].startswith("--replay"):
                arguments = ("--replay=" + EVENT_RECORDING,)
            with screen(*arguments, pane) as terminal:
                more = NEEDED_IN_A_REPLAY if "replay" in arguments[0] else NEEDED_LIVE
                lacking = [one for one in NEEDED + more if one not in terminal.lines()[-1]]
                expect(not lacking, terminal, f"{pane}: the footer lacks {lacking}")
                expect(pane != "cpu" or arguments[0].startswith("--replay") or "F9 Signal" in terminal.lines()[-1],
                       terminal, "no signal")


def a_click_on_the_footer_is_the_key(_scratch):
    with screen(fixture("linux-6.1"), "cpu") as terminal:
        footer = terminal.lines()[-1]
        terminal.click(footer.index("s Sort") + 3, 23).shows("Sort by").send("Esc")
        terminal.click(footer.index("F1 Help"), 23).shows("Views of this pane").send("Esc")
        terminal.click(footer.index("q Quit") + 2, 23)
        expect(terminal.end() == 0, terminal, "it does not quit")


def the_line_of_panes_tells_of_all(_scratch):
    """The shown name is whole at every width from 40 on; what has no place is counted, and a click there lists it."""
    with screen(fixture("linux-6.1"), "latency", width=100) as terminal:
        for width in (40, 60, 80, 95, 120, 200):
            terminal.resize(width, 24)
            terminal.quiet()
            line = terminal.lines()[1]
            expect("Latency" in line, terminal, f"{width}: the shown name is cut")
            expect("+3" in line or "Calls" in line, terminal, f"{width}: not all panes can be seen to exist")
        terminal.resize(80, 24)
        terminal.quiet()
        terminal.click(terminal.lines()[1].index("+3"), 1).shows("Panes", "Calls", "Profile")


def signs_are_in_every_help(_scratch):
    for pane in panes():
        with replay(pane, height=150) as terminal:
            terminal.send("F1").shows("Signs and colours", "the column by which rows are sorted", "a number that is not known", "a warning: a finding is about it", "in the line of the load")
            if pane == "overview":
                terminal.shows("a finding: critical, a warning, a note", "have the colour of the worst finding about them")


def an_unknown_key_names_the_help(_scratch):
    with replay("memory") as terminal:
        terminal.send("y").shows("y does nothing here; ? lists the keys")


def keys_for_a_process_are_with_the_processes(_scratch):
    """A selected CPU is not a process that a signal could be sent to."""
    with screen(fixture("linux-6.1"), "cpu", width=200) as terminal:
        terminal.in_line(-1, "F9 Signal")
        for view in ("CPUs", "Account"):
            terminal.view(view).send("Down")
            expect("F9 Signal" not in terminal.lines()[-1], terminal, f"{view}: the footer offers F9")
            terminal.send("F9").shows("process list only")
        terminal.view("Processes").send("F9")
        expect("select a process first" in terminal.text() or "Signal" in terminal.text(), terminal,
               "F9 does not tell what to do first")
