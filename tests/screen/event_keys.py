# SPDX-License-Identifier: GPL-2.0-or-later
"""The pane events: its views, how failed ends look, event types, and what it waits for."""
import json
import os

from common import EVENT_RECORDING, as_lines, configured, expect, fixture, replay, screen

CRASHED = [*"g+12", "Enter"]
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
            terminal.shows(f" {title} ")
            terminal.send("Tab")
        terminal.shows(TITLES[0])
        for steps in range(1, len(TITLES)):
            terminal.send(*["Tab"] * steps, "Esc").shows(TITLES[0])


def styles_of(terminal, y, text):
    x = terminal.lines()[y].index(text)
    return terminal.screen.buffer[y][x]


def a_row_for_each_process_that_ended(_scratch):
    with recorded() as terminal:
        terminal.send(*CRASHED)
        rows = [line for line in terminal.lines() if line.startswith(("- ", "! ", "+ ", "> ", "C "))]
        expect(rows and all(row[0] in "-!" for row in rows), terminal, "rows that are no ends")
        crash = next((y for y, line in enumerate(terminal.lines()) if "SIGSEGV core" in line), None)
        expect(crash is not None and " cc " in terminal.lines()[crash], terminal, "no crash with its parent")
        signal, success = styles_of(terminal, crash, "SIGSEGV"), styles_of(terminal, terminal.row_of("- "), "0 ")
        expect(signal.fg != success.fg, terminal, "a failure looks like a success")
        terminal.send("Tab")
        rows = [line for line in terminal.lines() if line.startswith(("- ", "! ", "+ ", "> ", "C "))]
        expect(rows and all(row[0] == "!" for row in rows), terminal, "others than those that failed")
        terminal.send("Tab")
        forks, execs = (next((y for y, line in enumerate(terminal.lines()) if line.startswith(sign)), -1) for sign in ("+ ", "> "))
        expect(forks > 0 and execs > 0 and "child" not in terminal.text(), terminal, "no single events")
        expect(styles_of(terminal, execs, "exec").bold and not styles_of(terminal, forks, "fork").bold, terminal,
               "execs do not stand out")


def an_empty_view_says_what_it_waits_for(_scratch):
    with recorded() as terminal:
        terminal.shows("waiting for the first process to end")
        terminal.send("Tab").shows("no process has failed")
        terminal.send("Tab").shows("waiting for the first event")
        terminal.send("\\", *"nonsense", "Enter").shows("no row matches the filter")


def only_a_failure_explains_an_empty_view(scratch):
    """A notice of what the rows would lack is in the footer."""
    for failed in (False, True):
        path = os.path.join(scratch, "noticed")
        with open(as_lines(EVENT_RECORDING), encoding="utf-8") as source, open(path, "w", encoding="utf-8") as out:
            out.write(next(source))
            frame = json.loads(next(source))
            frame["tables"]["event"] |= {"rows": [], "failed": failed}
            frame["notices"] = [{"topic": "event", "text": "no arguments", "remedy": None}]
            out.write(json.dumps(frame) + "\n")
        with replay("events", recording=path) as terminal:
            waits = "waiting for the first process to end" in terminal.text()
            expect(waits != failed, terminal, "it hides its failure" if failed else "it seems to fail")
            terminal.in_line(-2, "no arguments")


def a_filter_says_where_it_matched(_scratch):
    with recorded() as terminal:
        terminal.send(*CRASHED, "\\", *"ada", "Enter", "Down").shows("filter ada (also in user): ")
        terminal.send("\\", *["Bksp"] * 3, *"SEGV", "Enter", "Down").shows("filter SEGV: 1 ")


def a_paused_log_counts(_scratch):
    with screen("-d", "0.2", "events") as terminal:
        if terminal.wait_for("live", 30):
            terminal.send("Z").comes("paused, ")
            return


def types_are_chosen_in_the_options(_scratch):
    with screen(fixture("linux-6.1"), "events") as terminal:
        terminal.send("o").shows("Event types", "the usual ones")
        terminal.send("Enter", "Down", "Space", "Enter").shows("fork,exit,core")
        terminal.send("o").shows("fork,exit,core")
    with recorded() as terminal:
        terminal.send("o", "Enter").shows("a recording has only the types of events")


def lifetimes_read_well(_scratch):
    with recorded() as terminal:
        terminal.send(*CRASHED, *["Tab"] * 5)
        text = terminal.text()
        expect(all(bound in text for bound in (" 1 ms ", " 100 s ", " 17 min ", " 1.2 d ")), terminal, "unreadable bounds")
        expect("%share" in text and "████" in text, terminal, "no bars")


def columns_are_kept(scratch):
    """Those of the processes apart from those of the single events."""
    env = configured(scratch)
    with recorded(env=env) as terminal:
        terminal.send(*CRASHED, "c", "Space", "Enter", "w", "q")  # without its first column
        terminal.end()
    with recorded(env=env) as terminal:
        terminal.send(*CRASHED)
        expect(not any(line.startswith("! ") for line in terminal.lines()), terminal, "they were not kept")
        terminal.send("Tab")
        expect(any(line.startswith("! ") for line in terminal.lines()), terminal, "other columns were changed")
