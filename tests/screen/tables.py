# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables on the screen: a cursor that stays with its row, columns that do not fit, what is clicked and sought."""
import json
import re

from common import BUSY_RECORDING, EVENT_RECORDING, configuration, configured, edited, expect, replay, running, screen

SELECTED = "5fafd7"  # background of the selected cell
ROW = "444444"       # background of the selected row


MATCH = "87d7af"     # background of what was searched for
PAGING = ["Tab"] * 4  # from the home view of the memory pane


def selected_text(terminal):
    """What stands on the background of the selected cell."""
    for y in range(terminal.screen.lines):
        cells = [x for x in range(terminal.screen.columns) if terminal.background(y, x) == SELECTED]
        if cells:
            return terminal.lines()[y][cells[0]:cells[-1] + 1].strip()
    return None


def selected_line(terminal):
    for y in range(terminal.screen.lines):
        if any(terminal.background(y, x) in (SELECTED, ROW) for x in range(terminal.screen.columns)):
            return terminal.lines()[y]
    return ""


def an_idle_process_stays_selected(scratch):
    """It used nothing in one interval: the view leaves such rows out, but not the one that is selected."""
    used = {}

    def rest(number, tables):
        row = next(row for row in tables["process"] if row["pid"] == 15999)
        for key in [key for key in row if key.endswith("_seconds") and key != "start_seconds"]:
            if number == 2:
                row[key] = used[key]
            used[key] = row[key]

    with replay("cpu", recording=edited(scratch, rest, frames=10), width=100) as terminal:
        terminal.send(".", "/", *"evil", "Enter", "[")
        for frame in ("before", "while it rests", "after"):
            expect(" 15999 " in selected_line(terminal), terminal, f"{frame}: another row is selected")
            terminal.send(".")
        terminal.send(",", ",", "Esc").hides("15999")


def every_column_can_be_reached(_scratch):
    with replay("memory", width=40, height=12) as terminal:
        terminal.send(*PAGING, "Right", "Right")
        expect(selected_text(terminal) == "700000", terminal, "the second column is not to be seen")
        terminal.send("Right").shows("per s")
    with replay("memory", width=22, height=12) as terminal:
        terminal.send("Tab", "Tab", "Right", "Right")
        expect(selected_text(terminal) == "8.0G" and "size" in terminal.text(), terminal, "the size is not to be seen")


def a_number_is_not_cut(_scratch):
    """What is left of one would be another one."""
    with replay("memory", width=10, height=12) as terminal:
        terminal.send(*PAGING, "Right", "Right")
        expect(selected_text(terminal) == "…", terminal, f"there stands {selected_text(terminal)}")


def narrow_rows_tell_what_they_are(_scratch):
    for width, name in ((20, "rend"), (30, "…/render"), (80, "…/render --threads 4")):
        with replay("cpu", width=width, height=14) as terminal:
            terminal.send(".")
            line = terminal.lines()[terminal.row_of(" 15400 ")]
            expect(f" {name}" in line.partition(" 15400")[2], terminal, "no command")


def the_present_tab_is_seen(_scratch):
    for width in (20, 26):
        with replay("pages", width=width, height=12) as terminal:
            terminal.in_line(1, "[0]")


def a_filter_is_told(_scratch):
    """However long it is, and however narrow the screen."""
    for width, height, most in ((80, 24, 43), (40, 12, 43), (26, 12, 43)):
        for pane, wanted in (("cpu", "render"), ("memory", "render")):
            pattern = wanted + "|" + "x" * (most - len(wanted) - 1)
            with replay(pane, "--filter=" + pattern, opening=True, width=width, height=height) as terminal:
                lines = [line for line in terminal.lines() if "filter " in line]
                expect(len(lines) == 1 and "…: 1" in lines[0], terminal, "no filter is shown")
                expect("[" in terminal.lines()[1] or width < 40, terminal, "the pane is not marked")


def a_wrong_expression_is_told(_scratch):
    """Behind the answer, or above it where there is no room."""
    with replay(width=40, height=12) as terminal:
        terminal.send("\\", *"foo(", "Enter")
        terminal.in_line(-1, "foo(", "Unmatched")
        terminal.send(*"o and more", "Enter").in_line(-1, "more").in_line(-2, "Unmatched")


