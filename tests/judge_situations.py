# SPDX-License-Identifier: GPL-2.0-or-later
"""judge_situations.py [--table] [NAME...]: judges the recordings in recordings/situations by what situations.py there says of them.

As TAP; or with --table as the tables of bench/README.md, with precision and recall.
"""
import dataclasses
import datetime
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "recordings", "situations")
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, FOLDER]

import situations  # noqa: E402
from tap import end, same, test  # noqa: E402

PANETOP = os.environ["PANETOP"]
ALARMS = ("warning", "critical")
BUSY = ("run_queue", "cpu_busy", "memory_busy", "disk_busy", "link_busy")  # no alarm: not judged, but where it is meant


@dataclasses.dataclass
class Verdict:
    """What findings said in a recording: those of its table that are right, those that are wrong, and when the right one came."""
    samples: int
    right: dict  # sentences by severity, rule and subject
    wrong: dict
    after: float | None  # seconds

    def is_in_time(self, situation):
        return self.after is not None and self.after <= situation.within

    def is_good(self, situation):
        return not self.wrong and (not situation.rule or self.is_in_time(situation))


def path_of(situation):
    return os.path.join(FOLDER, situation.name + ".recording")


def samples_of(situation):
    """Seconds since the load began, or since the first sample where it began before; and the findings."""
    done = subprocess.run([PANETOP, "-b", "-o", "json", "-t", "finding", f"--replay={path_of(situation)}"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    times = [datetime.datetime.fromisoformat(line["time"].replace("Z", "+00:00")) for line in lines]
    began = times[0 if situation.before else situations.AT - 1]
    return [((time - began).total_seconds(), line["tables"]["finding"]) for time, line in zip(times, lines)]


def is_meant(situation, row):
    return bool(situation.rule) and row["rule"] == situation.rule and re.fullmatch(situation.subject, row["subject"]) is not None


def judge(situation):
    samples = samples_of(situation)
    verdict = Verdict(len(samples), {}, {}, None)
    for seconds, rows in samples:
        for row in rows:
            meant = is_meant(situation, row)
            if row["state"] == "earlier" and not (meant and situation.before) or row["rule"] in BUSY and not meant:
                continue
            kind = verdict.right if meant or row["rule"] in situation.right else verdict.wrong
            kind.setdefault((row["severity"], row["rule"], row["subject"]), row["text"])
            if meant and verdict.after is None and re.search(situation.names, row["text"]):
                verdict.after = seconds
                verdict.right[row["severity"], row["rule"], row["subject"]] = row["text"]
    return verdict


def check(situation):
    def run():
        verdict = judge(situation)
        same(verdict.samples, situation.samples, "samples")
        if verdict.is_good(situation) == bool(situation.missed):
            raise AssertionError(f"after {verdict.after} s of {situation.within}; right: {verdict.right}; wrong: {verdict.wrong}")
    run.__doc__ = f"{situation.name}: {situation.about}"
    return run


def share(part, whole):
    return f"{part} of {whole}" + (f" ({100 * part / whole:.0f} %)" if whole else "")


def table(chosen):
    verdicts = [(each, judge(each)) for each in chosen]
    print("| situation | | said | after |\n| --- | --- | --- | --- |")
    for each, verdict in verdicts:
        said = "; ".join(f"{'**wrong**: ' if key in verdict.wrong else ''}{key[0]}, {key[2]}: {text}"
                         for key, text in {**verdict.right, **verdict.wrong}.items())
        after = f"missed: {each.missed}" if each.missed else "" if verdict.after is None else f"{verdict.after:.0f} s"
        print(f"| {each.about}{' (last)' if each.last else ''} | {'sick' if each.rule else 'calm'} | {said or '–'} | {after} |")
    print("\n| | precision of warnings | precision of all | recall | calm and silent |\n| --- | --- | --- | --- | --- |")
    for name, some in (("the thirty that rules were tuned with", [pair for pair in verdicts if not pair[0].last]),
                       ("the twenty made afterwards", [pair for pair in verdicts if pair[0].last]), ("all", verdicts)):
        right = [key for _, verdict in some for key in verdict.right]
        wrong = [key for _, verdict in some for key in verdict.wrong]
        alarms, false_alarms = ([key for key in keys if key[0] in ALARMS] for keys in (right, wrong))
        sick = [verdict.is_in_time(each) for each, verdict in some if each.rule]
        calm = [not verdict.wrong for each, verdict in some if not each.rule]
        print(f"| {name} | {share(len(alarms), len(alarms) + len(false_alarms))} | {share(len(right), len(right) + len(wrong))} "
              f"| {share(sum(sick), len(sick))} | {share(sum(calm), len(calm))} |")


def main():
    names = [name for name in sys.argv[1:] if name != "--table"]
    chosen = [situations.ALL[name] for name in names] if names else [each for each in situations.ALL.values()
                                                                     if os.path.exists(path_of(each))]
    if "--table" in sys.argv[1:]:
        table(chosen)
        return
    for each in chosen:
        test(check(each))
    end()


main()
