# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings that were changed: values that are not known, numbers and names that are rare; of other versions."""
import itertools
import json
import os
import re

from common import POWER_RECORDING, RECORDING, as_lines, edited, expect, replay

STEP = 10  # seconds between frames of RECORDING
UNKNOWN = {
    "system": ("load5", "load15", "threads", "running", "blocked"),
    "latency": ("measured_seconds", "slack_seconds", "missed"),
    "power": ("mean_watts", "stddev_watts", "min_watts", "max_watts"),
    "temperature": ("min_celsius", "max_celsius"),
}
UNKNOWN_PARTS = {"account": ("exited", "cpu_seconds"), "power_account": ("exited", "joules")}


def forget(_number, tables):
    for topic, columns in UNKNOWN.items():
        for row in tables.get(topic, []):
            row.update(dict.fromkeys(columns))
    for topic, (part, column) in UNKNOWN_PARTS.items():
        for row in tables.get(topic, []):
            if row["part"] == part:
                row[column] = None


def what_is_not_known(scratch):
    """It is a dash, neither the word of the C library nor a fact."""
    panes = [("memory", RECORDING), ("cpu", RECORDING), ("latency", RECORDING), ("cpu", POWER_RECORDING), ("power", POWER_RECORDING)]
    texts = []
    for pane, recording in panes:
        with replay(pane, recording=edited(scratch, forget, recording), width=160, height=40) as terminal:
            terminal.send(".", ".")
            expect(not re.search(r"\bnan\b|no slack|none missed", terminal.text()), terminal, pane)
            texts.append(terminal.text())
            if pane == "power":  # the statistics of each domain
                terminal.send("Tab")
                expect(re.search(r"^.*package-0 .*(\s+-){3}", terminal.text(), re.M), terminal, "domains")
    told = ("load 0.44 - -", "runnable -    blocked on I/O -", "threads -", "slack -")
    missing = [text for text in told if text not in "".join(texts)]
    return "\n".join([str(missing), *texts]) if missing else None


def ranges_of_a_graph(scratch):
    """The lowest and the highest value stand beside a line; noise does not fill it."""
    def change(number, tables):
        for row in tables["temperature"]:
            if row["sensor"] == "x86_pkg_temp":
                row["celsius"] = (4, 45, 45)[number]
            if row["sensor"] == "acpitz":
                row["celsius"] = (41.1, 40.9, 41.3)[number]
    with replay("power", recording=edited(scratch, change, POWER_RECORDING), width=100, height=30) as terminal:
        terminal.send(".", ".")
        lines = terminal.lines()
        package, case = (next(y for y, line in enumerate(lines) if line.startswith(f" {name} °C")) for name in ("package", "acpitz"))
        expect(lines[package].split()[2] == "45" and lines[package + 1].split()[:2] == ["45", "4"] and
               "█" in lines[package], terminal, "the range")
        expect(lines[case].split()[2] == "41" and "█" not in lines[case], terminal, "noise fills a line")


def no_load(scratch):
    """The shares add up to a hair more than one."""
    def change(number, tables):
        for row in tables["cpu"]:
            row.update(user_seconds=50, idle_seconds=100 + 9 * number, iowait_seconds=10 + number, total_seconds=200 + 10 * number)
    with replay("power", recording=edited(scratch, change, POWER_RECORDING)) as terminal:
        terminal.send(".")
        expect(re.search(r"\bload % +0\b", terminal.text()), terminal, "the load of an idle machine")


def equal_shares_of_ended_commands(scratch):
    def change(number, tables):
        tables["exited"] = [dict(tables["exited"][0], command=name, exits=10 * number, failures=0, cpu_seconds=share * number * STEP)
                            for name, share in (("one", 0.02), ("two", 0.03), ("three", 0.02))]
    with replay("cpu", recording=edited(scratch, change)) as terminal:
        terminal.send(".")
        ended = re.findall(r"^ *([0-9.]+) .* (one|two|three) ×10 ended$", terminal.text(), re.M)
        expect(ended == [("3.0", "two"), ("2.0", "one"), ("2.0", "three")], terminal, f"they are {ended}")


def numbered(numbers):
    def change(_number, tables):
        everything, one = tables["cpu"][:2]
        tables["cpu"] = [everything] + [dict(one, cpu=str(number)) for number in numbers]
    return change


def long_names_of_cpus(scratch):
    with replay("cpu", recording=edited(scratch, numbered([8, 128, 129, 1030]))) as terminal:
        terminal.send(".")
        names = re.findall(r"CPU\d+ ", terminal.text())
        expect(set(names) == {"CPU8 ", "CPU128 ", "CPU129 ", "CPU1030 "}, terminal, str(names))


