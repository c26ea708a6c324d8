# SPDX-License-Identifier: GPL-2.0-or-later
"""The pane cpu: ended processes among the others, its views and titles, machines of many CPUs, small screens, signals."""
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager

from common import PANETOP, TESTS, edited, expect, loop, needs_nicer, replay, row_of_process, running, screen, sleeper
from terminal import PATIENCE

sys.path[:0] = [os.path.join(TESTS, "recordings"), TESTS]
from ordinary_user import NET_ADMIN, has_capability  # noqa: E402
from recording import Recording  # noqa: E402

TITLES = ("processes that ran in the last 10.0 s", "all processes in the last 10.0 s", "threads in the last 10.0 s",
          "memory of all processes in the last 10.0 s", "what all processes read and wrote in the last 10.0 s",
          "all processes, waiting for a CPU in the last 10.0 s",
          "time of the threads of each process, by part", "payload of all processes",
          "each CPU in the last 10.0 s", "exited since 09:30:00, rates in the last 10.0 s",
          "what used the CPUs in the last 10.0 s", "means", "processes by CPU use in the last 10.0 s",
          "what used the watts, an estimate in the last 10.0 s", "performance counters of every CPU in the last 10.0 s",
          "counters of process 15400 in the last 10.0 s", "cost of panetop itself in the last 10.0 s",
          "commands that failed within a minute", "tasks in uninterruptible sleep (D)",
          "mutexes that most threads of a process wait for", "which groups fill the caches, and move how much memory?", "graphics processors", "graphics processors")
STEP = 10  # seconds between frames of the recording
ENDED = re.compile(r"^ *([0-9.]+) .* (\S+) ×(\d+) ended(?:, \d+ failed)?$", re.M)
DIM = "8a8a8a"  # of ended processes


def recorded(*arguments, **rest):
    return replay(*arguments, "cpu", **rest)


def each_view_has_a_title(_scratch):
    """Tab goes through all of them and comes home; Esc and the pane's digit come home from each."""
    with recorded() as terminal:
        terminal.send(".")
        for title in TITLES:
            terminal.shows(f" {title}")
            terminal.send("Tab")
        terminal.shows(TITLES[0])
        for steps in range(1, len(TITLES)):
            for key in ("Esc", "2"):
                terminal.send_at_once(*["Tab"] * steps)
                terminal.send(key).shows("[Processes]")
                terminal.send("2")


def threads_keep_the_filter(_scratch):
    """H goes to threads and back to where it was pressed, with the filter; Esc without."""
    with recorded(width=120, height=40) as terminal:
        terminal.send(".", "Tab", "F4", *"postgres", "Enter", "H").shows("[Threads]", "filter postgres: ", "postgres").hides("render")
        terminal.send("H").shows("[All]", "filter postgres: ")
        terminal.send("H", "Esc").shows("[Threads]").hides("filter")
        terminal.send("Esc").shows("[All]", "filter postgres: ")
        terminal.send("2", "Tab", "Tab", "Esc").shows("[Processes]")


def rare_views_are_in_a_menu(_scratch):
    """The strip has the others, and at 80 columns all of them; the shown one is always in it."""
    with recorded() as terminal:
        strip = terminal.lines()[2]
        expect(strip.startswith("View [Processes] All ") and strip.endswith("CPUs  More v"), terminal, "the strip")
        terminal.send("v", "End", "Enter")
        expect(terminal.lines()[2].endswith("[GPU engines] More v"), terminal, "the menu does not lead to its last view")
        terminal.send("2")
        terminal.click(terminal.lines()[2].index("More"), 2).shows("Views", "the cost of panetop itself")


def ended_rows(text):
    return [(float(share), name, int(count)) for share, name, count in ENDED.findall(text)]


