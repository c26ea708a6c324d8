# SPDX-License-Identifier: GPL-2.0-or-later
"""make.py FOLDER: writes the fixtures there: those of ../fixtures, and the machines that are made here.

A function for each machine adds the files of moment t to a Tree, two seconds after the moment before; what did not change
since is not written, as unit tests (tests/unit/rig.h) lay one moment over the other.
"""
import itertools
import os
import shutil
import sys

sys.dont_write_bytecode = True

import caches  # noqa: E402
import gpu  # noqa: E402
import kernels  # noqa: E402
import nodes  # noqa: E402
import power  # noqa: E402
from tree import Tree  # noqa: E402

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures")
MACHINES = kernels.MACHINES | nodes.MACHINES | caches.MACHINES | power.MACHINES | gpu.MACHINES


def put_stored(tree, folder):
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                tree.put(os.path.relpath(path, folder), file.read())


def write(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for name in {*os.listdir(FIXTURES), *MACHINES}:
        make, ticks = MACHINES.get(name, (None, 0))
        files = {}
        for t in itertools.count():
            stored = os.path.join(FIXTURES, name, f"tick{t}")
            if t >= ticks and not os.path.isdir(stored):
                break
            tree = Tree(os.path.join(folder, name, f"tick{t}"), files)
            put_stored(tree, stored)
            if t < ticks:
                make(tree, t)


if __name__ == "__main__":
    write(sys.argv[1])
