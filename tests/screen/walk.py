# SPDX-License-Identifier: GPL-2.0-or-later
"""Every key in every view of every pane: it answers, the view has a title, and Esc leads home.

Keys and views are those that the program itself lists (--keys).
"""
import re
import subprocess

from common import EVENT_RECORDING, PANETOP, POWER_RECORDING, RECORDING, fixture, panes, screen

LEAVES = {"q", "F10"}
MAY_BE_SILENT = {"Esc", "^L"}  # at home there is nothing to leave; a screen that is right looks the same
ESCAPES = 4  # an overlay, a comparison, a view, a mark in the table
RECORDINGS = {"events": EVENT_RECORDING, "power": POWER_RECORDING}


def listed():
    """All keys; the first one of each action; and the titles of the views by pane."""
    text = subprocess.run([PANETOP, "--keys"], check=True, capture_output=True, encoding="utf-8").stdout
    common = text.split("\n\n")[0].splitlines()[1:]
    keys = [line[2:].split("  ")[0].split() for line in common if not re.match("  (1-9|arrows|mouse)", line)]
    views = {pane: [line.strip().split("  ")[0] for line in lines.splitlines()]
             for pane, lines in re.findall(r"^Views of the pane (\w+):\n((?:  .*\n)*)", text, re.M)}
    keys = [some for some in keys if not LEAVES & set(some)]
    return [key for some in keys for key in some], [some[0] for some in keys], views


class Walk:
    def __init__(self, terminal, titles):
        self.terminal, self.titles, self.found = terminal, titles, []
        self.tab = re.search(r"\[(\d|\w+)", terminal.lines()[1])[1]  # its digit, or its name

    def shown(self):
        """The marked title of the strip; None: an overlay or another pane covers it."""
        lines = self.terminal.lines()
        if len(self.titles) == 1 and not lines[2].startswith("View"):
            return self.titles[0] if f"[{self.tab}" in lines[1] and self.is_free() else None
        marked = re.findall(r"\[([^]]+)\]", lines[2]) if lines[2].startswith("View") else []
        return marked[0] if len(marked) == 1 and f"[{self.tab}" in lines[1] and self.is_free() else None

    def is_free(self):
        return "q Quit" in self.terminal.lines()[-1]

    def look(self):
        """Text without the clock, and backgrounds."""
        rows = self.terminal.screen.buffer
        return re.sub(r"\d\d:\d\d:\d\d", "", self.terminal.text()), [
            (y, x, cell.bg) for y in range(self.terminal.screen.lines) for x, cell in rows[y].items() if cell.bg != "default"]

    def come_back(self):
        """By the digit of the pane, or from the list of panes."""
        self.terminal.send(*([self.tab] if self.tab.isdigit() else ["F2", "Home", *self.tab, "Enter"]))

    def go_home(self, after):
        """Until one more Esc leads no further; another pane may have been opened, too."""
        for _ in range(ESCAPES + 1):
            before = self.look()
            self.terminal.send("Esc")
            if self.is_free() and f"[{self.tab}" not in self.terminal.lines()[1]:
                self.come_back()
            if self.look() == before and self.shown():
                return
        self.found.append(f"after {after}: {ESCAPES} times Esc do not lead home\n{self.terminal.text()}")
        self.terminal.send("Esc", "Esc")
        self.come_back()

    def go_to(self, title, after):
        if self.shown() == title:
            return
        self.go_home(after)
        if self.shown() == title or self.shown() not in self.titles:
            return
        steps = (self.titles.index(title) - self.titles.index(self.shown())) % len(self.titles)
        self.terminal.send_at_once(*["Tab"] * steps)
        if self.shown() != title:
            self.found.append(f"Tab does not lead to {title}\n{self.terminal.text()}")

    def press(self, key, title):
        before = self.look()
        self.terminal.send(key)
        if self.terminal.ended():
            self.found.append(f"{key} in {title}: it ended")
        elif key not in MAY_BE_SILENT and self.look() == before and not any(map(str.strip, [self.terminal.lines()[-2], *self.terminal.answers])):
            self.found.append(f"{key} in {title} is silent\n{self.terminal.text()}")

    def view(self, title, keys):
        after = "the view before"
        for key in keys:
            self.go_to(title, after)
            self.press(key, title)
            if self.terminal.ended() or len(self.found) > 2:
                return
            after = f"{key} in {title}"
        self.go_home(after)


def walks(pane, argument, keys, titles, title):
    def test(scratch):
        with screen(argument, "-d", "3600", pane, env={"XDG_CONFIG_HOME": scratch}) as terminal:
            walk = Walk(terminal, titles)
            walk.view(title, keys)
            return "\n".join(walk.found[:3]) or None
    return test


def tests():
    keys, first_keys, views = listed()
    found = []
    for pane in panes():
        titles = views[pane] or [pane]
        recording = "--replay=" + RECORDINGS.get(pane, RECORDING)
        for title in titles:
            found.append((f"every key in {pane}, {title}", walks(pane, recording, first_keys, titles, title)))
        found.append((f"every key in {pane} of a live machine", walks(pane, fixture("linux-6.1"), keys if pane == "cpu" else first_keys, titles,
                            titles[0])))
    return found
