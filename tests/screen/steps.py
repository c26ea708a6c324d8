# SPDX-License-Identifier: GPL-2.0-or-later
"""What the live screen drew, and what it draws when it goes back to the same samples: more than 300 screens."""
from common import screen
from drawn import drawn_again, has_notice

SAMPLES = 48  # of each pane
PANES = ("overview", "cpu", "memory", "events", "groups", "kernel", "disks")
SIZES = {"overview": {"width": 120, "height": 100}}  # with trends beside the lists


def notices_end(terminal):
    """Waits until the line above the keys shows none: a list that is followed to its end is a line shorter with one."""
    while has_notice(terminal.screen):
        terminal.tick()


def stepped(pane):
    def test(_scratch):
        with screen(pane, **SIZES.get(pane, {})) as terminal:
            notices_end(terminal)
            return drawn_again(terminal, SAMPLES)
    return test


def tests():
    return [(f"stepping back: the very screens of {pane}", stepped(pane)) for pane in PANES]
