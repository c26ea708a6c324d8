# SPDX-License-Identifier: GPL-2.0-or-later
"""spoken.py NAME=VALUE...: every pane in a language, in a terminal of the usual size and in a small one."""
import os
import re
import sys

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.environ["TESTS_DIR"]]

from common import fixture, replay, screen  # noqa: E402
from pseudo import LAST, recorded_panes  # noqa: E402


def main():
    language = dict(name.split("=", 1) for name in sys.argv[1:])
    failed = 0
    for width, height in ((80, 24), (40, 12)):
        for pane, recording in recorded_panes():
            with replay(pane, recording=recording, width=width, height=height, env=language) as terminal:
                terminal.send(*LAST)
                terminal.send("F1", "q")
                if terminal.ended() or "\ufffd" in terminal.text():
                    print(f"{pane} at {width}x{height}:\n{terminal.text()}", file=sys.stderr)
                    failed += 1
    with screen(fixture("linux-6.1"), "process", env=language) as terminal:
        if len(re.findall(r"\d[^\W\d]{2,}", terminal.lines()[1])) != 10 or "[" not in terminal.lines()[1]:
            print("tabs without names:\n" + terminal.lines()[1], file=sys.stderr)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
