# SPDX-License-Identifier: GPL-2.0-or-later
"""make.py PANETOP FOLDER: writes the recordings behind the golden screens into the folder, as lines of JSON, which tests edit, and
as panetop records them, which it reads faster.

memory.recording is made of the modules in memory/: each gives the rows of some topics at a step. A new topic is a new
module there, with a function tables(step).
"""
import importlib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "memory")]

import bursts  # noqa: E402
import clock  # noqa: E402
import events  # noqa: E402
import power  # noqa: E402
import sleep  # noqa: E402
from recording import Recording  # noqa: E402

KILLED_AT = 29
KILLED = {"topic": "reclaim", "text": "a process was killed for want of memory", "remedy": "see the kernel's log"}


def memory(panetop, out, sleeps=None):
    modules = [importlib.import_module(name[:-3]) for name in sorted(os.listdir(os.path.join(HERE, "memory")))
               if name.endswith(".py")]
    recording = Recording(panetop, out, clock.START_WALL, clock.START_MONO)
    for step in range(clock.FRAMES):
        tables = {}
        for module in modules:
            tables.update(module.tables(step))
        if sleeps:
            recording.start_wall += sleeps.moved(step)
            tables.update(sleeps.tables(step, recording.start_wall + step * clock.STEP))
        recording.frame(step * clock.STEP, tables, [KILLED] if step == KILLED_AT else [])


def asleep(panetop, out):
    """The same machine, which sleeps meanwhile."""
    memory(panetop, out, sleep)


def main():
    panetop, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for name, write, *panes in (("bursts", bursts.write, "calls"), ("memory", memory), ("events", events.write), ("power", power.write),
                                ("sleep", asleep)):
        path = os.path.join(folder, name)
        with open(path + ".jsonl", "w", encoding="utf-8") as out:
            write(panetop, out)
        subprocess.run([panetop, f"--replay={path}.jsonl", f"--record={path}.recording", *panes], stderr=subprocess.DEVNULL, check=True)


main()
