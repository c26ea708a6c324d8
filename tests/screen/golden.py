# SPDX-License-Identifier: GPL-2.0-or-later
"""Golden screens: a recording at a certain frame, at several sizes, compared with what is stored.

Every pane is drawn at SIZES at the moment of its recording without being listed here, and its styles at STYLED; SCREENS
lists what else is drawn.
"""
import difflib
import itertools
import os

from common import TESTS, fixture, panes, recording_named, recording_of, replay, screen

SIZES = ((80, 24), (40, 12), (20, 5), (200, 60), (120, 40))
STYLED = ((80, 24), (120, 40))
THEMES = ("dark", "light")
LETTERS = {  # of the style of a cell in these themes; "." is plain in all
    "a": "bold | bold",
    "b": "8a8a8a | 6c6c6c",
    "c": "5fafd7 bold | 005faf bold",
    "d": "ffaf00 | af5f00",
    "e": "ff5f5f bold | af0000 bold",
    "f": "5f87d7 | 005faf",
    "g": "87d787 | 5f00af",
    "h": "5fd7d7 | 5f0087",
    "i": "5f87d7 | 005fd7",
    "j": "5fafaf | 00875f",
    "k": "8a8a8a italics | 6c6c6c italics",
    "l": "878787 | 5f5f00",
    "m": "5fd787 | 008700",
    "n": "d7d7d7 | 5f00d7",
    "o": "d787d7 | 767676",
    "p": "87d7ff | 0000ff",
    "q": "ff5f5f | 870000",
    "r": "d787d7 on d7d7d7 | 767676 on 5f00d7",
    "s": "87d7ff on d787d7 | 0000ff on 767676",
    "t": "87d787 on 5fafaf | 5f00af on 00875f",
    "u": "5fafaf on d787d7 | 00875f on 767676",
    "v": "5fafaf on 87d7ff | 00875f on 0000ff",
    "w": "5f87d7 on 87d787 | 005faf on 5f00af",
    "x": "5f87d7 on 5fafaf | 005faf on 00875f",
    "y": "0087ff | 5f5f5f",
    "z": "000000 on ffff5f bold | ffffff on 870087 bold",
    "A": "000000 on 5fafd7 bold | ffffff on 005faf bold",
    "B": "5fafaf on 878787 | 00875f on 5f5f00",
}
MOMENTS = {"bursts": "8", "memory": "350", "events": "30", "power": "356", "sleep": "413"}  # seconds after the first frame, by recording

LAST = object()  # stands for the keys that lead to the moment of the recording
DRAWN = object()  # the keys after it come when those before it have been answered; else all come at once
PRESSED = [*"g+270", "Enter"]  # memory is short

