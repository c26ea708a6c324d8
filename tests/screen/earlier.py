# SPDX-License-Identifier: GPL-2.0-or-later
"""The live screen goes back beyond its own start, into what the service panetop-record has recorded."""
import os
import re
import shutil
import subprocess
import sys

from common import PANETOP, TESTS, edited, expect, screen
from drawn import clock, live_seconds
from past import back, strip

sys.path.append(TESTS)
from ordinary_user import is_root  # noqa: E402

FRAMES = 6  # of the recording, 2 s apart


def tree_of(folder):
    """A machine of files, and the directory of its service, which is there only once it is made."""
    tree = os.path.join(folder, "tree")
    shutil.copytree(os.path.join(os.environ["ROOTS"], "linux-6.18", "tick0"), tree, symlinks=True)
    return tree, tree + os.environ["RECORDED"]


def record(scratch, directory, change=lambda number, tables: None):
    """As the service does, from samples of long ago, on another boot."""
    os.makedirs(directory, mode=0o755, exist_ok=True)
    os.chmod(directory, 0o750)
    subprocess.run([PANETOP, "--replay=" + edited(scratch, change, frames=FRAMES), "--record=" + directory, "overview", "memory", "cpu"],
                   check=True, capture_output=True)


def seam(tree, *arguments, **rest):
    return screen("-d", "0.2", "--root=" + tree, *arguments, **rest)


def beyond(scratch):
    """Steps go on over the seam and back; the first sample of all is said to be that; now is one key away."""
    tree, directory = tree_of(scratch)
    record(scratch, directory)
    with seam(tree, "memory", width=120) as terminal:
        live_seconds(terminal, 1)
        terminal.send("{").tells("recorded by panetop-record, before this screen began at ")
        expect(back(terminal), terminal, "it is not in the past")
        last = clock(terminal)
        expect("\u2502" in strip(terminal), terminal, "the line of the past does not show it")
        terminal.send(",")
        expect(clock(terminal) < last, terminal, "a step back")
        terminal.send(*["{"] * 2).tells("this is the first sample that panetop-record kept")
        terminal.send(*["."] * (FRAMES - 1))
        expect(clock(terminal) == last, terminal, f"steps forward do not lead to {last}")
        before = back(terminal)
        terminal.send(".")
        expect("d " in before and "d " not in back(terminal), terminal, "the first sample of the screen")
        terminal.send("G")
        expect(not back(terminal), terminal, "it does not come back")


def to_a_time(scratch):
    """A time that only the recording has, with its date; and one before everything."""
    tree, directory = tree_of(scratch)
    record(scratch, directory)
    with seam(tree, "memory") as terminal:
        live_seconds(terminal, 1)
        terminal.send("{").until(re.compile(r" -\d+d "))
        wanted = clock(terminal.send(",", ","))
        terminal.send("i").until("Recorded by panetop-record on ")
        date = re.search(r"Recorded by panetop-record on (\S+)", terminal.text())[1]
        terminal.send("Esc", "G", "g", *f"{date}T{wanted}", "Enter")
        expect(clock(terminal) == wanted and back(terminal), terminal, f"not at {date} {wanted}")
        terminal.send("G", "g", *"1999-01-01T00:00", "Enter").tells("kept is ")


def explained(scratch):
    """Its age is that of the wall clock, as the other one is of another boot, and no rate goes over the seam."""
    tree, directory = tree_of(scratch)
    record(scratch, directory)
    with seam(tree, "memory", height=50) as terminal:
        live_seconds(terminal, 1)
        terminal.send("{", "i").until("Recorded by panetop-record on ")
        age = re.search(r"Age: ([\d.]+) s", terminal.text())
        expect(age and float(age[1]) > 86400, terminal, "the age of long ago")
        terminal.send("Esc", ".", "i").until("Age: ").hides("rates are over", "Recorded by")


def marked(scratch):
    """A moment before the start is compared with one after it."""
    tree, directory = tree_of(scratch)
    record(scratch, directory)
    with seam(tree, "memory", width=120) as terminal:
        live_seconds(terminal, 1)
        terminal.send("{", "m", "G", "=")
        expect(re.search(r" compared with .* \([0-9]{5,} s\)", terminal.lines()[0]), terminal, "a difference of days")


