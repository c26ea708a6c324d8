# SPDX-License-Identifier: GPL-2.0-or-later
"""What the live screen drew, and what it draws when it goes back to the same samples: more than 300 screens."""
import re

from common import expect, screen
from drawn import Picture, clock, nearest, never_drawn

SECONDS = 24  # of each pane, with two samples or nearly so
PANES = ("overview", "cpu", "memory", "events", "groups", "kernel", "disks")
SIZES = {"overview": (120, 40)}  # with trends beside the lists
NOTICE = re.compile(r"! (?!\d\d:)")  # not the mark of a process that failed


def notices_end(terminal):
    """Waits until the line above the keys shows none: a list that is followed to its end is a line shorter with one."""
    while NOTICE.match(terminal.lines()[-2]):
        terminal.pump(0.1)


def stepped(pane):
    """Back to every sample of the seconds that began and ended while the screen was drawn."""
    def test(_scratch):
        size = SIZES.get(pane, (80, 24))
        with screen("-d", "0.5", pane, width=size[0], height=size[1]) as terminal:
            notices_end(terminal)
            seconds = []
            while len(seconds) < SECONDS + 2:
                terminal.pump(0.1)
                if clock(terminal.screen) not in seconds:
                    seconds.append(clock(terminal.screen))
            drawn, pictures = bytes(terminal.raw), []
            while "first sample that is kept" not in terminal.text():
                terminal.send(",")
                pictures.append(Picture(terminal.screen))
            pictures = [picture for picture in pictures if picture.clock in seconds[1:-1]]
            problem = expect(len(pictures) > SECONDS, terminal, f"only {len(pictures)} screens")
            missing = never_drawn(drawn, size, pictures)
            return problem or ("\n".join(["drawn (-), and now (+):", nearest(drawn, size, missing[0])]) if missing else None)
    return test


def tests():
    return [(f"stepping back: the very screens of {pane}", stepped(pane)) for pane in PANES]
