# SPDX-License-Identifier: GPL-2.0-or-later
"""Golden screens: the recording at a certain frame, at several sizes, compared with what is stored."""
import difflib
import itertools
import os

from common import EVENT_RECORDING, POWER_RECORDING, RECORDING, TESTS, fixture, replay, screen

ALL = ["g", "+", "3", "5", "0", "Enter"]  # to the last frame
PRESSED = ["g", "+", "2", "7", "0", "Enter"]  # memory is short
DRAWN = None  # the keys after it come when those before it have been answered; else all come at once

SCREENS = [
    # name, width, height, arguments, keys
    ("panes", 80, 24, [], []),
    ("calm", 80, 24, [], ["."]),
    ("pressed", 80, 24, [], PRESSED),
    ("last", 80, 24, [], ALL),
    ("last", 40, 12, [], ALL),
    ("last", 20, 5, [], ALL),
    ("last", 200, 60, [], ALL),
    ("ascii", 80, 24, ["--ascii"], ALL),
    ("braille", 80, 24, [], ALL + ["G"]),
    ("span", 80, 24, [], ALL + ["z", "z"]),
    ("percent", 80, 24, ["--unit=percent"], PRESSED),
    ("bytes", 80, 24, ["--unit=B"], PRESSED),
    ("procps", 100, 30, ["--used=procps"], PRESSED),
    ("extended", 80, 24, [], ["e"]),
    ("extended", 40, 12, [], ["e"]),
    ("checks", 80, 24, [], ["k"]),
    ("paging", 80, 24, [], PRESSED + ["p"]),
    ("paging-ascii", 80, 24, ["--ascii"], PRESSED + ["p"]),
    ("help", 80, 24, [], ["F1"]),
    ("help", 40, 12, [], ["?"]),
    ("why", 80, 24, [], PRESSED + ["Down", "Right", "Right", "Right", "i"]),
    ("columns", 80, 24, [], ["c", "Down", "Space", "Down", ">"]),
    ("cpu", 80, 24, ["cpu"], ["."]),
    ("cpu", 40, 12, ["cpu"], ["."]),
    ("cpu", 20, 5, ["cpu"], ["."]),
    ("cpu", 200, 60, ["cpu"], ALL),
    ("cpu-first", 80, 24, ["cpu"], []),
    ("cpu-steady", 80, 24, ["cpu"], [".", "."]),
    ("cpu-idle", 100, 30, ["cpu", "--per-machine", "--idle"], [".", "s"]),
    ("cpu-tree", 100, 30, ["cpu"], [".", "t"]),
    ("cpus", 80, 24, ["cpu"], [".", "p"]),
    ("exited", 80, 24, ["cpu"], [".", "x"]),
    ("counters", 80, 24, ["cpu"], [".", "P"]),
    ("counted", 80, 24, ["cpu"], [".", "P", "P"]),
    ("counted", 40, 12, ["cpu"], [".", "P", "P"]),
    ("cpu-graph", 80, 24, ["cpu"], ALL + ["v"]),
    ("cpu-why", 80, 24, ["cpu"], [".", DRAWN, "i", DRAWN, "Space"]),
    ("latency", 80, 24, ["latency"], ALL),
    ("latency", 40, 12, ["latency"], ALL),
    ("latency", 20, 5, ["latency"], ALL),
    ("latency", 200, 60, ["latency"], ALL),
    ("latency-first", 80, 24, ["latency"], []),
    ("latency-ascii", 100, 24, ["latency", "--ascii"], ALL),
    ("latency-linear", 100, 24, ["latency"], ALL + ["x", "y"]),
    ("latency-window", 100, 24, ["latency"], ALL + ["w", "w"]),
    ("latency-side", 100, 24, ["latency"], ALL + ["a", "a"]),
    ("latency-one", 100, 24, ["latency"], ALL + ["a", "]"]),
    ("latency-why", 100, 60, ["latency"], ALL + ["w", "w", "i"]),
    ("latency-worst", 140, 24, ["latency"], ALL + ["o"]),
    ("latency-numbers", 140, 24, ["latency"], ALL + ["p"]),
    ("pages", 80, 24, ["pages"], [".", "."]),
    ("pages", 40, 12, ["pages"], ["."]),
    ("pages", 20, 5, ["pages"], ["."]),
    ("pages", 200, 60, ["pages"], ALL),
    ("pages-ascii", 80, 24, ["--ascii", "pages"], [".", "Right", "Right", "}", "}"]),
    ("pages-mark", 80, 24, ["pages"], ["m", "g", "+", "2", "0", "0", "Enter"]),
    ("pages-regions", 100, 30, ["pages"], [".", "Enter"]),
    ("pages-page", 80, 24, ["pages"], [".", "Tab", "."]),
    ("pages-values", 80, 24, ["pages"], [".", "v"]),
    ("pages-why", 100, 60, ["pages"], ["m", "g", "+", "2", "0", "0", "Enter", "i"]),
    ("pages-history", 80, 24, ["pages"], ALL + ["H"]),
    ("notices", 80, 24, [], ["g", "+", "2", "9", "0", "Enter"]),
]