def a_search_that_is_left_moves_nothing(_scratch):
    with replay("cpu") as terminal:
        terminal.send(".", "/", *"pzzzz")
        expect(selected_line(terminal) == "", terminal, "a part of it selected a row")
        terminal.send("Esc", "/", "p", "Esc")
        expect(selected_line(terminal) == "", terminal, "Esc left a row selected")
        before = selected_line(terminal.send("Down", "Down"))
        terminal.send("/", *"render", "Esc")
        expect(selected_line(terminal) == before, terminal, "Esc did not bring the cursor back")
    with replay("events", recording=EVENT_RECORDING) as terminal:
        terminal.send("/", "e", "Esc").shows("live")


def the_table_below_is_clicked(_scratch):
    with replay("memory") as terminal:
        terminal.send(".").view("Paging")
        y = next(y for y in range(22, 3, -1) if terminal.lines()[y].startswith(("cpu", "io", "memory")))
        terminal.click(2, y)
        clicked = terminal.lines()[y]
        expect(selected_line(terminal) == clicked, terminal, "a click on it selects no row")
        terminal.send("Up")
        expect(selected_line(terminal) == terminal.lines()[y - 1], terminal, "it does not get the keys")


def a_column_does_not_stand_twice(scratch):
    with replay("-s", "pid", "-c", "pid,command,program", "cpu", env=configured(scratch), width=120) as terminal:
        terminal.send(".", "w")
    assert "process.columns = pid,command,program\n" in configuration(scratch), configuration(scratch)


def columns_that_are_not_there_are_told(scratch):
    env = configured(scratch, "process.columns = pid,program,program\nmemory.columns = name,nonsense\nmemory.sort = name\n")
    with replay(env=env) as terminal:
        said = terminal.raw.decode()
        expect("panetop: process.columns, line 1 of " in said and "panetop: memory.columns, line 2 of " in said,
               terminal, "it is not told")
        expect("memory.sort" not in said, terminal, "what is right is refused")


def a_pane_that_is_chosen_is_sampled_at_once(_scratch):
    with running("sleep", "1000") as child, screen("-d", "86400", "--idle", "-p", str(child.pid)) as terminal:
        terminal.send("2").hides("not recorded").comes("sleep").comes("0.0    0.0    0.0 ")


def a_narrow_title_of_a_tree_is_whole(_scratch):
    with replay("cpu", opening=True, width=40, height=12) as terminal:
        terminal.send("t").shows("── tree in 10.0 s ─")


def times_of_an_axis_are_short(_scratch):
    """And in one unit; where samples come late, the axis is of a longer time."""
    with screen("-d0.5", "cpu", width=200, height=60) as terminal:
        terminal.until(" -80 s ")
        axis = next(line for line in terminal.lines() if line.rstrip().endswith(" now"))
        times = re.findall(r" -(\S+) s\b", axis)
        expect(len(times) >= 4 and all(time.endswith("0") and time.isdigit() for time in times) and "min" not in axis,
               terminal, "a long time")


def a_tree_is_folded(_scratch):
    """The numbers of a folded row stay its own."""
    with replay("cpu", opening=True, width=99, height=30) as terminal:
        terminal.send("t", "/", *"-bash", "Enter")
        whole = terminal.text()
        expect("└─ make" in whole and "├─ …/render" in whole, terminal, "the tree has no lines")
        terminal.send("-")
        expect("+4 -bash" in selected_line(terminal) and "render" not in terminal.text(), terminal, "it does not fold")
        terminal.send(".", ",", "+")
        expect(terminal.text() == whole, terminal, "it does not unfold")
        terminal.send("Down", "-")
        expect("+4 -bash" in selected_line(terminal), terminal, "a leaf does not fold the row above")
        terminal.send("-")
        expect("+7 …/systemd" in selected_line(terminal), terminal, "not the row above that")
        terminal.send("*").shows("make -j4", "…/render").hides("+7")
        terminal.send("/", *"make", "Enter", "*").shows("+2 [kthreadd]").hides("make -j4")
        expect("+7 …/systemd" in selected_line(terminal), terminal, "the cursor does not go to the row above")
        terminal.send("+").shows("+4 -bash")
    with replay("cpu", "--ascii", opening=True, width=100, height=30) as terminal:
        terminal.send("t").shows("`- make", "|- render")


