# SPDX-License-Identifier: GPL-2.0-or-later
"""overview.py PANETOP CROWD [ROUNDS]: the first screen beside the cpu pane, among few and many processes; medians.

Files of processes that have not run since the start are read in turns, so that a sample costs more in the first seconds: START.
Limits: first screen 50 ms at 200 processes, 300 ms at 10,000; a sample 1.5 times that of the cpu pane; idle 600 bytes/s.
"""
import os
import signal
import sys

from measure import crowd, first_screen_ms, median, steady

PANES = ("overview", "cpu")
SCREEN_BYTES = 500  # more than prepares a terminal, less than any first screen
START = 20  # seconds


def main():
    program, tool, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 3
    print("| processes | | first screen | CPU per screen | after the start | bytes/s | at rest |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for processes in (200, 10000):
        found = {pane: {name: [] for name in ("first", "start", "later", "bytes", "rest")} for pane in PANES}
        with crowd(tool, processes) as busy:
            for _ in range(rounds):
                for pane, values in found.items():
                    command = [program, "-d", "1", pane]
                    values["first"].append(first_screen_ms(command, SCREEN_BYTES))
                    values["start"].append(steady(command, 8, 1)[0])
                    later = steady(command, 8, 1, START)
                    values["later"].append(later[0])
                    values["bytes"].append(later[1])
            for pid in busy:
                os.kill(pid, signal.SIGSTOP)
            for _ in range(rounds):
                for pane, values in found.items():
                    values["rest"].append(steady([program, "-d", "1", pane], 8, 1)[1])
        for pane, values in found.items():
            first, start, later, sent, rest = (median(values[name]) for name in ("first", "start", "later", "bytes", "rest"))
            print(f"| {processes} | {pane} | {first:.0f} ms | {start:.1f} ms | {later:.1f} ms | {sent:.0f} | {rest:.0f} |")


main()
