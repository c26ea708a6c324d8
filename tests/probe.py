# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls that a program makes as it is told, and what panetop counts of them."""
import contextlib
import json
import os
import platform
import shutil
import struct
import subprocess
import tempfile
import time

from ordinary_user import NOBODY, names_remedy, ordinary_copy
from tap import Skip, end, same, test

PANETOP = os.environ["PANETOP"]
PATIENCE = 60
BUILD = os.path.dirname(os.path.abspath(PANETOP))
WORK, LIBRARY = (os.path.join(BUILD, "tests", name) for name in ("probe_work", "libprobe_work.so"))
PYTHON = "/usr/bin/python3"
MAY_COST = "--probe-cost=100000"


class Work(subprocess.Popen):
    """A process that obeys."""

    def __init__(self, *command, library=LIBRARY, **more):
        super().__init__(command or [WORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)
        same(self.stdout.readline(), "ready\n", "it begins")
        if library:
            self.tell(f"load {library}")

    def tell(self, line):
        print(line, file=self.stdin, flush=True)
        return self.stdout.readline().split()[0]

    def __exit__(self, *why):
        self.kill()
        super().__exit__(*why)


class Counted(subprocess.Popen):
    """A run of panetop with probes."""

    def __init__(self, *probes, options=(), program=PANETOP, enter=(), **more):
        calls = [f"--probe-call={probe}" for probe in probes]
        super().__init__([*enter, program, "-o", "json", "-d", "0.2", "-t", "probe", "-t", "tracing", *calls, *options],
                         stdout=subprocess.PIPE, text=True, **more)
        self.notices = ""

    def until(self, what, wanted):
        """The rows of the first sample for which wanted holds."""
        until, rows = time.monotonic() + PATIENCE, None
        while time.monotonic() < until:
            sample = json.loads(self.stdout.readline())
            rows, self.notices = sample["tables"]["probe"], json.dumps(sample["notices"])
            if wanted(rows):
                return rows
        raise AssertionError(f"not {what}: {rows} {self.notices}")

    def until_state(self, state):
        return self.until(state, lambda rows: rows and all(row["state"] == state for row in rows))

    def until_hits(self, *hits):
        """All that was called, and not one more: the sample after that has the same."""
        self.until(f"hits {hits}", lambda rows: all(row["hits"] >= least for row, least in zip(rows, hits)))
        rows = json.loads(self.stdout.readline())["tables"]["probe"]
        same(tuple(row["hits"] for row in rows), hits, "hits")
        return rows

    def __exit__(self, *why):
        self.kill()
        super().__exit__(*why)


def need_rights():
    """Once: whether functions can be counted here at all."""
    with Work() as work, Counted(f"{LIBRARY}:probe_plain", options=[f"--pid={work.pid}"]) as run:
        sample = json.loads(run.stdout.readline())
        if sample["tables"]["probe"] and sample["tables"]["probe"][0]["state"] == "counting":
            return
    raise Skip(f"no function can be counted here: {json.dumps(sample['notices'])}"[:200])


def counting(function):
    """A test of what takes rights."""
    def run():
        if NO_RIGHTS:
            raise Skip(NO_RIGHTS)
        function()
    run.__doc__ = function.__doc__
    test(run)


def only_x86_64():
    if platform.machine() != "x86_64":
        raise Skip("the library has this only on x86-64")


def nothing_remains(work, question, answer):
    until = time.monotonic() + PATIENCE
    while (found := work.tell(question)) != answer and time.monotonic() < until:
        time.sleep(0.05)
    same(found, answer, question)


try:
    need_rights()
    NO_RIGHTS = None
except Skip as why:
    NO_RIGHTS = str(why)


@counting
def exact_calls():
    """4,000 calls of a function of a library that dlopen brought, and their returns, are 4,000"""
    with Work() as work, Counted("libprobe_work:probe_plain", options=[f"--pid={work.pid}", MAY_COST]) as run:
        run.until_state("counting")
        work.tell("call probe_plain 4000")
        (row,) = run.until_hits(4000)
        same(row["returns"], 4000, "returns")
        same(row["pid"], work.pid, "pid")
        same(row["command"], "probe_work", "command")
        same(0 < row["p50_seconds"] <= row["p99_seconds"] <= row["max_seconds"], True, f"times: {row}")
        same(row["cost_seconds"] > 0, True, f"cost: {row}")


@counting
def calls_of_threads():
    """calls of four threads at once, and those of a function that calls itself, are exact"""
    with Work() as work, Counted(f"{LIBRARY}:probe_plain", f"{LIBRARY}:probe_nested", options=[f"--pid={work.pid}", MAY_COST]) as run:
        run.until_state("counting")
        work.tell("threads 4 probe_plain 1000")
        work.tell("call probe_nested 50 20")
        plain, nested = run.until_hits(4000, 1000)
        same((plain["returns"], nested["returns"]), (4000, 1000), "returns")
        # The outer calls last longer than those in them: had frames been mixed up, all would be as short as the innermost.
        same(nested["max_seconds"] > 2 * nested["p50_seconds"] > 0, True, f"times of nested calls: {nested}")


@counting
def calls_of_nops():
    """a function that begins with a nop of 5 bytes is counted, and its way is shown"""
    only_x86_64()
    with Work() as work, Counted(f"{LIBRARY}:probe_nop", f"{LIBRARY}:probe_plain", options=[f"--pid={work.pid}", MAY_COST]) as run:
        run.until_state("counting")
        work.tell("call probe_nop 3000")
        nop, plain = run.until_hits(3000, 0)
        same((nop["way"], plain["way"], nop["returns"]), ("nop", "trap", 3000), "ways and returns")
        same(nop["cost_seconds"] <= plain["cost_seconds"] * 2, True, f"cost: {nop} {plain}")


@counting
def before_it_is_mapped():
    """a library that is loaded only later is counted from its first call on, and a process that unloads it is gone"""
    with Work(library=None) as work, Counted(f"{LIBRARY}:probe_plain", options=[f"--pid={work.pid}", MAY_COST]) as run:
        run.until_state("waiting")
        work.tell(f"load {LIBRARY}")
        work.tell("call probe_plain 123")
        run.until_hits(123)
        run.until_state("counting")
        work.tell("unload")
        run.until_state("gone")


@counting
def another_program():
    """a process that executes another program is gone, and one that exits has ended"""
    with Work() as work, Counted("libprobe_work.so:probe_plain", options=[f"--pid={work.pid}", MAY_COST]) as run:
        run.until_state("counting")
        print(f"become {WORK}", file=work.stdin, flush=True)
        same(work.stdout.readline(), "ready\n", "the other program begins")
        run.until_state("gone")
        work.kill()
        work.wait()
        (row,) = run.until_state("ended")
        same((row["pid"], row["command"]), (work.pid, "probe_work"), "who has ended")


@counting
def semaphores():
    """a probe of the authors (USDT) with a semaphore, at two places, is exact; its semaphore is 0 again after SIGKILL"""
    only_x86_64()
    with Work() as work:
        same(work.tell("value probe_semaphore_value"), "0", "the semaphore before")
        with Counted(f"{LIBRARY}:passed", "libprobe_work:panetop_test:passed", options=[f"--pid={work.pid}", MAY_COST]) as run:
            run.until_state("counting")
            same(work.tell("value probe_semaphore_value") != "0", True, "somebody listens")
            work.tell("call probe_passes 700")
            work.tell("call probe_passes_too 333")
            rows = run.until_hits(1033, 1033)
            same(rows[0]["returns"], None, "returns")
            run.kill()
            run.wait()
        nothing_remains(work, "value probe_semaphore_value", "0")


@counting
def code_is_as_before():
    """the code of the process is as it was after SIGKILL, and after an orderly end"""
    only_x86_64()
    for how in ("kill", "terminate"):
        with Work() as work:
            before = work.tell("bytes probe_plain")
            with Counted(f"{LIBRARY}:probe_plain", options=[f"--pid={work.pid}"]) as run:
                run.until_state("counting")
                same(work.tell("bytes probe_plain")[:2], "cc", "the first byte while it is counted")
                getattr(run, how)()
                run.wait()
            nothing_remains(work, "bytes probe_plain", before)


@counting
def too_costly():
    """a probe that costs too much is taken off by itself, with a sentence; --probe-cost keeps it"""
    with Work() as work, Counted(f"{LIBRARY}:probe_plain", options=[f"--pid={work.pid}"]) as run:
        before = work.tell("bytes probe_plain")
        work.tell("spin probe_plain")
        (row,) = run.until_state("costly")
        same("more than the 5 % of --probe-cost" in run.notices, True, run.notices)
        same(row["hits"] > 0, True, f"hits: {row}")
        if platform.machine() == "x86_64":
            nothing_remains(work, "bytes probe_plain", before)
        with Counted(f"{LIBRARY}:probe_plain", options=[f"--pid={work.pid}"]) as other:  # it is refused from the start
            other.until_state("costly")
        with Counted(f"{LIBRARY}:probe_plain", options=[f"--pid={work.pid}", MAY_COST]) as other:
            (row,) = other.until("costs", lambda rows: rows and (rows[0]["cost_ratio"] or 0) > 0.05)
            same(row["state"], "counting", "state")


@counting
def wrong_names():
    """what is no function, or not in the file, is refused with the reason"""
    with Work() as work:
        cases = (
            (f"{LIBRARY}:probe_plian", "no such function; did you mean probe_plain?"),
            (f"{LIBRARY}:probe_chosen", "IFUNC"),
            (f"{LIBRARY}:probe_data", "this is data"),
            (f"{WORK}:dlopen", "does not contain it"),
            (f"{os.path.abspath(__file__)}:main", "not a program or library"),
            ("/nonexistent/library:main", "No such file"),
            ("libnonexistent:main", "no process has mapped this file"),
            ("/dev/null:main", "Invalid argument"),
        )
        for probe, why in cases:
            run = subprocess.run([PANETOP, "-o", "json", "-n", "1", "-t", "probe", f"--pid={work.pid}", f"--probe-call={probe}"],
                                 capture_output=True, text=True, check=True)
            sample = json.loads(run.stdout)
            same(why in json.dumps(sample["notices"]), True, f"{probe}: {sample['notices']}")
            same(sample["tables"]["probe"][0]["state"] in ("refused", "failed", "absent"), True, f"{probe}: {sample['tables']}")


def file_of_many_functions(path):
    """Names that take seconds to compare with one that is as long."""
    names = [b"%040d" % number for number in range(200_000)]
    symbols = b"".join(struct.pack("<IBBHQQ", 1 + 41 * at, 0x12, 0, 1, 0x1000, 1) for at in range(len(names)))
    parts = (b"", b"\x90" * 16, bytes(24) + symbols, b"\0" + b"\0".join(names) + b"\0")
    kinds = ((0, 0, 0, 0), (1, 6, 0, 0), (2, 0, 3, 24), (3, 0, 0, 0))  # type, flags, link, size of an entry
    headers, at = b"", 64
    for part, (kind, flags, link, entry) in zip(parts, kinds):
        headers += struct.pack("<IIQQQQIIQQ", 0, kind, flags, 0x1000 if kind == 1 else 0, at, len(part), link, 0, 1, entry)
        at += len(part)
    with open(path, "wb") as file:
        file.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, 0, 0, at, 0, 64, 0, 0, 64, 4, 0))
        file.write(b"".join(parts) + headers)