def kernel_threads_are_hidden(scratch):
    """In every list, by their column, not by brackets; how many is said; w keeps it."""
    def change(_number, tables):
        next(row for row in tables["process"] if row["name"] == "make")["command"] = "[make]"
    with replay("cpu", recording=edited(scratch, change), opening=True, env=configured(scratch)) as terminal:
        terminal.send("Tab").shows("[rcu_preempt]", "[make]")
        terminal.send("K").shows(" 8 + 3 ended, hidden: 3 ─", "[make]").hides("[rcu_preempt]", "[kthreadd]")
        terminal.send("w", "3").hides("[k")
    with replay("cpu", opening=True, env=configured(scratch)) as terminal:
        terminal.shows("hidden: 3 ─").send("K").shows("[rcu_preempt]").hides("hidden: 3")


def underlined(terminal):
    """The underlined text of each line below the strip of views."""
    found = []
    for y in range(3, terminal.screen.lines - 1):
        cells = [terminal.screen.buffer[y][x] for x in range(terminal.screen.columns)]
        found.append("".join(cell.data for cell in cells if cell.underscore))
    return [text for text in found if text]


def a_new_row_is_marked_for_one_sample(scratch):
    def come(number, tables):
        if number < 3:
            tables["process"] = [row for row in tables["process"] if row["pid"] != 15400]

    with replay("cpu", recording=edited(scratch, come, frames=5), opening=True) as terminal:
        expect(underlined(terminal) == [], terminal, f"marked before: {underlined(terminal)}")
        for frame, wanted in ((2, []), (3, ["render"]), (4, [])):
            terminal.send(".")
            expect(underlined(terminal) == wanted, terminal, f"frame {frame}: {underlined(terminal)}")


def what_matches_is_marked(_scratch):
    def marked(terminal):
        return {terminal.lines()[y][x] for y in range(terminal.screen.lines) for x in range(terminal.screen.columns)
                if terminal.background(y, x) == MATCH}

    with replay("cpu", opening=True) as terminal:
        expect(marked(terminal) == set(), terminal, "something is marked")
        for keys, wanted in (("/nder", "nder"), ([], ""), ("\\make", "make"), ([], ""), ("\\scene.json", "scene.json")):
            terminal.send(*keys, "Enter" if keys else "Esc")
            expect(marked(terminal) == set(wanted), terminal, f"marked: {marked(terminal)}")


def what_a_list_leaves_out_is_not_cut(scratch):
    """How many processes hide what they read, beside the number of rows."""
    def hide(count):
        def change(_number, tables):
            rows = tables["process"]
            for i in range(count):
                row = dict(rows[0], pid=100000 + i, start_ticks=1)
                for key in row:
                    if key.startswith(("read_bytes", "write_bytes", "disk_bytes")):
                        row[key] = None
                rows.append(row)
        return change
    for count, width, title in ((7, 200, "most disk I/O (7 unreadable) ─"), (7, 120, "─ disk: 7 unreadable ─"), (1200, 74, "─ 1200 unreadable ─")):
        path = edited(scratch, hide(count))
        with open(path, encoding="utf-8") as file:
            head, *frames = file
        with open(path, "w", encoding="utf-8") as file:
            file.write(head)
            for frame in frames:
                notice = {"topic": "storage", "text": "reads and writes are hidden", "remedy": None}
                file.write(json.dumps(dict(json.loads(frame), notices=[notice])) + "\n")
        with replay("overview", recording=path, opening=True, width=width) as terminal:
            terminal.shows(title)


def a_trend_stands_beside_its_number(_scratch):
    """Where there is room; it follows the sort, and a step back has what was known then."""
    with replay("cpu", opening=True, width=100, height=30) as terminal:
        terminal.send(*"........")
        whole, shorter = re.compile("^ 200.0 \u2584{8} .* 15400 "), re.compile("^ 200.0    \u2584{5} .* 15400 ")
        terminal.shows(whole, "▼%CPU trend")
        terminal.send("M").shows("▼RSS trend")
        terminal.send("P", ",").shows(whole)
        terminal.send(",", ",", ",").shows(shorter)  # not of the future
        terminal.send("1", "2").shows(shorter)
    for width, arguments in ((99, []), (120, ["--ascii"])):
        with replay("cpu", *arguments, opening=True, width=width, height=30) as terminal:
            terminal.hides("trend")


def a_fixed_unit_stands_in_the_heading(_scratch):
    with replay("cpu", "--unit=MiB", opening=True) as terminal:
        expect(terminal.row_of("RSS MiB") is not None and " 900 " in terminal.text(), terminal, "no unit")
        terminal.send("U").shows("RSS GiB")