def ended_processes_are_rows(_scratch):
    """In their place by cost, with their count, and dim."""
    with recorded() as terminal:
        terminal.send(".")
        shares = [float(found) for found in re.findall(r"^ *([0-9]+\.[0-9])  ", terminal.text(), re.M)]
        expect(ended_rows(terminal.text()) == [(12.1, "cc1", 38), (6.9, "as", 12)], terminal, "which ended")
        expect(shares == sorted(shares, reverse=True) and len(shares) > 5, terminal, f"not in their place: {shares}")
        y = terminal.row_of("cc1 ×38 ended")
        colors = {terminal.screen.buffer[y][x].fg for x in range(80) if terminal.screen.buffer[y][x].data.strip()}
        expect(colors == {DIM}, terminal, f"its colours are {colors}")
        terminal.shows("cc1 ×38 ended, 2 failed")


def counts_are_exact(scratch):
    """Though the rate is a number of 64 bits, and the next sample has none."""
    exits = [0, 1000003, 1000004, 1000004]

    def change(number, tables):
        tables["exited"] = [dict(tables["exited"][0], command="burst", exits=exits[number], failures=0, cpu_seconds=0.4 * number)]
    with recorded(recording=edited(scratch, change, frames=4)) as terminal:
        for wanted in ("burst ×1000003 ended", "burst ×1 ended", "burst ended"):
            terminal.send(".").shows(wanted)


def nothing_ended(scratch):
    def change(_number, tables):
        tables["exited"] = [dict(row, exits=5, cpu_seconds=1) for row in tables["exited"]]
    with recorded(recording=edited(scratch, change)) as terminal:
        terminal.send(".").hides("ended")


def the_cursor_stays_on_what_ended(scratch):
    """Rows without a PID are told apart by their commands."""
    def change(number, tables):
        first = tables["exited"][0]
        tables["exited"] = [dict(first, command=name, exits=number, failures=0, cpu_seconds=number * (share if number < 2 else last))
                            for name, share, last in (("one", .9, .2), ("two", .8, .9), ("three", .7, .3))]
        tables["process"] = tables["process"][:1]
    with recorded(recording=edited(scratch, change)) as terminal:
        terminal.send(".", "/", *"two", "Enter")
        y = terminal.row_of("two ×1 ended")
        before = terminal.background(y, 70)
        terminal.send(".")
        after = terminal.background(terminal.row_of("two ×1 ended"), 70)
        others = [terminal.background(terminal.row_of(f"{name} ×1 ended"), 70) for name in ("one", "three")]
        expect(before == after != "default" and before not in others, terminal, "the cursor is on another row")


def what_ended_is_explained(_scratch):
    with recorded() as terminal:
        terminal.send(".", "/", *"cc1 ×38", "Enter", "i").shows("exited.cpu_ratio", "command cc1")


def what_ended_opens(scratch):
    """The last one of the name; or the row says what it is of."""
    def change(_number, tables):
        tables["ended"] = [row for row in tables["ended"] if row["name"] != "cc1"]

    with recorded() as terminal:
        terminal.send(".", "/", *"cc1 ×38", "Enter", "Enter").shows(re.compile(r"^process +\d+ cc1  user root  lived 1.2 s$"))
        terminal.send("Esc").shows("cc1 ×38 ended")
    with recorded(recording=edited(scratch, change)) as terminal:
        terminal.send(".", "/", *"cc1 ×38", "Enter", "Enter").tells("cc1 ×38 ended, 2 failed, between two samples; nothing else").shows("%CPU")


def what_ended_is_filtered_and_searched(_scratch):
    with recorded() as terminal:
        terminal.send(".", "\\", *"ended", "Enter")
        rows = [line for line in terminal.lines()[9:-1] if line.strip()]
        rows = rows[rows.index(next(row for row in rows if "%CPU" in row)) + 1:]
        expect(len(rows) == 3 and all(" ended" in row for row in rows), terminal, str(rows))
        terminal.shows("filter ended: 0 of 11 + 3 ended")
        terminal.send("Esc", "<").shows("cc1 ×38 ended")


def what_ends_live(scratch):
    """Such a row is no process: nothing is sent to it."""
    if not has_capability(NET_ADMIN):
        return  # their names come from exit records
    with loop(scratch) as child, screen("-d", "0.5", f"--in=tree={child.pid}", "cpu") as terminal:
        found = terminal.wait_for("shortlived ×")
        expect(found and ended_rows(terminal.text()), terminal, "it is not there")
        terminal.send("Z", "/", *"shortlived ×", "Enter", "F9").shows("choose a process that runs")
        terminal.send("F8").shows("choose a process that runs")
        terminal.send("Enter").comes(re.compile(r"^process +\d+ shortlived  user "))