POWER_LAST = ["g", "+", "3", "5", "6", "Enter"]
POWER_SCREENS = [
    ("power", 80, 24, ["power"], POWER_LAST),
    ("power", 40, 12, ["power"], POWER_LAST),
    ("power", 20, 5, ["power"], POWER_LAST),
    ("power", 200, 60, ["power"], POWER_LAST),
    ("power-first", 80, 24, ["power"], []),
    ("power-ascii", 100, 30, ["power", "--ascii"], POWER_LAST + ["v"]),
    ("power-graph", 100, 30, ["power"], POWER_LAST + ["v"]),
    ("power-chosen", 80, 24, ["power"], POWER_LAST + ["s", "Down", "Down", "Space", "Down", "Down", "k", "y", "v", "F", "z"]),
    ("power-sensors", 80, 24, ["power"], POWER_LAST + ["s", "Down", "Down", "Space"]),
    ("power-histogram", 80, 24, ["power"], POWER_LAST + ["H"]),
    ("power-domains", 80, 24, ["power"], POWER_LAST + ["p"]),
    ("power-speed", 80, 24, ["power"], POWER_LAST + ["f"]),
    ("power-idle", 80, 24, ["power"], POWER_LAST + ["d"]),
    ("power-battery", 80, 24, ["power"], POWER_LAST + ["b"]),
    ("power-trips", 80, 24, ["power"], POWER_LAST + ["t"]),
    ("watts", 80, 24, ["cpu"], POWER_LAST),
    ("watts", 100, 30, ["cpu"], POWER_LAST + ["W"]),
    ("watts", 40, 12, ["cpu"], POWER_LAST),
    ("watts-exited", 80, 24, ["cpu"], POWER_LAST + ["x"]),
    ("power-throttle", 80, 24, ["power"], POWER_LAST + ["T"]),
]

EVENTS_LAST = ["g", "+", "3", "0", "Enter"]
EVENT_SCREENS = [
    ("events", 80, 24, ["events"], EVENTS_LAST),
    ("events", 100, 30, ["events"], EVENTS_LAST),
    ("events", 40, 12, ["events"], EVENTS_LAST),
    ("events", 20, 5, ["events"], EVENTS_LAST),
    ("events", 200, 60, ["events"], EVENTS_LAST),
    ("events-first", 80, 24, ["events"], []),
    ("events-crash", 100, 30, ["events"], ["g", "+", "1", "2", "Enter"]),
    ("events-hostile", 100, 30, ["events"], ["g", "+", "1", "8", "Enter"]),
    ("events-names", 80, 24, ["events"], EVENTS_LAST + ["C"]),
    ("events-above", 80, 24, ["events"], EVENTS_LAST + [DRAWN, "PgUp", "PgUp"]),
    ("events-filter", 80, 24, ["events"], EVENTS_LAST + ["\\", "S", "I", "G", "Enter"]),
    ("events-statistics", 80, 24, ["events"], EVENTS_LAST + ["s"]),
    ("events-statistics", 200, 60, ["events"], EVENTS_LAST + ["s"]),
    ("events-parents", 80, 24, ["events"], EVENTS_LAST + ["P"]),
    ("events-lifetimes", 80, 24, ["events"], EVENTS_LAST + ["L"]),
    ("events-sources", 80, 24, ["events"], EVENTS_LAST + ["o"]),
]

