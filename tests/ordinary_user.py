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


@contextmanager
def ordinary_copy(program):
    """A copy of the program that NOBODY may run."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        copy = shutil.copy(program, place)
        if subprocess.run([*NOBODY, copy, "--version"], capture_output=True, check=False).returncode:
            raise Skip("an ordinary user cannot run a program here")
        yield copy
