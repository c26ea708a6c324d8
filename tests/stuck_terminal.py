# SPDX-License-Identifier: GPL-2.0-or-later
"""stuck_terminal.py CASE STUCK DIRECTORY: panetop whose terminal takes nothing; 0 and no output when all is well.

STUCK is stopped (Ctrl-S) or full (nobody reads), or pipe: a full pipe in place of the terminal."""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

PANETOP = os.environ["PANETOP"]
MISSING = "--root=" + os.path.join(os.environ["ROOTS"], "missing", "tick0")  # it causes notices
PATIENCE = 20


def fill(fd):
    """The number of bytes that it took."""
    count = 0
    try:
        while True:
            count += os.write(fd, b"x" * 64)
    except BlockingIOError:
        return count


class StuckTerminal:
    def __init__(self, how):
        self.fd, self.tty = os.pipe() if how == "pipe" else pty.openpty()
        self.how = how
        self.stick()

    def stick(self):
        if self.how == "stopped":
            termios.tcflow(self.tty, termios.TCOOFF)
            return
        fd = os.open(f"/proc/self/fd/{self.tty}", os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        while fill(fd):
            time.sleep(0.2)  # the kernel hands bytes on, which makes room
        os.close(fd)

    def release(self):
        if self.how == "stopped":
            termios.tcflow(self.tty, termios.TCOON)

    def reads(self, text):
        """Does this text come once it takes bytes again?"""
        got, end = b"", time.monotonic() + PATIENCE
        while text not in got and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                got += os.read(self.fd, 65536)
        return text in got

    def unread(self):
        return struct.unpack("i", fcntl.ioctl(self.fd, termios.FIONREAD, b"\0\0\0\0"))[0]


def start(*arguments, out=subprocess.DEVNULL, err=subprocess.DEVNULL):
    return subprocess.Popen([PANETOP, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err)


def ends(process, number, *wanted):
    """After this signal, or by itself."""
    if number:
        process.send_signal(number)
    try:
        status = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return f"signal {number} goes unheard" if number else "it does not end"
    return None if status in wanted else f"status {status}"


def lines(path, count):
    """Waits until the file has so many lines."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if os.path.exists(path):
            with open(path, "rb") as file:
                if file.read().count(b"\n") >= count:
                    return True
        time.sleep(0.05)
    return False


def recording(terminal, directory):
    """Messages do not keep a recording up, and come when the terminal takes them."""
    path = os.path.join(directory, "recorded.jsonl")
    process = start(MISSING, "--record=" + path, "-d", "0.1", err=terminal.tty)
    problem = None if lines(path, 5) else "it does not sample"
    if not problem:
        terminal.release()
        problem = None if terminal.reads(b"panetop: memory:") else "the messages do not come"
        terminal.stick()
    return problem or ends(process, signal.SIGTERM, 1), process  # of such a machine there is nothing to show


def end_of_run(terminal, directory):
    """A run that has ended gives up on its messages, and keeps its status."""
    path = os.path.join(directory, "ended.jsonl")
    process = start(MISSING, "--record=" + path, "-n", "2", "-d", "0.1", err=terminal.tty)
    return ends(process, None, 1), process


def usage(terminal, _directory):
    """As does an error of usage."""
    process = start("--nonsense", err=terminal.tty)
    return ends(process, None, 2), process


def output(terminal, _directory):
    """Its output is held up: a signal ends it."""
    process = start("-b", "-d", "0.05", out=terminal.tty)
    before = -1
    while terminal.unread() != before:
        before = terminal.unread()
        time.sleep(1)
    return ends(process, signal.SIGTERM, 0), process


problem, started = globals()[sys.argv[1]](StuckTerminal(sys.argv[2]), sys.argv[3])
if started.poll() is None:
    started.kill()
    started.wait()
if problem:
    sys.exit(problem)
