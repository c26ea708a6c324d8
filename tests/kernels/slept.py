# SPDX-License-Identifier: GPL-2.0-or-later
"""slept.py FILE: compares what panetop said of a sleep of 20 seconds with what init-sleep did, and printed to FILE.

Prints "ok - NAME" or "not ok - NAME" for each test, and "end" after the last.
"""
import collections
import datetime
import json
import sys


def read(path):
    said = collections.defaultdict(list)
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            word, _, rest = line.rstrip("\r\n").partition(" ")
            said[word].append(rest)
    return said


def moment(text):
    return datetime.datetime.fromisoformat(text[:26].rstrip("Z") + "+00:00").timestamp()


def check(name, good, *what):
    print(f"{'ok' if good else 'not ok'} - {name}")
    if not good:
        print("#", *what)


def rows_of(samples):
    return [row for sample in samples for row in sample["tables"]["sleep"]]


def judge(said, run):
    samples = [json.loads(line) for line in said[run]]
    rows = rows_of(samples)
    slept = [row for row in rows if row["kind"] == "suspend"]
    clock = [row for row in rows if row["kind"] == "clock"]
    # the alarm is set before the kernel falls asleep, which takes seconds of its 20 under emulation
    check(f"{run}: one sleep, until the alarm", len(slept) == 1 and 10 < slept[0]["seconds"] < 21, rows)
    check(f"{run}: a faster clock is no row", not rows_of(samples[:int(said[f"slept-{run}"][0])]), rows)
    # init-sleep sets it to a whole second that it has read, a while later under emulation
    off = [row["seconds"] - wanted for row, wanted in zip(clock, (100, -100))]
    check(f"{run}: the clock was set twice", len(clock) == 2 and all(-3 < seconds <= 0.01 for seconds in off), rows)
    if not slept:
        return
    row = slept[0]
    check(f"{run}: the sleep lies between its times",
          row["seconds"] <= moment(row["time"]) - moment(row["from_time"]) < row["seconds"] + 15, row)
    irq = said["irq"][0]
    check(f"{run}: its interrupt is the kernel's", row["irq"] == (int(irq) if irq.isdigit() else None), row, irq)
    names = [source.split(" ", 2)[2] for source in said["source"] if not source.startswith("0 ")]
    check(f"{run}: what woke it up is a source with an event",
          row["wake_source"] is not None and all(words.split(" ")[-1] in names for words in row["wake_source"].split(", ")),
          row, said["source"])
    at = next(i for i, sample in enumerate(samples) if sample["tables"]["sleep"] and sample["tables"]["sleep"][0]["kind"] == "suspend")
    before, now = samples[at - 1], samples[at]
    switches = [sample["tables"]["system"][0]["context_switches"] for sample in (before, now)]
    rate = now["tables"]["system"][0]["context_switches_per_second"]
    awake = moment(now["time"]) - moment(before["time"]) - row["seconds"]
    check(f"{run}: rates are of the time awake",
          now["interval_seconds"] < 15 and abs((switches[1] - switches[0]) / rate - awake) < 0.5, now["interval_seconds"], switches, rate, awake)
    suspend = samples[-1]["tables"]["suspend"][0]
    check(f"{run}: asleep since boot, without the offset of a namespace", abs(suspend["asleep_seconds"] - row["seconds"]) < 0.01, suspend)
    check(f"{run}: suspends are the kernel's", [str(suspend["suspends"])] == said["success"] == ["1"], suspend, said["success"])
    sources = sorted(f"{source['events']} {source['activations']} {source['name']}" for source in samples[-1]["tables"]["wake_source"])
    check(f"{run}: wakeup sources are the kernel's", sources == sorted(said["source"]), sources, said["source"])


def main():
    said = read(sys.argv[1])
    for run in ("plain", "namespace"):
        try:
            judge(said, run)
        except (IndexError, KeyError, StopIteration, TypeError, ValueError) as error:
            check(f"{run}: what panetop printed can be read", False, repr(error), said["errors"])
    if "end" in said:
        print("end")


main()
