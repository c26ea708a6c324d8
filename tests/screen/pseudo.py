# SPDX-License-Identifier: GPL-2.0-or-later
"""Every pane and view in a language whose texts are long, wide and marked at both ends: pseudo_catalogue.py."""
import glob
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.environ["TESTS_DIR"]]

from common import PANETOP, as_lines, panes, recording_named, recording_of, replay  # noqa: E402
from pseudo_catalogue import BEGIN, END, groups_of, messages  # noqa: E402

LAST = ["g", "+", "9", "9", "9", "9", "Enter"]
SHARED_KEYS = ["U", "F2", "s", "<", ">", "I", "Z", ",", "/", "\\", "g", "o", "M"]
SIZES = ((80, 24), (200, 60), (40, 12))
JOBS = 8 * len(os.sched_getaffinity(0))
PARTS = set("AKco")  # letters of the graph of memory
PRESSES = 4  # brings a toggle of two or of four states back
HEADING = "5fafd7"  # its colour
HALF = re.compile("\ufffd|[^\x00-\x7f░▒▓█]\\?")  # what is left of a character that was cut
# not translated: names of keys, units, values of options, the program
NAMES = set("""Enter Space PgUp PgDn Home Left Right Esc Tab Bksp wheel click panetop psys exitnonzero comm clone ptrace auto percent
    block braille ascii dark light terminal bytes seconds ratio per_second bytes_per_second hertz address watts joules celsius volts rpm time TERM STOP""".split())


def recorded_panes():
    return [(pane, recording_named(recording_of(pane))) for pane in panes()]


def words_of(text):
    return set(re.findall(r"[A-Za-z]{4,}", text))


def texts_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)


def allowed_words(recording, template):
    """What stands in the recording, names and sources of columns; but nothing that has a translation."""
    described = json.loads(subprocess.run([PANETOP, "--describe", "-o", "json"], check=True,
                                          capture_output=True).stdout)
    with open(template, encoding="utf-8") as file:
        translated = {one for _, one, _ in messages(file)}
    allowed = set(NAMES)
    with open(as_lines(recording), encoding="utf-8") as lines:
        for line in lines:
            frame = json.loads(line)
            for text in texts_in(frame.pop("notices", [])):
                allowed |= words_of(text)  # they stay as they were recorded
            for text in texts_in(frame):
                if text not in translated:
                    allowed |= words_of(text)
    for topic in described["topics"]:
        allowed |= words_of(topic["name"])
        for column in topic["columns"]:
            allowed |= words_of(column["key"]) | words_of(column["source"])
    for path in glob.glob(os.path.join(os.environ["TESTS_DIR"], "..", "src", "pane", "*", "*.c")):
        with open(path, encoding="utf-8") as file:
            for text in re.findall(r'\.(?:name|source) = "([^"]*)"', file.read()):
                allowed |= words_of(text)  # of numbers that are drawn beside the tables
    return allowed


def cells_of(terminal, y):
    """One text for each cell; the second half of a wide character is empty."""
    return [terminal.screen.buffer[y][x].data for x in range(terminal.screen.columns)]


def untranslated(terminal, allowed):
    """Words of ASCII that are no data; of data the beginning is enough, letters of graphs are all capitals."""
    found = {word for line in terminal.lines()[1:] for word in words_of(line) if not word.isupper() and set(word) - PARTS} - allowed
    return sorted(word for word in found if not any(text.startswith(word) for text in allowed))


def is_heading(terminal, y):
    row = terminal.screen.buffer[y]
    colours = [row[x].fg for x in range(terminal.screen.columns) if row[x].data not in (" ", "")]
    return len(colours) > 8 and colours.count(HEADING) > 0.9 * len(colours)


def end_of_line(cells):
    return len("".join(cell or "x" for cell in cells).rstrip())


def cut_texts(terminal):
    """Marked texts that lose their end before the edge: something was drawn over them. Wrapped ones go on below."""
    found = []
    for y in range(terminal.screen.lines):
        cells = cells_of(terminal, y)
        _, open_at = groups_of(cells)
        middle = terminal.screen.columns // 2
        if open_at is None or y >= terminal.screen.lines - 2 or end_of_line(cells) >= terminal.screen.columns - 3:
            continue
        if open_at < middle and "".join(cells[middle - 3:middle]).strip():
            continue  # two columns: it is cut at the end of the first
        below = "".join("".join(cells_of(terminal, y + n)) for n in range(1, 4) if y + n < terminal.screen.lines)
        first = re.search(f"[{BEGIN}{END}]", below)
        if not first or first.group() == BEGIN:
            found.append(f"line {y}: cut: {''.join(cells).rstrip()}")
    return found


