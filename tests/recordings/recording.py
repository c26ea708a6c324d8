# SPDX-License-Identifier: GPL-2.0-or-later
"""What all recordings share: the columns come from panetop itself, the values from here, by the keys of the columns."""
import json
import os
import subprocess
import tempfile


def header(panetop):
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(root + "/proc")
        subprocess.run([panetop, f"--record={root}/made.jsonl", "-n", "1", "-d", "0.05", "--root=" + root],
                       stderr=subprocess.DEVNULL, check=False)
        with open(root + "/made.jsonl", encoding="utf-8") as made:
            return json.loads(next(made))


class Recording:
    """Written to a file, frame by frame; a frame is rows by topic, a row is values by column."""

    def __init__(self, panetop, out, start_wall, start_mono, digits=None):
        head = header(panetop)
        self.keys = {name: [column["key"] for column in topic["columns"]] for name, topic in head["topics"].items()}
        self.out, self.start_wall, self.start_mono, self.digits = out, start_wall, start_mono, digits
        self._line(head)

    def _line(self, value):
        self.out.write(json.dumps(value, separators=(",", ":")) + "\n")

    def _values(self, topic, row):
        unknown = set(row) - set(self.keys[topic])
        if unknown:
            raise SystemExit(f"the topic {topic} has no column {', '.join(sorted(unknown))}")
        values = [row.get(key) for key in self.keys[topic]]
        return values if self.digits is None else [round(value, self.digits) if isinstance(value, float) else value
                                                   for value in values]

    def frame(self, seconds, tables, notices=()):
        """As many seconds after the first one."""
        mono = (self.start_mono + seconds) * 10**9
        self._line({"wall_ns": (self.start_wall + seconds) * 10**9, "mono_ns": mono, "host": "vbox",
                    "tables": {topic: {"mono_ns": mono, "rows": [self._values(topic, row) for row in rows]}
                               for topic, rows in tables.items()},
                    "notices": list(notices)})