def has_open(pid, path):
    for file in os.scandir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            if os.readlink(file.path) == path:
                return True
    return False


@counting
def ends_while_it_searches():
    """a signal ends it while it searches a large file, long before it would have found what it searches"""
    with tempfile.NamedTemporaryFile() as large:
        file_of_many_functions(large.name)
        seconds = []
        for ends in (False, True):
            with Counted(f"{large.name}:{'x' * 40}", options=["-n", "1"]) as run:
                while not has_open(run.pid, large.name):
                    same(run.poll(), None, "status before it has opened the file")
                begun = time.monotonic()
                if ends:
                    run.terminate()
                run.communicate(timeout=PATIENCE)
                seconds.append(time.monotonic() - begun)
                same(run.returncode, 0, "status")
    same(seconds[1] < seconds[0] / 2, True, f"ends early: {seconds}")


@counting
def too_many():
    """more than 64 processes are counted in none: it asks for a scope"""
    with contextlib.ExitStack() as stack:
        for _ in range(65):
            stack.enter_context(Work())
        one = stack.enter_context(Work())
        run = stack.enter_context(Counted(f"{LIBRARY}:probe_plain"))
        run.until_state("crowded")
        same("--in=SCOPE" in run.notices, True, run.notices)
        scoped = stack.enter_context(Counted(f"{LIBRARY}:probe_plain", options=[f"--pid={one.pid}", MAY_COST]))
        scoped.until_state("counting")


