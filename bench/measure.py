# SPDX-License-Identifier: GPL-2.0-or-later
"""Measuring programs: time to the first screen, CPU per sample, memory, bytes sent to the terminal."""
import fcntl
import os
import pty
import resource
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from contextlib import contextmanager

# a shell lets those it starts in the background ignore it, and they those they start
signal.signal(signal.SIGINT, signal.default_int_handler)

# an empty home: no tool brings its own configuration, and what they write goes away again
_HOME = tempfile.TemporaryDirectory()
HOME = _HOME.name
BUSY = 20  # of a crowd
# a command line of the length that is usual for services
ARGUMENT = "--configuration=/etc/crowd/crowd.conf --listen=unix:/run/crowd/socket --workers=4"


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def spawn(command, width=80, height=24):
    """Starts command in a terminal of its own: (pid, fd, moment of the start)."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2):
            os.dup2(slave, fd)
        os.closerange(3, 64)
        env = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8", HOME=HOME, XDG_CONFIG_HOME=HOME)
        for name in ("LINES", "COLUMNS"):
            env.pop(name, None)
        os.execvpe(command[0], command, env)
    os.close(slave)
    return pid, master, started


def drain(fd, seconds):
    """Bytes that come within seconds, and the moment of the last."""
    got, last, end = 0, None, time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if not select.select([fd], [], [], left)[0]:
            break
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        got += len(data)
        last = time.monotonic()
    return got, last


def stop(pid, fd):
    os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + 2
    while time.monotonic() < end:
        drain(fd, 0.05)
        if os.waitpid(pid, os.WNOHANG)[0]:
            break
    else:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    os.close(fd)


def cpu_seconds(pid):
    """CPU time of a process so far, from its CPU clock: exact, where /proc counts in hundredths."""
    return time.clock_gettime((~pid << 3) | 2)


def peak_resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def first_screen_ms(command, least=0):
    """From the start to the last byte of the first burst of at least so many bytes in all, which ends with 60 ms of
    silence: what only prepares the terminal is no screen."""
    pid, fd, started = spawn(command)
    last, got = None, 0
    while select.select([fd], [], [], 0.06 if got > least else 3)[0] and time.monotonic() - started < 6:
        data = os.read(fd, 65536)
        if not data:
            break
        last, got = time.monotonic(), got + len(data)
    stop(pid, fd)
    return None if last is None else (last - started) * 1000


def steady(command, seconds, interval, start=None):
    """On the screen, after a start of some seconds that is not counted: CPU ms and bytes per sample, peak resident KiB."""
    pid, fd, _ = spawn(command)
    started = time.monotonic()
    while (left := started + (start or 2.2 * interval) - time.monotonic()) > 0:
        drain(fd, left)
    cpu, sent = cpu_seconds(pid), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sent += drain(fd, max(0.01, end - time.monotonic()))[0]
    used, peak = cpu_seconds(pid) - cpu, peak_resident_kib(pid)
    stop(pid, fd)
    samples = seconds / interval
    return used / samples * 1000, sent / samples, peak


@contextmanager
def crowd(tool, processes, n_busy=BUSY):
    """The pids of the busy ones; with those that are there already it makes so many processes."""
    sleeping = processes - n_busy - sum(name.isdigit() for name in os.listdir("/proc"))
    command = [tool, str(max(0, sleeping)), str(n_busy), ARGUMENT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            pids = [int(pid) for pid in process.stdout.readline().split()]
            if len(pids) != n_busy:
                sys.exit(f"{processes} processes could not be started: look at ulimit -u and pid_max")
            time.sleep(1)
            yield pids
        finally:
            process.terminate()


def batch_cpu_ms(command_of, few, many):
    """CPU ms of one batch sample: what many samples cost more than few, by rusage."""
    def run(count):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        pid = os.fork()
        if pid == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            os.execvp(command_of(count)[0], command_of(count))
        os.waitpid(pid, 0)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (run(many) - run(few)) / (many - few) * 1000