def misaligned(terminal):
    """Under each heading, in the first row, one side of the column is a gap."""
    found = []
    for y in range(2, terminal.screen.lines - 1):
        heading, row = cells_of(terminal, y), cells_of(terminal, y + 1)
        groups, _ = groups_of(heading)
        if len(groups) < 3 or not is_heading(terminal, y) or not "".join(row).strip() or row[0] == BEGIN:
            continue
        sentences, _ = groups_of(row)  # in place of the rows of a table beside others
        for left, right in groups[:-1]:
            if any(first <= left <= last for first, last in sentences):
                continue
            before = left == 0 or row[left - 1] == " "
            after = right >= len(row) or row[right] == " "
            if not before and not after:
                found.append(f"line {y + 1}: under cells {left} to {right}:\n{''.join(heading)}\n{''.join(row)}")
    return found


def problems(terminal, allowed, wide):
    if terminal.ended():
        return ["it ended"]
    found = cut_texts(terminal) + misaligned(terminal) if wide else []
    found += [f"half a character: {line}" for line in terminal.lines() if HALF.search(line)]
    words = untranslated(terminal, allowed) if wide else []
    return found + ([f"not translated: {', '.join(words)}"] if words else [])


def keys_of(pane, recording):
    """All keys of a pane, as its help lists them, and a Tab for each of its views."""
    with replay(pane, recording=recording, width=200, height=110) as terminal:
        terminal.send("F1")
        lines = terminal.lines()
    first = next(y for y, line in enumerate(lines) if line.startswith("Keys of this pane")) + 1
    last = next(y for y, line in enumerate(lines) if line.startswith("Keys everywhere"))
    views = next((y for y, line in enumerate(lines) if line.startswith("Views of this pane")), first - 2)
    keys = [key for line in lines[first:last] if line[:2] == "  " for key in line[2:11].split()[:1]]
    return keys, first - views - 3


class Walk:
    """Presses keys one after the other and looks at every screen."""

    def __init__(self, terminal, allowed, wide):
        self.terminal, self.allowed, self.wide, self.found = terminal, allowed, wide, []

    def look(self, after):
        for problem in problems(self.terminal, self.allowed, self.wide):
            self.found.append(f"after {after}: {problem}")
        return not self.terminal.ended()

    def press(self, key, path):
        if not self.terminal.ended():
            self.terminal.send(key)
            self.look(path)

    def close_overlay(self, footer):
        if not self.terminal.ended() and self.terminal.lines()[-1] != footer:
            self.terminal.send("Esc")

    def page(self, key, path):
        """A page that may be refused."""
        footer = self.terminal.lines()[-1]
        self.press(key, path)
        self.close_overlay(footer)
        self.look(path + " closed")

    def over(self, key):
        """The pages that explain what the key shows."""
        for page in ("i", "c"):
            self.page(page, f"{key} {page}")

    def key(self, key):
        footer = self.terminal.lines()[-1]
        for n in range(PRESSES):
            self.press(key, f"{key} {n + 1} times")
            self.close_overlay(footer)
            if n == 0 and self.wide and self.terminal.screen.columns == 80:
                self.over(key)


def walk(pane, recording, template, language, width, height):
    """What is wrong, or None."""
    wide = width >= 80
    keys, views = keys_of(pane, recording)
    keys += SHARED_KEYS if pane == "memory" else []
    with replay(pane, recording=recording, width=width, height=height, env=language) as terminal:
        walk_over = Walk(terminal, allowed_words(recording, template), wide)
        walk_over.look("start")
        terminal.send(*LAST)
        walk_over.look("the last frame")
        for page in ("F1", "i", "c"):
            walk_over.page(page, page)
        for n in range(views):
            walk_over.press("Tab", f"view {n + 2}")
        walk_over.press("Esc", "Esc")
        for key in keys:
            walk_over.key(key)
    return "\n".join(walk_over.found[:8]) or None


def main():
    template, first = sys.argv[1], int(sys.argv[2])
    language = dict(name.split("=", 1) for name in sys.argv[3:])
    walks = [(pane, recording, template, language, *size) for size in SIZES for pane, recording in recorded_panes()]
    with ProcessPoolExecutor(JOBS) as pool:  # they wait most of the time
        for number, (one, problem) in enumerate(zip(walks, pool.map(walk, *zip(*walks))), first):
            print(f"{'not ok' if problem else 'ok'} {number} - the pane {one[0]} in long wide text at {one[4]}x{one[5]}")
            if problem:
                print("\n".join("# " + line for line in problem.splitlines()))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
