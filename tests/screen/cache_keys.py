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
        shutil.copytree(os.path.join(TESTS, "fixtures", "resctrl-monitor", "tick0", "sys", "fs", "resctrl"), self.root)
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
def machine(scratch):
    made = Machine(scratch)
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
        problem = expect(QUESTION in terminal.text() and f"sleep ({here.child.pid})" in terminal.text(), terminal, "it does not ask")
        terminal.send("n")
        problem = problem or expect(here.made() == [], terminal, "no is not no")
        monitor(terminal, "y")
        terminal.until("[Caches]")
        problem = problem or expect(here.tasks() == [str(here.child.pid)], terminal, "it is not in the group") or \
            expect(terminal.wait_for(re.compile(rf"mon_groups/.* sleep \({here.child.pid}\)")), terminal, "its row does not name it")
        terminal.send("F9", "y")
        return problem or expect(terminal.told("its monitoring group is removed") and here.made() == [], terminal, "it goes on") or \
            expect(os.path.isdir(os.path.join(here.groups, "job")), terminal, "another group went")


def it_goes_at_the_end(scratch):
    with machine(scratch) as here:
        for end in ("q", signal.SIGTERM):
            with here.screen() as terminal:
                monitor(terminal, "y")
                problem = expect(len(here.made()) == 1, terminal, "there is none")
                if end == "q":
                    terminal.send(end)
                else:
                    os.kill(terminal.pid, end)
                terminal.end()
                if problem or here.made():
                    return problem or f"it is left after {end}"
    return None


def it_goes_at_the_next_start(scratch):
    """Also of a screen of others; a screen that changes nothing leaves it."""
    with machine(scratch) as here:
        with here.screen() as terminal:
            monitor(terminal, "y")
            left = here.made()
            os.kill(terminal.pid, signal.SIGKILL)
            terminal.end()
            problem = expect(len(left) == 1 and here.made() == left, terminal, "it did not stay")
        with here.screen("--read-only") as terminal:
            problem = problem or expect(here.made() == left, terminal, "--read-only removed it")
        with here.screen() as terminal:
            return problem or expect(here.made() == [], terminal, "it is still there") or \
                expect(os.path.isdir(os.path.join(here.groups, "job")), terminal, "another group went")


def one_that_runs_is_left_alone(scratch):
    with machine(scratch) as here, here.screen() as terminal:
        monitor(terminal, "y")
        made = here.made()
        with here.screen() as other:
            return expect(len(made) == 1 and here.made() == made, other, "the group of another panetop went")


def another_group_is_respected(scratch):
    with machine(scratch) as here, here.screen() as terminal:
        here.in_group("of an administrator")
        monitor(terminal)
        return expect(terminal.told("it is in a monitoring group already"), terminal, "no reason") or \
            expect(QUESTION not in terminal.text() and here.made() == [], terminal, "it asks")


def without_resctrl_nothing_is_offered(scratch):
    with machine(scratch) as here:
        shutil.rmtree(here.root)
        with here.screen() as terminal:
            terminal.send("F9")
            return expect("Send a signal" in terminal.text() and "Monitor its caches" not in terminal.text(), terminal, "it is offered")


def tests():
    return [
        ("F9 asks, and puts a process into a monitoring group until F9", it_asks_and_makes_one),
        ("a monitoring group goes when the screen ends", it_goes_at_the_end),
        ("a monitoring group of a killed screen goes when the next one starts", it_goes_at_the_next_start),
        ("a monitoring group of a screen that runs stays", one_that_runs_is_left_alone),
        ("a process in a monitoring group of others is left there", another_group_is_respected),
        ("without resctrl no monitoring is offered", without_resctrl_nothing_is_offered),
    ]
