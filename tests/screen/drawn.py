# SPDX-License-Identifier: GPL-2.0-or-later
"""What a live screen drew, and whether it draws the same when it goes back."""
import re
import time

from common import expect
from golden import style_of
from terminal import PATIENCE

CLOCK = re.compile(r" (\d\d:\d\d:\d\d)$")
OF_NOW = re.compile(r" (live|paused, \d+ new)$|(waiting for the first .*|none until then)$")
WARNING = re.compile(r"! (?!\d\d:)")  # not the mark of a process that failed
SENTENCE = re.compile(r"\S+( \S+)+$")  # no row of a table, whose cells stand apart
DAY = 86400


def row(screen, y):
    return "".join(screen.buffer[y][x].data for x in range(screen.columns)).rstrip()


def rows_under_cursor(terminal):
    """Below the top: lines that begin with another colour."""
    rows = terminal.screen.buffer
    return [line for y, line in enumerate(terminal.lines()) if y > 3 and rows[y][0].bg != "default"]


def clock_of(screen):
    """In the top line."""
    found = CLOCK.search(row(screen, 0))
    return found[1] if found else None


def clock(terminal):
    return clock_of(terminal.screen)


def seconds_of(text):
    hours, minutes, seconds = map(int, text.split(":"))
    return 3600 * hours + 60 * minutes + seconds


def seconds_from(before, after):
    """Of two clocks of the same day, or of two days that follow each other."""
    return (seconds_of(after) - seconds_of(before) + DAY // 2) % DAY - DAY // 2


def live_seconds(terminal, count, delay=0.2):
    """Samples of that many seconds and of one more, one each so many seconds; the clocks of all seconds but the first and the last."""
    seconds = []
    while len(seconds) < count + 2:
        terminal.tick(delay)
        if clock(terminal) not in seconds:
            seconds.append(clock(terminal))
    return seconds[1:-1]


def has_notice(screen):
    """In the line above the keys, a warning or a dim sentence: then the rest has a line less."""
    y = screen.lines - 2
    text = row(screen, y)
    styles = {style_of(screen.buffer[y][x]) for x, char in enumerate(text) if char != " "}
    return bool(WARNING.match(text) or SENTENCE.match(text) and len(styles) == 1 and "" not in styles)


class Picture:
    """A screen without the top line, the panes with the load over the past, the notice and the keys, and without what is of
    now: a log says what came since, and waits for nothing in the past."""

    def __init__(self, screen):
        self.clock, self.notice = clock_of(screen), has_notice(screen)
        self.rows = [self._text(screen, y) for y in range(2, screen.lines - 2)]
        self.styles = [self._styles(screen, y, text) for y, text in enumerate(self.rows, 2)]

    @staticmethod
    def _text(screen, y):
        return OF_NOW.sub("", row(screen, y)).rstrip()

    @staticmethod
    def _styles(screen, y, text):
        return [style_of(screen.buffer[y][x]) for x in range(len(text))]

    def difference(self, again):
        """The first line that is another one now; of the text before those of the colours. None: there is none."""
        for before, now in zip(self.rows, again.rows):
            if before != now:
                return f"drawn (-), and now (+):\n-{before}\n+{now}"
        for text, before, now in zip(self.rows, self.styles, again.styles):
            if before != now:
                return f"drawn (-), and now (+):\n {text}\n-{before}\n+{now}"
        return None


def first_sample(terminal):
    """Goes back to it."""
    reached, end = None, 0
    while not terminal.said("the first sample that is kept"):
        if reached != clock(terminal):
            reached, end = clock(terminal), time.monotonic() + PATIENCE
        elif time.monotonic() > end:
            raise AssertionError(f"the first sample is not reached\n{terminal.text()}")
        terminal.send(",")


def drawn_again(terminal, count):
    """None if what it draws of so many samples, when it goes back to them, is what it drew of them live. A notice above the keys,
    which is there for ten seconds, makes lists a line shorter, and what stands at their end higher: with one, and without one then,
    they are not compared."""
    live, compared = [], 0
    while sum(not picture.notice for picture in live) < count and len(live) < 6 * count:
        terminal.tick()
        live.append(Picture(terminal.screen))
    for picture in reversed(live[:-1]):
        terminal.send(",")
        again = Picture(terminal.screen)
        if again.clock != picture.clock:
            return f"it went back to {again.clock}, not to {picture.clock}"
        if again.notice == picture.notice:
            compared += 1
            if difference := picture.difference(again):
                return difference
    return expect(compared >= count - 1, terminal, f"only {compared} screens")