SCREENS = [
    # name, sizes, recording or fixture, arguments, keys; sorted by name. Of a fixture also the number of lines that
    # are compared: its clocks, in the first two, differ from run to run
    ("ascii", "80x24", "memory", ["--ascii", "memory"], [LAST]),
    ("braille", "80x24", "memory", ["memory"], [LAST, "o", *"Glyphs", "Enter", "Esc"]),
    ("bytes", "80x24", "memory", ["--unit=B", "memory"], PRESSED),
    ("calls-bursts", "80x24 120x24", "bursts", ["calls"], [LAST]),
    ("calls-functions", "120x24", "memory", ["calls"], [LAST, *["Tab"] * 3]),
    ("calls-histograms", "120x24", "memory", ["calls"], [LAST, "v", *"Hist", "Enter"]),
    ("calls-opened", "120x24", "memory", ["calls"], [LAST, "Tab"]),
    ("calls-stream", "100x24", "memory", ["calls"], [LAST, "Tab", "Tab"]),
    ("calls-tracepoints", "120x24", "memory", ["calls"], [LAST, "v", *"Tracep", "Enter"]),
    ("calls-traces", "40x12 120x24", "memory", ["calls"], [LAST, "v", *"Traces", "Enter"]),
    ("calm", "80x24", "memory", ["memory"], ["."]),
    ("checks", "80x24", "memory", ["memory"], ["Tab"] * 3),
    ("colorless", "80x24", "memory", ["--color=never", "cpu"], [LAST, "o", *["Down"] * 3, "Enter", "Esc"]),
    ("columns", "80x24", "memory", [], ["c", "Down", "Space", "Down", ">"]),
    ("compare", "40x12 80x24", "memory", ["cpu"], ["m", *PRESSED, "="]),
    ("compare-memory", "120x40", "memory", ["memory"], ["m", *PRESSED, "="]),
    ("compare-why", "80x24", "memory", ["cpu"], ["m", *PRESSED, "=", "Down", "i"]),
    ("counted", "40x12 80x24", "memory", ["cpu"], [".", *["Tab"] * 15]),
    ("counters", "80x24", "memory", ["cpu"], [".", *["Tab"] * 14]),
    ("cpu-account", "80x24", "memory", ["cpu"], [".", *["Tab"] * 10]),
    ("cpu-all", "80x24", "memory", ["cpu"], [".", "Tab"]),
    ("cpu-caches", "40x12 80x24 120x40", "memory", ["cpu"], [LAST, "v", *"Caches", "Enter"]),
    ("cpu-first", "80x24", "memory", ["cpu"], []),
    ("cpu-graph", "80x24", "memory", ["cpu"], [LAST, "o", *["Down"] * 3, "Enter", "Esc"]),
    ("cpu-idle", "100x30", "memory", ["cpu", "--per-machine", "--idle"], [".", "o", "Down", "Enter", "Esc"]),
    ("cpu-io", "80x24 120x40", "memory", ["cpu"], [LAST, *["Tab"] * 4]),
    ("cpu-memory", "20x5 40x12 80x24", "memory", ["cpu"], [LAST, *["Tab"] * 3]),
    ("cpu-network", "80x24", "memory", ["cpu"], [LAST, *["Tab"] * 7]),
    ("cpu-options", "80x24", "memory", ["cpu"], [".", "o"]),
    ("cpu-scope", "80x24", "memory", ["cpu", "--in=tree=15001"], [LAST]),
    ("cpu-scope-menu", "80x24", "memory", ["cpu"], [LAST, "Down", "@"]),
    ("cpu-sort", "80x24", "memory", ["cpu"], [".", "s"]),
    ("cpu-steady", "80x24", "memory", ["cpu"], [".", "."]),
    ("cpu-time", "80x24", "memory", ["cpu"], [LAST, *["Tab"] * 6]),
    ("cpu-tree", "100x30", "memory", ["cpu"], [".", "t"]),
    ("cpu-users", "80x24", "memory", ["cpu"], [".", "u"]),
    ("cpu-waiting", "80x24", "memory", ["cpu"], [LAST, *["Tab"] * 5]),
    ("cpu-why", "80x24", "memory", ["cpu"], [".", DRAWN, "i", DRAWN, "Space"]),
    ("cpu-why-ended", "80x24", "memory", ["cpu"], [".", "/", *"cc1 ×38", "Enter", "i"]),
    ("cpus", "80x24", "memory", ["cpu"], [".", *["Tab"] * 8]),
    ("disks-account", "80x24", "memory", ["disks"], [LAST, *["Tab"] * 5]),
    ("disks-below-opened", "120x40", "memory", ["disks"], [LAST, DRAWN, *["Down"] * 6, DRAWN, "Enter"]),
    ("disks-filesystems", "80x24 120x40", "memory", ["disks"], [LAST, *["Tab"] * 4]),
    ("disks-health", "40x12 80x24", "memory", ["disks"], [LAST, *["Tab"] * 6]),
    ("disks-latency", "80x24", "memory", ["disks"], [LAST, *["Tab"] * 3]),
    ("disks-processes", "80x24", "memory", ["disks"], [LAST, "Tab"]),
    ("disks-scope", "80x24", "memory", ["disks", "--in=user=root"], [LAST]),
    ("disks-scope-processes", "80x24", "memory", ["disks", "--in=user=root"], [LAST, "Tab"]),
    ("disks-users", "80x24", "memory", ["disks"], [LAST, "Tab", "Tab"]),
    ("events", "100x30", "events", ["events"], [LAST]),
    ("events-above", "80x24", "events", ["events"], [LAST, DRAWN, "PgUp", "PgUp"]),
    ("events-chooser", "40x12", "linux-6.1", ["events"], ["o", "Enter"], 10),
    ("events-chooser", "80x24", "linux-6.1", ["events"], ["o", "Enter", "Down", "Space"], 22),
    ("events-crash", "100x30", "events", ["events"], [*"g+12", "Enter"]),
    ("events-failed", "80x24", "events", ["events"], [LAST, "Tab"]),
    ("events-filter", "80x24", "events", ["events"], [LAST, *"\\SIG", "Enter"]),
    ("events-first", "80x24", "events", ["events"], []),
    ("events-hostile", "100x30", "events", ["events"], [*"g+18", "Enter", "Tab", "Tab"]),
    ("events-lifetimes", "80x24", "events", ["events"], [LAST, *["Tab"] * 5]),
    ("events-names", "80x24", "events", ["events"], [LAST, "o", "Down", "Enter", "Enter", "Esc"]),
    ("events-options", "80x24", "events", ["events"], [LAST, "o"]),
    ("events-parents", "80x24", "events", ["events"], [LAST, *["Tab"] * 4]),
    ("events-single", "80x24 120x40", "events", ["events"], [LAST, *["Tab"] * 2]),
    ("events-sources", "80x24", "events", ["events"], [LAST, *["Tab"] * 6]),
    ("events-statistics", "80x24 200x60", "events", ["events"], [LAST, *["Tab"] * 3]),
    ("exited", "80x24", "memory", ["cpu"], [".", *["Tab"] * 9]),
    ("explain", "40x10 80x24", "memory", ["cpu"], [*PRESSED, DRAWN, "x"]),
    ("extended", "40x12 80x24", "memory", ["memory"], ["Tab"] * 2),
    ("gpu", "40x12 80x24 120x40", "power", ["cpu"], [LAST, "v", *"GPU", "Enter"]),
    ("gpu-engines", "80x24", "power", ["cpu"], [LAST, "v", *"engines", "Enter"]),
    ("gpu-none", "80x24", "linux-6.1", ["cpu"], ["v", *"GPU", "Enter"], 20),
    ("groups-cpu", "80x24", "memory", ["groups"], [LAST, "Tab"]),
    ("groups-folded", "80x24", "memory", ["groups"], [LAST, DRAWN, "/", *"user.slice", "Enter", "-"]),
    ("groups-io", "80x24", "memory", ["groups"], [LAST, *["Tab"] * 3]),
    ("groups-limits", "80x24", "memory", ["groups"], [LAST, *["Tab"] * 4]),
    ("groups-list", "80x24", "memory", ["groups"], [LAST, "t", "Tab", "S-Tab"]),
    ("groups-memory", "80x24 120x40", "memory", ["groups"], [LAST, "Tab", "Tab"]),
    ("help", "40x12", "memory", [], ["?"]),
    ("help", "80x24", "memory", [], ["F1"]),
    ("kernel-backlog", "80x24", "memory", ["kernel"], [LAST, *["Tab"] * 3]),
    ("kernel-cpus", "80x24", "memory", ["kernel"], [LAST, "Tab"]),
    ("kernel-idle", "80x24", "memory", ["kernel"], [LAST, *["Tab"] * 6]),
    ("kernel-slab", "80x24", "memory", ["kernel"], [LAST, *["Tab"] * 7]),
    ("kernel-softirqs", "80x24", "memory", ["kernel"], [LAST, *["Tab"] * 2]),
    ("kernel-timers", "80x24", "memory", ["kernel"], [LAST, *["Tab"] * 5]),
    ("kernel-tracing", "100x24", "memory", ["kernel"], [LAST, *["Tab"] * 8]),
    ("kernel-wakeups", "100x24", "memory", ["kernel"], [LAST, *["Tab"] * 4]),
    ("latency-ascii", "100x24", "memory", ["latency", "--ascii"], [LAST]),
    ("latency-buckets", "80x24", "memory", ["latency"], [LAST, "Tab", "Tab", "Tab", "Tab"]),
    ("latency-first", "80x24", "memory", ["latency"], []),
    ("latency-linear", "100x24", "memory", ["latency"], [LAST, "o", "Down", "Enter", "Down", "Enter", "Esc"]),
    ("latency-numbers", "140x24", "memory", ["latency"], [LAST, "Tab", "Tab", "Tab"]),
    ("latency-one", "100x24", "memory", ["latency"], [LAST, "Tab", "Tab", "Right"]),
    ("latency-side", "100x24", "memory", ["latency"], [LAST, "Tab"]),
    ("latency-why", "100x60", "memory", ["latency"], [LAST, "o", "Enter", "Enter", "Esc", DRAWN, "i"]),
    ("latency-window", "100x24", "memory", ["latency"], [LAST, "o", "Enter", "Enter", "Esc"]),
    ("latency-worst", "140x24", "memory", ["latency"], [LAST, "["]),
    ("memory-cache", "40x12 80x24 120x40", "memory", ["memory"], [LAST, *["Tab"] * 7]),
    ("memory-fit", "80x24", "memory", ["memory"], [*PRESSED, "o", "Down", "Down", "Enter", "Esc"]),
    ("memory-group", "40x12 80x24", "memory", ["memory", "--in=cgroup=/system.slice"], [LAST]),
    ("memory-growth", "80x24", "memory", ["memory"], [*"g+200", "Enter"]),
    ("memory-narrow", "20x12", "memory", ["memory"], [LAST]),
    ("memory-nodes", "40x12 80x24 120x40", "memory", ["memory"], [LAST, *["Tab"] * 8]),
    ("memory-options", "80x24", "memory", ["memory"], [LAST, "o"]),
    ("memory-processes", "80x24", "memory", ["memory"], [LAST, "Tab"]),
    ("memory-readers", "80x24", "memory", ["memory"], [LAST, *["Tab"] * 6]),
    ("memory-scope", "20x5 80x24", "memory", ["memory", "--in=user=root"], [LAST]),
    ("memory-shares", "80x24", "memory", ["memory"], [LAST, *["Tab"] * 9]),
    ("memory-swap", "40x12 80x24 120x40", "memory", ["memory"], [LAST, *["Tab"] * 5]),
    ("network-account", "80x24", "memory", ["network"], [LAST, *["Tab"] * 4]),
    ("network-connections", "80x24 120x40", "memory", ["network"], [LAST, "Tab", "Tab"]),
    ("network-listening", "80x24", "memory", ["network"], [LAST, *["Tab"] * 3]),
    ("network-losses", "80x24", "memory", ["network"], [LAST, *["Tab"] * 5]),
    ("network-processes", "80x24 120x40", "memory", ["network"], [LAST, "Tab"]),
    ("network-scope", "80x24", "memory", ["network", "--in=pid=15400"], [LAST]),
    ("network-scope-connections", "80x24", "memory", ["network", "--in=pid=15400"], [LAST, "Tab", "Tab"]),
    ("network-scope-processes", "80x24", "memory", ["network", "--in=pid=15400"], [LAST, "Tab"]),
    ("notices", "80x24", "memory", ["memory"], [*"g+290", "Enter"]),
    ("overview-calm", "80x24", "memory", ["overview"], PRESSED),
    ("overview-ended", "80x24 120x40", "memory", ["overview"], [LAST, DRAWN, "Tab", "Tab", "Tab", DRAWN, "Enter"]),
    ("overview-opened", "80x24", "memory", ["overview"], [LAST, DRAWN, "Up", DRAWN, "Enter"]),
    ("overview-power", "80x24", "power", ["overview"], [LAST]),
    ("overview-scope", "40x12 80x24 120x40", "memory", ["overview", "--in=user=root"], [LAST]),
    ("pages-ascii", "80x24", "memory", ["--ascii", "pages"], [".", "Right", "Right", ")", ")"]),
    ("pages-history", "80x24", "memory", ["pages"], [LAST, *["Tab"] * 4]),
    ("pages-list", "80x24", "pages", ["pages"], [], 22),
    ("pages-mark", "80x24", "memory", ["pages"], ["m", "Tab", "S-Tab", *"g+200", "Enter"]),
    ("pages-page", "80x24", "memory", ["pages"], [".", "Tab", "Tab", "."]),
    ("pages-regions", "100x30", "memory", ["pages"], [".", "Enter"]),
    ("pages-third", "80x24", "memory", ["pages"], [".", "."]),
    ("pages-touched", "80x24", "memory", ["pages"], [LAST, *["Tab"] * 5]),
    ("pages-touched", "120x40", "memory", ["pages"], [*"g+200", "Enter", *["Tab"] * 5]),
    ("pages-touched-ascii", "40x12", "memory", ["--ascii", "pages"], [LAST, *["Tab"] * 5]),
    ("pages-untouched", "80x24", "memory", ["pages"], [".", *["Tab"] * 5]),
    ("pages-values", "80x24", "memory", ["pages"], [".", *["Tab"] * 3]),
    ("pages-why", "100x60", "memory", ["pages"], ["m", *"g+200", "Enter", "i"]),
    ("paging", "80x24", "memory", ["memory"], [*PRESSED, *["Tab"] * 4]),
    ("paging-ascii", "80x24", "memory", ["--ascii", "memory"], [*PRESSED, *["Tab"] * 4]),
    ("panes", "80x24", "memory", [], []),
    ("power-ascii", "100x30", "power", ["power", "--ascii"], [LAST]),
    ("power-battery", "80x24", "power", ["power"], [LAST, *["Tab"] * 5]),
    ("power-chosen", "80x24", "power", ["power"], [LAST, "Tab", "Tab", "Down", "Down", "Space", "Down", "Space", "8", "o", "Enter", "Esc"]),
    ("power-domains", "80x24", "power", ["power"], [LAST, "Tab"]),
    ("power-first", "80x24", "power", ["power"], []),
    ("power-graph", "100x30", "power", ["power"], [LAST]),
    ("power-histogram", "80x24", "power", ["power"], [LAST, "[", "["]),
    ("power-idle", "80x24", "power", ["power"], [LAST, *["Tab"] * 4]),
    ("power-programs", "40x12 80x24", "power", ["power"], [LAST, *["Tab"] * 6]),
    ("power-sensors", "80x24", "power", ["power"], [LAST, "Tab", "Tab", "Down", "Down", "Space"]),
    ("power-speed", "80x24", "power", ["power"], [LAST, *["Tab"] * 3]),
    ("power-throttle", "80x24", "power", ["power"], [LAST, "[", "[", "["]),
    ("power-trips", "80x24", "power", ["power"], [LAST, *["Tab"] * 9]),
    ("pressed", "80x24", "memory", ["memory"], PRESSED),
    ("process-calls", "120x24", "memory", ["process"], [LAST, *["Tab"] * 12]),
    ("process-environment", "40x12", "memory", ["cpu"], [LAST, "Down", DRAWN, "e"]),
    ("process-files", "80x24", "memory", ["process"], [LAST, "Tab", "Tab"]),
    ("process-functions", "120x24", "memory", ["process"], [LAST, *["Tab"] * 13]),
    ("process-limits", "80x24", "memory", ["process"], [LAST, *["Tab"] * 3]),
    ("process-time", "100x24", "memory", ["process"], [LAST, *["Tab"] * 11]),
    ("process-why", "100x60", "memory", ["process"], [LAST, "i"]),
    ("procps", "100x30", "memory", ["--used=procps", "memory"], PRESSED),
    ("profile-callers", "100x24", "memory", ["profile"], [LAST, "Enter"]),
    ("profile-lines", "100x24", "memory", ["profile"], [LAST, *["Tab"] * 3]),
    ("profile-stacks", "100x24", "memory", ["profile"], [LAST, *["Tab"] * 4]),
    ("profile-time", "100x24", "memory", ["profile"], [LAST, *["Tab"] * 6]),
    ("profile-tree", "120x30", "memory", ["profile"], [LAST, "Tab"]),
    ("profile-waiting", "100x24", "memory", ["profile"], [LAST, *["Tab"] * 5]),
    ("profile-wakes", "100x24", "memory", ["profile"], [LAST, *["Tab"] * 7]),
    ("prompt-error", "80x24", "memory", ["memory"], ["g", *"06:00", "Enter"]),
    ("sleep", "40x12 80x24 120x40", "sleep", ["events"], [LAST, *["Tab"] * 8]),
    ("sleep-ascii", "80x24", "sleep", ["--ascii", "memory"], [LAST]),
    ("sleep-before", "80x24", "sleep", ["memory"], [*"g+250", "Enter"]),
    ("sleep-memory", "80x24", "sleep", ["memory"], [LAST]),
    ("sleep-none", "80x24", "sleep", ["events"], ["Tab"] * 8),
    ("sleep-overview", "80x24 120x40", "sleep", ["overview"], [LAST]),
    ("sleep-sources", "80x24", "sleep", ["events"], [LAST, "v", *"Wake", "Enter"]),
    ("span", "80x24", "memory", ["memory"], [LAST, "o", "Down", "Enter", "Enter", "Esc"]),
    ("watts", "40x12 80x24", "power", ["cpu"], [LAST]),
    ("watts", "100x30", "power", ["cpu"], [LAST, *["Tab"] * 13]),
    ("watts-exited", "80x24", "power", ["cpu"], [LAST, *["Tab"] * 9]),
    ("why", "80x24", "memory", ["memory"], [*PRESSED, "Down", "Right", "Right", "Right", "i"]),
]


