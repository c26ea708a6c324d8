# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests as TAP, for programs that a script in this folder runs."""

import os
import sys
import time
import traceback

count = failed = 0
PATIENCE = 120  # seconds: an end for what would wait for ever, on a machine however slow


class Skip(Exception):
    """Why a test cannot run here."""


def place(error):
    """The lines of tests that led to it, the innermost last: what was wanted stands there."""
    here = os.path.dirname(os.path.abspath(__file__))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(here) and frame.filename != __file__]
    return "".join(f"\n{frame.filename}:{frame.lineno}: {frame.line}" for frame in frames[-3:])


def test(function):
    """Runs it at once, as a line of TAP: its documentation is the name, or without that its name."""
    global count, failed
    count += 1
    name = function.__doc__ or function.__name__.replace("_", " ")
    try:
        function()
        print(f"ok {count} - {name}", flush=True)
    except Skip as why:
        print(f"ok {count} - {name} # SKIP {why}", flush=True)
    except Exception as error:  # any of them is a failure, and the next test may still run
        failed += 1
        print(f"not ok {count} - {name}\n{type(error).__name__}: {error}"[:2000].replace("\n", "\n# ") + place(error).replace("\n", "\n# "),
              flush=True)


def until(condition, what, patience=PATIENCE):
    """Waits until it holds; what it is then."""
    last = time.monotonic() + patience
    while not (found := condition()):
        if time.monotonic() > last:
            raise AssertionError(f"waited in vain: {what}")
        time.sleep(0.02)
    return found


def same(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: came {found}, wanted {expected}")


def end():
    print(f"1..{count}")
    sys.exit(1 if failed else 0)
