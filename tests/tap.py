# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests as TAP, for programs that a script in this folder runs."""

import sys

count = failed = 0


class Skip(Exception):
    """Why a test cannot run here."""


def test(function):
    """Runs it at once, as a line of TAP: its first line of documentation is the name."""
    global count, failed
    count += 1
    name = function.__doc__
    try:
        function()
        print(f"ok {count} - {name}", flush=True)
    except Skip as why:
        print(f"ok {count} - {name} # SKIP {why}", flush=True)
    except Exception as error:  # any of them is a failure, and the next test may still run
        failed += 1
        print(f"not ok {count} - {name}\n# {type(error).__name__}: {error}".replace("\n", "\n# ")[:2000], flush=True)


def same(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: {found}, expected {expected}")


def end():
    print(f"1..{count}")
    sys.exit(1 if failed else 0)