def path_of(name, width, height):
    return os.path.join(TESTS, "golden", f"{name}-{width}x{height}.txt")


def folded(lines):
    """Three empty lines and more are one that says how many."""
    for empty, run in itertools.groupby(lines, lambda line: line == ""):
        some = list(run)
        yield from [f"({len(some)} empty lines)"] if empty and len(some) > 2 else some


def compare(name, width, height, lines, update):
    path, got = path_of(name, width, height), "".join(line + "\n" for line in folded(lines))
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write(got)
        return None
    if not os.path.exists(path):
        return f"{path} is not there: see tests/README.md\n{got}"
    with open(path, encoding="utf-8") as file:
        wanted = file.read()
    if got == wanted:
        return None
    return "\n".join(difflib.unified_diff(wanted.splitlines(), got.splitlines(), path, "as drawn now", lineterm=""))


def lines_of(terminal, name):
    lines = terminal.lines()
    if name != "panes" and len(lines) > 5:
        del lines[1]  # that of panes: a new one changes one golden screen, not all
    return lines


def press(terminal, keys):
    for drawn, some in itertools.groupby(keys, lambda key: key is DRAWN):
        if not drawn:
            terminal.send_at_once(*some)


def style_of(cell):
    """What a cell has besides its text; "" for the terminal's own colours."""
    colors = [color if kind == "fg" else f"on {color}" for kind in ("fg", "bg") if (color := getattr(cell, kind)) != "default"]
    return " ".join(colors + [word for word in ("bold", "italics", "underscore", "reverse") if getattr(cell, word)])


