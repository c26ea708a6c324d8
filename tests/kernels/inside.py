# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs inside the virtual machine of tests/kernels/run: all panes, as root and as an ordinary user, compared with files of /proc and
/sys that are read at the same time. Prints "ok - NAME" or "not ok - NAME" for each test, and "end"."""
import contextlib
import ctypes
import glob
import json
import mmap
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

# Failures that are known: finding, test, kernels from this version on and before this one. Whoever mends one removes its line.
KNOWN_FAILURES = [
]

PANETOP = "/tmp/tests/panetop"
PANES = ("memory", "events", "cpu", "pages", "power", "latency")
USER = 1000
PAGE = mmap.PAGESIZE
KERNEL = tuple(int(part) for part in re.match(r"(\d+)\.(\d+)", os.uname().release).groups())
TESTS = []


def test(name):
    def register(function):
        TESTS.append((name, function))
        return function
    return register


class Failure(Exception):
    pass


def check(condition, *what):
    if not condition:
        raise Failure(" ".join(str(part) for part in what))


def equal(what, got, want):
    check(got == want, f"{what}: panetop has {got!r}, the kernel {want!r}")


def within(what, low, got, high):
    check(got is not None and low <= got <= high, f"{what}: panetop has {got!r}, the kernel between {low!r} and {high!r}")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def read_or_none(path):
    try:
        return read(path).strip()
    except OSError:
        return None


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(str(text))


# --- panetop --------------------------------------------------------------------------------------------------------------------


def arguments_of(*arguments, delay=0.2, count=1, output="json"):
    return [PANETOP, "-b", "-o", output, "-d", str(delay), "-n", str(count), *(str(argument) for argument in arguments)]


def privileges(user):
    return {"user": user, "group": user, "extra_groups": []} if user else {}


class Result:
    """What a run of panetop printed: its samples, of which the last is whole, and its messages."""

    def __init__(self, status, out, err):
        check(err == "", "on stderr:", err[:300])
        self.samples = [json.loads(line) for line in out.splitlines()]
        check(self.samples, f"no sample, status {status}")
        rows = any(rows for sample in self.samples for rows in sample["tables"].values())
        notices = any(sample["notices"] for sample in self.samples)
        equal("status", status, 1 if notices and not rows else 0)  # a run that shows nothing but notices fails

    def table(self, name):
        return self.samples[-1]["tables"][name]

    def notices(self, topic):
        return [notice for sample in self.samples for notice in sample["notices"] if notice["topic"] == topic]


def panetop(*arguments, user=None, into=None, **options):
    """One run that has to end well; into: a control group."""
    done = subprocess.run(arguments_of(*arguments, **options), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, check=False, preexec_fn=into and (lambda: write(into + "/cgroup.procs", os.getpid())),
                          **privileges(user))
    return Result(done.returncode, done.stdout, done.stderr)


class Watch:
    """A run that goes on meanwhile: next() is the next sample, finish() ends it; then result is known."""

    def __init__(self, *arguments, user=None, **options):
        self.process = subprocess.Popen(arguments_of(*arguments, count=100000, **options), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **privileges(user))
        self.lines, self.result = [], None

    def next(self):
        self.lines.append(self.process.stdout.readline())
        check(self.lines[-1], "it ended:", self.process.stderr.read() if self.process.poll() else "")
        return json.loads(self.lines[-1])

    def finish(self):
        self.process.terminate()
        out, err = self.process.communicate(timeout=20)
        self.result = Result(self.process.returncode, "".join(self.lines) + out, err)
        return self.result

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


# --- processes to look at -------------------------------------------------------------------------------------------------------


class Child:
    """A copy of this program that does what it is sent: functions of this module, by name."""

    def __init__(self, user=None):
        self.to_child, self.from_child = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            if user:
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
                ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # dumpable: its own user may read its maps
            commands = os.fdopen(self.to_child[0], "r", encoding="utf-8")
            os.close(self.to_child[1])
            for line in commands:
                name, *arguments = json.loads(line)
                answer = json.dumps(globals()[name](*arguments)) + "\n"
                os.write(self.from_child[1], answer.encode())
            os._exit(0)
        os.close(self.to_child[0])
        os.close(self.from_child[1])
        self.answers = os.fdopen(self.from_child[0], "r", encoding="utf-8")

    def __call__(self, name, *arguments):
        os.write(self.to_child[1], (json.dumps([name, *arguments]) + "\n").encode())
        return json.loads(self.answers.readline())

    def stop(self):
        os.kill(self.pid, signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.to_child[1])
        self.answers.close()


@contextlib.contextmanager
def child(user=None):
    it = Child(user)
    try:
        yield it
    finally:
        it.end()


LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBC.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_MERGEABLE, MADV_PAGEOUT = 14, 15, 12, 21
MAP_HUGETLB = 0x40000


def do_map(size, flags=0, advice=MADV_NOHUGEPAGE, aligned=PAGE):
    """Anonymous private memory, its own mapping; its address."""
    start = LIBC.mmap(None, size + aligned + 2 * PAGE, 0, 0x22, -1, 0)  # PROT_NONE around it
    start = (start + PAGE + aligned - 1) // aligned * aligned
    address = LIBC.mmap(start, size, 3, 0x22 | 0x10 | flags, -1, 0)
    if address == ctypes.c_void_p(-1).value:
        return None
    if advice:
        LIBC.madvise(address, size, advice)
    return address


def do_write(address, pages, value=0):
    for page in range(pages):
        ctypes.c_uint64.from_address(address + page * PAGE).value = value or page + 1
    return True


def do_read(address, pages):
    return sum(ctypes.c_uint8.from_address(address + page * PAGE).value for page in range(pages))


def do_advise(address, pages, advice):
    return LIBC.madvise(address, pages * PAGE, advice)


# --- every pane -----------------------------------------------------------------------------------------------------------------


def every_pane(pane, user):
    with child(user) as it:
        arguments = ["-p", it.pid, pane] if pane == "pages" else ["--samples=5", pane] if pane == "latency" else [pane]
        result = panetop(*arguments, user=user)
    equal("panes", result.samples[-1]["panes"], [pane])
    check(result.samples[-1]["tables"], "no tables")
    for notice in result.samples[-1]["notices"]:
        check(notice["text"], "a notice without text:", notice)


for each_pane in PANES:
    for each_user in (None, USER):
        test(f"pane {each_pane} as {'an ordinary user' if each_user else 'root'}")(
            lambda pane=each_pane, user=each_user: every_pane(pane, user))


@test("all panes in text print nothing on stderr but notices")
def _():
    for user in (None, USER):
        done = subprocess.run(arguments_of("--samples=5", *PANES, output="text"), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, check=False, **privileges(user))
        equal("status", done.returncode, 0)
        for line in done.stderr.splitlines():
            check(re.match(r"panetop: [a-z_]+: .", line), "on stderr:", line)


# --- memory ---------------------------------------------------------------------------------------------------------------------


def meminfo(path="/proc/meminfo"):
    """Name -> (is a size, number in bytes or count)"""
    lines = {}
    for line in read(path).splitlines():
        name, rest = line.split(":")
        words = rest.split()
        lines[name] = (len(words) == 2, int(words[0]) * (1024 if len(words) == 2 else 1))
    return lines


def vmstat(path="/proc/vmstat"):
    return {name: int(value) for name, value in (line.split() for line in read(path).splitlines())}


def same_meminfo(rows, lines, names):
    equal("lines of meminfo", [row["key"] for row in rows], list(lines))
    for row in rows:
        if row["key"] in names:
            is_size, number = lines[row["key"]]
            equal(row["key"], row["value_bytes" if is_size else "count"], number)
            equal(row["key"] + " otherwise", row["count" if is_size else "value_bytes"], None)


@contextlib.contextmanager
def captured(*paths):
    """A tree with copies of these files of /proc and /sys."""
    tree = "/tmp/captured"
    for path in paths:
        os.makedirs(tree + os.path.dirname(path), exist_ok=True)
        write(tree + path, read(path))
    try:
        yield tree
    finally:
        shutil.rmtree(tree)


@test("meminfo has every line of the kernel's, and sizes that do not change are equal")
def _():
    fixed = ("MemTotal", "SwapTotal", "VmallocTotal", "CommitLimit", "HugePages_Total", "Hugepagesize", "HardwareCorrupted")
    lines = meminfo()
    same_meminfo(panetop("memory").table("meminfo"), lines, fixed)


@test("meminfo, memory and reclaim of copied files: every value is equal")
def _():
    with captured("/proc/meminfo", "/proc/vmstat", "/proc/stat", "/proc/uptime", "/proc/zoneinfo") as tree:
        result = panetop("--root=" + tree, "memory")
        lines, counters = meminfo(tree + "/proc/meminfo"), vmstat(tree + "/proc/vmstat")
    same_meminfo(result.table("meminfo"), lines, set(lines))
    value = {name: number for name, (_, number) in lines.items()}
    rows = {row["name"]: row for row in result.table("memory")}
    mem, swap, available = rows["mem"], rows["swap"], rows["available"]
    equal("total", mem["total_bytes"], value["MemTotal"])
    equal("free", mem["free_bytes"], value["MemFree"])
    equal("used", mem["used_bytes"], value["MemTotal"] - value["MemFree"])
    equal("anonymous", mem["anonymous_bytes"], value["Active(anon)"] + value["Inactive(anon)"])
    equal("kernel", mem["kernel_bytes"], value["SUnreclaim"] + value["PageTables"] + value["KernelStack"])
    equal("caches", mem["caches_bytes"], value["Active(file)"] + value["Inactive(file)"] + value["SReclaimable"])
    parts = ("free", "anonymous", "kernel", "caches", "others")
    equal("sum of the parts", sum(mem[part + "_bytes"] for part in parts), value["MemTotal"])
    equal("available", available["free_bytes"], value["MemAvailable"])
    equal("swap", (swap["total_bytes"], swap["free_bytes"]), (value["SwapTotal"], value["SwapFree"]))
    for row in result.table("reclaim"):
        same = [number for name, number in counters.items() if name == row["counter"]]
        zones = [number for name, number in counters.items() if re.fullmatch(row["counter"] + "_(dma|dma32|normal|movable|device)", name)]
        equal(row["counter"], row["total"], sum(same or zones))


@test("counters of reclaim lie between two reads of vmstat")
def _():
    before, rows, after = vmstat(), panetop("memory").table("reclaim"), vmstat()
    compared = [row for row in rows if row["counter"] in before]
    check(len(compared) >= 10, f"only {len(compared)} counters")
    for row in compared:
        within(row["counter"], before[row["counter"]], row["total"], after[row["counter"]])


def pressures():
    """(resource, kind) -> stalled seconds"""
    stalled = {}
    for resource in ("cpu", "memory", "io"):
        for line in (read_or_none("/proc/pressure/" + resource) or "").splitlines():
            stalled[resource, line.split()[0]] = int(line.split("total=")[1]) / 1e6
    return stalled


@test("pressure has the lines of /proc/pressure, and a notice where there are none")
def _():
    before, result, after = pressures(), panetop("memory"), pressures()
    rows = {(row["resource"], row["kind"]): row["stalled_seconds"] for row in result.table("pressure")}
    known = {key: seconds for key, seconds in rows.items() if seconds is not None}
    equal("rows", sorted(known), sorted(before))
    for key, seconds in known.items():
        within(key, before[key], seconds, after[key])
    equal("a notice", bool(result.notices("pressure")), not before)


# --- processes and CPUs ---------------------------------------------------------------------------------------------------------


def listing():
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}


def all_processes(user):
    for attempt in range(4):  # a thread of the kernel may begin or end meanwhile
        with Watch("--idle", "cpu", user=user, delay=0.3) as run:
            run.next()
            before = listing()
            rows = run.next()["tables"]["process"]
            after = listing()
        if before == after or attempt == 3:
            equal("processes", sorted(row["pid"] for row in rows), sorted(after))
            return


@test("the list of processes is that of /proc, as root")
def _():
    all_processes(None)


@test("the list of processes is that of /proc, as an ordinary user")
def _():
    all_processes(USER)


def stat_of(pid):
    text = read(f"/proc/{pid}/stat")
    return text[text.index(")") + 2:].split()  # from the field state on


def row_of(rows, pid):
    found = [row for row in rows if row["pid"] == pid]
    check(len(found) == 1, f"{len(found)} rows of process {pid}")
    return found[0]


@contextlib.contextmanager
def stopped():
    with child() as it:
        it("do_write", it("do_map", 3000 * PAGE), 3000)
        os.setpriority(os.PRIO_PROCESS, it.pid, 7)
        it.stop()
        yield it.pid


@test("a stopped process: what /proc says of it, as root and as an ordinary user")
def _():
    with stopped() as pid:
        for user in (None, USER):
            row = row_of(panetop("--idle", "cpu", user=user).table("process"), pid)
            fields = stat_of(pid)
            equal("state", row["state"], "T")
            equal("ppid", row["ppid"], int(fields[1]))
            equal("minor faults", row["minor_faults"], int(fields[7]))
            equal("major faults", row["major_faults"], int(fields[9]))
            equal("nice", row["nice"], 7)
            equal("threads", row["threads"], int(fields[17]))
            equal("start", row["start_seconds"], int(fields[19]) / os.sysconf("SC_CLK_TCK"))
            equal("processor", int(row["processor"]), int(fields[36]))
            equal("uid", int(row["uid"]), os.stat(f"/proc/{pid}").st_uid)
            equal("name", row["name"], read(f"/proc/{pid}/comm").strip())
            equal("command", row["command"], " ".join(read(f"/proc/{pid}/cmdline").split("\0")).strip())
            runtime = int(read(f"/proc/{pid}/schedstat").split()[0]) / 1e9
            check(abs(row["cpu_seconds"] - runtime) < 1e-6, "CPU seconds:", row["cpu_seconds"], "schedstat:", runtime)


@test("a stopped process: its resident memory is that of statm")
def _():
    with stopped() as pid:
        row = row_of(panetop("--idle", "cpu").table("process"), pid)
        equal("resident", row["resident_bytes"], int(read(f"/proc/{pid}/statm").split()[1]) * PAGE)


def proc_stat():
    values = {}
    for line in read("/proc/stat").splitlines():
        name, *numbers = line.split()
        values[name] = [int(number) for number in numbers]
    return values


@test("times of the CPUs and counters of the system lie between two reads of /proc/stat")
def _():
    before, result, after = proc_stat(), panetop("cpu"), proc_stat()
    cpus = {"all" if name == "cpu" else name[3:]: name for name in before if name.startswith("cpu")}
    equal("CPUs", sorted(row["cpu"] for row in result.table("cpu")), sorted(cpus))
    tick = os.sysconf("SC_CLK_TCK")
    for row in result.table("cpu"):
        for column, field in (("user", 0), ("nice", 1), ("system", 2), ("irq", 5), ("softirq", 6), ("steal", 7)):
            within(f"{column} of {row['cpu']}", before[cpus[row["cpu"]]][field] / tick, row[column + "_seconds"],
                   after[cpus[row["cpu"]]][field] / tick)
    system = result.table("system")[0]
    equal("CPUs online", system["cpus"], len(cpus) - 1)
    for column, name in (("context_switches", "ctxt"), ("interrupts", "intr"), ("forks", "processes")):
        within(column, before[name][0], system[column], after[name][0])


# --- events ---------------------------------------------------------------------------------------------------------------------


def spawn(code, signal_number=None):
    """A process that runs another program, and ends with this code, or by this signal."""
    pid = os.fork()
    if pid == 0:
        what = f"kill -{signal_number} $$" if signal_number else f"exit {code}"
        os.execv("/bin/sh", ["sh", "-c", what])
    return pid


@test("events: every fork, exec and exit of known processes, with code and signal, once")
def _():
    expected, seen = {}, {}
    with Watch("events", "--events=fork,exec,exit,core,clone", delay=0.2) as run:
        run.next()
        for number in range(24):
            by_signal = 15 if number % 8 == 7 else None
            pid = spawn(number % 5, by_signal)
            os.waitpid(pid, 0)
            expected[pid] = [("fork", None, None), ("exec", None, None), ("exit", None if by_signal else number % 5, by_signal)]
        deadline = time.monotonic() + 20
        ended = False
        while not ended and time.monotonic() < deadline:
            ended = any(row["pid"] == pid and row["event"] == "exit" for row in run.next()["tables"]["event"])
        result = run.finish()
    for row in (row for sample in result.samples for row in sample["tables"]["event"]):
        code, ended_by = (None if row[key] is None else int(row[key]) for key in ("exit_code", "signal"))
        seen.setdefault(row["pid"], []).append((row["event"], code, ended_by))
    equal("lost events", [row["lost"] for row in result.table("event_source") if row["lost"]], [])
    for pid, events in expected.items():
        equal(f"events of {pid}", seen.get(pid), events)
    total = [row for row in result.table("event_total") if row["command"] == "all"][0]
    equal("exits that are no success", total["failures"], 20)


@test("events: an ordinary user sees in a notice what is missing")
def _():
    result = panetop("events", user=USER)
    check(result.notices("event"), "no notice:", result.samples[-1]["notices"])


# --- run ------------------------------------------------------------------------------------------------------------------------


def known_failure(name):
    for finding, test_name, since, before in KNOWN_FAILURES:
        if test_name == name and (since is None or KERNEL >= since) and (before is None or KERNEL < before):
            return f" # TODO {finding}"
    return ""


def main():
    for name, function in TESTS:
        began = time.monotonic()
        error = None
        try:
            function()
        except Failure as failure:
            error = str(failure)
        except Exception as exception:
            error = f"{type(exception).__name__}: {exception}, line {exception.__traceback__.tb_next and exception.__traceback__.tb_next.tb_lineno}"
        print(f"{'not ok' if error else 'ok'} - {name}{known_failure(name)}", flush=True)
        if error:
            print("# " + error[:600].replace("\n", " "), flush=True)
        if "--times" in sys.argv:
            print(f"# {time.monotonic() - began:.1f} s", flush=True)
    print("end")


main()
