# SPDX-License-Identifier: GPL-2.0-or-later
"""run.py MODULE... [--only=PART]... [--update]: tests of the screen as TAP, in a pool.
--only runs the tests whose names hold PART. --update stores the golden screens as they are drawn now: look at them before you commit."""
import importlib
import inspect
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import Skip  # noqa: E402

CPUS = len(os.sched_getaffinity(0))
SLOWEST = 5
tests = []


def tests_of(module, update):
    """Its functions with one argument, scratch (_scratch: unused), by their names; and what its tests() makes."""
    for name, function in list(vars(module).items()):
        if inspect.isfunction(function) and function.__module__ == module.__name__ and "".join(inspect.signature(function).parameters) in ("scratch", "_scratch"):
            yield f"{module.__name__}: {name.replace('_', ' ')}", function
    if hasattr(module, "tests"):
        yield from module.tests(*[update] * (module.__name__ == "golden"))


def listed(arguments):
    update = "--update" in arguments
    parts = [argument.removeprefix("--only=") for argument in arguments if argument.startswith("--only=")]
    for module in ["golden"] if update else [argument for argument in arguments if not argument.startswith("--")]:
        for name, test in tests_of(importlib.import_module(module), update):
            if not parts or any(part in name for part in parts):
                yield name, test


def place(test):
    """FILE:LINE of a test, which may be made by another function."""
    code = getattr(getattr(test, "func", test), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else "?"


def run(number):
    """What is wrong, or None; and the seconds it took."""
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            problem = tests[number][1](scratch)
    except Skip as why:
        problem = why
    except Exception:  # noqa: BLE001  a test that breaks is a test that fails
        problem = traceback.format_exc()
    return problem, time.monotonic() - began


def main():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it would be ignored by all that is started
    tests.extend(listed(sys.argv[1:]))
    if not tests:
        sys.exit("no name of a test holds any of: " + " ".join(argument for argument in sys.argv if argument.startswith("--only=")))
    failed, seconds = 0, []
    jobs = CPUS if "golden" in sys.argv else 4 * CPUS  # all but golden screens wait some of the time
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        for number, (problem, took) in enumerate(pool.imap(run, range(len(tests)))):
            name = tests[number][0]
            skipped = isinstance(problem, Skip)
            print(f"{'not ok' if problem and not skipped else 'ok'} {number + 1} - {name}{f' # SKIP {problem}' * skipped}", flush=True)
            seconds.append((took, name))
            if problem and not skipped:
                failed += 1
                print("\n".join("# " + line for line in [place(tests[number][1]), *str(problem).splitlines()]), flush=True)
    for took, name in sorted(seconds, reverse=True)[:SLOWEST]:
        print(f"# {took:.1f} s: {name}")
    print(f"1..{len(tests)}")
    return 1 if failed else 0


sys.exit(main())
