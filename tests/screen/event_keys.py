# SPDX-License-Identifier: GPL-2.0-or-later
"""The pane events: its views, how failed ends look, event types, and what it waits for."""
import json
import os

from common import EVENT_RECORDING, as_lines, expect, fixture, replay, screen

CRASHED = ["g", "+", "1", "2", "Enter"]
TITLES = ("processes that ended since", "processes that failed since", "events since", "by command since",
          "processes that fork since", "lifetimes of processes that ended since", "sources of events since", "rules of --when that fired",
          "sleeps, and clocks that were set", "Wake sources")


def recorded(*arguments, **rest):
    return replay(*arguments, "events", recording=EVENT_RECORDING, **rest)


def each_view_has_a_title(_scratch):
    """Tab goes through all of them and comes home; Esc comes home from each."""
    with recorded() as terminal:
        terminal.send(*CRASHED)
        for title in TITLES:
            problem = expect(f" {title} " in terminal.text(), terminal, f"no title '{title}'")
            terminal.send("Tab")
            if problem:
                return problem
        problem = expect(TITLES[0] in terminal.text(), terminal, "Tab does not come home")
        for steps in range(1, len(TITLES)):
            terminal.send(*["Tab"] * steps, "Esc")
            problem = problem or expect(TITLES[0] in terminal.text(), terminal, f"Esc does not come home from {steps}")
        return problem


def styles_of(terminal, y, text):
    x = terminal.lines()[y].index(text)
    return terminal.screen.buffer[y][x]


def a_row_for_each_process_that_ended(_scratch):
    with recorded() as terminal:
        terminal.send(*CRASHED)
        rows = [line for line in terminal.lines() if line.startswith(("- ", "! ", "+ ", "> ", "C "))]
        problem = expect(rows and all(row[0] in "-!" for row in rows), terminal, "rows that are no ends")
        crash = next((y for y, line in enumerate(terminal.lines()) if "SIGSEGV core" in line), None)
        problem = problem or expect(crash is not None and " cc " in terminal.lines()[crash], terminal, "no crash with its parent")
        signal, success = styles_of(terminal, crash, "SIGSEGV"), styles_of(terminal, terminal.row_of("- "), "0 ")
        problem = problem or expect(signal.fg != success.fg and signal.bold and not success.bold, terminal, "a failure looks like a success")
        terminal.send("Tab")
        rows = [line for line in terminal.lines() if line.startswith(("- ", "! ", "+ ", "> ", "C "))]
        problem = problem or expect(rows and all(row[0] == "!" for row in rows), terminal, "others than those that failed")
        terminal.send("Tab")
        forks, execs = (next((y for y, line in enumerate(terminal.lines()) if line.startswith(sign)), -1) for sign in ("+ ", "> "))
        problem = problem or expect(forks > 0 and execs > 0 and "child" not in terminal.text(), terminal, "no single events")
        return problem or expect(styles_of(terminal, execs, "exec").bold and not styles_of(terminal, forks, "fork").bold,
                                 terminal, "execs do not stand out")


def an_empty_view_says_what_it_waits_for(_scratch):
    with recorded() as terminal:
        problem = expect("waiting for the first process to end" in terminal.text(), terminal, "it does not say so")
        terminal.send("Tab")
        problem = problem or expect("no process has failed" in terminal.text(), terminal, "it does not say so")
        terminal.send("Tab")
        problem = problem or expect("waiting for the first event" in terminal.text(), terminal, "it does not say so")
        terminal.send("\\", *"nonsense", "Enter")
        return problem or expect("no row matches the filter" in terminal.text(), terminal, "the filter is not blamed")


def only_a_failure_explains_an_empty_view(scratch):
    """A notice of what the rows would lack is in the footer."""
    problem = None
    for failed in (False, True):
        path = os.path.join(scratch, "noticed")
        with open(as_lines(EVENT_RECORDING), encoding="utf-8") as source, open(path, "w", encoding="utf-8") as out:
            out.write(next(source))
            frame = json.loads(next(source))
            frame["tables"]["event"] |= {"rows": [], "failed": failed}
            frame["notices"] = [{"topic": "event", "text": "no arguments", "remedy": None}]
            out.write(json.dumps(frame) + "\n")
        with replay("events", recording=path, opening=True) as terminal:
            waits = "waiting for the first process to end" in terminal.text()
            problem = problem or expect(waits != failed, terminal, "it hides its failure" if failed else "it seems to fail")
            problem = problem or expect("! no arguments" in terminal.lines()[-2], terminal, "no notice")
    return problem


def a_filter_says_where_it_matched(_scratch):
    with recorded() as terminal:
        terminal.send(*CRASHED, "\\", *"ada", "Enter", "Down")
        problem = expect("filter ada (also in user): " in terminal.text(), terminal, "why its rows match is not seen")
        terminal.send("\\", *["Bksp"] * 3, *"SEGV", "Enter", "Down")
        return problem or expect("filter SEGV: 1 " in terminal.text(), terminal, "another column than the one that matched")


def a_paused_log_counts(_scratch):
    with screen("-d", "0.2", "events") as terminal:
        if terminal.wait_for("live", 30):
            terminal.send("Z")
            return expect(terminal.wait_for("paused, "), terminal, "it does not count what is new")
        return None  # neither perf events nor the proc connector


def types_are_chosen_in_the_options(_scratch):
    with screen(fixture("linux-6.1"), "events") as terminal:
        terminal.send("o")
        problem = expect("Event types" in terminal.text() and "the usual ones" in terminal.text(), terminal, "no such option")
        terminal.send("Enter", "Down", "Space", "Enter")
        problem = problem or expect("fork,exit,core" in terminal.text(), terminal, "the choice is not taken")
        terminal.send("o")
        problem = problem or expect("fork,exit,core" in terminal.text(), terminal, "the choice is not shown")
    with recorded() as terminal:
        terminal.send("o", "Enter")
        return problem or expect("a recording has only the types of events" in terminal.text(), terminal, "a recording is chosen from")


def lifetimes_read_well(_scratch):
    with recorded() as terminal:
        terminal.send(*CRASHED, *["Tab"] * 5)
        text = terminal.text()
        return expect(all(bound in text for bound in (" 1 ms ", " 100 s ", " 17 min ", " 1.2 d ")), terminal, "unreadable bounds") or \
            expect("%share" in text and "████" in text, terminal, "no bars")


def columns_are_kept(scratch):
    """Those of the processes apart from those of the single events."""
    env = {"XDG_CONFIG_HOME": scratch}
    with recorded(env=env) as terminal:
        terminal.send(*CRASHED, "c", "Space", "Enter", "w", "q")  # without its first column
        terminal.end()
    with recorded(env=env) as terminal:
        terminal.send(*CRASHED)
        problem = expect(not any(line.startswith("! ") for line in terminal.lines()), terminal, "they were not kept")
        terminal.send("Tab")
        return problem or expect(any(line.startswith("! ") for line in terminal.lines()), terminal, "other columns were changed")


def tests():
    return [
        ("events: each view has a title and a way home", each_view_has_a_title),
        ("events: a row for each process that ended", a_row_for_each_process_that_ended),
        ("events: an empty view says what it waits for", an_empty_view_says_what_it_waits_for),
        ("events: only a failure explains an empty view", only_a_failure_explains_an_empty_view),
        ("events: a filter says where it matched", a_filter_says_where_it_matched),
        ("events: a paused log counts", a_paused_log_counts),
        ("events: types are chosen in the options", types_are_chosen_in_the_options),
        ("events: lifetimes read well", lifetimes_read_well),
        ("events: columns of the processes are kept", columns_are_kept),
    ]