def styles_of(terminal):
    """By line and cell; without the line of panes."""
    rows = [[style_of(terminal.screen.buffer[y][x]) for x in range(terminal.screen.columns)] for y in range(terminal.screen.lines)]
    return rows[:1] + rows[2:]


def lettered(grids):
    """A line of letters for each line of the screen."""
    letters = {style: letter for letter, style in LETTERS.items()} | {" | ".join([""] * len(grids)): "."}
    for rows in zip(*grids):
        yield "".join(letters[" | ".join(styles)] for styles in zip(*rows)).rstrip(".")


def styled(update, name, width, height, recording, arguments, keys):
    """The styles of a screen, in all themes: their text is the same."""
    def test(_scratch):
        texts, grids = [], []
        for theme in THEMES:
            with replay(*arguments, f"--theme={theme}", recording=recording_named(recording), width=width, height=height) as terminal:
                press(terminal, keys_of(recording, keys))
                texts.append(terminal.text())
                grids.append(styles_of(terminal))
        if len(set(texts)) > 1:
            return "the themes differ in their text\n" + "\n".join(difflib.unified_diff(*(text.splitlines() for text in texts)))
        return compare(name, width, height, lettered(grids), update)
    return test


def keys_of(recording, keys):
    moment = ["g", "+", *MOMENTS[recording], "Enter"]
    return [key for one in keys for key in (moment if one is LAST else [one])]


