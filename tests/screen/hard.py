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
            problem = expect(not terminal.ended(), terminal, "it died")
            problem = problem or expect(not re.search(r"\bnan\b|-nan|\(null\)", terminal.text()), terminal, "nan")
            terminal.send("q")
            return problem or expect(terminal.end() == 0, terminal, "it does not end well")
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
        terminal.send(".")
        problem = expect("09:30:30" in terminal.text(), terminal, "the damaged frame is not left out")
        problem = problem or expect("line 4 of the recording is damaged" in terminal.text(), terminal, "it is not told")
        terminal.send(",", ",", "g", "+", "9", "9", "9", "Enter")
        return problem or expect("09:35:50" in terminal.text(), terminal, "it does not go on")


def empty_recording(scratch):
    """Nothing to see: it says so, and one can leave."""
    path = os.path.join(scratch, "empty")
    with open(path, "wb") as file:
        file.write(lines_of_recording()[0])
    with screen("-d", "0.1", "--replay=" + path) as terminal:
        terminal.send_at_once("i", "e", "D", "Down", "h", ",", "g")
        problem = expect("holds no sample" in terminal.text(), terminal, "it does not say so")
        terminal.send("q")
        return problem or expect(terminal.end() == 0, terminal, "it does not end")


def keys_before_a_redraw(_scratch):
    """A step changes the frame under the rows that the next key moves over."""
    with replay("memory") as terminal:
        terminal.view("Meminfo")
        terminal.send("Down")
        terminal.send_at_once(".", "Down", ".", "End", ",", "Up", "/", "D", "i", "r", "Enter", ".", ".", "i")
        return expect("Dirty" in terminal.text(), terminal, "the selected row was lost")


def recording_from_a_file_as_input(_scratch):
    """Keys come from the terminal while standard input is the recording; it starts paused, being all there."""
    with open(RECORDING, "rb") as file, screen("--replay=-", input_fd=file.fileno()) as terminal:
        terminal.send(".")
        return expect("paused 09:30:20" in terminal.text(), terminal, "the key did nothing")


def recording_through_a_pipe(_scratch):
    """It is shown as it comes, can be gone back in meanwhile, and its end is told."""
    lines = lines_of_recording()
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 1 << 20)  # room for all that is written before it is read
    os.write(writer, lines[0] + lines[1])
    with screen("--replay=-", input_fd=reader) as terminal:
        os.close(reader)
        problem = expect(terminal.wait_for("following 09:30:00"), terminal, "it does not wait for more")
        for line in lines[2:5]:
            os.write(writer, line)
            time.sleep(0.05)
        problem = problem or expect(terminal.wait_for("following 09:30:30"), terminal, "it does not follow")
        terminal.send(",")
        problem = problem or expect("paused 09:30:20" in terminal.text(), terminal, "it does not go back")
        os.write(writer, lines[5] + lines[6][:100])
        terminal.send("g", "+", "9", "9", "Enter")
        problem = problem or expect("09:30:40" in terminal.text(), terminal, "what came meanwhile is not there")
        terminal.send("Z")
        os.write(writer, lines[6][100:])
        problem = problem or expect(terminal.wait_for("09:30:50"), terminal, "it does not follow again")
        os.close(writer)
        problem = problem or expect(terminal.wait_for("end of the recording"), terminal, "its end is not told")
        terminal.send("q")
        return problem or expect(terminal.end() == 0, terminal, "it does not end well")


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
        problem = expect("holds none" not in terminal.text(), terminal, "it is judged before anything came")
        os.write(writer, without_memory(lines[1]))
        problem = problem or expect(terminal.wait_for("[1"), terminal, "what there is is not shown")
        problem = problem or expect(terminal.wait_for("holds no tables of the pane memory"), terminal, "it is not told")
        os.close(writer)
        return problem


def samples_are_counted(_scratch):
    """--count counts what is shown: a recording that is paused shows nothing more."""
    with replay("-n", "3", "-d", "0.1") as terminal:
        terminal.pump(1)
        problem = expect(not terminal.ended(), terminal, "it ended after one sample")
        terminal.send("Z")
        return problem or expect(terminal.end() == 0, terminal, "it does not end")


def a_message_goes_in_time(_scratch):
    """Also where no sample comes for long."""
    with screen("-d", "86400", fixture("linux-6.1"), width=120) as terminal:
        problem = expect("  86400 s" in terminal.lines()[0], terminal, "the delay is not told in seconds")
        terminal.send("U")
        problem = problem or expect("sizes in" in terminal.text(), terminal, "there is no message")
        return problem or expect(terminal.wait_while("sizes in"), terminal, "it stays")


def a_prompt_is_at_rest(_scratch):
    with screen("-d", "0.1", fixture("linux-6.1"), width=20) as terminal:
        terminal.send("/", "x")
        terminal.pump(0.5)
        sent = len(terminal.raw)
        terminal.pump(1)
        return expect(b"\x1b[?25" not in terminal.raw[sent:], terminal, "the cursor blinks")


def tests():
    broken = [(f"the screen of a machine whose files are {name}", broken_machine(name))
              for name in ("missing", "empty", "truncated", "absurd", "backwards")]
    return broken + [
        ("a damaged recording", damaged_recording),
        ("a recording without samples", empty_recording),
        ("keys that come before a redraw", keys_before_a_redraw),
        ("a recording as standard input", recording_from_a_file_as_input),
        ("a recording through a pipe", recording_through_a_pipe),
        ("a recording through a pipe that lacks the pane", pane_of_a_pipe),
        ("samples are counted, not ticks", samples_are_counted),
        ("a message goes in time", a_message_goes_in_time),
        ("the cursor of a prompt does not blink", a_prompt_is_at_rest),
    ]