def kill_with_two_keys(_scratch):
    """The first row is taken where none is selected; it is named before, and after."""
    with sleeper(selected=False) as (terminal, child):
        terminal.send("F9").shows(re.compile(rf"^Send a signal to {child.pid} \(\w+, \d+ s\): "))
        terminal.press(b"\r")  # the message may leave before all is quiet
        terminal.comes(f"sent SIGTERM to sleep ({child.pid})")
        expect(child.wait(PATIENCE) == -15, terminal, "it was not SIGTERM")


def a_signal_from_the_overview(_scratch):
    """It is for the first process that the screen shows, and the overview stays."""
    with running("sleep", "1000") as one, running("sleep", "1000") as other:
        with screen("-d", "0.5", "-p", f"{one.pid},{other.pid}", "overview", width=120, height=40) as terminal:
            rows = re.compile(r" (\d+) sleep 1000")
            terminal.comes(rows)
            shown = rows.findall(terminal.text())
            expect({str(one.pid), str(other.pid)} <= set(shown), terminal, "not both are there")
            terminal.send("F9").shows(f"Send a signal to {shown[0]} (", "[1")


def what_is_typed_finds_a_signal(_scratch):
    """By its name, and by its number; real-time signals, too."""
    for typed, number in (("usr1", 10), ("9", 9), ("40", 40), ("rtmin+2", 36)):
        with sleeper() as (terminal, child):
            terminal.send("F9" if number > 32 else "k", *typed, "Enter")
            expect(child.wait(PATIENCE) == -number, terminal, f"{typed} is not sent")


def escape_sends_nothing(_scratch):
    with sleeper() as (terminal, child):
        terminal.send("F9", "Down", "Esc")
        expect("Send a signal" not in terminal.text() and child.poll() is None, terminal, "it was sent")


@contextmanager
def pair(*arguments):
    """Two processes of our own, and nothing else, on the screen; both are tagged."""
    children = sorted((subprocess.Popen(["sleep", "1000"]) for _ in range(2)), key=lambda child: child.pid)
    try:
        chosen = ",".join(str(child.pid) for child in children)
        with screen("--idle", "-s", "+pid", "-p", chosen, *arguments, "cpu") as terminal:  # in an order that stays
            for child in children:
                terminal.until(re.compile(rf" {child.pid} .* sleep( 1000)?$"))  # its arguments may come later
            terminal.send("Home", "Space", "Space").until("; 2 tagged")
            yield terminal, children
    finally:
        for child in children:
            child.kill()
            child.wait()


def tagged_rows(terminal):
    return [line for line in terminal.lines() if re.match(r"\* .* sleep( 1000)?$", line)]


def tags_are_seen_and_leave(_scratch):
    """With a mark, a number in the title, and by Esc or when the process exits."""
    with pair() as (terminal, children):
        expect(len(tagged_rows(terminal)) == 2 and "; 2 tagged" in terminal.text(), terminal, "not marked")
        children[0].kill()
        children[0].wait()
        terminal.comes("; 1 tagged")
        terminal.send("Esc")
        expect(not tagged_rows(terminal) and "tagged" not in terminal.text(), terminal, "Esc leaves tags")
        terminal.send("Space").shows("tagged")


def tags_follow_the_process(_scratch):
    """In another view, and when the order changes."""
    with pair() as (terminal, _children):
        one = tagged_rows(terminal.send("Home", "Space", "I"))
        pid = one[0].split()[5] if one else "none"
        after = tagged_rows(terminal.send("Tab", "Tab", "Tab"))
        expect(len(one) == 1 and len(after) == 1 and pid in after[0].split(), terminal, f"{one} then {after}")


