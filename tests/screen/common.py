# SPDX-License-Identifier: GPL-2.0-or-later
"""What all screen tests share."""
import os
from contextlib import contextmanager

from terminal import Terminal

PANETOP = os.environ["PANETOP"]
TESTS = os.environ["TESTS_DIR"]
RECORDING = os.path.join(TESTS, "fixtures", "memory.recording")
EVENT_RECORDING = os.path.join(TESTS, "fixtures", "events.recording")
POWER_RECORDING = os.path.join(TESTS, "fixtures", "power.recording")


def fixture(name):
    return "--root=" + os.path.join(TESTS, "fixtures", name, "tick0")


@contextmanager
def screen(*arguments, width=80, height=24, **rest):
    terminal = Terminal([PANETOP, *arguments], width, height, **rest)
    try:
        terminal.started()
        yield terminal
    finally:
        terminal.close()


def replay(*arguments, recording=RECORDING, **rest):
    return screen("--replay=" + recording, *arguments, **rest)


def expect(condition, terminal, what):
    """None when it holds, else what went wrong with the screen as it is."""
    return None if condition else what + "\n" + terminal.text()