def names_of_cpus_that_do_not_follow_each_other(scratch):
    """Where each is a cell, every line begins with the name of its first one."""
    with replay("cpu", recording=edited(scratch, numbered([*range(20), *range(64, 84)])), width=30) as terminal:
        terminal.send(".")
        names, above = re.findall(r"^CPU\d+ ", terminal.text(), re.M), [terminal.lines()[y].split() for y in (4, 6)]
        expect(names == ["CPU0 ", "CPU68 "] and above == [["0", "8", "16"], ["68", "76"]], terminal, f"{names} {above}")


def long_counts_of_a_histogram(scratch):
    def change(number, tables):
        for row in tables["latency_bucket"]:
            row["samples"] = (0, 1_000, 1_869_000_004)[number]
    with replay("latency", recording=edited(scratch, change), width=100) as terminal:
        terminal.send(".", ".").shows(" 9345000020 50%")


def a_sentence_of_two_lines(scratch):
    """As many lines as it needs, however wide the screen is."""
    def change(_number, tables):
        for row in tables["pressure"]:
            row["avg10_ratio"] = 0
        for row in tables["reclaim"]:
            if row["counter"].startswith("pgsteal"):
                row["total"] = 0
        for row in tables["paging"]:
            row.update(evictions=0, window_evictions=0)
    with replay("memory", recording=edited(scratch, change, frames=25), width=130) as terminal:
        terminal.send(*"g+999", "Enter").shows("without reclaim: paged out on purpose", "evicted before this run.")


def no_blank_lines_for_what_was_cut(scratch):
    """Where nothing measures power, the sentence that says so takes as much as it needs of a small screen, and the rest follows."""
    def change(_number, tables):
        for topic in ("power", "temperature", "fan", "battery", "power_account"):
            if topic in tables:
                tables[topic] = []
    with replay("power", recording=edited(scratch, change, POWER_RECORDING), width=40, height=12) as terminal:
        terminal.send(".")
        lines = terminal.lines()
        missing = terminal.row_of("No power or temperature")
        expect(missing > 0 and "speed below." in lines[missing + 1], terminal, "the sentence is cut")
        expect("load %" in lines[missing + 3], terminal, "the load does not follow it")


def of_another_version(scratch, keep):
    """The recording with the columns of each topic that keep() returns, in that order."""
    path = os.path.join(scratch, "other")
    with open(as_lines(RECORDING), encoding="utf-8") as source, open(path, "w", encoding="utf-8") as out:
        head, order = json.loads(next(source)), {}
        for name, topic in head["topics"].items():
            keys = [column["key"] for column in topic["columns"]]
            order[name] = [keys.index(key) for key in keep(name, keys)]
            topic["columns"] = [topic["columns"][at] for at in order[name]]
        out.write(json.dumps(head) + "\n")
        for line in itertools.islice(source, 3):
            frame = json.loads(line)
            for name, table in frame["tables"].items():
                table["rows"] = [[row[at] for at in order[name]] for row in table["rows"]]
            out.write(json.dumps(frame) + "\n")
    return path


def columns_in_another_order(scratch):
    def drawn(path):
        with replay("cpu", recording=path, width=160, height=40) as terminal:
            terminal.send(".")
            return "\n".join(terminal.lines()[2:])  # above is which of how many samples it is
    reversed_columns = of_another_version(scratch, lambda _name, keys: keys[::-1])
    assert drawn(reversed_columns) == drawn(RECORDING), drawn(reversed_columns)


def columns_that_an_older_version_lacked(scratch):
    """They are unknown; the others are there."""
    lacked = {"cpu": ("steal_seconds",), "process": ("nice", "command_base"), "memory": ("kernel_bytes",)}
    path = of_another_version(scratch, lambda name, keys: [key for key in keys if key not in lacked.get(name, ())])
    with replay("cpu", recording=path, width=160, height=40) as terminal:
        terminal.send(".").shows("render", "200.0")
        terminal.send("3").shows("kernel -  █ cache")


def calm_but_for_a_group(scratch):
    """OK about the machine is not in the colour of calm above the sentence about a group that wants memory; without one it is."""
    def color(used):
        def change(_number, tables):
            for row in tables["group"]:
                row["memory_limit_used_ratio"] = used
        with replay("memory", recording=edited(scratch, change)) as terminal:
            terminal.send(".", ".")
            expect(terminal.lines()[3].startswith("OK"), terminal, "the verdict")
            expect(("of its memory limit" in terminal.text()) == (used > 0.95), terminal, "the group")
            return terminal.screen.buffer[3][0].fg
    colors = [color(used) for used in (0.2, 0.99)]
    assert colors[0] != "default" and colors[1] == "default", colors
