# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recording of less than 1 MiB may take, in batch and on the screen: a table of bytes, memory and seconds."""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import tap
from tap import test

PANETOP = os.environ["PANETOP"]
BOMBS = os.path.join(os.environ["RECORDINGS"], "bombs")
BYTES_MAX = 1 << 20
MIB_MAX = 512
PATIENCE = 120  # seconds of CPU time, and of doing nothing
WORKS = 0.2  # seconds of CPU time after which it is in the middle of decoding


def panes():
    text = subprocess.run([PANETOP, "--help"], check=True, capture_output=True, encoding="utf-8").stdout
    return re.findall(r"^  ([a-z]+) ", text[text.index("\nPanes"):].split("\n\n")[0], re.M)


class Run:
    """One panetop, on a terminal of its own or with its output thrown away."""

    def __init__(self, *arguments, terminal=False):
        self.since, self.status, self.usage, self.fd = time.monotonic(), None, None, None
        sys.stdout.flush()
        pid, fd = pty.fork() if terminal else (os.fork(), None)
        if pid == 0:
            if not terminal:
                quiet = os.open(os.devnull, os.O_RDWR)
                for number in range(3):
                    os.dup2(quiet, number)
            os.execve(PANETOP, [PANETOP, *arguments], {**os.environ, "TERM": "xterm-256color"})
        self.pid, self.fd, self.drawn = pid, fd, 0

    def read(self):
        """Takes what the screen writes, for a moment."""
        if self.fd is None:
            time.sleep(0.02)
        elif select.select([self.fd], [], [], 0.02)[0]:
            try:
                self.drawn += len(os.read(self.fd, 65536))
            except OSError:  # it has ended
                time.sleep(0.02)

    def has_ended(self):
        if self.status is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self.status, self.usage, self.seconds = status, usage, time.monotonic() - self.since
        return self.status is not None

    def stat(self):
        """The fields of its stat file from the state on."""
        with open(f"/proc/{self.pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()

    def cpu(self):
        """Seconds of CPU time."""
        return sum(map(int, self.stat()[11:13])) / os.sysconf("SC_CLK_TCK")

    def waits(self):
        """Has it drawn, and does nothing?"""
        return self.drawn > 0 and self.stat()[0] == "S"

    def until(self, condition):
        """Waits until this holds or it has ended, on a busy machine for as long as it takes."""
        used, since = 0, time.monotonic()
        while not self.has_ended() and not condition():
            self.read()
            if self.cpu() > used:
                used, since = self.cpu(), time.monotonic()
            if used > PATIENCE or time.monotonic() > since + PATIENCE:
                self.close()
                raise AssertionError(f"nothing happened in {PATIENCE} s")

    def end(self):
        """A signal, if it has not ended itself: how it ends."""
        if not self.has_ended():
            os.kill(self.pid, signal.SIGTERM)
        self.until(lambda: False)
        self.close()
        if not os.WIFEXITED(self.status):
            raise AssertionError(f"wait status {self.status}")
        return self

    def close(self):
        if not self.has_ended():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.status = 0
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None


def batch(*arguments):
    run = Run("-b", "-n", "3", *arguments)
    run.until(lambda: False)
    return run.end()


def screen(*arguments):
    run = Run(*arguments, terminal=True)
    run.until(run.waits)
    return run.end()


def takes_little(name):
    """In batch, recorded again and on the screen: the most that one of them takes."""
    file = os.path.join(BOMBS, name)
    assert os.path.getsize(file) < BYTES_MAX, "it is too large"
    runs = [batch("--replay=" + file, "-o", "json", *panes()), batch("--replay=" + file, "--record=/dev/null"),
            screen("--replay=" + file), screen("--replay=" + file, "process")]
    mib = [run.usage.ru_maxrss >> 10 for run in runs]
    print(f"# {name}: {os.path.getsize(file)} bytes", *(f"{a} MiB {b.seconds:.2f} s" for a, b in zip(mib, runs)), sep=", ")
    assert max(mib) <= MIB_MAX, f"{max(mib)} MiB"


def hears_a_signal(*arguments, terminal):
    """All its samples take many seconds, unless a signal ends that."""
    run = Run("--replay=" + os.path.join(BOMBS, "samples"), *arguments, terminal=terminal)
    run.until(lambda: run.cpu() > WORKS)
    assert not run.has_ended(), "it has ended"
    before = run.cpu()
    run.end()
    print(f"# {run.usage.ru_utime + run.usage.ru_stime - before:.2f} s of CPU time after the signal")


for bomb in sorted(os.listdir(BOMBS)):
    if bomb == "made":
        continue

    def little(name=bomb):
        takes_little(name)

    little.__doc__ = f"{bomb}: at most {MIB_MAX} MiB"
    test(little)


@test
def batch_hears_a_signal():
    """SIGTERM ends a batch in the middle of decoding"""
    hears_a_signal("-b", "-o", "json", "memory", terminal=False)


@test
def screen_hears_a_signal():
    """SIGTERM ends a screen in the middle of decoding"""
    hears_a_signal("--at=-0.0000001", terminal=True)


tap.end()
