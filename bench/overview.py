# SPDX-License-Identifier: GPL-2.0-or-later
"""overview.py PANETOP [ROUNDS]: the first screen beside the cpu pane, on the machine as it is; medians.

Limits: first screen 50 ms at 200 processes, 300 ms at 10,000; a sample 1.5 times that of the cpu pane; idle 600 bytes/s.
"""
import sys

from measure import batch_cpu_ms, first_screen_ms, median, steady


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    panes = ("overview", "cpu")
    firsts, screens, sent, samples = ({pane: [] for pane in panes} for _ in range(4))
    for _ in range(rounds):
        for pane in panes:
            firsts[pane].append(first_screen_ms([program, pane], 200))
            used, size, _peak = steady([program, pane], 10, 1)
            screens[pane].append(used)
            sent[pane].append(size)
            samples[pane].append(batch_cpu_ms(
                lambda count: [program, "-b", "-o", "json", "-d", "0.1", "-n", str(count), pane], 3, 23))
    print("| | first screen | CPU per screen | bytes/s | CPU per batch sample |\n| --- | --- | --- | --- | --- |")
    for pane in panes:
        print(f"| panetop {pane} | {median(firsts[pane]):.0f} ms | {median(screens[pane]):.1f} ms "
              f"| {median(sent[pane]):.0f} | {median(samples[pane]):.1f} ms |")


main()
