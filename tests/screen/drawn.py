# SPDX-License-Identifier: GPL-2.0-or-later
"""What a live screen drew, and whether it draws the same when it goes back: a screen is looked for in all that the terminal
was sent, so that none is read too late."""
import re
import time

from common import expect
from golden import style_of
from terminal import PATIENCE, Screen, Stream

CLOCK = re.compile(r" (\d\d:\d\d:\d\d)$")
OF_NOW = re.compile(r" (live|paused, \d+ new)$|(waiting for the first .*|none until then)$")
NOTICE = re.compile(r"! (?!\d\d:)")  # not the mark of a process that failed
DAY = 86400
STEP = re.compile(rb"(?=[\x1b\r\n\b])")  # a screen is whole at the end of some step


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


def live_seconds(terminal, count):
    """Waits until samples of that many whole seconds were drawn; their clocks."""
    seconds, end = [], time.monotonic() + count + PATIENCE
    while len(seconds) < count + 2:
        if clock(terminal) not in seconds:
            seconds.append(clock(terminal))
        if time.monotonic() > end or terminal.ended():
            raise AssertionError(f"{count} seconds do not pass: {seconds}\n{terminal.text()}")
        terminal.pump(0.1)
    return seconds[1:-1]


def has_notice(screen):
    """In the line above the keys: then the rest has a line less."""
    return NOTICE.match(row(screen, screen.lines - 2)) is not None


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

    def differences(self, screen):
        """Line by line, of the text before those of the colours."""
        for y, text in enumerate(self.rows, 2):
            if (drawn := self._text(screen, y)) != text:
                yield f"-{drawn}\n+{text}"
        for y, (text, styles) in enumerate(zip(self.rows, self.styles), 2):
            if (drawn := self._styles(screen, y, text)) != styles:
                yield f" {text}\n-{drawn}\n+{styles}"


def never_drawn(raw, size, pictures):
    """Those of the pictures that a terminal of that size never showed while it was sent these bytes. Not those of a second that had
    a notice above the keys where they have none, or the other way round."""
    screen = Screen(*size)
    stream, missing, notices = Stream(screen), list(pictures), {}
    for step in STEP.split(raw):
        stream.feed(step)
        second = clock_of(screen)
        notices.setdefault(second, set()).add(has_notice(screen))
        missing = [picture for picture in missing if picture.clock != second or next(picture.differences(screen), None)]
    return [picture for picture in missing if picture.notice in notices.get(picture.clock, {picture.notice})]


def nearest(raw, size, picture):
    """How the picture differs from the most similar screen of its second."""
    screen, found = Screen(*size), []
    stream = Stream(screen)
    for step in STEP.split(raw):
        stream.feed(step)
        if picture.clock == clock_of(screen):
            found.append(list(picture.differences(screen)))
    return "\n".join(min(found, key=len, default=[f"nothing was drawn at {picture.clock}"]))


def first_sample(terminal, pictures=None):
    """Goes back to it; the pictures on the way."""
    reached, end = None, 0
    while not terminal.said("the first sample that is kept"):
        if reached != clock(terminal):
            reached, end = clock(terminal), time.monotonic() + PATIENCE
        elif time.monotonic() > end:
            raise AssertionError(f"the first sample is not reached\n{terminal.text()}")
        terminal.send(",")
        if pictures is not None:
            pictures.append(Picture(terminal.screen))


def drawn_again(terminal, count):
    """None if what it draws of the samples of so many seconds, when it goes back to them, is what it drew of them live."""
    pictures, size = [], (terminal.screen.columns, terminal.screen.lines)
    seconds = live_seconds(terminal, count)
    drawn = bytes(terminal.raw)
    first_sample(terminal, pictures)
    pictures = [picture for picture in pictures if picture.clock in seconds]
    missing = never_drawn(drawn, size, pictures)
    return expect(len(pictures) >= count, terminal, f"only {len(pictures)} screens") or \
        ("\n".join(["drawn (-), and now (+):", nearest(drawn, size, missing[0])]) if missing else None)