def a_tagged_pair_gets_a_signal(_scratch):
    with pair() as (terminal, children):
        terminal.send("F9").shows(re.compile(r"^Send a signal to 2 processes: \d+ sleep, \d+ sleep$"))
        terminal.send("Enter").shows("Send SIGTERM to 2 processes? [y/n]")
        expect([child.poll() for child in children] == [None, None], terminal, "sent without an answer")
        terminal.send("y")
        expect([child.wait(PATIENCE) for child in children] == [-15, -15], terminal, "not both got it")


def what_has_ended_is_not_counted(_scratch):
    """Also if no sample has seen that yet, nor the menu."""
    with pair("-d", "600") as (terminal, children):
        children[0].kill()
        children[0].wait()
        terminal.send("F9").shows(re.compile(rf"^Send a signal to {children[1].pid} \(\w+, \d+ s\): sleep "))
        children[1].kill()
        children[1].wait()
        terminal.send("Enter").hides("[y/n]").shows(f"sleep ({children[1].pid}):")


def a_tagged_pair_is_reniced(_scratch):
    needs_nicer()
    with pair() as (terminal, children):
        terminal.send("F8").comes("Renice 2 processes by +1? [y/n]")
        terminal.send("y")
        nice = [os.getpriority(os.PRIO_PROCESS, child.pid) for child in children]
        expect(nice == [os.getpriority(os.PRIO_PROCESS, 0) + 1] * 2, terminal, str(nice))


def a_tagged_pair_gets_cpus(_scratch):
    """Read back by sched_getaffinity(2); the prompt has the present ones."""
    allowed = sorted(os.sched_getaffinity(0))
    with pair() as (terminal, children):
        terminal.send("F9", *"affin", "Enter").comes("CPUs for all threads of 2 processes")
        terminal.send("x", "Enter").shows("use a list of CPUs")
        terminal.send(*["\x7f"] * 40, *str(allowed[-1]), "Enter")
        cpus = [os.sched_getaffinity(child.pid) for child in children]
        expect(cpus == [{allowed[-1]}] * 2, terminal, str(cpus))
        terminal.send("F9", *"affin", "Enter", *["\x7f"] * 40, *"8191", "Enter").shows("may not use any of these CPUs")


def a_tagged_pair_gets_what_is_chosen(_scratch):
    """A policy, and a priority of I/O."""
    def io_priority(pid):
        return subprocess.run(["ionice", "-p", str(pid)], capture_output=True, text=True, check=True).stdout.strip()

    own = {os.SCHED_OTHER: "other", os.SCHED_BATCH: "batch", os.SCHED_IDLE: "idle"}[os.sched_getscheduler(0)]
    for action, now, answer, read, wanted in (
            ("polic", f"now {own}", "batch", os.sched_getscheduler, os.SCHED_BATCH),
            ("I/O", "I/O priority of all threads of 2 processes; now none", "best effort 6", io_priority, "best-effort: prio 6")):
        with pair() as (terminal, children):
            terminal.send("F9", *action, "Enter").comes(now)
            terminal.send(*answer, "Enter")
            found = [read(child.pid) for child in children]
            expect(found == [wanted] * 2, terminal, str(found))


def touched_memory_comes_into_its_column(_scratch):
    """Of the process that is asked for; where the column is not shown, it says so."""
    with sleeper() as (terminal, child):
        terminal.send("F9", *"Touched", "Enter").comes("show the column touched first")
    with sleeper("-c", "pid,touched_bytes,touched_window_seconds,command") as (terminal, child):
        terminal.send("F9", *"Touched", "Enter").shows(f"Clear the accessed bits of sleep ({child.pid})")
        terminal.send("y").comes(re.compile(rf"^ *{child.pid} +[0-9.]+[KM] +[0-9.]+ ?m?s", re.M))


@contextmanager
def zombie(folder):
    """A child that exited and that its parent, asleep, does not wait for; on the screen only these two."""
    path = os.path.join(folder, "undead")
    shutil.copy("/bin/true", path)
    with running("sh", "-c", f"{path} & exec sleep 4321") as parent:
        with screen("-d", "0.3", "--idle", f"--in=tree={parent.pid}", "cpu") as terminal:
            terminal.until(re.compile(r" Z .* undead$"))
            terminal.until(row_of_process(parent.pid, "sleep 4321"))
            yield terminal, parent