LIVE_SCREENS = [
    # name, width, height, lines, machine, pane, keys: only the clocks differ from run to run, in the first two lines
    ("container", 80, 24, 7, "cgroup-v2", "memory", []),
    ("events-chooser", 80, 24, 22, "linux-6.1", "events", ["e", "Down", "Space"]),
    ("events-chooser", 40, 12, 10, "linux-6.1", "events", ["e"]),
    ("pages-list", 80, 24, 22, "pages", "pages", []),
]


def path_of(name, width, height):
    return os.path.join(TESTS, "golden", f"{name}-{width}x{height}.txt")


def compare(name, width, height, terminal, update):
    lines = terminal.lines()
    if name != "panes" and height > 5:
        lines[1] = "(panes)"  # a new pane changes one golden screen, not all
    path, got = path_of(name, width, height), "\n".join(lines) + "\n"
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write(got)
        return None
    with open(path, encoding="utf-8") as file:
        wanted = file.read()
    if got == wanted:
        return None
    return "\n".join(difflib.unified_diff(wanted.splitlines(), got.splitlines(), "stored", "drawn", lineterm=""))


def press(terminal, keys):
    for drawn, some in itertools.groupby(keys, lambda key: key is DRAWN):
        if not drawn:
            terminal.send_at_once(*some)


def test_of(name, width, height, arguments, keys, update, recording=RECORDING):
    def test(_scratch):
        with replay(*arguments, recording=recording, width=width, height=height) as terminal:
            press(terminal, keys)
            return compare(name, width, height, terminal, update)
    return test


def resized(_scratch):
    """Through all sizes and back while it runs; every size must look as if it had started so."""
    sizes = [(40, 12), (20, 5), (1, 1), (200, 60), (2, 2), (300, 3), (500, 200), (80, 24)]
    with replay() as terminal:
        terminal.send(*ALL)
        for width, height in sizes:
            terminal.resize(width, height)
            terminal.quiet()
            if terminal.ended():
                return f"it ended at {width}x{height}"
            if os.path.exists(path_of("last", width, height)):
                problem = compare("last", width, height, terminal, False)
                if problem:
                    return f"after resizing to {width}x{height}\n{problem}"
    return None


def live(name, width, height, lines, machine, pane, keys, update):
    def test(_scratch):
        with screen(fixture(machine), pane, width=width, height=height) as terminal:
            press(terminal, keys)
            path = path_of(name, width, height)
            got = "\n".join(terminal.lines()[2:2 + lines]) + "\n"
            if update:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(got)
                return None
            with open(path, encoding="utf-8") as file:
                return None if file.read() == got else got
    return test


def tests(update):
    assert os.path.exists(RECORDING)
    listed = [(f"golden screen {name} {width}x{height}", test_of(name, width, height, arguments, keys, update))
              for name, width, height, arguments, keys in SCREENS]
    listed += [(f"golden screen {name} {width}x{height}",
                test_of(name, width, height, arguments, keys, update, POWER_RECORDING))
               for name, width, height, arguments, keys in POWER_SCREENS]
    listed += [(f"golden screen {name} {width}x{height}",
                test_of(name, width, height, arguments, keys, update, EVENT_RECORDING))
               for name, width, height, arguments, keys in EVENT_SCREENS]
    listed += [(f"golden screen {name} {width}x{height}", live(name, width, height, *rest, update))
               for name, width, height, *rest in LIVE_SCREENS]
    return listed + ([] if update else [("resizing while it runs", resized)])
