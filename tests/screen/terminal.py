# SPDX-License-Identifier: GPL-2.0-or-later
"""A program in a terminal of its own: a pty whose other end is a pyte screen."""
import fcntl
import os
import pty
import re
import select
import signal
import socket
import struct
import termios
import time

import pyte

PATIENCE = 120  # seconds to wait for what must come: an end for a test that would wait for ever, on a machine however slow
ARRIVAL = 2  # seconds that a key may take to arrive; one that a shell or a stopped program leaves waits that long
ANSWER_LINES = 6  # at the bottom of the screen: messages, prompts and questions
LOOP_FD = 9  # of the program: a socket to its loop
TICK = 128  # a question above it is a tick, too, so many tenths of a second later
MARK = b"\0"  # nothing to a terminal
KEYS = {
    "Up": "\x1bOA", "Down": "\x1bOB", "Right": "\x1bOC", "Left": "\x1bOD", "Enter": "\r", "Esc": "\x1b",
    "Tab": "\t", "S-Tab": "\x1b[Z", "S-Left": "\x1b[1;2D", "S-Right": "\x1b[1;2C", "F1": "\x1bOP", "F2": "\x1bOQ", "F3": "\x1bOR",
    "F4": "\x1bOS", "F5": "\x1b[15~", "F6": "\x1b[17~", "F7": "\x1b[18~", "F8": "\x1b[19~", "F9": "\x1b[20~", "PgUp": "\x1b[5~", "PgDn": "\x1b[6~",
    "Home": "\x1bOH", "End": "\x1bOF", "Space": " ", "Bksp": "\x7f", "Del": "\x1b[3~", "^Z": "\x1a", "^L": "\x0c",
}


class Cells(dict):
    """The cell of each character in these attributes."""

    def __init__(self, attributes):
        self.attributes = attributes

    def __missing__(self, char):
        cell = self[char] = self.attributes._replace(data=char)
        return cell


class Screen(pyte.Screen):
    """pyte's screen with the controls that it lacks and curses uses: repeat a character, scroll a region. Text of narrow characters
    is drawn and lines are read without looking at the width of each, which takes most of pyte's time; and cells are made once."""

    last = " "
    narrow = re.compile("[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u25fc\u2800-\u28ff]*")  # Latin, arrows, frames, braille
    cells = {}

    def draw(self, data):
        self.last = data[-1:] or self.last
        cursor, width = self.cursor, len(data)
        if cursor.x + width > self.columns or self.charset != 0 or pyte.modes.IRM in self.mode or not self.narrow.fullmatch(data):
            super().draw(data)
            return
        cells = self.cells.get(cursor.attrs)
        if cells is None:
            cells = self.cells[cursor.attrs] = Cells(cursor.attrs)
        self.buffer[cursor.y].update(zip(range(cursor.x, cursor.x + width), map(cells.__getitem__, data)))
        cursor.x += width
        self.dirty.add(cursor.y)

    def line(self, y):
        """The cell behind a wide character is an empty text."""
        row, blank = self.buffer[y].get, self.default_char
        return "".join([row(x, blank).data for x in range(self.columns)])

    def repeat(self, count=1):
        super().draw(self.last * (count or 1))

    def cursor_to_line(self, line=None):
        """From behind the last column the cursor goes to the last one, as terminals do it."""
        super().cursor_to_line(line)
        self.cursor.x = min(self.cursor.x, self.columns - 1)

    def _scroll(self, count, line, step):
        margins = self.margins or pyte.screens.Margins(0, self.lines - 1)
        y, self.cursor.y = self.cursor.y, getattr(margins, line)
        for _ in range(count or 1):
            step()
        self.cursor.y = y

    def scroll_up(self, count=1):
        self._scroll(count, "bottom", self.index)

    def scroll_down(self, count=1):
        self._scroll(count, "top", self.reverse_index)


