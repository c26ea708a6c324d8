# SPDX-License-Identifier: GPL-2.0-or-later
"""Tracepoints of the running kernel, and whether panetop counts them."""
import json
import re
import subprocess

TRACES_MAX = 8


class Field:
    """A field of a format, read by other means than panetop does."""

    def __init__(self, line):
        declared, self.offset, self.size, self.signed = re.match(
            r"\tfield:(.*?);\toffset:(\d+);\tsize:(\d+);\tsigned:(\d);", line).groups()
        self.name = re.search(r"(\w+)(\[[^]]*\])?$", declared).group(1)
        kind = declared[:declared.rindex(self.name)].strip()
        is_array = declared.endswith("]") or kind.endswith("[]")
        self.is_text = bool(re.fullmatch(r"(__data_loc |__rel_loc )?(const )?char(\[\])?", kind)) and is_array
        self.is_number = not is_array and "_loc " not in kind and self.size in "1248" and \
            not (re.match(r"(const )?(struct|union) ", kind) and "*" not in kind)


def fields_of(tracing, name):
    with open(f"{tracing}/events/{name.replace(':', '/')}/format", encoding="utf-8") as file:
        return [field for field in (Field(line) for line in file if line.startswith("\tfield:")) if not field.name.startswith("common_")]


def names(tracing):
    with open(f"{tracing}/available_events", encoding="utf-8") as file:
        return sorted(line.strip() for line in file)


def spec_of(tracing, name):
    """All that may be named of a tracepoint, as far as there is room."""
    fields = fields_of(tracing, name)
    texts = {field.name for field in fields if field.is_text}
    numbers = [field.name for field in fields if field.is_number and field.name not in texts]  # regmap:regcache_sync of Linux 5.10
    keys = sorted(texts) + numbers
    return name + (f" by {','.join(keys[:3])},comm" if keys else " by comm,cpu") + \
        (f" sum({numbers[-1]}) max({numbers[0]}) hist if {numbers[-1]} >= 0" if numbers else "")


def every(panetop, tracing, chosen):
    """Each is counted, or refused with a reason: how many of both."""
    counted = refused = 0
    for first in range(0, len(chosen), TRACES_MAX):
        specs = [spec_of(tracing, name) for name in chosen[first:first + TRACES_MAX]]
        run = subprocess.run([panetop, "-o", "json", "-n", "1", "-d", "0.05", "-t", "tracing", "-t", "trace",
                              *(f"--trace={spec}" for spec in specs)], capture_output=True, text=True, check=False)
        if run.returncode:
            raise AssertionError(f"{run.stderr.strip()} {specs}")
        frame = json.loads(run.stdout.splitlines()[-1])
        loaded = {row["program"] for row in frame["tables"]["tracing"] if row["topic"] == "trace"}
        notices = [notice["text"] for notice in frame["notices"]]
        for spec in specs:
            why = [text for text in notices if text.startswith(f"'{spec}': ")]
            if spec not in loaded and not any("the kernel runs no program" in text for text in why):
                raise AssertionError(f"{spec} is neither counted nor refused: {notices}")
            counted += spec in loaded
            refused += spec not in loaded
    return counted, refused
