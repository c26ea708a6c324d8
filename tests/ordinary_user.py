# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs without the rights of root."""
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager

from tap import Skip

# Before a command; of a user who is an ordinary one there is nothing to change.
NOBODY = () if os.getuid() else ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all")

NET_ADMIN = 12  # a capability, which exit records take
SYS_PTRACE = 19  # which files of a process without capabilities take


def is_root():
    """Of the machine: root of a user namespace has no rights outside it, and maybe no other user in it."""
    with open("/proc/self/uid_map", encoding="ascii") as users:
        return os.geteuid() == 0 and users.read().split() == ["0", "0", "4294967295"]


def has_capability(number):
    """In a container root lacks most of them."""
    with open("/proc/self/status", encoding="ascii") as status:
        return is_root() and any(line.startswith("CapEff:") and int(line.split()[1], 16) >> number & 1 for line in status)


def names_remedy(text, rights):
    """Does it tell what gives the rights; in a container, that its root lacks them, or has other PIDs than the kernel?"""
    return any(words in text for words in (rights, "even root lacks it here", "in a PID namespace"))


@contextmanager
def ordinary_copy(program):
    """A copy of the program that NOBODY may run."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        copy = shutil.copy(program, place)
        if subprocess.run([*NOBODY, copy, "--version"], capture_output=True, check=False).returncode:
            raise Skip("an ordinary user cannot run a program here")
        yield copy
