# SPDX-License-Identifier: GPL-2.0-or-later
"""Hard cases on the screen: broken machines, broken recordings, pipes, keys that come faster than frames."""
import json
import fcntl
import os
import re
import time

from common import RECORDING, as_lines, expect, fixture, replay, screen

EVERY_KEY = (*["Tab"] * 5, "o", "Enter", "Esc", "Down", "Right", "i", "q", ">", "I", "U", "\\", "x", "Enter", "c", "Enter", "Esc", "2", *["Tab"] * 10)


def broken_machine(name):
    """Whatever its files hold, every key has its answer and the program ends as it should."""
    def test(_scratch):
        with screen("-d", "0.1", fixture(name), "memory") as terminal:
            terminal.send(*EVERY_KEY)
            expect(not terminal.ended(), terminal, "it died")
            expect(not re.search(r"\bnan\b|-nan|\(null\)", terminal.text()), terminal, "nan")
            terminal.send("q")
            expect(terminal.end() == 0, terminal, "it does not end well")
    return test


def lines_of_recording():
    with open(as_lines(RECORDING), "rb") as file:
        return file.read().splitlines(keepends=True)


def damaged_recording(scratch):
    """A line in the middle is garbage: it is left out, and the next frame says so."""
    path = os.path.join(scratch, "damaged")
    lines = lines_of_recording()
    lines[3] = lines[3][:200] + b"\x1b[2J\xff" + lines[3][300:]
    with open(path, "wb") as file:
        file.writelines(lines)
    with screen("--replay=" + path) as terminal:
        terminal.send("Home", ".", ".").shows("09:30:30").shows("line 4 of the recording is damaged")
        terminal.send(",", ",", *"g+999", "Enter").shows("09:35:50")


def empty_recording(scratch):
    """Nothing to see: it says so, and one can leave."""
    path = os.path.join(scratch, "empty")
    with open(path, "wb") as file:
        file.write(lines_of_recording()[0])
    with screen("-d", "0.1", "--replay=" + path) as terminal:
        terminal.send_at_once(*"ieD", "Down", "h", ",", "g").shows("holds no sample")
        terminal.send("q")
        expect(terminal.end() == 0, terminal, "it does not end")


def keys_before_a_redraw(_scratch):
    """A step changes the frame under the rows that the next key moves over."""
    with replay("memory") as terminal:
        terminal.view("Meminfo").send("Down")
        terminal.send_at_once(".", "Down", ".", "End", ",", "Up", "/", *"Dir", "Enter", ".", ".", "i").shows("Dirty")


def recording_from_a_file_as_input(_scratch):
    """Keys come from the terminal while standard input is the recording; it starts paused, being all there."""
    with open(RECORDING, "rb") as file, screen("--replay=-", input_fd=file.fileno()) as terminal:
        terminal.shows("paused 09:35:50").send(",").shows("paused 09:35:40")


def recording_through_a_pipe(_scratch):
    """It is shown as it comes, can be gone back in meanwhile, and its end is told."""
    lines = lines_of_recording()
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)  # room for all that is written before it is read
    os.write(writer, lines[0] + lines[1])
    with screen("--replay=-", input_fd=reader) as terminal:
        os.close(reader)
        terminal.comes("following 09:30:00")
        for line in lines[2:5]:
            os.write(writer, line)
            time.sleep(0.05)
        terminal.comes("following 09:30:30")
        terminal.send(",").shows("paused 09:30:20")
        os.write(writer, lines[5] + lines[6][:100])
        terminal.send(*"g+99", "Enter").shows("09:30:40")
        terminal.send("Z")
        os.write(writer, lines[6][100:])
        terminal.comes("09:30:50")
        os.close(writer)
        terminal.comes("end of the recording")
        terminal.send("q")
        expect(terminal.end() == 0, terminal, "it does not end well")


def without_memory(line):
    frame = json.loads(line)
    for topic in ("memory", "memory_limit", "meminfo", "memory_check", "reclaim", "page_reader", "pressure"):
        frame["tables"].pop(topic, None)
    return json.dumps(frame).encode() + b"\n"


def pane_of_a_pipe(_scratch):
    """What a recording lacks is known when its first sample has come."""
    lines = lines_of_recording()
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)  # room for all that is written before it is read
    os.write(writer, lines[0])
    with screen("memory", "--replay=-", input_fd=reader) as terminal:
        os.close(reader)
        terminal.hides("holds none")
        os.write(writer, without_memory(lines[1]))
        terminal.comes("[1").comes("holds no tables of the pane memory")
        os.close(writer)


def samples_are_counted(_scratch):
    """--count counts what is shown: a recording that is paused shows nothing more."""
    with screen("--replay=" + RECORDING, "-n", "3", "-d", "0.1") as terminal:
        terminal.send("Home").pump(1)
        expect(not terminal.ended(), terminal, "it ended after one sample")
        terminal.send("Z")
        expect(terminal.end() == 0, terminal, "it does not end")


def a_message_goes_in_time(_scratch):
    """Also where no sample comes for long."""
    with screen("-d", "86400", fixture("linux-6.1"), width=120) as terminal:
        terminal.in_line(0, "  every 86400 s")
        terminal.send("U").shows("sizes in").leaves("sizes in")


def a_prompt_is_at_rest(_scratch):
    with screen("-d", "0.1", fixture("linux-6.1"), width=20) as terminal:
        terminal.send("/", "x")
        terminal.pump(0.5)
        sent = len(terminal.raw)
        terminal.pump(1)
        expect(b"\x1b[?25" not in terminal.raw[sent:], terminal, "the cursor blinks")


def tests():
    return [(f"hard: the screen of a machine whose files are {name}", broken_machine(name))
            for name in ("missing", "empty", "truncated", "absurd", "backwards")]
