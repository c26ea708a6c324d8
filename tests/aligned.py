# SPDX-License-Identifier: GPL-2.0-or-later
"""Is every column of the text on standard input under its heading? Headings are marked by pseudo_catalogue.py."""
import sys
import unicodedata

from pseudo_catalogue import groups_of


def cells_of(line):
    """One text for each cell; the second half of a wide character is empty."""
    cells = []
    for character in line:
        cells += [character, ""] if unicodedata.east_asian_width(character) in "WF" else [character]
    return cells


def is_heading(cells):
    groups, _ = groups_of(cells)
    marked = sum(right - left for left, right in groups)
    return len(groups) > 2 and 2 * marked > sum(cell != " " for cell in cells)


def misplaced(groups, cells):
    """The columns of which neither side is a gap in this row."""
    for left, right in groups[:-1]:
        before = left == 0 or cells[left - 1:left] in ([" "], [])
        after = cells[right:right + 1] in ([" "], [])
        if not before and not after:
            yield left, right


def main():
    groups, rows, failed = [], 0, 0
    for line in sys.stdin.read().splitlines():
        cells = cells_of(line)
        if not line.strip():
            groups = []
        elif is_heading(cells):
            groups, _ = groups_of(cells)
        elif groups:
            rows += 1
            for left, right in misplaced(groups, cells):
                failed += 1
                print(f"cells {left} to {right}: {line}", file=sys.stderr)
    if rows == 0:
        print("there is no row under a heading", file=sys.stderr)
    return 1 if failed or rows == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
