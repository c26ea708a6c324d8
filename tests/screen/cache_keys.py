# SPDX-License-Identifier: GPL-2.0-or-later
"""A monitoring group of resctrl for one process: F9 asks and makes it, and it goes again, whatever ends the screen."""
import os
import re
import shutil
import signal
import subprocess
from contextlib import contextmanager

from common import TESTS, expect, screen

KERNEL = os.path.join(os.path.dirname(os.environ["RECORDINGS"]), "resctrl_kernel.so")
QUESTION = "into a monitoring group of resctrl"


class Machine:
    """With resctrl mounted, as far as panetop can see it, and a process of our own."""

    def __init__(self, scratch):
        self.root = os.path.join(scratch, "resctrl")
        self.groups = os.path.join(self.root, "mon_groups")
        shutil.copytree(os.path.join(os.environ["ROOTS"], "resctrl-monitor", "tick0", "sys", "fs", "resctrl"), self.root)
        self.in_group("")
        self.child = subprocess.Popen(["sleep", "1000"])

    def in_group(self, name):
        with open(self.root + ".groups", "w", encoding="utf-8") as file:
            file.write(f"res:/\nmon:{name}\n")

    def made(self):
        return [name for name in os.listdir(self.groups) if name.startswith("panetop-")]

    def tasks(self):
        with open(os.path.join(self.groups, self.made()[0], "tasks"), encoding="ascii") as file:
            return file.read().split()

    @contextmanager
    def screen(self, *arguments):
        """The process alone in the list, and selected."""
        environment = {"LD_PRELOAD": KERNEL, "RESCTRL": self.root}
        with screen("--idle", "-p", str(self.child.pid), *arguments, "cpu", env=environment) as terminal:
            terminal.until("sleep")
            terminal.send("Down")
            yield terminal


@contextmanager
def machine(folder):
    made = Machine(folder)
    try:
        yield made
    finally:
        made.child.kill()
        made.child.wait()


def monitor(terminal, *answer):
    terminal.send("F9", *"Mon", "Enter", *answer)


def it_asks_and_makes_one(scratch):
    with machine(scratch) as here, here.screen() as terminal:
        monitor(terminal)
        terminal.shows(QUESTION, f"sleep ({here.child.pid})")
        terminal.send("n")
        expect(here.made() == [], terminal, "no is not no")
        monitor(terminal, "y")
        terminal.until("[Caches]")
        expect(here.tasks() == [str(here.child.pid)], terminal, "it is not in the group")
        terminal.comes(re.compile(rf"mon_groups/.* sleep \({here.child.pid}\)"))
        terminal.send("F9", "y")
        expect(terminal.told("its monitoring group is removed") and here.made() == [], terminal, "it goes on")
        expect(os.path.isdir(os.path.join(here.groups, "job")), terminal, "another group went")


def it_goes_at_the_end(scratch):
    with machine(scratch) as here:
        for end in ("q", signal.SIGTERM):
            with here.screen() as terminal:
                monitor(terminal, "y")
                expect(len(here.made()) == 1, terminal, "there is none")
                if end == "q":
                    terminal.send(end)
                else:
                    os.kill(terminal.pid, end)
                terminal.end()
                assert not here.made(), f"it is left after {end}"


def it_goes_at_the_next_start(scratch):
    """Also of a screen of others; a screen that changes nothing leaves it."""
    with machine(scratch) as here:
        with here.screen() as terminal:
            monitor(terminal, "y")
            left = here.made()
            os.kill(terminal.pid, signal.SIGKILL)
            terminal.end()
            expect(len(left) == 1 and here.made() == left, terminal, "it did not stay")
        with here.screen("--read-only") as terminal:
            expect(here.made() == left, terminal, "--read-only removed it")
        with here.screen() as terminal:
            expect(here.made() == [], terminal, "it is still there")
            expect(os.path.isdir(os.path.join(here.groups, "job")), terminal, "another group went")


def one_that_runs_is_left_alone(scratch):
    with machine(scratch) as here, here.screen() as terminal:
        monitor(terminal, "y")
        made = here.made()
        with here.screen() as other:
            expect(len(made) == 1 and here.made() == made, other, "the group of another panetop went")


def another_group_is_respected(scratch):
    with machine(scratch) as here, here.screen() as terminal:
        here.in_group("of an administrator")
        monitor(terminal)
        terminal.tells("it is in a monitoring group already")
        expect(QUESTION not in terminal.text() and here.made() == [], terminal, "it asks")


def without_resctrl_nothing_is_offered(scratch):
    with machine(scratch) as here:
        shutil.rmtree(here.root)
        with here.screen() as terminal:
            terminal.send("F9").shows("Send a signal").hides("Monitor its caches")
