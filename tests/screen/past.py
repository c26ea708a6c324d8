# SPDX-License-Identifier: GPL-2.0-or-later
"""The live screen goes back: to the very screens that were drawn, while sampling goes on behind them."""
import glob
import os
import re
import subprocess
import time
import xml.etree.ElementTree

from common import PANETOP, RECORDING, edited, expect, fixture, recording_named, replay, screen
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
        problem = None
        for way in ("G", "Esc", "Z"):
            live_seconds(terminal, 1)
            terminal.send(",", ",")
            problem = problem or expect(back(terminal), terminal, f"it is not in the past before {way}")
            until(terminal, lambda: back(terminal) >= "00:00:02", "the present stands still")
            terminal.send(way)
            problem = problem or expect(not back(terminal) and "paused" not in terminal.lines()[0], terminal, f"{way} does not come back")
        terminal.send(",")
        end = time.monotonic() + PATIENCE
        while back(terminal) and time.monotonic() < end:
            terminal.send_at_once(*["."] * 100)  # faster than samples come
        return problem or expect(not back(terminal), terminal, "steps forward do not reach the present")


def the_past_cannot_be_changed(_scratch):
    with subprocess.Popen(["sleep", "1000"]) as child:
        try:
            with screen("-d", "0.2", "cpu") as terminal:
                live_seconds(terminal, 1)
                terminal.send(",", "Down", "F9")
                problem = expect("recording cannot be changed" in terminal.text(), terminal, "a process of the past gets a signal")
                terminal.send("Esc", "3")
                return problem or expect(back(terminal) and "[3" in terminal.text(), terminal, "panes do not go back together")
        finally:
            child.kill()


def times(_scratch):
    began = time.monotonic()
    with screen("-d", "0.2", "cpu") as terminal:
        live_seconds(terminal, 1)
        terminal.send("{")
        problem = expect(terminal.told("the first sample that is kept"), terminal, "a minute before the start")
        terminal.send(*["}"] * (1 + int((time.monotonic() - began) / 60)))
        problem = problem or expect(not back(terminal), terminal, "a minute on is not the present")
        terminal.send("g", "0", "0", ":", "0", "0", ":", "0", "0", "Enter")
        if clock(terminal) != "00:00:00":
            problem = problem or expect(terminal.said("kept is") or terminal.said("use 12:03"), terminal, "a time that is not kept")
        terminal.send(*["Bksp"] * 8, "-", "1", "Enter")
        return problem or expect(back(terminal), terminal, "a second before")


def timeline(terminal):
    """Where the line of panes shows the load over the past: its first cell and its place mark."""
    line = terminal.lines()[1]
    found = re.search(r"[\u2581-\u2588\u2502][\u2581-\u2588 \u2502]{8,}$", line)
    return (found.start(), line.find("\u2502")) if found else None


