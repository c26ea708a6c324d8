# SPDX-License-Identifier: GPL-2.0-or-later
"""What the live screen drew, and what it draws when it goes back to the same samples: more than 300 screens."""
import difflib
import re
import time

from common import expect, screen
from golden import style_of
from past import body, clock

DELAY = 0.5  # seconds
SAMPLES = 48  # of each pane
PANES = ("overview", "cpu", "memory", "events", "groups", "kernel", "disks")
SIZES = {"overview": {"width": 120, "height": 40}}  # with trends beside the lists
NOTICE = re.compile(r"! (?!\d\d:)")  # not the mark of a process that failed
OF_NOW = re.compile(r" (live|paused, \d+ new)$|(waiting for the first .*|none until then)$")


def content(terminal):
    """With its colours, but for what is of now: a log says what came since, and waits for nothing in the past."""
    lines = []
    for y, line in enumerate(body(terminal), 2):
        text = OF_NOW.sub("", line).rstrip()
        styles = [style_of(terminal.screen.buffer[y][x]) for x in range(len(text))]
        changes = (f"{x} {style}" for x, style in enumerate(styles) if x == 0 or style != styles[x - 1])
        lines.append(f"{text}  [{'; '.join(changes)}]")
    return "\n".join(lines)


def notices_end(terminal):
    """Waits until the line above the keys shows none: a list that is followed to its end is a line shorter with one."""
    while NOTICE.match(terminal.lines()[-2]):
        terminal.pump(0.1)


def drawn_live(terminal):
    """Bodies by the second of their sample, with those that were half drawn."""
    drawn, end = {}, time.monotonic() + SAMPLES * DELAY
    while time.monotonic() < end:
        terminal.pump(0.02)
        drawn.setdefault(clock(terminal), set()).add(content(terminal))
    return drawn


def drawn_again(terminal):
    drawn = {}
    for _ in range(SAMPLES):
        terminal.send(",")
        drawn.setdefault(clock(terminal), []).append(content(terminal))
    return drawn


def difference(now, then):
    """From the nearest of the screens that were drawn."""
    found = (list(difflib.unified_diff(one.split("\n"), now.split("\n"), "then", "now", n=0, lineterm="")) for one in then)
    return "\n".join(min(found, key=len))


def stepped(pane):
    """A second of which the terminal showed fewer screens than there were samples is left out: it was read too late."""
    def test(_scratch):
        with screen("-d", str(DELAY), pane, **SIZES.get(pane, {})) as terminal:
            notices_end(terminal)
            live = drawn_live(terminal)
            compared, problem = 0, None
            for second, bodies in drawn_again(terminal).items():
                then = live.get(second, set())
                if len(then) >= len(set(bodies)):
                    compared += len(bodies)
                    different = [now for now in bodies if now not in then]
                    problem = problem or (difference(different[0], then) if different else None)
            return problem or expect(compared >= SAMPLES * 0.8, terminal, f"only {compared} screens could be compared")
    return test


def tests():
    return [(f"stepping back: the very screens of {pane}", stepped(pane)) for pane in PANES]
