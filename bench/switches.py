# SPDX-License-Identifier: GPL-2.0-or-later
"""switches.py PANETOP SWITCHES ROUNDS: what counting costs a context switch, each of which comes with a wake-up; alternating,
the best of each. Time accounts are of another process, of one of the two that switch, and of all."""
import subprocess
import sys

PANETOP, SWITCHES, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
HAND_OVERS, SETTLE_SECONDS = 150000, 0.5
PER_SECOND = 100000
WATCHED = {  # what panetop shows, and its limit of one CPU at that rate; None: none is set
    "nothing": (None, None), "overview": (["overview"], 0.005), "another process": (["-t", "time_account", "--pid=1"], 0.01),
    "one that switches": (["-t", "time_account", "--pid=SWITCHES"], 0.01), "all processes": (["-t", "time_account"], 0.05),
    "wake-ups": (["-t", "wakeup"], None), "timers": (["-t", "timer"], None), "exits from idle": (["-t", "idle_exit"], None),
}


def watch(who, pid):
    shown = [word.replace("SWITCHES", str(pid)) for word in WATCHED[who][0]]
    return subprocess.Popen([PANETOP, "-b", "-d", "1", "-o", "json", *shown], stdout=subprocess.DEVNULL)


def measure(who):
    """Nanoseconds a switch."""
    start_late = ["/bin/sh", "-c", f"sleep {SETTLE_SECONDS}; exec {SWITCHES} {HAND_OVERS}"]
    with subprocess.Popen(start_late, stdout=subprocess.PIPE) as switches:
        watcher = watch(who, switches.pid) if WATCHED[who][0] else None
        nanoseconds = float(switches.communicate()[0])
    if watcher:
        watcher.terminate()
        watcher.wait()
    return nanoseconds


def main():
    best = dict.fromkeys(WATCHED, float("inf"))
    for _ in range(ROUNDS):
        for who in best:
            best[who] = min(best[who], measure(who))
    print(f"{'shown':18}{'ns a switch':>12}{'more':>7}{'of a CPU at 100,000/s':>24}")
    for who, nanoseconds in best.items():
        more, limit = max(0, nanoseconds - best["nothing"]), WATCHED[who][1]
        share = more * PER_SECOND / 1e9
        print(f"{who:18}{nanoseconds:12.0f}{more:7.0f}{100 * share:22.2f} %"
              + ("" if limit is None else f"  limit {100 * limit:.1f} %: {'holds' if share <= limit else 'missed'}"))


main()
