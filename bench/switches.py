# SPDX-License-Identifier: GPL-2.0-or-later
"""switches.py PANETOP SWITCHES ROUNDS: what time accounts cost a context switch: of no process, of one that does not
switch, of one of the two that switch, and of all; alternating, the best of each."""
import subprocess
import sys

PANETOP, SWITCHES, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
HAND_OVERS, SETTLE_SECONDS = 150000, 0.5
PER_SECOND = 100000
LIMITS = {"none": 0, "another process": 0.01, "one that switches": 0.01, "all": 0.05}


def watch(who, pid):
    of_one = {"another process": ["--pid=1"], "one that switches": [f"--pid={pid}"]}.get(who, [])
    return subprocess.Popen([PANETOP, "-b", "-d", "1", "-o", "csv", "-t", "time_account", *of_one], stdout=subprocess.DEVNULL)


def measure(who):
    """Nanoseconds a switch."""
    start_late = ["/bin/sh", "-c", f"sleep {SETTLE_SECONDS}; exec {SWITCHES} {HAND_OVERS}"]
    with subprocess.Popen(start_late, stdout=subprocess.PIPE) as switches:
        watcher = watch(who, switches.pid) if who != "none" else None
        nanoseconds = float(switches.communicate()[0])
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