def the_load_over_the_past(_scratch):
    """Load is where it was, a click on it goes there, and the present has no such line."""
    with screen("-d", "0.2", "cpu", width=120) as terminal:
        live_seconds(terminal, 1)
        problem = expect(not timeline(terminal), terminal, "the present shows it")
        with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as busy:
            live_seconds(terminal, 1)
            busy.kill()
        live_seconds(terminal, 2)
        terminal.send(",")
        if not timeline(terminal):
            return problem or expect(False, terminal, "nothing is shown")
        start, mark = timeline(terminal)
        line = terminal.lines()[1]
        highest = max(range(start, len(line)), key=lambda x: line[x] if line[x] != "\u2502" else " ")
        problem = problem or expect(mark > highest, terminal, "the place is not after the load")
        age, length = BACK.search(terminal.lines()[0]).groups()
        first = seconds_of(clock(terminal)) + seconds_of(age) - seconds_of(length)
        terminal.click(highest, 1)
        least, most = (((highest - start + side) / (terminal.screen.columns - start) * seconds_of(long)) for side, long in  # it grows meanwhile
                       ((-1, length), (2, BACK.search(terminal.lines()[0])[2])))
        at = (seconds_of(clock(terminal)) - first + DAY // 2) % DAY - DAY // 2
        problem = problem or expect(int(least) - 2 <= at <= most + 2, terminal, f"a click leads {at} s after the first, not {least} to {most}")
        terminal.send("{")
        problem = problem or expect(timeline(terminal)[1] == timeline(terminal)[0], terminal, "the first sample is not at the start")
        terminal.send("G")
        return problem or expect(not timeline(terminal), terminal, "the present shows it")


def a_sleep(_scratch):
    """The line of the load has a gap where the machine slept, and marks; a minute on leads across it."""
    with replay("memory", recording=recording_named("sleep"), width=160) as terminal:
        terminal.send("g", "+", *"413", "Enter")
        problem = expect(re.search(r"[\u2581-\u2588]z {5,}[\u2581-\u2588!]+c", terminal.lines()[1]), terminal, "no gap")
        terminal.send("g", "-", *"163", "Enter", "}")
        problem = problem or expect(clock(terminal) == "09:35:20", terminal, "a minute on is not behind the sleep")
        terminal.send("{")
        return problem or expect(clock(terminal) == "09:34:10", terminal, "a minute back is not before it")


def opened_later(scratch):
    """A table that no view wanted so far is read of the sample that is shown."""
    path = os.path.join(scratch, "blocks")
    subprocess.run([PANETOP, "-b", "--replay=" + RECORDING, "--record=" + path, "cpu"], check=True, capture_output=True)
    with screen("--replay=" + path, "cpu", width=100) as terminal:
        terminal.send(".")
        terminal.view("Counters")
        shown = terminal.lines()[0]
        problem = expect("branches" in terminal.text(), terminal, "it is not read")
        return problem or expect(terminal.lines()[0] == shown, terminal, "it is another sample")


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
        problem = expect(first and first >= "00:00:01", terminal, "not as far back as was clicked")
        terminal.send("G")
        click_on_cpu(terminal, 6)
        return problem or expect(back(terminal) and back(terminal) < first, terminal, f"not less far than {first}")


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
            return None
        first_sample(terminal)
        problem = expect(clock(terminal) <= before, terminal, "it is another one")
        first = clock(terminal)
        terminal.send(*["."] * 5)
        return problem or expect(clock(terminal) >= first and back(terminal), terminal, "steps forward do not pass it")


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
        problem = expect("clock " not in terminal.text(), terminal, "the clock was not set")
        terminal.send("3")
        gap = re.compile(r"[\u2581-\u2588] {3,}z?[\u2581-\u2588]")
        until(terminal, lambda: gap.search(terminal.text()), "no gap in the graph")
        terminal.send(",")
        return problem or expect(back(terminal) and gap.search(terminal.text()), terminal, "no gap in that of the past")


def what_was_not_sampled(_scratch):
    """A view that is opened first in the past says why it is empty, and G fills it."""
    with screen("-d", "0.2", "cpu") as terminal:
        live_seconds(terminal, 1)
        terminal.send(",")
        terminal.view("Threads")
        said = any(text in terminal.text() for text in ("not sampled then; G goes back to now", "on; G goes back to now"))
        problem = expect(said, terminal, "it does not say why")
        terminal.send("G")
        return problem or expect(terminal.wait_while("G goes back to now"), terminal, "the present does not have it")


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
        problem = expect(found and first <= found[1] <= last, terminal, f"no time between {first} and {last}")
        terminal.send("G", ",", ",")
        return problem or expect("recorded from" not in terminal.text() and back(terminal), terminal, "it is not there from then on")


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
        problem = expect(overview_of_then(terminal, lambda text: "system.slice" in text and "not judged" not in text and "not sampled" not in text),
                         terminal, "no finding of then, or it was not sampled")
        terminal.send("{")
        problem = problem or expect("not judged, since not sampled here: " in terminal.text(), terminal, "the first sample has all")
    with screen("-d", "1", "disks") as terminal:
        return problem or expect(overview_of_then(terminal, re.compile(r"^ +[0-9.]+ +\d+ \S", re.M).search), terminal, "no process of then")


def empty_tables(_scratch):
    """What is in no sample of the past is not waited for; the user games runs nothing here."""
    with screen("-d", "0.2", "-u", "games", "events") as terminal:
        terminal.until(re.compile("waiting for the first|connector: "))
        if "connector: " in terminal.text():  # neither perf nor the connector may be read: nothing is waited for
            return None
        live_seconds(terminal, 1)
        terminal.send(",", ",")
        return expect("none until then" in terminal.text() and back(terminal), terminal, "the past waits")


def an_empty_past(_scratch):
    with screen("-d", "0.2", "--past=0", "cpu") as terminal:
        live_seconds(terminal, 1)
        terminal.send(",")
        return expect(not back(terminal), terminal, "there is a past")


def findings(_scratch):
    """Those of that moment; where their topics were not sampled it says so, and never that all is well."""
    with screen("-d", "0.2", fixture("cgroup-v2"), "overview") as terminal:
        problem = expect(terminal.wait_for("system.slice"), terminal, "no finding to look for")
        live_seconds(terminal, 1)
        now = [line[:60] for line in terminal.lines()[2:4]]
        terminal.send(",", ",")
        problem = problem or expect(back(terminal) and [line[:60] for line in terminal.lines()[2:4]] == now, terminal, f"not {now}")
    with screen("-d", "0.2", fixture("cgroup-v2"), "cpu") as terminal:
        live_seconds(terminal, 1)
        terminal.send(",", "1")
        problem = problem or expect("not judged, since not sampled here: " in terminal.text(), terminal, "it does not say what is lacking")
        return problem or expect("nothing out of the ordinary" not in terminal.text(), terminal, "it says that all is well")


def strip(terminal):
    return terminal.lines()[1][80:]


def fills_up(number, tables):
    for row in tables["filesystem"]:
        if row["mount"] == "/boot" and number < 12:
            row["used_ratio"] = 0.5


def marks(scratch):
    """Those of the user and of findings that began are in the line of the load, at their places."""
    with replay("overview", width=160, recording=edited(scratch, fills_up, frames=36)) as terminal:
        problem = expect("!" not in strip(terminal) and "m" not in strip(terminal), terminal, "marks of nothing")
        terminal.send("g", "+", "2", "0", "0", "Enter", "m", ".", ".", ".")
        place = strip(terminal).find("\u2502")
        problem = problem or expect(0 <= strip(terminal).find("m") < place, terminal, "the user's mark")
        problem = problem or expect(strip(terminal).count("!") == 1 and strip(terminal).find("!") < strip(terminal).find("m"), terminal,
                                    "the finding that began")
        terminal.send("m", ".", ".", ".")
        return problem or expect(strip(terminal).count("m") == 2, terminal, "the second mark replaces the first")


def saved(scratch):
    """As a recording that can be replayed, of nobody else's eyes."""
    with screen("-d", "0.2", "cpu", cwd=scratch) as terminal:
        live_seconds(terminal, 1)
        terminal.send("S", "Enter")
        problem = expect(terminal.told("saved: panetop-"), terminal, "it is not saved")
    files = glob.glob(os.path.join(scratch, "panetop-*.recording"))
    if problem or len(files) != 1:
        return problem or f"files: {files}"
    if os.stat(files[0]).st_mode & 0o777 != 0o600:
        return "others can read it"
    played = subprocess.run([PANETOP, "--replay=" + files[0], "-b", "-o", "csv", "-n", "2", "cpu"], stdout=subprocess.PIPE, check=False, text=True)
    return None if played.returncode == 0 and played.stdout.count("\n") > 2 else f"replay: status {played.returncode}\n{played.stdout}"


def save_as(terminal, name):
    terminal.send("S", *name, "Enter")  # which replaces what is suggested


def the_screen_is_saved(scratch):
    """As it was seen, without the prompt; by the ending of the name."""
    with replay("memory", cwd=scratch) as terminal:
        seen = terminal.lines()
        save_as(terminal, "seen.pdf")
        problem = expect("end the name in" in terminal.text(), terminal, "an ending is not refused")
        terminal.send("Esc")
        save_as(terminal, "seen.txt")
        problem = problem or expect(terminal.told("saved: seen.txt"), terminal, "no text is saved")
        save_as(terminal, "seen.svg")
        problem = problem or expect(terminal.told("saved: seen.svg"), terminal, "no picture is saved")
        save_as(terminal, "seen.svg")
        problem = problem or expect(terminal.told("exists already"), terminal, "a file is overwritten")
        with open(os.path.join(scratch, "seen.txt"), encoding="utf-8") as file:
            text = file.read().splitlines()
    picture = xml.etree.ElementTree.parse(os.path.join(scratch, "seen.svg")).getroot()
    pieces = "".join(piece.text for piece in picture.iter("{http://www.w3.org/2000/svg}text"))
    colors = {piece.get("fill") for piece in picture.iter("{http://www.w3.org/2000/svg}text")}
    if text != seen or "q Quit" not in text[-1]:
        return problem or "seen:\n" + "\n".join(seen) + "\nsaved:\n" + "\n".join(text)
    if any(word not in pieces for word in " ".join(seen[1:-2]).split()) or len(colors) < 3:
        return problem or f"the picture lacks words or colours: {colors}\n{pieces}"
    return problem


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
        terminal.send("g", "+", "2", "0", "0", "Enter")
        seen = terminal.lines()
        page = page_of(scratch, terminal, "recorded.html")
        terminal.send(".")
        terminal.send(",")
        # below it the message takes a line
        moved = [line for line in zip(seen[:11], terminal.lines()) if line[0] != line[1]]
        problem = expect(not moved, terminal, f"it has moved: {moved}")
        save_as(terminal, "recorded.html")
        problem = problem or expect(terminal.told("exists already"), terminal, "a file is overwritten")
    if problem or not page.startswith("<!DOCTYPE html>") or "Memory ran out" not in page:
        return problem or "the page:\n" + page[:2000]
    with screen("-d", "0.2", "cpu", cwd=scratch) as terminal:
        live_seconds(terminal, 1)
        page = page_of(scratch, terminal, "kept.html")
        terminal.send(",", ",")
        problem = expect(back(terminal), terminal, "one cannot go back any more")
    return problem or (None if "Most CPU" in page and page.endswith("</html>\n") else "the page of the past:\n" + page[:2000])


def without_a_past_no_page_is_saved(scratch):
    """It says so."""
    with screen("--past=0", "cpu", cwd=scratch) as terminal:
        save_as(terminal, "none.html")
        return expect(terminal.wait_for("no past is kept"), terminal, "it does not say why")


def saved_nowhere_else(scratch):
    """What has the name already is neither written nor followed: here links, as another user would make them in advance."""
    outside = os.path.join(scratch, "outside")
    begin = int(time.time())
    for seconds in range(begin - 1, begin + 3600):
        os.symlink(outside, os.path.join(scratch, time.strftime("panetop-%Y%m%d-%H%M%S.recording", time.gmtime(seconds))))
    with screen("-d", "0.2", "cpu", cwd=scratch) as terminal:
        terminal.send("S", "Enter")
        problem = expect(terminal.told("exists already"), terminal, "it is not refused")
    return problem or ("it is written elsewhere" if os.path.exists(outside) else None)


def saved_without_room(scratch):
    """On a full disk neither the past nor the configuration leaves a part, and the old configuration stays."""
    fill = 'mount -t tmpfs -o size=8m none "$0" && cd "$0" && mkdir panetop && echo unit = MiB >panetop/config && { cat /dev/zero >filler; exec "$@"; }'
    private = ("unshare", "-m", "--propagation", "private")
    if subprocess.run([*private, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        return None  # no file system of its own can be mounted
    with screen("-d", "0.2", "cpu", width=160, program=(*private, "sh", "-c", fill, scratch, PANETOP),
                env={"XDG_CONFIG_HOME": scratch}) as terminal:
        place = f"/proc/{terminal.pid}/root{scratch}"
        live_seconds(terminal, 1)
        terminal.send("S", "Enter")
        problem = expect(terminal.told("No space left on device"), terminal, "the past: it does not say why")
        terminal.send("Esc")
        terminal.send("w")
        problem = problem or expect(terminal.told("could not be written: No space left on device"), terminal, "the configuration: it does not say why")
        with open(place + "/panetop/config", encoding="utf-8") as file:
            kept = file.read()
        there = sorted(os.listdir(place) + os.listdir(place + "/panetop"))
        os.remove(place + "/filler")
        terminal.send("S", "Enter")
        problem = problem or expect(terminal.told("saved: panetop-"), terminal, "it is not saved when there is room")
    return problem or (None if there == ["config", "filler", "panetop"] and kept == "unit = MiB\n" else f"{there}: {kept}")


def tests():
    return [
        ("past: the very screens of cpu", the_same_screens("-s", "pid", "cpu")),
        ("past: the very screens of memory", the_same_screens("memory", height=13)),
        ("past: back to the present", there_and_live_again),
        ("past: it cannot be changed", the_past_cannot_be_changed),
        ("past: times", times),
        ("past: the load over it", the_load_over_the_past),
        ("past: a click on a graph", a_click_on_a_graph),
        ("replay: a table that is opened later", opened_later),
        ("past: a clock that was set back", a_clock_that_was_set_back),
        ("past: what was not sampled", what_was_not_sampled),
        ("past: recorded since then", what_is_recorded_since_then),
        ("past: the overview while another pane was open", the_overview_of_another_pane),
        ("past: empty tables", empty_tables),
        ("past: an empty one", an_empty_past),
        ("past: findings", findings),
        ("past: marks", marks),
        ("past: a sleep", a_sleep),
        ("past: a sleep, live", a_live_sleep),
        ("past: saved", saved),
        ("the screen is saved as text and as a picture", the_screen_is_saved),
        ("a page for others is saved", a_page_is_saved),
        ("past: without one no page is saved", without_a_past_no_page_is_saved),
        ("past: saved as a new file alone", saved_nowhere_else),
        ("past: saved without room", saved_without_room),
    ]
