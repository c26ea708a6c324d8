# SPDX-License-Identifier: GPL-2.0-or-later
"""Hostile programs beside one whose profile is known: strangers.py [KIND...]. STRANGERS is how many of them."""
import contextlib
import functools
import json
import math
import os
import platform
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

from ordinary_user import NOBODY
from tap import Skip, end, same, test

PANETOP = os.environ["PANETOP"]
BUILD = os.path.join(os.path.dirname(os.path.abspath(PANETOP)), "tests")
WORK, PLAIN, STRANGER = (os.path.join(BUILD, name) for name in ("profile_work", "profile_work_plain", "stranger_work"))
COUNT = int(os.environ.get("STRANGERS", "0")) or (10000 if os.environ.get("PANETOP_RELEASE") else 98)
SEED = int(os.environ.get("STRANGERS_SEED", "1"))
SECONDS = 0.7           # that each of them runs
GAP_MAX = 3             # seconds of its CPU time without a sample
HELPER_MAX = 1536 << 10  # KiB of the process that unwinds
PATIENCE = 300          # seconds: an end for what would run for ever
SHARES = {"work_f": 0.5, "work_g": 0.3, "work_h": 0.2}
LOOPS = {"x86_64": b"\xeb\xfe", "aarch64": b"\0\0\0\x14"}  # a jump to itself
LOOP = LOOPS.get(platform.machine(), b"")
MACHINES = {"x86_64": 62, "aarch64": 183}
HERE = tempfile.mkdtemp(prefix="panetop-strangers-")
TEXT = 0x1000
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB = 1, 2, 3
SHF_COMPRESSED = 0x800


def symbol(name, start, size):
    return struct.pack("<IBBHQQ", name, 2, 0, 1, start, size)


