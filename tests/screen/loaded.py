# SPDX-License-Identifier: GPL-2.0-or-later
"""Screens of a machine that is made to work for them: they take seconds of a CPU, so scripts/check --quick leaves them out."""
import os
import shutil
import time

from common import expect, fixture, screen
from drawn import clock, live_seconds, seconds_from
from past import back
from process_keys import paged


def cpu_seconds(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e9


def where_it_computes(_scratch):
    """Its functions are in the view Code; of a process that computes, the first line names the one that has more than half of that.
    Only root can see to it that it gets a CPU for that on a busy machine, and only where the host takes none away."""
    work = os.path.join(os.path.dirname(os.environ["PANETOP"]), "tests", "profile_work")
    with paged([work, "1000", "hot"]) as (terminal, child):
        if os.geteuid() == 0:
            os.setpriority(os.PRIO_PROCESS, child.pid, -20)
            began, had = time.monotonic(), cpu_seconds(child.pid)
            if not terminal.wait_for("Over half of that in work_f"):
                ratio = (cpu_seconds(child.pid) - had) / (time.monotonic() - began)
                expect(ratio < 0.9, terminal, f"the function is not named, with {ratio:.2f} of a CPU")
        terminal.view("Code").comes("work_f")


def crowd(scratch, n_processes):
    """The fixture with findings, and that many processes: so many that not each sample has their list."""
    root = os.path.join(scratch, "root")
    shutil.copytree(fixture("cgroup-v2").partition("=")[2], root)
    for pid in range(1000, 1000 + n_processes):
        os.mkdir(os.path.join(root, "proc", str(pid)))
        with open(os.path.join(root, "proc", str(pid), "stat"), "w", encoding="ascii") as file:
            file.write(f"{pid} (sleeper) S 1 {pid} {pid} 0 -1 4194304 9 0 0 0 5 3 0 0 20 0 1 0 100 9999360 500 18446744073709551615" +
                       " 0" * 14 + " 17 1" + " 0" * 13 + "\n")
    return root


def where_tables_rest(scratch):
    """Tables that are dear are not in each sample of another pane. Through the overview one steps from one that has them to the next."""
    def step(terminal, key):
        terminal.send(key)
        return clock(terminal)

    def passed(before, after):
        """Samples between them that the live screen showed."""
        return sum(0 < seconds_from(after, one) < seconds_from(after, before) for one in shown)

    def has_all(terminal, what):
        text = terminal.text()
        expect("sleeper" in text and "system.slice" in text and "not judged" not in text and "not sampled" not in text,
               terminal, what)

    with screen("-d", "1", "--root=" + crowd(scratch, 8000), "disks") as terminal:
        shown = live_seconds(terminal, 20, delay=1)
        terminal.send(",", ",")
        places = [clock(terminal)] + [step(terminal, ",") for _ in range(4)]
        expect(not any(map(passed, places, places[1:])), terminal,
               f"a pane of other tables passes samples over: {places} of {shown}")
        terminal.send("1")
        has_all(terminal, "the sample lacks what the overview shows")
        places = [clock(terminal)]
        for key in (",", ",", ".", "."):
            places.append(step(terminal, key))
            has_all(terminal, f"after {key} the sample lacks what the overview shows")
        start, first, second, first_again, last = places
        expect(passed(start, first) or passed(first, second), terminal, f"all samples have these tables: {places}")
        # the first sample may have been one without them, in which older ones are shown
        expect(first_again == first and seconds_from(start, last) >= 0, terminal, f"steps on: {places}")
        terminal.send("i").shows("Age: ", "rates are over")
        terminal.send(*"qG4Z1")
        has_all(terminal, "what is paused lacks what the overview shows")
        terminal.send("G")
        expect(terminal.wait_for("sleeper") and not back(terminal), terminal, "the present lacks it")
