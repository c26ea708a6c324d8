# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the screen as TAP. With --update the golden screens are written anew: look at them before you commit."""
import os
import signal
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import edited  # noqa: E402
import footer  # noqa: E402
import golden  # noqa: E402
import hard  # noqa: E402
import keys  # noqa: E402
import power_keys  # noqa: E402
import tables  # noqa: E402
import ways_out  # noqa: E402


def main():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it would be ignored by all that is started
    update = "--update" in sys.argv
    tests = golden.tests(update)
    if not update:
        tests += keys.tests() + tables.tests() + footer.tests() + power_keys.tests() + \
            hard.tests() + edited.tests() + ways_out.tests()
    failed = 0
    for number, (name, test) in enumerate(tests, 1):
        try:
            with tempfile.TemporaryDirectory() as scratch:
                problem = test(scratch)
        except Exception:  # noqa: BLE001  a test that breaks is a test that fails
            problem = traceback.format_exc()
        print(f"{'not ok' if problem else 'ok'} {number} - {name}", flush=True)
        if problem:
            failed += 1
            print("\n".join("# " + line for line in str(problem).splitlines()), flush=True)
    print(f"1..{len(tests)}")
    return 1 if failed else 0


sys.exit(main())