def a_zombie_has_a_parent(scratch):
    """The key i names it, and F9 leads to it."""
    with zombie(scratch) as (terminal, parent):
        terminal.send("/", *"undead", "Enter", "i").shows(f"its parent sleep ({parent.pid}) has not waited for it")
        terminal.send("Esc", "F9", *"go to", "Enter")
        terminal.send("i").shows(f"%CPU of {parent.pid} sleep")


def numbers_are_pids(_scratch):
    """In the filter and in the search, as long as nothing else is typed."""
    with recorded() as terminal:
        terminal.send(".", "\\", *"154")
        rows = terminal.lines()[terminal.row_of("%CPU") + 1:-1]
        expect([row.split()[4] for row in rows if row] == ["15400"], terminal, "not by the PID")
        terminal.send("0", "1").shows("no row matches the filter")
        terminal.send("Esc", "Esc", "/", *"2001", "Enter", "i").shows("%CPU of 2001 postgres")


def newlines_are_blanks(scratch):
    def change(_number, tables):
        for row in tables["process"]:
            row["command"] = row["command"].replace("scene.json", "one\ntwo\tthree")
    with recorded(recording=edited(scratch, change), width=150) as terminal:
        terminal.send(".").shows("--threads 4 one two three")


def one_user(_scratch):
    with recorded() as terminal:
        terminal.send("u").shows("all users", " ada")
        terminal.send(*"ada", "Enter", ".")
        rows = terminal.lines()[terminal.row_of("%CPU") + 1:-1]
        expect(rows and all(" ada " in row for row in rows if row), terminal, "others are shown")
        terminal.shows("── ada: all processes in")
        terminal.send("/", *"postgres", "Enter").shows("'postgres' not found among the processes of ada")
        terminal.send("Esc", "u", "Home", "Enter").shows("postgres")
        terminal.send("u", *"ada", "Enter", "Esc").shows("postgres").hides("ada: all")


NAMES_ITSELF = "import ctypes, sys, time; ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0); print(flush=True); time.sleep(1000)"


@contextmanager
def named(*names):
    """Processes whose command line does not tell their name."""
    children = [subprocess.Popen([sys.executable, "-c", NAMES_ITSELF, name], stdout=subprocess.PIPE) for name in names]
    try:
        for child in children:
            child.stdout.readline()
        yield children
    finally:
        for child in children:
            child.kill()
            child.wait()
            child.stdout.close()


def names_of_their_own_are_seen(_scratch):
    """Before the command line that does not tell them, and a search goes first to what is called so."""
    name = f"w{os.getpid()}"
    with named("a" + name, name) as children, screen("-d", "0.2", "cpu", width=120, height=40) as terminal:
        terminal.until("[2")
        terminal.send("Tab", "\\", *name, "Enter").comes(f" a{name}: ", f" {name}: ")
        terminal.send("/", *name, "Enter", "Enter").comes(f"{children[1].pid} {name}")


def idle_ones_have_a_view(_scratch):
    with screen("-d", "0.2", "cpu") as terminal:
        terminal.until(" of ")
        terminal.send("Tab")
        shown, everything = re.search(r"── all processes.* (\d+)(?: of (\d+))?(?: \+ \d+ ended)? ──", terminal.text()).groups()
        expect(everything is None and int(shown) > 5, terminal, "not all are shown")
        terminal.send("Esc").shows(" of ")


def titles_name_what_was_chosen(_scratch):
    for arguments, title in (("-p", "render"), "chosen processes in"), (("-u", "ada"), "processes that ran in"), \
            (("--threshold=5",), "from 5 % on in"), (("--idle",), "all processes in"), (("--threads",), "threads in"):
        with recorded(*arguments) as terminal:
            terminal.send(".").shows(f"── {title}")


def sorted_by_letters(_scratch):
    """By memory, CPU and time; what ended has only CPU time of the interval."""
    with recorded() as terminal:
        terminal.send(".")
        for key in "MTP":
            terminal.send(key)
            rows = terminal.lines()[terminal.row_of("%CPU") + 1:-1]
            ended = [y for y, row in enumerate(rows) if " ended" in row]
            expect("render" in rows[0], terminal, f"{key}: render is not the first")
            expect((not ended or ended[0] > 4) == (key != "P"), terminal, f"{key}: ended rows are at {ended}")


