# SPDX-License-Identifier: GPL-2.0-or-later
"""What all screen tests share."""
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

from terminal import Terminal

PANETOP = os.environ["PANETOP"]
TESTS = os.environ["TESTS_DIR"]
sys.path.append(TESTS)
from tap import Skip  # noqa: E402


def recording_named(name):
    """A file that tests/recordings/make.py wrote."""
    return os.path.join(os.environ["RECORDINGS"], name + ".recording")


def as_lines(recording):
    """The same in lines of JSON, for a test that changes it."""
    return recording.removesuffix(".recording") + ".jsonl"


def recording_of(pane):
    """The name of the recording that holds its tables."""
    return pane if pane in ("events", "power") else "memory"


def panes():
    text = subprocess.run([PANETOP, "--help"], check=True, capture_output=True, encoding="utf-8").stdout
    return re.findall(r"^  ([a-z]+) ", text[text.index("\nPanes"):].split("\n\n")[0], re.M)


BUSY_RECORDING = os.path.join(TESTS, "recordings", "busy", "machine.recording")
RECORDING, EVENT_RECORDING, POWER_RECORDING = map(recording_named, ("memory", "events", "power"))


def fixture(name):
    return "--root=" + os.path.join(os.environ["ROOTS"], name, "tick0")


@contextmanager
def running(*command, **rest):
    """A process of our own, killed at the end."""
    with subprocess.Popen(command, **rest) as child:
        try:
            yield child
        finally:
            child.kill()


@contextmanager
def loop(folder):
    """Short commands, one after the other, with a name that no other process has."""
    path = os.path.join(folder, "shortlived")
    shutil.copy("/bin/true", path)
    with running("sh", "-c", f"while :; do {path}; done") as child:
        yield child


def configured(home, text=None, name="config"):
    """The environment with this home of the configuration, in which this file has this text."""
    if text is not None:
        os.makedirs(os.path.join(home, "panetop"), exist_ok=True)
        with open(os.path.join(home, "panetop", name), "w", encoding="utf-8") as file:
            file.write(text)
    return {"XDG_CONFIG_HOME": home}


def configuration(home):
    """The text of its file."""
    with open(os.path.join(home, "panetop", "config"), encoding="utf-8") as file:
        return file.read()


@contextmanager
def screen(*arguments, width=80, height=24, program=(PANETOP,), **rest):
    terminal = Terminal([*program, *arguments], width, height, **rest)
    try:
        terminal.started()
        yield terminal
    finally:
        if "GCOV" in os.environ and not terminal.ended():  # which loses the counts of a program that is killed
            os.kill(terminal.pid, signal.SIGTERM)
            terminal.end()
        terminal.close()


@contextmanager
def replay(*arguments, recording=RECORDING, opening=False, at="09:30:00", **rest):
    """At the first sample of all recordings that are made, or if opening the second, the first with rates."""
    with screen("--replay=" + recording, "--at=" + ("09:30:10" if opening else at), *arguments, **rest) as terminal:
        yield terminal


@contextmanager
def sleeper(*arguments, selected=True, nice=0):
    """A process of our own, alone on the screen."""
    with running("sleep", "1000") as child:
        os.setpriority(os.PRIO_PROCESS, child.pid, max(nice, os.getpriority(os.PRIO_PROCESS, 0)))
        with screen("--idle", "-p", str(child.pid), *arguments, "cpu") as terminal:
            terminal.until(row_of_process(child.pid, "sleep 1000"))
            if selected:
                terminal.send("Down")
            yield terminal, child


def needs_nicer():
    """A child that these tests start can be made nicer."""
    if os.getpriority(os.PRIO_PROCESS, 0) == 19:
        raise Skip("run with nice 19, which is the most")


def row_of_process(pid, command):
    """In a list whose last column is the command: it may be read a sample after the rest."""
    return re.compile(rf" {pid} .* {re.escape(command)}$")


def expect(condition, terminal, what):
    """That it holds; else the screen as it is."""
    if not condition:
        raise AssertionError(what + "\n" + terminal.text())


def edited(scratch, change, recording=RECORDING, frames=3, step=None):
    """The first frames, step seconds apart; change(number of the frame, rows by topic, each row by its keys) may do what it likes."""
    path = os.path.join(scratch, "edited")
    with open(as_lines(recording), encoding="utf-8") as source, open(path, "w", encoding="utf-8") as out:
        head = next(source)
        keys = {name: [column["key"] for column in topic["columns"]] for name, topic in json.loads(head)["topics"].items()}
        out.write(head)
        for number, line in enumerate(itertools.islice(source, frames)):
            frame = json.loads(line)
            for timed in (frame, *frame["tables"].values()) if step else ():
                timed["mono_ns"] -= int(number * (10 - step) * 1e9)
            frame["wall_ns"] -= int(number * (10 - step) * 1e9) if step else 0
            tables = {name: [dict(zip(keys[name], row)) for row in table["rows"]] for name, table in frame["tables"].items()}
            change(number, tables)
            for name, rows in tables.items():
                frame["tables"].setdefault(name, {})["rows"] = [[row.get(key) for key in keys[name]] for row in rows]
            out.write(json.dumps(frame, separators=(",", ":")) + "\n")
    return path