@counting
def python_collects():
    """python3:gc__start counts the collections of Python exactly"""
    program = os.path.realpath(PYTHON)
    with open(program, "rb") as file:
        if b"gc__start" not in file.read():
            raise Skip("this Python has no probes")
    code = "import gc, sys\ngc.disable()\nprint('ready', flush=True)\n" \
           "for line in sys.stdin:\n for _ in range(int(line)): gc.collect(0)\n print('done', flush=True)\n"
    with Work(PYTHON, "-c", code, library=None) as work, Counted("python3:gc__start", options=[f"--pid={work.pid}", MAY_COST]) as run:
        run.until_state("counting")
        work.tell("1000")
        (row,) = run.until_hits(1000)
        same(row["returns"], None, "returns")


@test
def wrong_options():
    """an option without a function is refused"""
    for probe in ("libc", "libc:", ":malloc", "/a/b", "a:b:c:d"):
        run = subprocess.run([PANETOP, "-n", "1", "-t", "probe", f"--probe-call={probe}"], capture_output=True, text=True, check=False)
        same((run.returncode, "use FILE:FUNCTION" in run.stderr), (2, True), f"{probe}: {run.stderr}")


@test
def without_rights():
    """an ordinary user is told what it takes"""
    with tempfile.TemporaryDirectory() as place, ordinary_copy(PANETOP) as panetop:
        os.chmod(place, 0o755)
        library = shutil.copy(LIBRARY, place)
        with Counted(f"{library}:probe_plain", program=panetop, enter=NOBODY) as run:
            sample = json.loads(run.stdout.readline())
            if sample["tables"]["probe"] and sample["tables"]["probe"][0]["state"] != "failed":
                raise Skip("ordinary users may do this here")
            same(names_remedy(json.dumps(sample["notices"]), "cap_bpf, cap_perfmon and cap_sys_admin") or
                 "built without" in json.dumps(sample["notices"]), True, sample["notices"])


end()
