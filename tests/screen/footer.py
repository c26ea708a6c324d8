# SPDX-License-Identifier: GPL-2.0-or-later
"""Which keys the footer and the help page offer."""
import re

from common import EVENT_RECORDING, RECORDING, expect, fixture, panes, replay, screen


def a_recording_is_not_acted_upon(_scratch):
    """Keys that would act are neither in the footer nor in the help, and say why they do nothing."""
    for pane, label, help_text, key, said in (
            ("memory", "D Drop", "drop the caches", "D", "a recording has no caches to drop"),
            ("events", "e Events", "choose the kinds of events", "e", "a recording has only the kinds of events it was made with"),
            ("cpu", "F9 Signal", "send a signal", "k", "processes in a recording cannot be changed"),
            ("cpu", "F9 Signal", "nice + 1", "F8", "processes in a recording cannot be changed"),
            ("cpu", "F9 Signal", "in the pane pages", "Enter", "see the pane pages"),
            ("pages", "z Zoom", "fewer pages in a cell", "z", "the process and the map it was made with"),
            ("pages", "l List", "force all its pages in", "R", "the process and the map it was made with"),
            ("latency", "F9 Actions", "stop, restart or start", "F9", "a recording is not measured again"),
            ("latency", "Enter Start", "start measuring", "Enter", "a recording is not measured again")):
        recording = EVENT_RECORDING if pane == "events" else RECORDING
        with replay(pane, recording=recording, width=200, height=60) as terminal:
            problem = expect(label not in terminal.lines()[-1], terminal, f"{pane}: the footer offers {label}")
            terminal.send("F1")
            problem = problem or expect(help_text not in terminal.text() and "leave panetop" in terminal.text(), terminal,
                                        f"{pane}: the help offers to {help_text}")
            terminal.send("q", key)
            problem = problem or expect(said in terminal.text(), terminal, f"{pane}: {key} does not say '{said}'")
            if problem:
                return problem
    return None


def the_list_offers_what_acts(_scratch):
    """Where no process is chosen yet, keys of its map say what to do first."""
    with screen(fixture("pages"), "pages", width=300) as terminal:
        footer = terminal.lines()[-1]
        problem = expect("Enter Open" in footer and "Zoom" not in footer and "Values" not in footer and
                         "List" not in footer and "Mark" not in footer and "Force" not in footer, terminal,
                         "the footer offers what does not act")
        for key in ("v", "l", "Tab", "R", "C", "r"):
            terminal.send("u", key)  # u says something else
            problem = problem or expect("select a process first" in terminal.text() and "Which process?" in terminal.text(),
                                        terminal, f"{key} does not say what to do")
        terminal.send("z")
        problem = problem or expect("this key works in the map" in terminal.text(), terminal, "z changes what is not shown")
        terminal.send("Down", "Enter")
        return problem or expect(terminal.wait_for("1 cell =") and "Zoom" in terminal.lines()[-1], terminal, "no map")


def help_and_quit_stay_in_the_footer(_scratch):
    for pane in panes():
        for width, height in ((80, 24), (40, 12), (20, 5)):
            with screen(fixture("linux-6.1"), pane, width=width, height=height) as terminal:
                problem = expect("F1 Help  q Quit" in terminal.lines()[-1], terminal, f"{pane}: no help, or no quit")
                if problem:
                    return problem
    return None


def keys_of_the_help(terminal):
    """The keys of what is shown, a line of the help page each: one key, or two for the same."""
    terminal.send("F1")
    lines = terminal.lines()
    terminal.send("q")
    first = next(y for y, line in enumerate(lines) if "Keys of this pane" in line) + 1
    return [line[:12].split() for line in lines[first:lines.index("", first)]]


def keys_of_the_footer(terminal):
    words = terminal.lines()[-1].split()
    return {word for word in words if len(word) == 1 or word in ("Enter", "Tab", "Space") or re.fullmatch("F[0-9]+", word)}


def a_wide_footer_names_every_key(_scratch):
    for pane, pressed, shown in (
            ("memory", [], "[1 Memory]"), ("events", [], "[2 Events]"), ("cpu", [], "[3 CPU]"), ("power", [], "[5 Power]"),
            ("power", ["s"], "Space Show"), ("latency", [], "[6 Latency]"), ("pages", [], "Which process?"),
            ("pages", ["Down", "Enter"], "1 cell =")):
        with screen(fixture("pages" if pane == "pages" else "linux-6.1"), pane, width=500, height=60) as terminal:
            terminal.send(*pressed)
            problem = expect(terminal.wait_for(shown), terminal, f"{pane}: it does not show '{shown}'")
            offered, named = keys_of_the_help(terminal), keys_of_the_footer(terminal)
            missing = [keys for keys in offered if not named & set(keys)]
            problem = problem or expect(offered and not missing, terminal, f"{pane}: the footer lacks {missing}")
            if problem:
                return problem
    return None


def keys_for_a_process_are_with_the_processes(_scratch):
    """A selected thread or CPU is no process that a signal could be sent to."""
    with screen(fixture("linux-6.1"), "cpu", width=200) as terminal:
        problem = expect("F9 Signal" in terminal.lines()[-1], terminal, "no signal for processes")
        for view in ("H", "p", "x"):
            terminal.send(view, "Down")
            problem = problem or expect("F9 Signal" not in terminal.lines()[-1], terminal, f"{view}: the footer offers F9")
            for key in ("F9", "F8", "Enter"):
                terminal.send("u", key)  # u says something else
                problem = problem or expect("this key works in the list of processes" in terminal.text(), terminal,
                                            f"{view}: {key} does not say why it does nothing")
            terminal.send(view)
        terminal.send("F9")
        return problem or expect("select a process first" in terminal.text(), terminal, "F9 does not tell what to do first")


def tests():
    return [
        ("keys for a process are offered with the processes", keys_for_a_process_are_with_the_processes),
        ("what acts is not offered in a replay", a_recording_is_not_acted_upon),
        ("the list of processes offers what acts", the_list_offers_what_acts),
        ("help and quit stay in the footer", help_and_quit_stay_in_the_footer),
        ("a wide footer names every key of its pane", a_wide_footer_names_every_key),
    ]
