#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""coverage.py BUILD [FILE...]: the share of the lines of src that ran, by folder and in total; of each FILE the lines that did not.

BUILD is a build with --coverage whose programs have run. A line in a header counts once, and ran if it did anywhere.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent / "src"
AT_ONCE = 20  # objects that one gcov reads


def lines_of(build, notes):
    """Whether each line that these objects have code of ran: (file, line), ran."""
    gcov = subprocess.run(["gcov", "--json-format", "--stdout", *notes], cwd=build, capture_output=True, check=True)
    found = collections.defaultdict(bool)
    for text in gcov.stdout.splitlines():
        for file in json.loads(text)["files"]:
            path = (build / file["file"]).resolve()
            if path.is_relative_to(SRC):
                for line in file["lines"]:
                    found[str(path.relative_to(SRC)), line["line_number"]] |= line["count"] > 0
    return found


def all_lines(build):
    notes = sorted(str(path.relative_to(build)) for path in (build / "src").rglob("*.gcno"))
    if not notes:
        sys.exit(f"coverage.py: {build} is no build with --coverage")
    parts = [notes[i:i + AT_ONCE] for i in range(0, len(notes), AT_ONCE)]
    found = collections.defaultdict(bool)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for part in pool.map(lambda part: lines_of(build, part), parts):
            for place, ran in part.items():
                found[place] |= ran
    return found


def print_missed(found, name):
    path = str(pathlib.Path(name).resolve().relative_to(SRC))
    text = (SRC / path).read_text(encoding="utf-8").splitlines()
    for (file, line), ran in sorted(found.items()):
        if file == path and not ran:
            print(f"src/{file}:{line}: {text[line - 1].strip()}")


def main():
    found = all_lines(pathlib.Path(sys.argv[1]).resolve())
    for name in sys.argv[2:]:
        print_missed(found, name)
    if len(sys.argv) > 2:
        return
    ran, lines = collections.Counter(), collections.Counter()
    for (file, _), did in found.items():
        for folder in (file.split("/")[0] if "/" in file else ".", "all of src"):
            lines[folder] += 1
            ran[folder] += did
    for folder in sorted(lines, key=lambda folder: (folder == "all of src", folder)):
        print(f"{100 * ran[folder] / lines[folder]:6.1f} %  {ran[folder]:6} of {lines[folder]:6} lines  {folder}")


main()
