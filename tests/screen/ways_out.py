# SPDX-License-Identifier: GPL-2.0-or-later
"""Every way out: the terminal is given back as it was."""
import os
import signal
import sys
import time

from common import PANETOP, TESTS, expect, replay, screen
from terminal import PATIENCE, Terminal


# they end a program that has no handler for them
OTHERS = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGVTALRM, signal.SIGPROF, signal.SIGIO, signal.SIGPWR,
          signal.SIGSTKFLT, signal.SIGALRM, signal.SIGRTMIN, signal.SIGRTMAX)


def restored(terminal, status, wanted):
    assert status == wanted, f"status {status}, not {wanted}"
    assert terminal.restored(), "the terminal is not as it was: " + repr(bytes(terminal.raw[-200:]))


def leave_by_key(key):
    def test(_scratch):
        with screen() as terminal:
            terminal.send(key)
            restored(terminal, terminal.end(), 0)
    return test


def leave_by_signal(number, wanted):
    def test(_scratch):
        with screen() as terminal:
            assert terminal.wait_for("q Quit"), "it did not start"
            os.kill(terminal.pid, number)
            restored(terminal, terminal.end(), wanted)
    return test


def leave_by_count(_scratch):
    with screen("-n", "2", "-d", "0.1") as terminal:
        restored(terminal, terminal.end(), 0)


def hang_up(_scratch):
    """The terminal goes away: so does the program, and does not spin."""
    with screen() as terminal:
        os.close(terminal.fd)
        end = time.monotonic() + PATIENCE
        while not terminal.ended() and time.monotonic() < end:
            time.sleep(0.05)
        assert terminal.ended(), "it goes on without a terminal"


def leave_while_stuck(_scratch):
    """The terminal takes no more bytes: a signal still ends the program, and soon."""
    with screen(width=200, height=60) as terminal:
        terminal.until("q Quit")
        calm = 0
        while calm < 5:
            os.write(terminal.fd, b"\x0c")
            time.sleep(0.1)
            calm = calm + 1 if terminal.unread() > 0 else 0
        os.kill(terminal.pid, signal.SIGTERM)
        end = time.monotonic() + PATIENCE
        while not terminal.ended() and time.monotonic() < end:
            time.sleep(0.05)
        assert terminal.ended(), "it waits for the terminal"


def ignored_stays_ignored(_scratch):
    """Under nohup a hang-up is no reason to end."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with screen("-d", "0.1") as terminal:
            terminal.until("q Quit")
            os.kill(terminal.pid, signal.SIGHUP)
            terminal.pump(0.5)
            assert not terminal.ended(), "it ended"
    finally:
        signal.signal(signal.SIGHUP, before)


def stops(terminal):
    """Waits until it is stopped."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        terminal.pump(0.05)
        pid, status = os.waitpid(terminal.pid, os.WNOHANG | os.WUNTRACED)
        if pid:
            return os.WIFSTOPPED(status)
    return False


def stop_and_go_on(_scratch):
    """Ctrl-Z lends the terminal to the shell, fg takes it again."""
    with replay() as terminal:
        before = terminal.text()
        os.write(terminal.fd, b"\x1a")
        assert stops(terminal), "it did not stop"
        assert terminal.restored(), "the terminal is not given back while it is stopped"
        terminal.clear()
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.quiet()
        expect(terminal.text() == before, terminal, "the screen does not come back")
        terminal.send("q")
        restored(terminal, terminal.end(), 0)


def stop_before_it_draws(_scratch):
    """A stop that comes while a key is answered, before or after its screen is drawn, is not lost."""
    with replay() as terminal:
        for step in range(30):
            os.write(terminal.fd, b"U")
            time.sleep(step * 0.0001)
            os.kill(terminal.pid, signal.SIGTSTP)
            assert stops(terminal), f"it did not stop at step {step}"
            os.kill(terminal.pid, signal.SIGCONT)
            terminal.quiet()


def in_the_background(stop, rounds, wanted):
    """Stopped, while a shell has the terminal: what signals do to it then. It must not touch the modes."""
    def test(_scratch):
        shell = os.path.join(TESTS, "screen", "shell.py")
        terminal = Terminal([sys.executable, shell, *rounds, "--", PANETOP])
        try:
            assert terminal.wait_for("q Quit"), "it did not start"
            os.kill(os.tcgetpgrp(terminal.fd), stop)
            status = terminal.end()
            terminal.shows(wanted)
            restored(terminal, status, 0)
        finally:
            terminal.close()
    return test


def tests():
    return [
        ("leaving by q", leave_by_key("q")),
        ("leaving by F10", leave_by_key("\x1b[21~")),
        ("leaving by SIGTERM", leave_by_signal(signal.SIGTERM, 0)),
        ("leaving by SIGINT", leave_by_signal(signal.SIGINT, 0)),
        ("leaving by SIGHUP", leave_by_signal(signal.SIGHUP, 0)),
        ("leaving by SIGQUIT", leave_by_signal(signal.SIGQUIT, 0)),
        ("a crash puts the terminal back", leave_by_signal(signal.SIGSEGV, -signal.SIGSEGV)),
        ("an abort puts the terminal back", leave_by_signal(signal.SIGABRT, -signal.SIGABRT)),
        *[(f"{signal.Signals(number).name} puts the terminal back", leave_by_signal(number, -number))
          for number in OTHERS],
        ("stopped, it stays so without the terminal", in_the_background(signal.SIGTSTP, ["CONT"], "stopped")),
        ("stopped and told to end", in_the_background(signal.SIGTSTP, ["TERM,CONT"], "ended 0")),
        ("stopped and left by its shell", in_the_background(signal.SIGTSTP, ["HUP,CONT"], "ended 0")),
        ("stopped twice and told to end", in_the_background(signal.SIGTSTP, ["CONT", "TERM,CONT"], "ended 0")),
        ("stopped unasked and told to end", in_the_background(signal.SIGSTOP, ["TERM,CONT"], "ended 0")),
    ]
