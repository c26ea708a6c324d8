# SPDX-License-Identifier: GPL-2.0-or-later
"""The live screen goes back: to the very screens that were drawn, while sampling goes on behind them."""
import glob
import os
import re
import subprocess
import time
import xml.etree.ElementTree

from common import PANETOP, RECORDING, TESTS, edited, expect, fixture, recording_named, replay, running, screen
from drawn import DAY, clock, drawn_again, first_sample, live_seconds, seconds_of
from terminal import PATIENCE

BACK = re.compile(r" -((?:\d+d )?\d\d:\d\d:\d\d) of ((?:\d+d )?\d\d:\d\d:\d\d)  \d\d:\d\d:\d\d$")


def back(terminal):
    found = BACK.search(terminal.lines()[0].rstrip())
    return found[1] if found else None


def until(terminal, condition, what):
    """Waits for what is seen on the screen."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end or terminal.ended():
            raise AssertionError(f"{what}\n{terminal.text()}")
        terminal.go_on()


def the_same_screens(*pane, height=24):
    def test(_scratch):
        with screen(*pane, height=height) as terminal:
            return drawn_again(terminal, 10)
    return test


def there_and_live_again(_scratch):
    """By each way out; meanwhile the machine is sampled."""
    with screen("-d", "0.2", "cpu") as terminal:
        for way in ("G", "Esc", "Z"):
            live_seconds(terminal, 1)
            terminal.send(",", ",")
            expect(back(terminal), terminal, f"it is not in the past before {way}")
            until(terminal, lambda: back(terminal) >= "00:00:02", "the present stands still")
            terminal.send(way)
            expect(not back(terminal) and "paused" not in terminal.lines()[0], terminal, f"{way} does not come back")
        terminal.send(",")
        end = time.monotonic() + PATIENCE
        while back(terminal) and time.monotonic() < end:
            terminal.send_at_once(*["."] * 100)  # faster than samples come
        expect(not back(terminal), terminal, "steps forward do not reach the present")


def the_past_cannot_be_changed(_scratch):
    with running("sleep", "1000") as child, screen("-d", "0.2", "cpu") as terminal:
        live_seconds(terminal, 1)
        terminal.send(",", "Down", "F9").shows("recording cannot be changed")
        terminal.send("Esc", "3")
        expect(back(terminal) and "[3" in terminal.text(), terminal, "panes do not go back together")


def times(_scratch):
    began = time.monotonic()
    with screen("-d", "0.2", "cpu") as terminal:
        live_seconds(terminal, 1)
        terminal.send("{").tells("the first sample that is kept")
        terminal.send(*["}"] * (1 + int((time.monotonic() - began) / 60)))
        expect(not back(terminal), terminal, "a minute on is not the present")
        terminal.send(*"g00:00:00", "Enter")
        if clock(terminal) != "00:00:00":
            expect(terminal.said("kept is") or terminal.said("use 12:03"), terminal, "a time that is not kept")
        terminal.send(*["Bksp"] * 8, "-", "1", "Enter")
        expect(back(terminal), terminal, "a second before")


def timeline(terminal):
    """Where the line of panes shows the load over the past: its first cell and its place mark."""
    line = terminal.lines()[1]
    found = re.search(r"[\u2581-\u2588\u2502][\u2581-\u2588 \u2502]{8,}$", line)
    return (found.start(), line.find("\u2502")) if found else None


def the_load_over_the_past(_scratch):
    """Load is where it was, a click on it goes there, and the present has no such line."""
    with screen("-d", "0.2", "cpu", width=120) as terminal:
        live_seconds(terminal, 1)
        expect(not timeline(terminal), terminal, "the present shows it")
        with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as busy:
            live_seconds(terminal, 1)
            busy.kill()
        live_seconds(terminal, 2)
        terminal.send(",")
        expect(timeline(terminal), terminal, "nothing is shown")
        start, mark = timeline(terminal)
        line = terminal.lines()[1]
        highest = max(range(start, len(line)), key=lambda x: line[x] if line[x] != "\u2502" else " ")
        expect(mark > highest, terminal, "the place is not after the load")
        age, length = BACK.search(terminal.lines()[0]).groups()
        first = seconds_of(clock(terminal)) + seconds_of(age) - seconds_of(length)
        terminal.click(highest, 1)
        least, most = (((highest - start + side) / (terminal.screen.columns - start) * seconds_of(long)) for side, long in  # it grows meanwhile
                       ((-1, length), (2, BACK.search(terminal.lines()[0])[2])))
        at = (seconds_of(clock(terminal)) - first + DAY // 2) % DAY - DAY // 2
        expect(int(least) - 2 <= at <= most + 2, terminal, f"a click leads {at} s after the first, not {least} to {most}")
        terminal.send("{")
        expect(timeline(terminal)[1] == timeline(terminal)[0], terminal, "the first sample is not at the start")
        terminal.send("G")
        expect(not timeline(terminal), terminal, "the present shows it")


def a_sleep(_scratch):
    """The line of the load has a gap where the machine slept, and marks; a minute on leads across it."""
    with replay("memory", recording=recording_named("sleep"), width=160) as terminal:
        terminal.send("g", "+", *"413", "Enter")
        expect(re.search(r"[\u2581-\u2588]z {5,}[\u2581-\u2588!]+c", terminal.lines()[1]), terminal, "no gap")
        terminal.send("g", "-", *"163", "Enter", "}")
        expect(clock(terminal) == "09:35:20", terminal, "a minute on is not behind the sleep")
        terminal.send("{")
        expect(clock(terminal) == "09:34:10", terminal, "a minute back is not before it")


def opened_later(scratch):
    """A table that no view wanted so far is read of the sample that is shown."""
    path = os.path.join(scratch, "blocks")
    subprocess.run([PANETOP, "-b", "--replay=" + RECORDING, "--record=" + path, "cpu"], check=True, capture_output=True)
    with screen("--replay=" + path, "cpu", width=100) as terminal:
        terminal.send(".").view("Counters")
        shown = terminal.lines()[0]
        terminal.shows("branches")
        expect(terminal.lines()[0] == shown, terminal, "it is another sample")


def click_on_cpu(terminal, from_right):
    """On the line of the CPU, which a finding may have moved."""
    y = next(y for y, line in enumerate(terminal.lines()) if line.startswith("CPU "))
    terminal.click(len(terminal.lines()[y]) - from_right, y)


def a_click_on_a_graph(_scratch):
    """Goes back as far as its column is; further right it is less far."""
    with screen("-d", "0.2", "overview", width=120, height=30) as terminal:
        live_seconds(terminal, 4)
        for _ in range(5):  # a finding may come meanwhile, above it
            click_on_cpu(terminal, 15)
            first = back(terminal)
            if first:
                break
        expect(first and first >= "00:00:01", terminal, "not as far back as was clicked")
        terminal.send("G")
        click_on_cpu(terminal, 6)
        expect(back(terminal) and back(terminal) < first, terminal, f"not less far than {first}")


def a_clock_that_was_set_back(scratch):
    """Steps go on to the first sample, though times before it are shown twice."""
    step = os.path.join(scratch, "step")
    environment = {"LD_PRELOAD": os.environ["CLOCK_STEP_LIBRARY"], "CLOCK_STEP": step}
    with screen("-d", "0.2", "cpu", env=environment) as terminal:
        live_seconds(terminal, 1)
        before = clock(terminal)
        with open(step, "w", encoding="ascii"):
            pass
        until(terminal, lambda: 30 < (seconds_of(before) - seconds_of(clock(terminal))) % DAY < DAY / 2, "it is not set back")
        live_seconds(terminal, 1)
        if before <= clock(terminal):  # midnight
            return
        first_sample(terminal)
        expect(clock(terminal) <= before, terminal, "it is another one")
        first = clock(terminal)
        terminal.send(*["."] * 5)
        expect(clock(terminal) >= first and back(terminal), terminal, "steps forward do not pass it")


def a_live_sleep(scratch):
    """A row, and a gap in graphs, also where another pane was shown meanwhile; and the same looking back."""
    slept = os.path.join(scratch, "slept")
    environment = {"LD_PRELOAD": os.environ["CLOCK_STEP_LIBRARY"], "CLOCK_SLEEP": slept}
    with screen("-d", "0.2", "events", width=120, env=environment) as terminal:
        terminal.view("Sleep")
        live_seconds(terminal, 1)
        with open(slept, "w", encoding="ascii"):
            pass
        until(terminal, lambda: re.search(r"suspend +60\.0", terminal.text()), "no row")
        live_seconds(terminal, 1)
        terminal.hides("clock ")
        terminal.send("3")
        gap = re.compile(r"[\u2581-\u2588] {3,}z?[\u2581-\u2588]")
        until(terminal, lambda: gap.search(terminal.text()), "no gap in the graph")
        terminal.send(",")
        expect(back(terminal) and gap.search(terminal.text()), terminal, "no gap in that of the past")


def what_was_not_sampled(_scratch):
    """A view that is opened first in the past says why it is empty, and G fills it."""
    with screen("-d", "0.2", "cpu") as terminal:
        live_seconds(terminal, 1)
        terminal.send(",").view("Threads")
        said = any(text in terminal.text() for text in ("not sampled then; G goes back to now", "on; G goes back to now"))
        expect(said, terminal, "it does not say why")
        terminal.send("G").leaves("G goes back to now")


def what_is_recorded_since_then(_scratch):
    """A pane that is sampled only while it is shown says from when on the past has it; then it is there."""
    with screen("-d", "0.2", "cpu") as terminal:
        live_seconds(terminal, 1)
        first = clock(terminal)
        terminal.view("Threads")
        live_seconds(terminal, 1)
        last = clock(terminal)
        terminal.send("{")
        found = re.search(r"recorded from (\d\d:\d\d:\d\d) on; G goes back to now", terminal.text())
        expect(found and first <= found[1] <= last, terminal, f"no time between {first} and {last}")
        terminal.send("G", ",", ",")
        expect("recorded from" not in terminal.text() and back(terminal), terminal, "it is not there from then on")


def overview_of_then(terminal, shows):
    """From the disks back to the overview, until it shows that: on a busy machine its tables are not in each sample."""
    for _ in range(10):
        live_seconds(terminal, 3)
        terminal.send(",", ",", "1")
        if back(terminal) and shows(terminal.text()):
            return True
        terminal.send("G", "4")
    return False


def the_overview_of_another_pane(_scratch):
    """What the overview shows is kept while another pane is open: lists, findings and their age."""
    with screen("-d", "1", fixture("cgroup-v2"), "disks") as terminal:
        expect(overview_of_then(terminal, lambda text: "system.slice" in text and "not judged" not in text and
               "not sampled" not in text), terminal, "no finding of then, or it was not sampled")
        terminal.send("{").shows("not judged, since not sampled here: ")
    with screen("-d", "1", "disks") as terminal:
        expect(overview_of_then(terminal, re.compile(r"^ +[0-9.]+ +\d+ \S", re.M).search), terminal, "no process of then")


def empty_tables(_scratch):
    """What is in no sample of the past is not waited for; the user games runs nothing here."""
    with screen("-d", "0.2", "-u", "games", "events") as terminal:
        terminal.until(re.compile("waiting for the first|connector: "))
        if "connector: " in terminal.text():  # neither perf nor the connector may be read: nothing is waited for
            return
        live_seconds(terminal, 1)
        terminal.send(",", ",")
        expect("none until then" in terminal.text() and back(terminal), terminal, "the past waits")


def an_empty_past(_scratch):
    with screen("-d", "0.2", "--past=0", "cpu") as terminal:
        live_seconds(terminal, 1)
        terminal.send(",")
        expect(not back(terminal), terminal, "there is a past")


def findings(_scratch):
    """Those of that moment; where their topics were not sampled it says so, and never that all is well."""
    with screen("-d", "0.2", fixture("cgroup-v2"), "overview") as terminal:
        terminal.comes("system.slice")
        live_seconds(terminal, 1)
        now = terminal.lines()[2][:60]
        terminal.send(",", ",")
        expect(back(terminal) and terminal.lines()[2][:60] == now, terminal, f"not {now}")
    with screen("-d", "0.2", fixture("cgroup-v2"), "cpu") as terminal:
        live_seconds(terminal, 1)
        terminal.send(",", "1").shows("not judged, since not sampled here: ").hides("nothing out of the ordinary")


AMBER, RED = "ffaf00", "ff5f5f"


def strip(terminal):
    return terminal.lines()[1][80:]


def fills_up(number, tables):
    for row in tables["filesystem"]:
        if row["mount"] == "/boot" and number < 12:
            row["used_ratio"] = 0.5


def marks(scratch):
    """Those of the user and of findings that began are in the line of the load, at their places."""
    with replay("overview", width=160, recording=edited(scratch, fills_up, frames=36)) as terminal:
        expect("!" not in strip(terminal) and "m" not in strip(terminal), terminal, "marks of nothing")
        terminal.send(*"g+200", "Enter", "m", ".", ".", ".")
        place = strip(terminal).find("\u2502")
        expect(0 <= strip(terminal).find("m") < place, terminal, "the user's mark")
        expect(strip(terminal).count("!") == 1 and strip(terminal).find("!") < strip(terminal).find("m"), terminal,
               "the finding that began")
        terminal.send("m", ".", ".", ".")
        expect(strip(terminal).count("m") == 2, terminal, "the second mark replaces the first")


def is_full_for_a_while(number, tables):
    if 12 <= number < 20:
        tables["memory_limit"].append({"cgroup": "/one", "used_bytes": 99, "limit_bytes": 100, "caches_bytes": 0})


def marks_before_a_jump(scratch):
    """Those of samples that are judged on the way to the last one, and not read for its graphs."""
    idle = os.path.join(TESTS, "recordings", "calm", "idle.recording")
    with screen("--replay=" + edited(scratch, is_full_for_a_while, idle, frames=363), "overview", width=160) as terminal:
        expect(strip(terminal).count("!") == 1, terminal, "the finding that began long before")


def what_is_not_judged_is_dim(_scratch):
    """The load of samples whose findings are not known, so that no mark there means nothing."""
    with replay("overview", width=160, at="09:33:00") as terminal:
        line, row = terminal.lines()[1], terminal.screen.buffer[1]
        start, place = line.index("Calls") + len("Calls"), line.index("\u2502")
        before, after = ({row[x].fg for x in cells if row[x].data != " "}
                         for cells in (range(start, place - 1), range(place + 2, len(line))))
        expect(len(before) == 1 and len(after) == 1 and before != after, terminal, f"{before}, {after}")
        terminal.send("F1", "End").shows("findings are not known there yet")


def marks_are_as_bad_as_the_finding(scratch):
    """Amber of a warning, red where it was critical."""
    for used, color in ((0.97, AMBER), (0.995, RED)):
        def change(number, tables, used=used):
            for row in tables["filesystem"]:
                if row["mount"] == "/boot":
                    row["used_ratio"] = 0.5 if number < 12 else used

        with replay("overview", width=160, recording=edited(scratch, change, frames=36)) as terminal:
            terminal.send(*"g+200", "Enter")
            cell = terminal.screen.buffer[1][80 + strip(terminal).find("!")]
            expect((cell.data, cell.fg) == ("!", color), terminal, f"{cell.data} is {cell.fg}")


def saved(scratch):
    """As a recording that can be replayed, of nobody else's eyes."""
    with screen("-d", "0.2", "cpu", cwd=scratch) as terminal:
        live_seconds(terminal, 1)
        terminal.send("S", "Enter").tells("saved: panetop-")
    files = glob.glob(os.path.join(scratch, "panetop-*.recording"))
    assert len(files) == 1, f"files: {files}"
    assert os.stat(files[0]).st_mode & 0o777 == 0o600, "others can read it"
    played = subprocess.run([PANETOP, "--replay=" + files[0], "-b", "-o", "csv", "-n", "2", "cpu"], stdout=subprocess.PIPE, check=False, text=True)
    assert played.returncode == 0 and played.stdout.count("\n") > 2, f"replay: status {played.returncode}\n{played.stdout}"