def opened_and_back(_scratch):
    with sleeper() as (terminal, child):
        terminal.send("Enter").comes(f"{child.pid} sleep").shows("[Pro")
        terminal.send("Esc", "Esc").comes("[2CPU]")


def the_distribution_begins_at_the_top(scratch):
    """Empty ranges are left out, and every other one has a bar."""
    path, processes = os.path.join(scratch, "distribution.jsonl"), {0: 129, 3: 2, 19: 1}
    rows = [{"from_ratio": at / 20, "to_ratio": (at + 1) / 20 if at < 19 else None, "processes": processes.get(at, 0),
             "cpu_ratio": processes.get(at, 0) * (at + 0.5) / 20} for at in range(20)]
    with open(path, "w", encoding="utf-8") as out:
        recording = Recording(PANETOP, out, 1_732_095_000, 5_000)
        for second in range(2):
            recording.frame(second, {"distribution": rows})
    with screen("--replay=" + path, "cpu") as terminal:
        terminal.view("Distribution").send(".")
        shown = re.findall(r"^ *([0-9.]+) +[-0-9.]+ +(\d+) +[0-9.]+ +(█+)$", terminal.text(), re.M)
        expect([(float(row[0]), int(row[1])) for row in shown] == [(95, 1), (15, 2), (0, 129)], terminal, str(shown))


def load(numbers, busy):
    """CPUs with these numbers; busy(number) of each."""
    def change(number, tables):
        one = tables["cpu"][1]
        zero = {key: 0 for key in one if key.endswith("_seconds")}
        seconds = STEP * (number + 1)
        rows = [dict(one, **zero | {"total_seconds": seconds, "user_seconds": seconds * busy(cpu),
                                    "idle_seconds": seconds * (1 - busy(cpu))}, cpu=str(cpu)) for cpu in numbers]
        total = {key: sum(row[key] for row in rows) for key in zero}
        tables["cpu"] = [dict(tables["cpu"][0], **total), *rows]
    return change


def the_total_has_the_grade_of_its_finding(scratch):
    """That of stolen time, though the CPUs are not busy; and of ten busy seconds, though this sample is not."""
    def taken(number, tables):
        load(range(2), lambda _cpu: 0.3)(number, tables)
        for row in tables["cpu"]:
            row.update(steal_seconds=row["total_seconds"] * 0.3, idle_seconds=row["total_seconds"] * 0.4)

    colors = []
    for change in (taken, load(range(2), lambda _cpu: 0.3)):
        recording = edited(scratch, change, frames=8)
        for pane, line in (("overview", r"^CPU .*?(\d+ %)"), ("cpu", r"^CPU +(\d+\.\d %)")):
            with replay(pane, recording=recording) as terminal:
                terminal.send(*"g+999", "Enter")
                y, found = next((y, found) for y, text in enumerate(terminal.lines()) if (found := re.match(line, text)))
                colors.append(terminal.screen.buffer[y][found.start(1)].fg)
    expect(colors[0] == colors[1] != "default" and colors[2] == colors[3] == "default", terminal, str(colors))


def many_cpus(scratch):
    """Bars while lines are free; else cells with a ruler, the total and the busiest."""
    recording = edited(scratch, load(range(64), lambda cpu: 1 if cpu == 17 else 0.25))
    with recorded(recording=recording) as terminal:
        terminal.send(".")
        lines = terminal.lines()
        expect(re.match(r"CPU 26.2 %.*max CPU17 100.0 %", lines[3]), terminal, "no total and maximum")
        expect(lines[4].split() == ["0", "8", "16", "24", "32", "40", "48", "56"], terminal, "no ruler")
        expect(lines[5][lines[4].index("16") + 1] == "█" and lines[5].count("█") == 1, terminal, "no cell")
        expect(lines[4].index("16") == lines[5].index("▃") + 16, terminal, "the ruler does not fit")
        terminal.resize(200, 60)
        terminal.quiet()
        bars = re.findall(r"CPU\d+ +\S", terminal.text())
        expect(len(bars) == 64, terminal, f"{len(bars)} bars")