def finds_then(scratch):
    """Findings are those of that time, and the strip has their mark no longer than they are shown."""
    def full(_number, tables):
        for row in tables["filesystem"]:
            if row["mount"] == "/boot":
                row["used_ratio"] = 0.999
    tree, directory = tree_of(scratch)
    record(scratch, directory, full)
    with seam(tree, "overview", width=120, height=40) as terminal:
        live_seconds(terminal, 1)
        now = terminal.lines()[2]
        terminal.send("{")
        expect(terminal.wait_for("/boot") and "/boot" not in now, terminal, "it does not find what was full then")
        expect(strip(terminal), terminal, "no line of the past")
        terminal.send("G").leaves("/boot")


def says(change, sentence):
    """What a step beyond the start is answered; change(tree, directory) comes before it."""
    def test(scratch):
        tree, directory = tree_of(scratch)
        change(scratch, directory)
        with seam(tree, "memory", width=120) as terminal:
            live_seconds(terminal, 1)
            terminal.send("{").tells(sentence)
            expect("d " not in back(terminal), terminal, "it is used")
    return test


def nothing(_scratch, _directory):
    """No service."""


def an_empty_one(_scratch, directory):
    os.makedirs(directory)


def writable(scratch, directory):
    record(scratch, directory)
    os.chmod(directory, 0o770)


def a_link(scratch, directory):
    record(scratch, directory)
    os.rename(directory, directory + ".elsewhere")
    os.symlink(os.path.basename(directory) + ".elsewhere", directory)


def no_recording(scratch, directory):
    record(scratch, directory)
    with open(os.path.join(directory, "00000001.recording"), "w", encoding="utf-8") as file:
        file.write("this is not a recording, whatever its name says\n")


def a_writable_file(scratch, directory):
    record(scratch, directory)
    os.chmod(os.path.join(directory, "00000001.recording"), 0o666)


def of_another_user(scratch, directory):
    record(scratch, directory)
    os.chown(directory, 65534, 65534)


def by_another_user(scratch, directory):
    record(scratch, directory)
    os.chown(os.path.join(directory, "00000001.recording"), 65534, 0)


def of_another_group(scratch):
    """Who may not read it learns which group may; with that group it is read."""
    if not is_root():
        return
    tree, directory = tree_of(scratch)
    record(scratch, directory)
    os.chmod(scratch, 0o755)
    group = 12345  # of no name
    for path, mode in ((directory, 0o750), (os.path.join(directory, "00000001.recording"), 0o640)):
        os.chown(path, 0, group)
        os.chmod(path, mode)
    copy = shutil.copy(PANETOP, scratch)
    drop = ["setpriv", "--reuid=65534", "--regid=65534", "--inh-caps=-all"]
    for more, sentence in (["--clear-groups"], f"members of the group {group} may read them"), ([f"--groups={group}"], "recorded by panetop-record"):
        if subprocess.run([*drop, *more, copy, "--version"], capture_output=True, check=False).returncode:
            return  # a program of this place may not be run by others
        with seam(tree, "memory", width=120, program=[*drop, *more, copy]) as terminal:
            live_seconds(terminal, 1)
            terminal.send("{").tells(sentence)


def another_clock(scratch):
    """What the service has recorded since the screen began is the screen's own."""
    tree, directory = tree_of(scratch)
    os.makedirs(directory, mode=0o750)
    with seam(tree, "memory") as terminal:
        live_seconds(terminal, 1)
        subprocess.run([PANETOP, "-d", "0.1", "-n", "3", "--root=" + tree, "--record=" + directory, "memory"], check=True, capture_output=True)
        terminal.send("{").tells("this is the first sample that is kept")


def tests():
    kept, foreign = "this is the first sample that is kept", "is left out: another user may have written it"
    told = [(nothing, kept), (an_empty_one, kept), (writable, "is not used: others than its owner may write into it"),
            (a_link, "is not used: it is a symbolic link"), (no_recording, "is left out: "), (a_writable_file, foreign)]
    if is_root():
        told += [(of_another_user, "is not used: it is neither root's nor the service's"), (by_another_user, foreign)]
    return [(f"earlier: {change.__name__.replace('_', ' ')}", says(change, sentence)) for change, sentence in told]
