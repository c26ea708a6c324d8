# SPDX-License-Identifier: GPL-2.0-or-later
"""A running panetop whose samples a test reads."""
import json
import os
import subprocess
import time
from datetime import datetime

PANETOP = os.environ["PANETOP"]


class Samples:
    """A panetop that prints a table as JSON, again and again; arguments may name others, too."""

    def __init__(self, table, *arguments, enter=(), program=PANETOP):
        self.table, self.frames = table, []
        self.process = subprocess.Popen([*enter, program, "-d", "0.2", "-o", "json", "-t", table, *arguments],
                                        stdout=subprocess.PIPE, text=True)

    def next(self):
        """The next sample; all of them are in frames."""
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("panetop ended")
        self.frames.append(json.loads(line))
        return self.frames[-1]

    def later(self):
        """The first one that began after this call; older ones wait in the pipe."""
        called = time.time()
        while datetime.fromisoformat(self.next()["time"]).timestamp() < called:
            pass
        return self.frames[-1]

    def rows(self, key, value):
        """That row of each sample, None where there is none."""
        return [next((row for row in frame["tables"][self.table] if row[key] == value), None) for frame in self.frames]

    def close(self):
        self.process.terminate()
        self.process.stdout.close()
        self.process.wait()