def names_where_bars_fit(scratch):
    """Every glyph of a small screen has its name, and no number is cut."""
    def change(number, tables):
        load(range(2), lambda cpu: 0.5)(number, tables)
        for row in tables["cpu"]:
            for key, share in (("user", .1), ("nice", .1), ("system", .1), ("softirq", .1), ("steal", .05), ("iowait", .05)):
                row[key + "_seconds"] = row["total_seconds"] * share
    with recorded("--color=never", recording=edited(scratch, change), width=40, height=12) as terminal:
        terminal.send(".")
        lines = terminal.lines()
        glyphs = set("".join(lines[3:5])) & set("█▓▒░▤▥▦▧")
        expect(glyphs <= set(lines[2]) and {"█", "▒"} <= glyphs, terminal, f"without a name: {glyphs - set(lines[2])}")
        expect(not re.search(r"\d\.(…|$)", terminal.text(), re.M), terminal, "a number is cut")


def the_lowest_screen(_scratch):
    with recorded(width=20, height=5) as terminal:
        terminal.send(".")
        rows = terminal.lines()[1:4]
        expect(rows == ["CPU 73.5 %", "200.0 render", " 41.0 cc1"], terminal, str(rows))


def the_table_stays_where_it_is(scratch):
    """The account comes when much is unaccounted, or of processes that exited, below it."""
    unaccounted = [0, 0.01, 0.3, 0.3, 2]  # CPU seconds per second

    def change(number, tables):
        for row in tables["account"]:
            if row["part"] in ("busy", "tasks", "exited", "unaccounted"):
                row["cpu_seconds"] = STEP * sum(unaccounted[:number + 1]) if row["part"] in ("busy", "unaccounted") else 0
    with recorded(recording=edited(scratch, change, frames=5)) as terminal:
        seen = []
        for _ in range(4):
            terminal.send(".")
            seen.append((terminal.row_of("%user"), "unaccounted" in terminal.text()))
        expect(len({row for row, _ in seen}) == 1 and [said for _, said in seen] == [False, True, True, True], terminal,
               str(seen))


def parts_larger_than_the_whole(scratch):
    """The sum of the account is written as one: no negative number."""
    def change(number, tables):
        for row in tables["account"]:
            if row["part"] in ("busy", "tasks", "unaccounted"):
                row["cpu_seconds"] = STEP * number * {"busy": 1, "tasks": 1.25, "unaccounted": -0.25}[row["part"]]
            else:
                row["cpu_seconds"] = 0
    with recorded(recording=edited(scratch, change, frames=3)) as terminal:
        terminal.send(".").shows("1.00 CPUs busy: running processes 1.25, ended 0.00, unaccounted -0.25")


def one_scope(_scratch):
    """@ offers what the selected process stands for, all panes follow, and @ leaves it."""
    with recorded() as terminal:
        terminal.send(".", "Down", "@").shows("15400 render with its descendants", "15400 render alone", "its user, ada")
        terminal.send("Enter").shows("only tree of 15400 (1 task)", "render").hides("postgres")
        terminal.send("1").shows("only tree of 15400").hides("postgres").in_line(0, "(1 task) @ ends")
        terminal.send("Esc", "Esc", "Esc")  # to the pane it began with, off its row, then no further
        terminal.shows("@ leaves the scope")
        terminal.send("2", "@").shows("all processes").hides("only tree").shows("postgres")


def scope_of_what_is_not_one_process(_scratch):
    """@ without a selection is about the first one, where there is one, and on a row of many processes says what to do."""
    with recorded() as terminal:
        terminal.send(".", "4", "@").shows("select a process or a group first")
        terminal.send("2", "@").shows("All panes show only (of 15400 /home/ada/bin/render --threads 4 scene.json)")
        terminal.send("Esc")
        for _ in range(8):
            terminal.send("Down")
            if any("ended" in line and terminal.screen.buffer[at][3].bg != "default" for at, line in enumerate(terminal.lines())):
                break
        terminal.send("@").shows("not of one living process")