def save_as(terminal, name):
    terminal.send("S", *name, "Enter")  # which replaces what is suggested


def the_screen_is_saved(scratch):
    """As it was seen, without the prompt; by the ending of the name."""
    with replay("memory", cwd=scratch) as terminal:
        seen = terminal.lines()
        save_as(terminal, "seen.pdf")
        terminal.shows("end the name in")
        terminal.send("Esc")
        save_as(terminal, "seen.txt")
        terminal.tells("saved: seen.txt")
        save_as(terminal, "seen.svg")
        terminal.tells("saved: seen.svg")
        save_as(terminal, "seen.svg")
        terminal.tells("exists already")
        with open(os.path.join(scratch, "seen.txt"), encoding="utf-8") as file:
            text = file.read().splitlines()
    picture = xml.etree.ElementTree.parse(os.path.join(scratch, "seen.svg")).getroot()
    pieces = "".join(piece.text for piece in picture.iter("{http://www.w3.org/2000/svg}text"))
    colors = {piece.get("fill") for piece in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert text == seen and "q Quit" in text[-1], "seen:\n" + "\n".join(seen) + "\nsaved:\n" + "\n".join(text)
    assert not any(word not in pieces for word in " ".join(seen[1:-2]).split()) and len(colors) >= 3, f"the picture lacks words or colours: {colors}\n{pieces}"


def page_of(scratch, terminal, name):
    """Its text, once it is saved; "" if others can read it."""
    save_as(terminal, name)
    if not terminal.told("saved: " + name):
        raise AssertionError("it is not saved\n" + terminal.text())
    path = os.path.join(scratch, name)
    with open(path, encoding="utf-8") as file:
        return file.read() if os.stat(path).st_mode & 0o777 == 0o600 else ""


def a_page_is_saved(scratch):
    """Of a recording and of the past; the screen stays where it was, and goes on from there."""
    with replay("memory", cwd=scratch) as terminal:
        terminal.send(*"g+200", "Enter")
        seen = terminal.lines()
        page = page_of(scratch, terminal, "recorded.html")
        terminal.send(".")
        terminal.send(",")
        # the message takes the last line of the list
        moved = [line for line in zip(seen[:-2], terminal.lines()) if line[0] != line[1]]
        expect(not moved, terminal, f"it has moved: {moved}")
        save_as(terminal, "recorded.html")
        terminal.tells("exists already")
    assert page.startswith("<!DOCTYPE html>") and "OOM kills within" in page, "the page:\n" + page[:2000]
    with screen("-d", "0.2", "cpu", cwd=scratch) as terminal:
        live_seconds(terminal, 1)
        page = page_of(scratch, terminal, "kept.html")
        terminal.send(",", ",")
        expect(back(terminal), terminal, "one cannot go back any more")
    assert "Most CPU" in page and page.endswith("</html>\n"), "the page of the past:\n" + page[:2000]


def without_a_past_no_page_is_saved(scratch):
    """It says so."""
    with screen("--past=0", "cpu", cwd=scratch) as terminal:
        save_as(terminal, "none.html")
        terminal.comes("no past is kept")


def saved_nowhere_else(scratch):
    """What has the name already is neither written nor followed: here links, as another user would make them in advance."""
    outside = os.path.join(scratch, "outside")
    begin = int(time.time())
    for seconds in range(begin - 1, begin + 3600):
        os.symlink(outside, os.path.join(scratch, time.strftime("panetop-%Y%m%d-%H%M%S.recording", time.gmtime(seconds))))
    with screen("-d", "0.2", "cpu", cwd=scratch) as terminal:
        terminal.send("S", "Enter").tells("exists already")
    assert not os.path.exists(outside), "it is written elsewhere"


def saved_without_room(scratch):
    """On a full disk neither the past nor the configuration leaves a part, and the old configuration stays."""
    fill = 'mount -t tmpfs -o size=8m none "$0" && cd "$0" && mkdir panetop && echo unit = MiB >panetop/config && { cat /dev/zero >filler; exec "$@"; }'
    private = ("unshare", "-m", "--propagation", "private")
    if subprocess.run([*private, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        return  # no file system of its own can be mounted
    with screen("-d", "0.2", "cpu", width=160, program=(*private, "sh", "-c", fill, scratch, PANETOP),
                env={"XDG_CONFIG_HOME": scratch}) as terminal:
        place = f"/proc/{terminal.pid}/root{scratch}"
        live_seconds(terminal, 1)
        terminal.send("S", "Enter").tells("No space left on device")
        terminal.send("Esc")
        terminal.send("w").tells("could not be written: No space left on device")
        with open(place + "/panetop/config", encoding="utf-8") as file:
            kept = file.read()
        there = sorted(os.listdir(place) + os.listdir(place + "/panetop"))
        os.remove(place + "/filler")
        terminal.send("S", "Enter").tells("saved: panetop-")
    assert there == ["config", "filler", "panetop"] and kept == "unit = MiB\n", f"{there}: {kept}"


def tests():
    return [
        ("past: the very screens of cpu", the_same_screens("-s", "pid", "cpu")),
        ("past: the very screens of events", the_same_screens("events")),
        ("past: the very screens of memory", the_same_screens("memory", height=13)),
        ("past: the very screens of findings", the_same_screens(fixture("cgroup-v2"), "overview")),
    ]
