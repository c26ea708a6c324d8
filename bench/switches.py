# SPDX-License-Identifier: GPL-2.0-or-later
"""switches.py PANETOP SWITCHES ROUNDS: what time accounts cost a context switch: of no process, of one that does not
switch, and of all; alternating, the best of each."""
import subprocess
import sys
import time

PANETOP, SWITCHES, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
HAND_OVERS, SETTLE_SECONDS = 150000, 0.5
PER_SECOND = 100000
LIMITS = {"none": 0, "one process": 0.01, "all": 0.05}


def watch(who):
    command = [PANETOP, "-b", "-d", "1", "-o", "csv", "-t", "time_account"] + (["--pid=1"] if who == "one process" else [])
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def measure(who):
    """Nanoseconds a switch."""
    watcher = watch(who) if who != "none" else None
    time.sleep(SETTLE_SECONDS)
    nanoseconds = float(subprocess.run([SWITCHES, str(HAND_OVERS)], stdout=subprocess.PIPE, check=True).stdout)
    if watcher:
        watcher.terminate()
        watcher.wait()
    return nanoseconds


def main():
    best = dict.fromkeys(LIMITS, float("inf"))
    for _ in range(ROUNDS):
        for who in best:
            best[who] = min(best[who], measure(who))
    print(f"{'time accounts of':18}{'ns a switch':>12}{'more':>7}{'of a CPU at 100,000/s':>24}")
    for who, nanoseconds in best.items():
        more = max(0, nanoseconds - best["none"])
        share = more * PER_SECOND / 1e9
        print(f"{who:18}{nanoseconds:12.0f}{more:7.0f}{100 * share:22.2f} %"
              + ("" if who == "none" else f"  limit {100 * LIMITS[who]:.0f} %: "
                 f"{'holds' if share <= LIMITS[who] else 'missed'}"))


main()