def a_long_list_is_paged(_scratch):
    """The columns of a table, and the kinds of events."""
    with replay("cpu", height=14) as terminal:
        first = selected_line(terminal.send("c"))
        expect(selected_line(terminal.send("PgDn")) not in ("", first), terminal, "PgDn moves nothing")
        expect(selected_line(terminal.send("PgUp")) == first, terminal, "PgUp does not go back")
        last = selected_line(terminal.send("End", "Down"))
        expect(last not in ("", first), terminal, "End moves nothing")
        expect(selected_line(terminal.click(5, 6, button=64)) not in ("", last), terminal, "the wheel moves nothing")
        expect(selected_line(terminal.send("Home")) == first, terminal, "Home does not go back")


def thousands_of_interfaces(scratch):
    """The table leaves room to the graph; the one of thousands that has a fault is named."""
    def many(_number, tables):
        idle = {key: 0 if key.endswith(("_bytes", "_packets")) else value for key, value in tables["interface"][1].items()}
        tables["interface"][1:] = [{**idle, "name": f"tap{i}", "duplex": "half" if i == 2999 else "full"} for i in range(3000)]

    with replay("network", recording=edited(scratch, many, frames=3)) as terminal:
        terminal.send(".", ".").shows("tap2999 runs half duplex")
        lines = terminal.lines()
        expect(all(lines[2:]) and "sent" in lines[-2], terminal, "lines are left empty")


def processes_of_the_selected_group(_scratch):
    """Below the groups stand those of the selected one; Down leads into their list, and Up back to it."""
    with replay("groups", recording=BUSY_RECORDING, at="09:15:06", width=120, height=40) as terminal:
        title, every = re.search(r"── (processes[^─]*) ─+ (\d+) ──", terminal.text()).groups()
        expect(title == "processes", terminal, "without a selected group they are not all")
        terminal.send("/", *"visitors", "Enter")
        found = re.search(r"── processes of visitors\.service ─+ (\d+) of (\d+) ──\n.*\n((?:.*\S\n)+)", terminal.text())
        expect(found and found[2] == every, terminal, "they are not counted")
        shown = found[3].splitlines()[:int(found[1])]
        expect(0 < len(shown) == int(found[1]) < int(every), terminal, "they are not those of the group")
        expect(all("nginx" not in line and "postgres" not in line for line in shown), terminal, "they are others")
        terminal.send("l").shows("this row is not of one living process")
        terminal.send("M").shows("▼memory").send("P")
        terminal.send("/", *"(not in a group)", "Enter", "Down").shows("processes of (not in a group)", "[ksoftirqd")
        terminal.send("End", "Enter").shows("[Summary]")


def groups_on_a_small_screen(_scratch):
    with replay("groups", recording=BUSY_RECORDING, at="09:15:06") as terminal:
        terminal.send("k").hides("── processes").shows("in a recording cannot be changed")


def health_of_disks(scratch):
    """The worst has the line and the colours of its state, the selected one its own; what is not known has no line."""
    def change(number, tables):
        states = {"nvme0n1": ("worn", "endurance nearly used up"), "sda": ("failing", "read-only")} if number == 0 else {}
        for table, column in ("disk_health", "state"), ("disk", "health"):
            for row in tables[table]:
                state, reason = states.get(row["device"], ("unknown", "asleep"))
                row.update({column: state} | ({"reason": reason} if table == "disk_health" else {}))

    with replay("disks", recording=edited(scratch, change), width=140, height=24) as terminal:
        terminal.shows("health of sda: failing (read-only)")
        lines = terminal.lines()
        at = {word: [(y, line.index(word)) for y, line in enumerate(lines) if word in line] for word in ("worn", "failing")}
        colors = {word: {terminal.screen.buffer[y][x].fg for y, x in places} for word, places in at.items()}
        expect([len(places) for places in at.values()] == [1, 2], terminal, f"they stand at {at}")
        expect(all(len(found) == 1 and "default" not in found for found in colors.values()) and
               colors["worn"] != colors["failing"], terminal, f"their colours are {colors}")
        terminal.send("/", *"nvme0n1", "Enter").shows("health of nvme0n1: worn (endurance nearly used up)")
        terminal.send(".").hides("health of ").shows("unknown")
