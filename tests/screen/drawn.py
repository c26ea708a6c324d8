# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a screen was ever drawn: looked for in all that the terminal was sent, so that none is read too late."""
import re

from golden import style_of
from terminal import Screen, Stream

CLOCK = re.compile(r" (\d\d:\d\d:\d\d)$")
OF_NOW = re.compile(r" (live|paused, \d+ new)$|(waiting for the first .*|none until then)$")
STEP = re.compile(rb"(?=[\x1b\r\n\b])")  # a screen is whole at the end of some step


def row(screen, y):
    return "".join(screen.buffer[y][x].data for x in range(screen.columns)).rstrip()


def clock(screen):
    """In the top line."""
    found = CLOCK.search(row(screen, 0))
    return found[1] if found else None


class Picture:
    """A screen without the top line, the panes with the load over the past, the notice and the keys, and without what is of
    now: a log says what came since, and waits for nothing in the past."""

    def __init__(self, screen):
        self.clock = clock(screen)
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
    """Those of the pictures that a terminal of that size never showed while it was sent these bytes."""
    screen = Screen(*size)
    stream, missing = Stream(screen), list(pictures)
    for step in STEP.split(raw):
        stream.feed(step)
        second = clock(screen)
        missing = [picture for picture in missing if picture.clock != second or next(picture.differences(screen), None)]
    return missing


def nearest(raw, size, picture):
    """How the picture differs from the most similar screen of its second."""
    screen, found = Screen(*size), []
    stream = Stream(screen)
    for step in STEP.split(raw):
        stream.feed(step)
        if picture.clock == clock(screen):
            found.append(list(picture.differences(screen)))
    return "\n".join(min(found, key=len, default=[f"nothing was drawn at {picture.clock}"]))