class Stream(pyte.ByteStream):
    """Gives text and whole control sequences to the screen; pyte's parser, which takes a character at a time, gets the rest."""

    csi = dict(pyte.ByteStream.csi, b="repeat", S="scroll_up", T="scroll_down")
    events = pyte.ByteStream.events | {"repeat", "scroll_up", "scroll_down"}
    whole = re.compile(r"([^\x00-\x1f\x7f-\x9f]+)|\x1b\[([\d;]*)([A-Za-z@`])|\x1b\(B")

    def feed(self, data):
        data, offset = self.utf8_decoder.decode(data), 0
        while offset < len(data):
            part = self._taking_plain_text and self.whole.match(data, offset)
            if not part:
                pyte.Stream.feed(self, data[offset])
                offset += 1
                continue
            offset = part.end()
            text, parameters, control = part.groups()
            if text:
                self.listener.draw(text)
            elif control in self.csi:
                numbers = [min(int(number or 0), 9999) for number in parameters.split(";")]
                getattr(self.listener, self.csi[control])(*numbers)


class Terminal:
    """Starts command in a terminal of width x height cells."""

    def __init__(self, command, width=80, height=24, env=None, term="xterm-256color", input_fd=None, cwd=None):
        self.raw = bytearray()
        self.screen = Screen(width, height)
        self.stream = Stream(self.screen)
        self.status = None
        self.seen = None  # lines, until more is drawn
        self.answers = []  # of the last lines, what was drawn since the last send, also what has left again
        # the other end stays open here: its modes can be read when the program has gone
        self.fd, self.tty = pty.openpty()
        self.behind = os.open(os.ttyname(self.tty), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        self.marks = 0
        self.modes = termios.tcgetattr(self.tty)
        # panetop's loop says when it has nothing left to do
        self.loop, self.loop_of_child = socket.socketpair()
        self.asked = 0
        self.takes_part = False
        self.step = None
        self._size(width, height)
        self.pid = os.fork()
        if self.pid == 0:
            self._child(command, env, term, input_fd, cwd)
        self.loop_of_child.close()

    def _child(self, command, env, term, input_fd, cwd):
        for number in (signal.SIGINT, signal.SIGQUIT):  # a shell has background commands ignore them
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        fcntl.ioctl(self.tty, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2):
            os.dup2(self.tty, fd)
        environment = dict(os.environ, TERM=term, LC_ALL="C.UTF-8", TZ="UTC") | (env or {})
        for name in ("LINES", "COLUMNS", "NO_COLOR"):
            if name not in (env or {}):
                environment.pop(name, None)
        if input_fd is not None:
            os.dup2(input_fd, 0)
        os.dup2(self.loop_of_child.fileno(), LOOP_FD)
        environment["PANETOP_TEST_FD"] = str(LOOP_FD)
        os.closerange(3, LOOP_FD)
        os.closerange(LOOP_FD + 1, 64)
        if cwd:
            os.chdir(cwd)
        os.execvpe(command[0], command, environment)

    def _size(self, width, height):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def resize(self, width, height):
        self.screen.resize(height, width)
        self.clear()
        self._size(width, height)

    def pump(self, seconds, other=None):
        """Takes in what comes within seconds, or until something else can be read; returns the number of bytes."""
        got, end = 0, time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.fd not in select.select([self.fd] + [other] * bool(other), [], [], left)[0]:
                break
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            if not data:
                break
            self.marks += data.count(MARK)
            data = data.replace(MARK, b"")
            self.raw += data
            got += len(data)
            self.feed(data)
        return got

    def feed(self, data):
        self.stream.feed(data)
        self.seen = None
        for y in (y for y in self.screen.dirty if y >= self.screen.lines - ANSWER_LINES):
            self.answers.append(self.screen.line(y))
        self.screen.dirty.clear()

    def clear(self):
        self.screen.reset()
        self.seen = None

    def _arrived(self, end):
        """Takes in all that the program has written: what is written behind it comes last, however late the kernel passes it on.
        Returns the number of bytes."""
        got, wanted = 0, self.marks + 1
        while True:
            try:
                os.write(self.behind, MARK)
                break
            except BlockingIOError:  # the terminal is full, or held: then nothing comes
                taken = self.pump(0.02)
                got += taken
                if not taken:
                    return got
            except OSError:  # it is gone
                return got
        while self.marks < wanted and time.monotonic() < end:
            got += self.pump(0.002)
        return got

    def _bytes_read(self):
        """By the program since its start; None: unknown."""
        try:
            with open(f"/proc/{self.pid}/io", encoding="ascii") as file:
                return int(file.readline().split()[1])
        except OSError:
            return None

    def press(self, data):
        """Keys pass through a work queue of the kernel, late on a busy machine: waits until they are there, or are read."""
        if not data:
            return
        before, end = self._bytes_read(), time.monotonic() + ARRIVAL
        os.write(self.fd, data)
        while self.unread() == 0 and before is not None and self._bytes_read() == before and time.monotonic() < end:
            self.pump(0.002)

    def unread(self):
        """Bytes of keys that the program has not taken yet. Polling makes those arrive that the kernel still passes on."""
        select.select([self.tty], [], [], 0)
        return struct.unpack("i", fcntl.ioctl(self.tty, termios.FIONREAD, b"\0\0\0\0"))[0]

    def _sleeps(self):
        """Has the program read all its keys, and waits for more, not for a thread of its own?"""
        try:
            with open(f"/proc/{self.pid}/stat", encoding="latin-1") as file:
                state = file.read().rpartition(")")[2].split()[0]
            with open(f"/proc/{self.pid}/wchan", encoding="latin-1") as file:
                place = file.read()
        except OSError:
            return True
        return state in "SZTX" and "futex" not in place and "write" not in place and self.unread() == 0

    def _read_loop(self):
        """The last byte that the loop has sent; None: nothing new."""
        try:
            data = self.loop.recv(64, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        self.takes_part = bool(data)
        return data[-1] if data else None

    def _elsewhere(self):
        """Is the program stopped, or does it wait for a command that it has started?"""
        try:
            with open(f"/proc/{self.pid}/stat", encoding="latin-1") as file:
                state = file.read().rpartition(")")[2].split()[0]
            with open(f"/proc/{self.pid}/wchan", encoding="latin-1") as file:
                return state in "ZTX" or file.read() == "do_wait"
        except OSError:
            return True

    def _answered(self, end, seconds=0):
        """Asks panetop's loop, after so many seconds of its clock, and waits until it has nothing left to do. False: it is no
        panetop, or it is not in its loop."""
        self._read_loop()
        if not self.takes_part:
            return False
        self.asked = self.asked % (TICK - 1) + 1
        question = TICK + round(10 * seconds) if seconds else self.asked
        try:
            self.loop.send(bytes([question]), socket.MSG_NOSIGNAL)
        except OSError:
            return False
        while self._read_loop() != question:
            if not self.takes_part or time.monotonic() > end or self._elsewhere():
                return False
            self.pump(0.02, self.loop)
        self._arrived(end)
        return True

    def tick(self, seconds=1):
        """So much later: another sample, drawn. From the first call on there are no others, and its clock stands still between them."""
        self.answers.clear()
        self.step = seconds
        if not self._answered(time.monotonic() + PATIENCE, seconds):
            raise AssertionError(f"it is not in its loop\n{self.text()}")

    def go_on(self):
        """Lets time pass: by another tick, once the test ticks."""
        if self.step:
            self.tick(self.step)
        else:
            self.pump(0.1)

    def quiet(self, most=PATIENCE):
        """Waits until the program has answered all keys and drawn: its loop says so; of another program, it sleeps, and nothing more comes."""
        end, calm = time.monotonic() + most, 0
        if self._answered(end):
            return
        while calm < 4 and time.monotonic() < end:
            calm = 0 if self.pump(0.012) or not self._sleeps() or self._arrived(end) else calm + 1

    def started(self):
        """Waits for the first screen."""
        while not self.text().strip() and not self.ended():
            self.pump(0.05)
        self.quiet()

    def has(self, text):
        """Or a line that matches, where text is a regular expression."""
        if isinstance(text, re.Pattern):
            return any(text.search(line) for line in self.lines())
        return text in self.text()

    def drawn(self):
        """All text that was drawn so far, also of messages that have left, in its order."""
        return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b\(B", b"", bytes(self.raw)).decode(errors="replace")

    def said(self, text):
        """Was it shown since the last send? A message may have left when all is quiet on a busy machine."""
        return any(text in line for line in self.answers)

    def wait_for(self, text, most=PATIENCE):
        end = time.monotonic() + most
        while not self.has(text):
            if time.monotonic() > end or self.ended():
                return False
            self.go_on()
        return True

    def told(self, message):
        """Waits for a message, which may have left again."""
        end = time.monotonic() + PATIENCE
        while not (was_told := self.said(message) or message in self.drawn()) and time.monotonic() < end and not self.ended():
            self.go_on()
        return was_told

    def _all(self, texts, holds, what):
        for text in texts:
            if not holds(text):
                raise AssertionError(f"{what}: {getattr(text, 'pattern', text)}\n{self.text()}")
        return self

    def shows(self, *texts):
        """These, or the screen as it is. As all of these it returns itself: the next one, or a key, may follow."""
        return self._all(texts, self.has, "not shown")

    def hides(self, *texts):
        return self._all(texts, lambda text: not self.has(text), "shown")

    def comes(self, *texts):
        """Waits for them."""
        return self._all(texts, self.wait_for, "never shown")

    def says(self, *texts):
        """Since the last send."""
        return self._all(texts, self.said, "not said")

    def tells(self, *texts):
        """Waits for messages, which may have left again."""
        return self._all(texts, self.told, "never said")

    def leaves(self, *texts):
        """Waits until they are gone."""
        return self._all(texts, self.wait_while, "still shown")

    def in_line(self, y, *texts):
        return self._all(texts, lambda text: text in self.lines()[y], f"not in line {y}")

    def over_lines(self, *texts):
        """Which may be cut anywhere."""
        return self._all(texts, lambda text: text in self.text().replace("\n", ""), "not shown")

    until = comes  # what the test means nothing without

    def wait_while(self, text):
        end = time.monotonic() + PATIENCE
        while text in self.text() and time.monotonic() < end:
            self.go_on()
        return text not in self.text()

    def send(self, *keys):
        self.answers.clear()
        for key in keys:
            self.press(KEYS.get(key, key).encode())
            self.quiet()
        return self

    def send_at_once(self, *keys):
        """All of them before the program can draw."""
        self.answers.clear()
        self.press("".join(KEYS.get(key, key) for key in keys).encode())
        self.quiet()
        return self

    def click(self, x, y, button=0):
        press = b"\x1b[<%d;%d;%d" % (button, x + 1, y + 1)
        self.press(press + b"M" + (press + b"m" if button < 64 else b""))  # a wheel is never released
        self.quiet()
        return self

    def view(self, title):
        """Walks the strip to the view with this title."""
        for _ in range(32):
            if f"[{title}]" in self.lines()[2]:
                return self
            self.send("Tab")
        raise AssertionError(f"there is no view {title}\n{self.text()}")

    def lines(self):
        if self.seen is None:
            self.seen = [self.screen.line(y).rstrip() for y in range(self.screen.lines)]
        return self.seen

    def text(self):
        return "\n".join(self.lines())

    def row_of(self, text):
        return next((y for y, line in enumerate(self.lines()) if text in line), -1)

    def background(self, y, x):
        return self.screen.buffer[y][x].bg

    def ended(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if pid else None
        return self.status is not None

    def end(self, most=PATIENCE):
        """Waits for the end; the exit status, or minus the signal's number; None if it goes on."""
        end = time.monotonic() + most
        while not self.ended() and time.monotonic() < end:
            self.pump(0.05)
        self.pump(0.1)
        return None if self.status is None else os.waitstatus_to_exitcode(self.status)

    def restored(self):
        """Is the terminal as it was: modes, normal screen, visible cursor, no mouse reports?"""
        same = termios.tcgetattr(self.tty)[:4] == self.modes[:4]
        left = self.raw.rfind(b"\x1b[?1049l") > self.raw.rfind(b"\x1b[?1049h")
        mouse = max(self.raw.rfind(b"\x1b[?1006;1000l"), self.raw.rfind(b"\x1b[?1000l"),
                    self.raw.rfind(b"\x1b[?1006l")) > self.raw.rfind(b"\x1b[?1006;1000h")
        cursor = max(self.raw.rfind(b"\x1b[?25h"), self.raw.rfind(b"\x1b[?12l\x1b[?25h")) > self.raw.rfind(b"\x1b[?25l")
        return same and left and mouse and cursor

    def close(self):
        if not self.ended():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.status = -9
        self.loop.close()
        for fd in (self.fd, self.tty, self.behind):
            try:
                os.close(fd)
            except OSError:
                pass