def elf(sections, unwind=None):
    """A program that is loaded at 0 as it is, with its code at TEXT; sections: name, type, flags, link, bytes."""
    sections = [("", 0, 0, 0, b""), (".text", SHT_PROGBITS, 6, 0, LOOP * (0x1000 // len(LOOP))), *sections]
    names = b"\0".join(name.encode() for name, *_ in sections) + b"\0.shstrtab\0"
    sections.append((".shstrtab", SHT_STRTAB, 0, 0, names))
    places, body, headers, at = {}, bytearray(), bytearray(), TEXT
    for name, kind, flags, link, content in sections:
        place = places.setdefault(name, names.index(name.encode() + b"\0") if name not in places else 0)
        headers += struct.pack("<IIQQQQIIQQ", place, kind, flags, at if flags & 2 else 0, at, len(content), link, 0, 8, 24)
        if name == ".eh_frame_hdr":
            unwind = (at, len(content))
        body += content + bytes(-len(content) % 16)
        at = TEXT + len(body)
    segments = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, at, at, 0x1000)
    if unwind:
        segments += struct.pack("<IIQQQQQQ", 0x6474e550, 4, unwind[0], unwind[0], unwind[0], unwind[1], unwind[1], 4)
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, MACHINES[platform.machine()], 1, TEXT, 64, at, 0, 64, 56,
                                                      len(segments) // 56, 64, len(sections), len(sections) - 1)
    return (header + segments).ljust(TEXT, b"\0") + body + headers


def with_names(names, more=()):
    """All of them are of the code, in parts of it."""
    strings, symbols = bytearray(1), bytearray(symbol(0, 0, 0))
    for number, name in enumerate(names):
        symbols += symbol(len(strings), TEXT + number % 0x800, 0x1000 - number % 0x800)
        strings += name + b"\0"
    return elf([(".symtab", SHT_SYMTAB, 0, 3, symbols), (".strtab", SHT_STRTAB, 0, 0, strings), *more])


def reference(number):
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    text = ""
    while number > 0 and not (text and number == 0):
        number -= 1
        text = digits[number % 36] + text
        number //= 36
    return f"S{text}_"


def doubled(first, depth, last=""):
    """A symbol of some hundred bytes that stands for a name of 2 to the power of depth characters."""
    return (first + "".join("S_I" + 2 * reference(number) + "E" for number in range(1, depth)) + last).encode()


def bomb(dice):
    return with_names([dice.choice([doubled("_Z1f1aIiiE", 45), doubled("_Z1fDp1aIiiE", 44), doubled("_Z1f1aIiiE", 44, "DpS17_")])])


def long_names(dice):
    return with_names([bytes(dice.choice(b"\1\x1b;\x7f_Zabc\xc3\xff\x9b") for _ in range(dice.randrange(100000))) for _ in range(9)])


def many_names(dice):
    return with_names([b"f%d" % number for number in range(dice.randrange(100000))])


def sections(dice):
    return elf([(".note", 7, 0, 0, b"") for _ in range(dice.randrange(1000, 60000))])


def slow_rules(dice):
    """Millions of rules, none of which is of the code, and no table to find them: the last choice takes seconds."""
    cie = entry(struct.pack("<IB", 0, 1) + b"zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1")
    one = entry(struct.pack("<IB", 0, 1) + b"\0\1\x78\x10")
    return elf([(".eh_frame", SHT_PROGBITS, 2, 0, cie + one * dice.choice([1000000, 6000000]) + bytes(4))])


def entry(content):
    content += b"\0" * (-len(content) % 8)
    return struct.pack("<I", len(content)) + content


def rules(dice):
    """Unwind rules that take long, or never end."""
    cie = entry(struct.pack("<IB", 0, 1) + b"zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1")
    steps = dice.choice([b"\x0a", b"\x0a\x0b", b"\x0e\x08", b"\x05\xff\xff\xff\x7f\1", b"\x41",
                         b"\x0f\x80\x20" + b"\x06" * 0x1000, b"\x2e\x80\x80\x04"])
    steps *= min(dice.choice([10, 10000, 3000000]), (64 << 20) // len(steps))
    fde = entry(struct.pack("<IiI", len(cie) + 4, 0, 0x1000) + b"\0" + steps)
    table = struct.pack("<BBBBiIii", 1, 0x1b, 3, 0x3b, dice.randrange(-99, 99), dice.choice([1, 2, 1 << 30]), 0, 0)
    made = [(".eh_frame", SHT_PROGBITS, 2, 0, cie * dice.choice([1, 100000]) + fde + bytes(4))]
    return elf(made + ([(".eh_frame_hdr", SHT_PROGBITS, 2, 0, table)] if dice.random() < 0.5 else []))


@functools.cache
def packed_zeros(mib):
    packer = zlib.compressobj(1)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(mib)) + packer.flush()


def packed(dice):
    """Debug information that becomes a hundred times as large."""
    mib = dice.choice([10, 300, 900])
    zeros = packed_zeros(mib)
    header = struct.pack("<IIQQ", 1, 0, dice.choice([mib << 20, 1 << 20, 1 << 62]), 1)
    return elf([(name, SHT_PROGBITS, SHF_COMPRESSED, 0, header + zeros) for name in (".debug_info", ".debug_abbrev", ".debug_line")])


def changed_bytes(dice):
    """A real program, with random bytes in random places; its own code begins with a loop."""
    with open(dice.choice([PLAIN, PLAIN, WORK]), "rb") as file:
        content = bytearray(file.read())
    start, size = text_of(content)
    at = start + dice.randrange(size // 2)
    for _ in range(dice.choice([1, 10, 1000])):
        places = dice.choice([(0, 64), (64, 0x400), (len(content) - 0x1000, len(content)), (0x40, len(content))])
        content[dice.randrange(*places)] = dice.choice([0, 1, 0x7f, 0x80, 0xff, dice.randrange(256)])
    content[at:at + len(LOOP)] = LOOP
    return bytes(content), at


def text_of(content):
    """Offset and size of .text."""
    table, = struct.unpack_from("<Q", content, 40)
    count, names = struct.unpack_from("<HH", content, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", content, table + 64 * number) for number in range(count)]
    for header in headers:
        if content[headers[names][4] + header[0]:].startswith(b".text\0"):
            return header[4], header[5]
    raise AssertionError("no .text")


def sparse(dice):
    """Huge, and nothing is in it."""
    content = bytearray(elf([(".symtab", SHT_SYMTAB, 0, 3, bytes(24)), (".strtab", SHT_STRTAB, 0, 0, b"\0")]))
    table, = struct.unpack_from("<Q", content, 40)
    size = dice.choice([1 << 28, 900 << 20, 1 << 40])
    struct.pack_into("<QQ", content, table + 2 * 64 + 24, len(content), size - len(content))
    return bytes(content), TEXT, size


KINDS = {kind.__name__: kind for kind in (bomb, long_names, many_names, sections, rules, slow_rules, packed, changed_bytes, sparse)}
MODES = {"maps": 0, "jit": 60000, "deep": 60000, "forks": 0, "names": 0}


def cut_short(path, dice):
    """While it runs."""
    time.sleep(SECONDS * dice.random())
    os.truncate(path, dice.choice([0x2000, os.path.getsize(path) // 2 // 0x1000 * 0x1000 + 0x2000]))


def remove_map(pid):
    with contextlib.suppress(OSError):
        os.remove(f"/tmp/perf-{pid}.map")


@contextlib.contextmanager
def running(path, kind, dice):
    """One of them, of this kind."""
    if kind in MODES:
        command = [kind, PLAIN_COPY, str(MODES[kind])]
    else:
        made = KINDS[kind](dice)
        content, offset, *size = made if isinstance(made, tuple) else (made, TEXT + dice.randrange(0x1000 // len(LOOP)) * len(LOOP))
        with open(path, "wb") as file:
            file.write(content)
            if size:
                file.truncate(size[0])
        os.chmod(path, 0o755)
        command = ["run", path, str(offset)]
    with subprocess.Popen([*NOBODY, STRANGER_COPY, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        try:
            yield run
        finally:
            run.kill()
            run.wait()
            remove_map(run.pid)
            with contextlib.suppress(OSError):
                os.remove(path)


def run_stranger(number, kind, seconds):
    """For a moment."""
    dice = random.Random(f"{SEED} {number}")
    path = os.path.join(HERE, f"stranger-{number}")
    with running(path, kind, dice) as run, contextlib.suppress(subprocess.TimeoutExpired):
        if kind not in MODES and dice.random() < 0.4:
            cut_short(path, dice)
        run.wait(seconds)


class Beside:
    """panetop, which profiles the program that is known, and what it has found, in a thread."""

    def __init__(self, *options):
        self.work = subprocess.Popen(["sh", "-c", '"$0" 100000 & read line; exec "$1" 100000', WORK, LATE], stdin=subprocess.PIPE,
                                     stdout=subprocess.DEVNULL)
        self.known, self.late = 0, 0
        tables = [word for table in ("profile", "profile_cost") for word in ("-t", table)]
        self.run = subprocess.Popen([PANETOP, "-o", "json", "-d", "0.5", f"--in=tree={self.work.pid}", *options, *tables], text=True,
                                    stdout=subprocess.PIPE)
        self.samples, self.total, self.named, self.notices = dict.fromkeys(SHARES, 0), 0, 0, {}
        self.frames, self.last, self.gap, self.others, self.peak, self.helpers = 0, None, 0, 0, 0, set()
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        for line in self.run.stdout:
            self.take(json.loads(line))

    def take(self, frame):
        if not frame["tables"]["profile_cost"]:
            return
        now, named = self.cpu_seconds(), 0
        self.others = 0
        for row in frame["tables"]["profile"]:
            self.late += row["samples"] * (row["function"] in self.samples and row["file"] == os.path.basename(LATE))
            if row["function"] in self.samples and row["file"] == os.path.basename(WORK):
                self.samples[row["function"]] += row["samples"]
                named += row["samples"]
            self.others += row["samples"] * (row["function"] == "(too many functions)")
        self.total += frame["tables"]["profile_cost"][0]["samples"] or 0
        self.named += named
        self.gap = max(self.gap, now - self.last if self.last else 0)
        if named:
            self.last = now
        self.frames += 1
        for notice in frame["notices"]:
            self.notices[re.sub(r"\d+", "N", notice["text"][:60])] = notice["text"]
        self.look_at_helper()

    def cpu_seconds(self):
        """Of the program that is known: others may keep it from running."""
        if not self.known:
            with open(f"/proc/{self.work.pid}/task/{self.work.pid}/children", encoding="ascii") as children:
                self.known = int((children.read().split() or [self.work.pid])[0])
        with open(f"/proc/{self.known}/schedstat", encoding="ascii") as stat:
            return int(stat.read().split()[0]) / 1e9

    def look_at_helper(self):
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{self.run.pid}/task/{self.run.pid}/children", encoding="ascii") as children:
                pids = children.read().split()
            for task in os.listdir(f"/proc/{self.run.pid}/task"):
                with open(f"/proc/{self.run.pid}/task/{task}/children", encoding="ascii") as children:
                    pids += children.read().split()
            for pid in set(pids):
                with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
                    text = status.read()
                if text.startswith("Name:\tpanetop-profile"):
                    self.helpers.add(pid)
                    self.peak = max(self.peak, int(text.split("VmHWM:")[1].split()[0]))

    def until(self, condition):
        end_of_patience = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < end_of_patience and self.thread.is_alive():
            time.sleep(0.1)
        same(bool(condition()), True, f"it was waited for: {self.samples} of {self.total}, {self.notices}")

    def close(self):
        self.run.send_signal(signal.SIGTERM)
        self.thread.join(PATIENCE)
        self.run.kill()
        with contextlib.suppress(OSError):
            os.kill(self.known, signal.SIGKILL)
        self.work.kill()
        self.run.wait()
        self.work.wait()

    def check(self):
        print(f"# {self.frames} frames, {self.total} samples, {self.named} with a name, gap {self.gap:.1f} s, "
              f"helpers {len(self.helpers)}, {self.peak >> 10} MiB")
        for text in self.notices.values():
            print(f"# {text}")
        same(self.total > 100, True, f"{self.total} samples")
        same(self.gap <= GAP_MAX, True, f"{self.gap} s of CPU time without a sample")
        same(self.peak <= HELPER_MAX, True, f"{self.peak} KiB of the process that unwinds")
        for name, share in SHARES.items():
            found = self.samples[name] / self.named
            same(abs(found - share) <= 4 * math.sqrt(share * (1 - share) / self.named) + 0.01, True, f"{name}: {found} of {self.named}")
        same(self.named > 0.8 * self.total, True, f"{self.named} of {self.total} samples have names")


def beside_strangers(kinds, count, *options, at_once=2, seconds=SECONDS):
    if not LOOP:
        raise Skip("no code of this processor is known")
    beside = Beside(*options)
    try:
        beside.until(lambda: beside.named > 20)
        numbers = iter(range(count))
        lock = threading.Lock()

        def run_some():
            while beside.thread.is_alive():
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                run_stranger(number, kinds[number % len(kinds)], seconds)

        threads = [threading.Thread(target=run_some) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        same(beside.run.poll(), None, "panetop goes on")
        before = beside.named
        beside.until(lambda: beside.named > before + 100)
        beside.check()
        beside.work.stdin.close()
        beside.until(lambda: beside.late > 100 and beside.others == 0)
    finally:
        beside.close()


os.chmod(HERE, 0o755)
PLAIN_COPY, STRANGER_COPY = (shutil.copy(path, HERE) for path in (PLAIN, STRANGER))
LATE = shutil.copy(PLAIN, os.path.join(HERE, "late_work"))  # begins when all strangers have ended
chosen = sys.argv[1:] or [*KINDS, *MODES]


@test
def a_profile_beside_strangers():
    """a profile stays right beside programs that were made to break it"""
    beside_strangers(chosen, COUNT)


@test
def tables_have_room_again():
    """names that were made at run time leave room for those of other programs"""
    beside_strangers(["deep"], 3, "--rate=997", at_once=3, seconds=15)


class Last(random.Random):
    """Takes the last one."""

    def choice(self, seq):
        return seq[-1]


@test
def who_is_to_blame():
    """a process that would unwind for ever is ended, and a notice names the file and whose it is"""
    if not LOOP:
        raise Skip("no code of this processor is known")
    path = os.path.join(HERE, "endless")
    beside = Beside()
    try:
        beside.until(lambda: beside.named > 20)
        with running(path, "slow_rules", Last()) as run:
            beside.until(lambda: any(path + ", mapped by stranger_work" in text and str(run.pid) in text for text in beside.notices.values()))
            before = beside.named
            beside.until(lambda: beside.named > before + 100)
    finally:
        beside.close()
    same(len(beside.helpers) > 1, True, "another process goes on")


try:
    end()
finally:
    shutil.rmtree(HERE)
