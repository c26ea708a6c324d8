# SPDX-License-Identifier: GPL-2.0-or-later
"""soak.py PANETOP STORM GONE SECONDS [PANE...]: the memory of live screens while processes come and go, all with names
and arguments of their own, at twenty samples a second: does it flatten? "all" visits all panes in turn. What is kept of
the past fills first: 3600 samples of the history, which take three minutes, and 106,250 events with their texts: a storm
of forks, during which the terminals take nothing so that events pile up, and one of programs, which turns the log over
several times. In a run of half an hour or more each pane has to be flat: 1 if one is not."""
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from measure import drain, spawn, stop

PANETOP, STORM, GONE, SECONDS = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
SCREENS = sys.argv[5:] or ("cpu", "events", "latency", "all")
LONG, FLAT_KIB = 1800, 1024  # seconds from which on the mean of the last third is at most so much above the one before
PANE_KEYS = b"1234567890"
FORK_SECONDS, PROGRAM_SECONDS = 8, 30
STARTS_PER_SECOND = 100
BETWEEN = 3  # seconds from one look at the memory to the next


class Churn:
    """Starts programs one after the other until it is closed."""
    def __init__(self):
        self.count, self.ended = 0, False
        self.folder = tempfile.TemporaryDirectory()
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        while not self.ended:
            path = os.path.join(self.folder.name, f"soak-{self.count}")
            os.symlink("/bin/true", path)
            os.waitpid(os.posix_spawn(path, [path, f"--number={self.count}"], os.environ), 0)
            os.unlink(path)
            self.count += 1
            time.sleep(1 / STARTS_PER_SECOND)

    def close(self):
        self.ended = True
        self.thread.join()
        self.folder.cleanup()


def resident_kib(pid):
    """Counted page by page: statm and stat lag behind."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("Rss:"))


class Soaked:
    """A live screen whose output is read as fast as it comes, and its KiB after each BETWEEN seconds."""
    def __init__(self, pane):
        self.pane, self.curve, self.ended, self.stalled = pane, [], False, False
        self.pid, self.fd, _ = spawn([PANETOP, "-d", "0.05"] + ([] if pane == "all" else [pane]))
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        look = time.monotonic() + BETWEEN
        while not self.ended:
            if self.stalled:
                time.sleep(0.2)
            else:
                drain(self.fd, 0.2)
            if time.monotonic() >= look:
                self.curve.append(resident_kib(self.pid))
                look += BETWEEN
                if self.pane == "all" and not self.stalled:
                    key = len(self.curve) % len(PANE_KEYS)
                    os.write(self.fd, PANE_KEYS[key:key + 1])

    def close(self):
        self.ended = True
        self.thread.join()
        stop(self.pid, self.fd)

    def growth_kib(self):
        """From the second third to the last one, in the mean: it swings, as texts of the log go by half."""
        third = len(self.curve) // 3
        return statistics.mean(self.curve[-third:]) - statistics.mean(self.curve[-2 * third:-third])

    def row(self):
        curve = self.curve
        places = [curve[0], curve[len(curve) // 3], curve[2 * len(curve) // 3], curve[-1]]
        return " ".join([f"{self.pane:8}", *(f"{kib:8}" for kib in [*places, max(curve)]),
                         f"{self.growth_kib():+8.0f} KiB"])

    def minutes(self):
        """The most of each minute, in MiB."""
        step = 60 // BETWEEN
        return " ".join(f"{max(self.curve[at:at + step]) / 1024:.1f}" for at in range(0, len(self.curve), step))


soaked, churn = [Soaked(pane) for pane in SCREENS], Churn()
try:
    for seconds, programs in (FORK_SECONDS, []), (PROGRAM_SECONDS, [GONE]):
        for screen in soaked:
            screen.stalled = not programs
        subprocess.run([STORM, "2", str(seconds), *programs], input=b"\n", stdout=subprocess.DEVNULL, check=True)
    time.sleep(SECONDS)
finally:
    churn.close()
    for screen in soaked:
        screen.close()
print(f"{SECONDS:g} s at -d 0.05, {churn.count} programs; resident KiB at the first look, a third, two thirds, the end")
print(f"{'pane':8} {'first':>8} {'1/3':>8} {'2/3':>8} {'end':>8} {'most':>8} {'grown':>12}")
for screen in soaked:
    print(screen.row())
for screen in soaked:
    print(f"{screen.pane}, MiB by minute: {screen.minutes()}")
sys.exit(SECONDS >= LONG and any(screen.growth_kib() > FLAT_KIB for screen in soaked))