def recorded(update, name, width, height, recording, arguments, keys):
    def test(_scratch):
        with replay(*arguments, recording=recording_named(recording), width=width,
                    height=height) as terminal:
            press(terminal, keys_of(recording, keys))
            if "the recording holds no tables of the pane" in terminal.drawn():
                return "the recording holds no tables of the pane: see docs/adding-a-pane.md"
            return compare(name, width, height, lines_of(terminal, name), update)
    return test


def live(update, name, width, height, machine, arguments, keys, lines):
    def test(_scratch):
        with screen(fixture(machine), *arguments, width=width, height=height) as terminal:
            press(terminal, keys)
            terminal.wait_while("not sampled yet")
            return compare(name, width, height, terminal.lines()[2:2 + lines], update)
    return test


def resized(_folder):
    """Through all sizes and back while it runs; every size must look as if it had started so."""
    sizes = [(40, 12), (20, 5), (1, 1), (200, 60), (2, 2), (300, 3), (500, 200), (80, 24)]
    with replay("memory") as terminal:
        terminal.send("g", "+", *MOMENTS["memory"], "Enter")
        for width, height in sizes:
            terminal.resize(width, height)
            terminal.quiet()
            if terminal.ended():
                return f"it ended at {width}x{height}"
            if (width, height) in SIZES:
                if problem := compare("memory", width, height, lines_of(terminal, "memory"), False):
                    return f"after resizing to {width}x{height}\n{problem}"
    return None


def every_stored_screen_is_drawn(listed):
    def test(_scratch):
        left = set(os.listdir(os.path.join(TESTS, "golden"))) - {os.path.basename(path_of(*one[:3])) for one in listed}
        return f"no test draws {sorted(left)}" if left else None
    return test


def tests(update):
    for one, after in itertools.pairwise(SCREENS):
        assert one[0] <= after[0], f"SCREENS is sorted: {after[0]} stands after {one[0]}"
    listed = [(pane, *size, recording_of(pane), [pane], [LAST]) for pane in panes() for size in SIZES]
    listed += [(name, *map(int, size.split("x")), *how) for name, sizes, *how in SCREENS for size in sizes.split()]
    colored = [(f"{pane}-styles", *size, recording_of(pane), [pane], [LAST]) for pane in panes() for size in STYLED]
    found = [(f"golden screen {one[0]} {one[1]}x{one[2]}", (recorded if one[3] in MOMENTS else live)(update, *one))
             for one in listed]
    found += [(f"golden screen {one[0]} {one[1]}x{one[2]}", styled(update, *one)) for one in colored]
    if update:
        return found
    return found + [("every stored screen is drawn", every_stored_screen_is_drawn(listed + colored)),
                    ("resizing while it runs", resized)]
