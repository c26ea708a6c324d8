# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs inside the virtual machine of tests/kernels/run: compares all panes with files of /proc and /sys.

Prints "ok - NAME" or "not ok - NAME" for each test and "end" after the last.
"""
import contextlib
import ctypes
import functools
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
import traceback

import tracepoints

# Known failures: finding, test, first kernel that fails, first that no longer does. A fix removes its line.
KNOWN_FAILURES = [
]

PANETOP = "/tmp/tests/panetop"
PANES = ("memory", "events", "cpu", "pages", "power", "latency")
CAPABLE_PANETOP = "/tmp/tests/capable"  # with the capabilities of README.md
CAPABILITIES = "cap_bpf,cap_dac_read_search,cap_ipc_lock,cap_net_admin,cap_perfmon,cap_sys_nice,cap_sys_ptrace,cap_syslog+p"
UID = 1000
# Who runs panetop: root, an ordinary user, root by sudo, a user of a program with capabilities.
ROOT, USER, SUDO, CAPABLE = "root", "an ordinary user", "root by sudo", "a user with capabilities"
PAGE = mmap.PAGESIZE
PATIENCE = 120  # seconds: an end for what would hang; beside other work an emulated machine is slow
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


# --- panetop ------------------------------------------------------------------------------------------------


def arguments_of(*arguments, user=ROOT, delay=0.2, count=1, output="json"):
    program = CAPABLE_PANETOP if user == CAPABLE else PANETOP
    return [program, "-b", "-o", output, "-d", str(delay), "-n", str(count), *(str(argument) for argument in arguments)]


def privileges(user):
    if user in (USER, CAPABLE):
        return {"user": UID, "group": UID, "extra_groups": []}
    return {"env": {**os.environ, "SUDO_UID": str(UID), "SUDO_GID": str(UID)}} if user == SUDO else {}


class Result:
    """What a run of panetop printed: its samples, of which the last is whole, and its messages."""

    def __init__(self, status, out, err):
        # how slow this machine is, is no matter here
        err = "".join(line for line in err.splitlines(True) if not line.startswith("panetop: --delay: a sample takes"))
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


def panetop(*arguments, user=ROOT, into=None, **options):
    """One run that has to end well; into: a control group."""
    done = subprocess.run(arguments_of(*arguments, user=user, **options), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=PATIENCE, check=False, **privileges(user),
                          preexec_fn=into and (lambda: write(into + "/cgroup.procs", os.getpid())))
    return Result(done.returncode, done.stdout, done.stderr)


class Watch:
    """A run that goes on meanwhile: next() is the next sample, finish() ends it; then result is known."""

    def __init__(self, *arguments, user=ROOT, **options):
        command = arguments_of(*arguments, user=user, count=100000, **options)
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, **privileges(user))
        self.lines, self.result = [], None

    def next(self):
        self.lines.append(self.process.stdout.readline())
        check(self.lines[-1], "it ended:", self.process.stderr.read() if self.process.poll() else "")
        return json.loads(self.lines[-1])

    def finish(self):
        self.process.terminate()
        out, err = self.process.communicate(timeout=PATIENCE)
        self.result = Result(self.process.returncode, "".join(self.lines) + out, err)
        return self.result

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def paranoid(level):
    write("/proc/sys/kernel/perf_event_paranoid", level)


# --- processes to look at -----------------------------------------------------------------------------------


class Child:
    """A copy of this program that does what it is sent: functions of this module, by name."""

    def __init__(self, user=ROOT):
        self.to_child, self.from_child = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            if user == USER:
                os.setgroups([])
                os.setresgid(UID, UID, UID)
                os.setresuid(UID, UID, UID)
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
def child(user=ROOT):
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


def do_write(address, pages, value=1):
    ctypes.memset(address, value, pages * PAGE)


def do_read(address, pages):
    return sum(ctypes.c_uint8.from_address(address + page * PAGE).value for page in range(pages))


def do_advise(address, pages, advice):
    return LIBC.madvise(address, pages * PAGE, advice)


def do_bind(address, pages, node):
    return LIBC.syscall(ctypes.c_long(237), ctypes.c_void_p(address), ctypes.c_ulong(pages * PAGE), ctypes.c_long(2),
                        ctypes.byref(ctypes.c_ulong(1 << node)), ctypes.c_ulong(64), ctypes.c_long(0))  # mbind, MPOL_BIND


def do_run_on(cpu, seconds):
    """Uses so much CPU time there."""
    os.sched_setaffinity(0, {cpu})
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


# --- every pane ---------------------------------------------------------------------------------------------


def every_pane(pane, user):
    with child(user) as it:
        arguments = ["-p", it.pid, pane] if pane == "pages" else ["--samples=5", pane] if pane == "latency" else [pane]
        result = panetop(*arguments, user=user)
    equal("panes", result.samples[-1]["panes"], [pane])
    check(result.samples[-1]["tables"], "no tables")
    for notice in result.samples[-1]["notices"]:
        check(notice["text"], "a notice without text:", notice)


for each_pane in PANES:
    for each_user in (ROOT, USER):
        test(f"pane {each_pane} as {each_user}")(
            lambda pane=each_pane, user=each_user: every_pane(pane, user))


@test("all panes in text print nothing on stderr but notices")
def _():
    for user in (ROOT, USER):
        done = subprocess.run(arguments_of("--samples=5", *PANES, output="text"), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE, check=False, **privileges(user))
        equal("status", done.returncode, 0)
        for line in done.stderr.splitlines():
            check(re.match(r"panetop: [a-z_]+: .", line), "on stderr:", line)


@test("--probe: what is not there has a reason and a remedy")
def _():
    for user in (ROOT, USER):
        done = subprocess.run([PANETOP, "--probe", "-o", "json"], capture_output=True, text=True, timeout=PATIENCE, check=False,
                              **privileges(user))
        equal("status and messages", (done.returncode, done.stderr), (0, ""))
        rows = json.loads(done.stdout)["tables"]["probe"]
        check(len(rows) > 30, f"only {len(rows)} sources")
        for row in rows:
            check(row["state"] == "ok" or row["reason"] and (row["remedy"] or row["state"] == "n/a"), row)


# --- memory -------------------------------------------------------------------------------------------------


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
        zone = re.compile(row["counter"] + "_(dma|dma32|normal|movable|device)")
        zones = [number for name, number in counters.items() if zone.fullmatch(name)]
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


# --- processes and CPUs -------------------------------------------------------------------------------------


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


for each_user in (ROOT, USER):
    @test(f"the list of processes is that of /proc, as {each_user}")
    def _(user=each_user):
        all_processes(user)


def stat_of(pid):
    text = read(f"/proc/{pid}/stat")
    return text[text.index(")") + 2:].split()  # from the field state on


def row_of(rows, pid):
    found = [row for row in rows if row["pid"] == pid]
    check(len(found) == 1, f"{len(found)} rows of process {pid}")
    return found[0]


@contextlib.contextmanager
def stopped(pages=3000):
    with child() as it:
        it("do_write", it("do_map", pages * PAGE), pages)
        os.setpriority(os.PRIO_PROCESS, it.pid, 7)
        it.stop()
        yield it.pid


@test("a stopped process: what /proc says of it, as root and as an ordinary user")
def _():
    with stopped() as pid:
        for user in (ROOT, USER):
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


@test("stopped processes: their resident memory is that of statm")
def _():
    with contextlib.ExitStack() as stack:
        pids = [stack.enter_context(stopped(pages)) for pages in (100, 1100, 2345, 4001)]
        rows = panetop("--idle", "cpu").table("process")
        equal("resident", [row_of(rows, pid)["resident_bytes"] for pid in pids],
              [int(read(f"/proc/{pid}/statm").split()[1]) * PAGE for pid in pids])


def proc_stat():
    values = {}
    for line in read("/proc/stat").splitlines():
        name, *numbers = line.split()
        values[name] = [int(number) for number in numbers]
    return values


@test("interrupts are parts of the account only where the kernel measures them")
def _():
    parts = {row["part"]: row for row in panetop("cpu", count=3).table("account")}
    measured = proc_stat()["cpu"][5] > 0
    if measured and KERNEL >= (6, 1) and os.path.exists("/proc/pressure/cpu"):
        check(os.path.exists("/proc/pressure/irq"), "irq time, but no CONFIG_IRQ_TIME_ACCOUNTING")
    for part in ("irq", "softirq"):
        equal(part, parts[part]["cpu_seconds"] is not None, measured)
    known = sum(row["cpu_seconds"] or 0 for part, row in parts.items() if part != "busy")
    check(abs(known - parts["busy"]["cpu_seconds"]) < 1e-6, "known parts:", known, "busy:", parts["busy"])


@test("times of the CPUs and counters of the system lie between two reads of /proc/stat")
def _():
    before, result, after = proc_stat(), panetop("cpu"), proc_stat()
    cpus = {"all" if name == "cpu" else name[3:]: name for name in before if name.startswith("cpu")}
    equal("CPUs", sorted(row["cpu"] for row in result.table("cpu")), sorted(cpus))
    tick = os.sysconf("SC_CLK_TCK")
    for row in result.table("cpu"):
        # the row of all grows by the CPUs, each cut to a tick; the kernel cuts their sum
        cut = (len(cpus) - 1) / tick if row["cpu"] == "all" else 0
        for column, field in (("user", 0), ("nice", 1), ("system", 2), ("irq", 5), ("softirq", 6), ("steal", 7)):
            within(f"{column} of {row['cpu']}", before[cpus[row["cpu"]]][field] / tick - cut, row[column + "_seconds"],
                   after[cpus[row["cpu"]]][field] / tick + cut)
    system = result.table("system")[0]
    equal("CPUs online", system["cpus"], len(cpus) - 1)
    for column, name in (("context_switches", "ctxt"), ("interrupts", "intr"), ("forks", "processes")):
        within(column, before[name][0], system[column], after[name][0])


@test("wake-ups are counted by their cause, timers by their function, and exits from idle")
def _():
    naps = 20
    pid = os.fork()
    if pid == 0:
        while True:
            time.sleep(1 / naps)
    try:
        with_bpf = KERNEL >= (5, 8)
        samples = {topic: panetop("-t", topic, count=3).samples[-1]["tables"][topic] for topic in ("wakeup", "timer", "idle_exit")}
        row = next(row for row in samples["wakeup"] if row["pid"] == pid)
        equal("how wake-ups are counted", row["how"], "bpf" if with_bpf else "proc")
        if with_bpf:
            check(row["by_timer"] >= 2, "wake-ups by timers:", row)
            equal("sum of the causes", sum(row[f"by_{cause}"] for cause in ("timer", "device", "network", "task", "kernel")), row["wakeups"])
            timers = [row["function"] for row in samples["timer"] if row["pid"] == pid]
            check("hrtimer_wakeup" in timers, "timers:", timers)
            check(samples["idle_exit"], "exits from idle:", samples["idle_exit"])
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


@test("interrupts and soft interrupts are as many as /proc/stat has")
def _():
    before = proc_stat()
    samples = {topic: panetop("-t", topic).table(topic) for topic in ("interrupt", "softirq")}
    after = proc_stat()
    softirqs = sum(row["runs"] for row in samples["softirq"] if row["cpu"] == "all")
    within("soft interrupts", before["softirq"][0], softirqs, after["softirq"][0])
    numbered = [row for row in samples["interrupt"] if row["cpu"] == "all" and row["irq"].isdigit()]
    check(numbered, "interrupts:", samples["interrupt"])
    for row in numbered:
        at = 1 + int(row["irq"])
        within(f"interrupt {row['irq']}", before["intr"][at], row["interrupts"], after["intr"][at])


def do_passes(path, pages, passes):
    """Reads the beginning of a file that is not in the page cache, so often."""
    with open(path, "rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        for _ in range(passes):
            for at in range(0, pages * PAGE, 1 << 16):
                os.pread(file.fileno(), 1 << 16, at)


@test("reads that the page cache serves are counted; before Linux 6.12 they are an estimate")
def _():
    pages, passes = 1024, 4
    ahead = int(read("/sys/block/nvme0n1/queue/read_ahead_kb")) * 1024 // PAGE  # what lies behind counts as missed
    with child() as it, Watch("-t", "cache_use", "memory") as run:
        before = next((row for row in run.next()["tables"]["cache_use"] if row["pid"] == it.pid), {})
        want = {"asked_pages": passes * pages, "hit_pages": (passes - 1) * pages}
        enough = want["asked_pages"] * (1 if KERNEL >= (6, 12) else 0.9)
        it("do_passes", "/dev/nvme0n1", pages, passes)
        for _ in range(100):  # samples that were made meanwhile come first
            after = next((row for row in run.next()["tables"]["cache_use"] if row["pid"] == it.pid), before)
            grown = {column: after.get(column, 0) - before.get(column, 0) for column in want}
            if grown["asked_pages"] >= enough:
                break
        run.finish()
    equal("how", after.get("how"), "bpf" if KERNEL >= (6, 12) else "proc")
    if KERNEL >= (6, 12):
        equal("asked", grown["asked_pages"], want["asked_pages"])
        within("hits", want["hit_pages"] - ahead, grown["hit_pages"], want["hit_pages"])
    else:
        for column, pages_of in want.items():
            within(column, 0.9 * pages_of, grown[column], 1.1 * pages_of)


def do_look(count):
    """Looks for so many names that do not exist: the kernel keeps each."""
    for number in range(count):
        os.path.exists(f"/proc/self/none-{number}")
        os.path.exists(f"/tests/none-{number}")


@test("caches of kernel objects are Slab of meminfo, and allocations have a process since Linux 6.1")
def _():
    names = 400
    with child() as it, Watch("-t", "slab", delay=0.5) as run:
        low = meminfo()["Slab"][1]
        for _ in range(4):  # names of caches are found later
            it("do_look", names)
            rows = {row["cache"]: row for row in run.next()["tables"]["slab"]}
        high = meminfo()["Slab"][1]
        run.finish()
    within("all", 0.97 * min(low, high), rows["all"]["bytes"], 1.03 * max(low, high))
    within("sum of the caches", 0.97 * rows["all"]["bytes"], sum(row["bytes"] for row in rows.values()) - rows["all"]["bytes"],
           1.03 * rows["all"]["bytes"])
    if KERNEL >= (6, 1):
        check((rows["dentry"]["allocations"] or 0) >= names, "allocations of names:", rows["dentry"])
        check(f"({it.pid})" in rows["dentry"]["allocator"], "who allocates:", rows["dentry"])
    else:
        equal("allocations", rows["dentry"]["allocations"], None)


@test("disk requests are measured, and belong to who made them")
def _():
    block = 4096
    pid = os.fork()
    if pid == 0:
        fd, room = os.open("/dev/nvme0n1", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, block)
        while True:
            os.preadv(fd, [room], 0)
            time.sleep(0.01)
    try:
        how = "bpf" if KERNEL >= (5, 17) else "proc"
        row = next(row for row in panetop("-t", "disk_latency", count=3).samples[-1]["tables"]["disk_latency"]
                   if row["device"] == "nvme0n1" and row["operation"] == "read" and row["phase"] in ("device", "both"))
        equal("how requests are measured", row["how"], how)
        check(row["requests"] > 0 and row["seconds"] > 0, "requests:", row)
        row = next(row for row in panetop("-t", "disk_user", count=3).samples[-1]["tables"]["disk_user"] if row["pid"] == pid)
        equal("how bytes are counted", row["how"], how)
        if how == "bpf":
            equal("device", row["device"], "nvme0n1")
            equal("bytes of its requests", row["read_bytes"], row["requests"] * block)
            check(row["requests"] > 0, "requests:", row)
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


TALKER = """
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
here = socket.create_connection(listener.getsockname())
there, _ = listener.accept()
left = int(sys.argv[1])
while left:
    got = here.send(bytes(min(left, 1 << 14)))
    left -= got
    while got: got -= len(there.recv(got))
sys.stdin.read()
"""


@test("payload of processes is counted at sockets since Linux 6.3, else that of TCP by its sockets")
def _():
    size = 1 << 20
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for user in (ROOT, USER):
        how = "bpf" if user == ROOT and KERNEL >= (6, 3) else "proc"
        with Watch("-t", "traffic", user=user) as watch:
            watch.next()
            with subprocess.Popen(["/usr/bin/python3", "-c", TALKER, str(size)], stdin=subprocess.PIPE, **privileges(user)) as talker:
                rows, deadline = [], time.monotonic() + PATIENCE
                while time.monotonic() < deadline and [row["tcp_received_bytes"] for row in rows] != [size]:
                    rows = [row for row in watch.next()["tables"]["traffic"] if row["pid"] == talker.pid]
                talker.kill()
            watch.finish()
        equal(f"TCP of {user}", [(row["tcp_sent_bytes"], row["tcp_received_bytes"], row["how"]) for row in rows], [(size, size, how)])
        equal(f"UDP of {user}", [row["udp_sent_bytes"] for row in rows], [0 if how == "bpf" else None])


def loopback_bytes():
    """What the kernel counts as received by it."""
    return int(next(line for line in read("/proc/net/dev").splitlines() if line.strip().startswith("lo:")).split(":")[1].split()[0])


def talk(topic, user, talker, settled):
    """The rows of a topic once they are settled, with a process that sends itself 1 MiB by TCP, and its PID."""
    with Watch("-t", topic, user=user) as watch:
        watch.next()
        with subprocess.Popen(["/usr/bin/python3", "-c", TALKER, str(1 << 20)], stdin=subprocess.PIPE, **privileges(talker)) as process:
            rows, deadline = [], time.monotonic() + PATIENCE
            while time.monotonic() < deadline and not settled(rows):
                rows = watch.next()["tables"][topic]
            process.kill()
        watch.finish()
    return rows, process.pid


@test("interfaces and TCP connections are seen by all, owners by who may see them, and the account of loopback closes")
def _():
    size = 1 << 20
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for user, talker in ((ROOT, ROOT), (USER, USER), (USER, ROOT)):
        before, rows, after = loopback_bytes(), panetop("-t", "interface", user=user).table("interface"), loopback_bytes()
        lo = next(row for row in rows if row["name"] == "lo")
        within(f"received by lo, by {user}", before, lo["received_bytes"], after)
        owned = user == talker

        def moved(rows, owned=owned):
            return sorted((row["sent_bytes"], row["received_bytes"]) for row in rows if size in (row["sent_bytes"], row["received_bytes"])
                          and (row["pid"] is not None) == owned)
        rows, pid = talk("connection", user, talker, lambda rows: len(moved(rows)) == 2)
        equal(f"connections of {talker}, by {user}", moved(rows), [(0, size), (size, 0)])
        equal("owners", {row["pid"] for row in rows if size in (row["sent_bytes"], row["received_bytes"])}, {pid if owned else None})

    def has_come(rows):
        """By the count of the programs and by that of the interfaces, which is read before it."""
        return all(any(row["part"] == part and row["interface"] == "all" and (row["received_bytes"] or 0) >= size for row in rows)
                   for part in ("programs", "wire"))
    rows, _pid = talk("network_account", ROOT, ROOT, has_come)
    for direction in "received_bytes", "sent_bytes":
        account = {row["part"]: row[direction] or 0 for row in rows if row["interface"] == "all"}
        equal(f"{direction} of all parts", sum(value for part, value in account.items() if part != "wire"), account["wire"])
        within(f"{direction} of programs", size, account["programs"], account["wire"])
        within(f"unexplained {direction}", -size // 1000, account["unexplained"], size // 1000)
    equal("from", {row["from"] for row in rows if row["part"] == "retransmitted"},
          {"BPF at retransmissions" if KERNEL >= (6, 3) else "TCP sockets"})


@test("programs of panetop count in the kernel: interrupts, and what processes wait for")
def _():
    for topic in ("interrupt", "softirq"):
        ways = {row["how"] for row in panetop("-t", topic, count=2).table(topic)}
        check("bpf" in ways, f"how {topic} is counted:", ways)
    first, last = panetop("-t", "time_account", count=2).samples
    rows = last["tables"]["time_account"]
    ways, want = {row["how"] for row in rows}, {"bpf" if KERNEL >= (5, 18) else "proc"}
    check(ways == want, "time is counted by", ways, "the kernel can", want, last["notices"])
    if KERNEL < (5, 18):
        return
    sums = [{}, {}]
    for sums_of, sample in zip(sums, (first, last)):
        for row in sample["tables"]["time_account"]:
            process = (row["pid"], row["start_seconds"], row["threads"])
            if row["seconds"] is not None:  # unknown: it ran longer than its CPU clock, which may be behind under emulation
                sums_of[process] = sums_of.get(process, 0) + row["seconds"]
    grown = [(sums[1][process] - sums[0][process]) / process[2] for process in sums[1] if process in sums[0] and process[2]]
    check(len(grown) > 10, "processes:", len(grown))
    check(max(grown) - min(grown) < 1e-6, "the parts add up to", min(grown), "to", max(grown), "s a thread")


WAITER = """
import select, time
while True:
    time.sleep(0.05)
    select.poll().poll(50)
"""


@test("what a process waits for, by function of the kernel as root, by switches as a user; who wakes it")
def _():
    for user in (ROOT, USER):
        with subprocess.Popen(["/usr/bin/python3", "-c", WAITER], **privileges(user)) as process:
            try:
                time.sleep(3)  # under emulation it takes as long to start
                samples = panetop("-t", "waiting", f"--pid={process.pid}", user=user, count=3, delay=2).samples
                wakes = panetop("-t", "wake", f"--pid={process.pid}", user=user, count=2).table("wake")
            finally:
                process.kill()
        bpf = user == ROOT and KERNEL >= (5, 18)
        switches = user == ROOT or int(read("/proc/sys/kernel/perf_event_paranoid")) <= 2
        how = "bpf" if bpf else "switches" if switches else "proc"
        for sample in samples[1:]:
            rows = sample["tables"]["waiting"]
            check(abs(sum(row["ratio"] for row in rows) - 1) < 1e-6, "the parts add up to", rows)
            equal("how", {row["how"] for row in rows}, {how})
            most = sorted((row for row in rows if row["cause"] not in ("running", "ready")), key=lambda row: -row["seconds"])[:2]
            equal(f"causes, by {user}", {row["cause"] for row in most}, {"sleep", "poll"})
            for row in most:
                check(("nanosleep" if row["cause"] == "sleep" else "poll") in row["function"] or
                      row["function"] == "select", row["cause"], "is waited for in", row["function"])
                check((row["waits"] is None) == (how == "proc"), "waits by", how, row)
                check((row["waits"] or 0) * 0.05 <= row["seconds"] + 0.1, row)
        if bpf:
            check(any(row["woken"] == "python3" and row["waker"] == "(timer)" for row in wakes), "wake-ups:", wakes)


@test("code is sampled on a CPU that comes online meanwhile")
def _():
    online = "/sys/devices/system/cpu/cpu1/online"
    write(online, "0")
    try:
        with Watch("-t", "profile", delay=2) as watch:
            watch.next()
            write(online, "1")
            with subprocess.Popen(["taskset", "-c", "1", "sh", "-c", "while :; do :; done"]) as spinner:
                try:
                    found = any(row["file"] in ("dash", "busybox", "sh") and row["samples"] > 10
                                for _ in range(20) for row in watch.next()["tables"].get("profile", []))
                finally:
                    spinner.kill()
    finally:
        write(online, "1")
    check(found, "no samples of CPU 1 in", len(watch.lines), "samples")


CALLER = """
import os, sys
sys.stdin.readline()
for i in range(500):
    os.getppid()
    try:
        os.open("/nowhere/" + str(i % 2), os.O_RDONLY)
    except FileNotFoundError:
        pass
print("done", flush=True)
sys.stdin.readline()
"""


@test("system calls, their errors, their times and opened files are counted")
def _():
    with subprocess.Popen(["/usr/bin/python3", "-c", CALLER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        time.sleep(3)  # under emulation it takes as long to start
        watch = Watch("-t", "call", "-t", "opened", "-t", "opened_total", f"--pid={process.pid}", delay=2)
        samples = [watch.next(), watch.next()]
        process.stdin.write("\n")
        process.stdin.flush()
        process.stdout.readline()
        samples += [watch.next(), watch.next()]
        watch.finish()
        process.kill()
    calls = {row["call"]: row for row in samples[-1]["tables"]["call"]}
    if KERNEL < (5, 14):
        equal("how calls are known", {row["how"] for row in calls.values()}, {"proc"})
        check(any("BPF" in notice["text"] for notice in samples[-1]["notices"]), samples[-1]["notices"])
        return
    equal("calls", calls["getppid"]["calls"], 500)
    equal("errors", calls["openat"]["errors"], 500)
    equal("names of errors", calls["openat"]["error_names"], "ENOENT 500")
    check(0 < calls["getppid"]["p50_seconds"] <= calls["getppid"]["max_seconds"] <= calls["getppid"]["seconds"], calls["getppid"])
    equal("time of a call that had begun before", calls["read"]["max_seconds"], None)
    opens = {(row["path"], row["result"]): row["opens"] for row in samples[-1]["tables"]["opened_total"]}
    equal("opens", [opens.get((f"/nowhere/{i}", "ENOENT")) for i in range(2)], [250, 250])
    stream = [row for sample in samples for row in sample["tables"]["opened"] if row["path"].startswith("/nowhere/")]
    equal("opened files", len(stream), 500)
    equal("who opens them", {(row["pid"], row["command"], row["result"]) for row in stream}, {(process.pid, "python3", "ENOENT")})


# --- events -------------------------------------------------------------------------------------------------


def spawn(code, signal_number=None):
    """A process that runs another program, and ends with this code, or by this signal."""
    pid = os.fork()
    if pid == 0:
        what = f"kill -{signal_number} $$" if signal_number else f"exit {code}"
        os.execv("/bin/busybox", ["sh", "-c", what])
    return pid


def known_events(user):
    expected, seen = {}, {}
    with Watch("events", "--events=fork,exec,exit,core,clone", delay=0.2, user=user) as run:
        run.next()
        for number in range(16):
            by_signal = 15 if number % 8 == 7 else None
            pid = spawn(number % 5, by_signal)
            os.waitpid(pid, 0)
            end = ("exit", None if by_signal else number % 5, by_signal)
            expected[pid] = [("fork", None, None), ("exec", None, None), end]
        deadline = time.monotonic() + PATIENCE
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
    equal("failures", total["failures"], 13)


for each_user in (ROOT, SUDO, CAPABLE):
    @test(f"events: every fork, exec and exit of known processes, with code and signal, once, as {each_user}")
    def _(user=each_user):
        paranoid(2)
        try:
            known_events(user)
        finally:
            paranoid(3)


@test("events: an ordinary user sees in a notice what is missing")
def _():
    result = panetop("events", user=USER)
    check(result.notices("event"), "no notice:", result.samples[-1]["notices"])


# --- pages --------------------------------------------------------------------------------------------------

PRESENT, SWAPPED, FILE, EXCLUSIVE = 1 << 63, 1 << 62, 1 << 61, 1 << 56
KPF_HUGE, KPF_KSM, KPF_THP, KPF_ZERO_PAGE = 1 << 17, 1 << 21, 1 << 22, 1 << 24
HUGE = 2 << 20


def words(path, index, count):
    with open(path, "rb") as file:
        file.seek(index * 8)
        return struct.unpack(f"={count}Q", file.read(count * 8))


def frames(pid, start, pages):
    """Of each page that is present, what pagemap says, and what kpageflags says of its frame."""
    entries = words(f"/proc/{pid}/pagemap", start // PAGE, pages)
    return [(entry, words("/proc/kpageflags", entry & ((1 << 55) - 1), 1)[0]) for entry in entries if entry & PRESENT]


def pages_of(pid, start, pages):
    """What the kernel's own files say of these pages, as columns of the topic region."""
    entries = words(f"/proc/{pid}/pagemap", start // PAGE, pages)
    present = [entry for entry in entries if entry & PRESENT]
    flags = [flag for _, flag in frames(pid, start, pages)]
    file = sum(1 for entry in present if entry & FILE)
    zero = sum(1 for flag in flags if flag & KPF_ZERO_PAGE)
    return {
        "present": len(present),
        "swapped": sum(1 for entry in entries if entry & SWAPPED),
        "file": file,
        "anonymous": len(present) - file - zero,
        "exclusive": sum(1 for entry in present if entry & EXCLUSIVE),
        "zero": zero,
        "huge": sum(1 for flag in flags if flag & (KPF_HUGE | KPF_THP) and not flag & KPF_ZERO_PAGE),
    }


def do_map_file(path, pages, touched):
    """A shared mapping of a file of its own."""
    with open(path, "w+b") as file:
        file.truncate(pages * PAGE)
        address = LIBC.mmap(None, pages * PAGE, 3, 1, file.fileno(), 0)
    do_write(address, touched)
    return address


class Mapped:
    """A stopped process with mappings of known pages, name -> (start, pages), and what panetop says of it."""

    def __init__(self, it, user):
        self.pid = it.pid
        self.at = {"written": (it("do_map", 600 * PAGE), 600), "swapped": (it("do_map", 400 * PAGE), 400),
                   "huge": (it("do_map", 2 * HUGE, 0, MADV_HUGEPAGE, HUGE), 1024),
                   "file": (it("do_map_file", f"/tmp/mapped-{it.pid}", 50, 30), 50)}
        it("do_write", self.at["written"][0], 300)
        it("do_read", self.at["written"][0] + 300 * PAGE, 100)
        it("do_write", self.at["swapped"][0], 400)
        equal("madvise", it("do_advise", self.at["swapped"][0], 350, MADV_PAGEOUT), 0)
        it("do_write", self.at["huge"][0], 1)
        hugetlb = it("do_map", 2 * HUGE, MAP_HUGETLB, 0, HUGE)
        if hugetlb:
            self.at["hugetlb"] = (hugetlb, 1024)
            it("do_write", hugetlb, 1)
        it.stop()

        result = panetop("-p", self.pid, "pages", user=user)
        self.total, self.rows = result.table("page_total")[0], result.table("region")
        by_start = {row["start_address"]: row for row in self.rows}
        self.regions = {name: {key.removesuffix("_bytes"): number // PAGE for key, number in by_start[start].items()
                               if key.endswith("_bytes") and number is not None} for name, (start, _) in self.at.items()}


@functools.cache
def mapped(user=ROOT):
    """The process, started when it is needed first; it stays to the end."""
    return Mapped(Child(user), user)


def set_up_swap():
    write("/sys/block/zram0/disksize", 256 << 20)
    for command in ("mkswap", "swapon"):
        subprocess.run([command, "/dev/zram0"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def same_pages(process, keys, names=None):
    for name in names or process.at:
        wanted = pages_of(process.pid, *process.at[name])
        for key in keys:
            equal(f"{key} pages of the mapping '{name}'", process.regions[name].get(key), wanted[key])


for each_user in (ROOT, USER):
    @test(f"pages: present, swapped and file pages of known mappings, as {each_user}")
    def _(user=each_user):
        process = mapped(user)
        same_pages(process, ("present", "swapped", "file"))
        equal("written and read", process.regions["written"]["present"], 400)
        within("swapped out", 300, process.regions["swapped"]["swapped"], 350)
        equal("of a file", process.regions["file"]["file"], 30)


@test("swap: what a zram device holds, and the memory that takes; zswap beside it")
def _():
    mapped()
    write("/sys/module/zswap/parameters/enabled", "Y")
    with captured("/proc/swaps", "/proc/meminfo", "/sys/block/zram0/mm_stat", "/sys/module/zswap/parameters/enabled") as tree:
        rows = {row["device"]: row for row in panetop("--root=" + tree, "-t", "swap").table("swap")}
        lines, stored = meminfo(tree + "/proc/meminfo"), [int(number) for number in read(tree + "/sys/block/zram0/mm_stat").split()]
    write("/sys/module/zswap/parameters/enabled", "N")
    value, zram = {name: number for name, (_, number) in lines.items()}, rows["/dev/zram0"]
    equal("devices", sorted(rows), ["/dev/zram0", "zswap"])
    equal("kinds", (zram["kind"], rows["zswap"]["kind"]), ("zram", "zswap"))
    equal("size", zram["size_bytes"], value["SwapTotal"])
    equal("used", zram["used_bytes"], value["SwapTotal"] - value["SwapFree"])
    equal("stored and memory", (zram["stored_bytes"], zram["memory_bytes"]), (stored[0], stored[2]))
    within("stored", 300 * PAGE, zram["stored_bytes"], zram["used_bytes"] + PAGE)
    equal("memory of zswap", rows["zswap"]["memory_bytes"], value.get("Zswap"))
    live = panetop("-t", "swap").table("swap")
    equal("live", [(row["device"], row["kind"], row["size_bytes"]) for row in live], [("/dev/zram0", "zram", zram["size_bytes"])])


@test("pages: anonymous pages are without those of zeros")
def _():
    same_pages(mapped(), ("anonymous",), ("written", "swapped", "huge"))


@test("pages: those of zeros are known to root")
def _():
    same_pages(mapped(), ("zero",), ("written", "swapped"))
    equal("zero", mapped().regions["written"]["zero"], 100)


@test("pages: transparent huge ones are known to root")
def _():
    check(pages_of(mapped().pid, *mapped().at["huge"])["huge"] == 512, "the kernel gave no huge page")
    same_pages(mapped(), ("huge",), ("huge", "written"))


@test("pages: of hugetlb, those that are absent are not huge")
def _():
    check("hugetlb" in mapped().at, "the kernel gave no hugetlb pages")
    equal("present", pages_of(mapped().pid, *mapped().at["hugetlb"])["present"], 512)
    same_pages(mapped(), ("present", "huge"), ("hugetlb",))


@test("pages: exclusive ones are those of pagemap")
def _():
    same_pages(mapped(), ("exclusive",), ("written", "swapped"))


@test("pages: cells of a known mapping")
def _():
    start, pages = mapped().at["written"]
    between = (f"--from={start:#x}", f"--to={start + pages * PAGE:#x}", "--cells=6")
    rows = panetop("-p", mapped().pid, *between, "pages").table("cell")
    equal("pages", [row["pages"] for row in rows], [100] * 6)
    equal("present", [row["present"] for row in rows], [100] * 4 + [0] * 2)


@test("pages: sums of a process are the sums of its regions, and lines of its status")
def _():
    total, rows, pid = mapped().total, mapped().rows, mapped().pid
    status = dict(line.split(":", 1) for line in read(f"/proc/{pid}/status").splitlines())
    for column in ("present", "swapped", "file"):
        equal(column, total[column + "_pages"] * PAGE, sum(row[column + "_bytes"] or 0 for row in rows))
    for column, line in (("vm_size", "VmSize"), ("vm_peak", "VmPeak"), ("vm_resident", "VmRSS"), ("vm_data", "VmData"),
                         ("vm_swap", "VmSwap"), ("vm_page_tables", "VmPTE"), ("hugetlb", "HugetlbPages"),
                         ("resident_anonymous", "RssAnon"), ("resident_file", "RssFile"), ("resident_shared", "RssShmem")):
        equal(line, total[column + "_bytes"], int(status[line].split()[0]) * 1024)
    equal("threads", total["threads"], int(status["Threads"]))
    equal("regions", total["regions"], len(read(f"/proc/{pid}/maps").splitlines()))


@test("pages: merged ones are counted, and no others")
def _():
    with child() as it, stopped() as other:
        start = it("do_map", 100 * PAGE, 0, MADV_MERGEABLE)
        it("do_write", start, 100)
        for name, value in (("pages_to_scan", 10000), ("sleep_millisecs", 10), ("run", 1)):
            write("/sys/kernel/mm/ksm/" + name, value)
        deadline = time.monotonic() + PATIENCE
        while int(read("/sys/kernel/mm/ksm/pages_sharing")) < 99 and time.monotonic() < deadline:
            time.sleep(0.1)
        equal("frames", len(set(words(f"/proc/{it.pid}/pagemap", start // PAGE, 100))), 1)
        # Linux 6.12 sets the flag for anonymous pages that nobody merged: then the number is not known.
        separate = it("do_map", PAGE)
        it("do_write", separate, 1)
        flag_tells = not frames(it.pid, separate, 1)[0][1] & KPF_KSM
        it.stop()
        got = [panetop("-p", pid, "pages").table("page_total")[0]["ksm_pages"] for pid in (it.pid, other)]
        write("/sys/kernel/mm/ksm/run", 2)
        equal("merged", got, [100 if flag_tells else None, 0])


@test("touched: the pages that were used in a window, also where the kernel has soft-dirty bits")
def _():
    def touched(start):
        rows = watch.next()["tables"].get("touched", [])
        return next((row["touched_bytes"] // PAGE for row in rows if row["start_address"] == start), None)

    with child() as it:
        start = it("do_map", 1000 * PAGE)
        it("do_write", start, 1000)
        with Watch("-t", "touched", "-p", it.pid, delay=3) as watch:
            watch.next()
            for pages in (200, 0, 1000):
                touched(start)  # a window ends, and the next one begins
                time.sleep(0.5)
                it("do_write", start, pages)
                equal(f"of {pages} pages that were used", touched(start), pages)
            watch.finish()


@test("pages: an ordinary user sees in a notice that a process of root is closed to it")
def _():
    with stopped() as pid:
        result = panetop("-p", pid, "pages", user=USER)
    equal("present", result.table("page_total")[0]["present_pages"], None)
    remedies = " ".join(notice["remedy"] for notice in result.notices("region"))
    check("cap_sys_ptrace" in remedies, "remedies:", remedies)


# --- nodes --------------------------------------------------------------------------------------------------


def nodes_of_maps(pid, starts=None):
    """Bytes by node, as numa_maps has them: of all regions, or of those that begin there."""
    nodes = {0: 0, 1: 0}
    for line in read(f"/proc/{pid}/numa_maps").splitlines():
        size = int(re.search(r"kernelpagesize_kB=(\d+)", line)[1]) * 1024 if "kernelpagesize" in line else PAGE
        for node, pages in re.findall(r" N(\d+)=(\d+)", line):
            if not starts or int(line.split()[0], 16) in starts:
                nodes[int(node)] += int(pages) * size
    return nodes


def nodes_of_pages(pid, address, pages):
    """Pages by node, as move_pages(2) says."""
    nodes = (ctypes.c_int * pages)()
    addresses = (ctypes.c_void_p * pages)(*(address + page * PAGE for page in range(pages)))
    LIBC.syscall(ctypes.c_long(279), ctypes.c_long(pid), ctypes.c_ulong(pages), addresses, None, nodes, ctypes.c_long(0))
    return {node: list(nodes).count(node) for node in (0, 1)}


def spread(it, pages, second):
    """Memory of a process, of which the last second pages are on node 1 and the others on node 0; its address."""
    address = it("do_map", pages * PAGE)
    for part, size, node in (address, pages - second, 0), (address + (pages - second) * PAGE, second, 1):
        equal("mbind", it("do_bind", part, size, node), 0)
        it("do_write", part, size)
    return address


def parts(result, it):
    """Its rows of node_process by node."""
    return {row["node"]: row for row in result.table("node_process") if row["pid"] == it.pid}


def share(nodes):
    return nodes[1] / (nodes[0] + nodes[1])


@test("nodes: two, with the memory, CPUs and distances that /sys has")
def _():
    rows = panetop("-t", "node", "memory").table("node")
    equal("nodes", [(row["node"], row["cpus"], row["distances"]) for row in rows], [(0, "0", "10 21"), (1, "1", "21 10")])
    for row in rows:
        path = f"/sys/devices/system/node/node{row['node']}/meminfo"
        equal("total", row["total_bytes"], int(re.search(r"MemTotal: *(\d+)", read(path))[1]) * 1024)
    check(all(row["hits"] > 0 for row in rows), rows)


UNSEEN = 0.2  # of the pages of a process, which Linux 6.1 does not locate: they are in the error


@test("nodes: a process with half of its memory on each: by a sample, and counted")
def _():
    pages = 32768
    with no_balancing(), child() as it:
        address = spread(it, pages, pages // 2)
        it("do_run_on", 1, 0.2)
        it.stop()
        of_memory = nodes_of_maps(it.pid, (address, address + pages // 2 * PAGE))
        equal("numa_maps and move_pages", {node: size // PAGE for node, size in of_memory.items()},
              nodes_of_pages(it.pid, address, pages))
        for _ in range(5):  # the kernel may move pages to where they are used
            truth = nodes_of_maps(it.pid)
            sampled = parts(panetop("-t", "node_process", "--pid", it.pid, "memory"), it)
            counted = parts(panetop("-t", "node_process", "--pid", it.pid, "--numa-maps", "memory"), it)
            if nodes_of_maps(it.pid) == truth:
                break
        equal("it did not change", nodes_of_maps(it.pid), truth)
    equal("how", [sampled[1]["how"], counted[1]["how"]], ["sample", "numa_maps"])
    equal("counted", {node: row["bytes"] for node, row in counted.items()}, truth)
    equal("its error", counted[1]["error_ratio"], 0)
    within("error", 0.015, sampled[1]["error_ratio"], 0.016 + UNSEEN)
    off = 0.005 + sampled[1]["error_ratio"]
    within("share of node 1", share(truth) - off, sampled[1]["share_ratio"], share(truth) + off)
    within("local, as it runs on node 1", share(truth) - off, sampled[1]["local_ratio"], share(truth) + off)


@contextlib.contextmanager
def no_balancing():
    """Pages stay where they are. Linux 6.1 hides those from move_pages(2) that wait for a fault which tells who uses them."""
    path = "/proc/sys/kernel/numa_balancing"
    before = read(path).strip()
    write(path, 0)
    try:
        yield
    finally:
        write(path, before)


@test("nodes: an eighth of the memory of a process is on the node where it runs")
def _():
    with no_balancing(), child() as it:
        spread(it, 32768, 4096)
        it("do_run_on", 0, 0.2)
        with Watch("-t", "locality", "-t", "node_process", "--pid", it.pid, "memory") as watch:
            watch.next()
            it("do_run_on", 1, 0.5)
            watch.next()
            sample = watch.next()
            watch.finish()
        truth = share(nodes_of_maps(it.pid))
    row = sample["tables"]["locality"][0]
    cpu = {part["node"]: part["cpu_ratio"] for part in sample["tables"]["node_process"]}
    within("CPU time on node 1", 0.9, cpu[1], 1)
    local = truth * cpu[1] + (1 - truth) * (1 - cpu[1])
    off = 0.01 + row["error_ratio"]
    within("error", 0, row["error_ratio"], 0.02 + UNSEEN)
    within("local", local - off, row["local_ratio"], local + off)
    within("distance", 21 - 11 * (local + off), row["distance"], 21 - 11 * (local - off))


@test("nodes: all pages of a small process are looked at; a thread that wanders is seen")
def _():
    with child() as it:
        with Watch("-t", "locality", "-t", "node_thread", "--pid", it.pid, "memory") as watch:
            moves = 0
            for turn in range(40):
                it("do_run_on", turn % 2, 0.05)
                tables = watch.next()["tables"]
                moves = sum(row["moves"] for row in tables["node_thread"])
                if moves >= 2:
                    break
            row = tables["locality"][0]
            watch.finish()
    check(moves >= 2, "moves:", moves)
    equal("threads that wander", (row["wandering"], row["threads"]), (1, 1))
    equal("how", row["how"], "all")
    within("its error", 0, row["error_ratio"], UNSEEN)


@test("nodes: an ordinary user sees where own processes are, and that others are hidden")
def _():
    with child() as other, child(USER) as own:
        result = panetop("-t", "locality", "memory", user=USER)
        rows = {row["pid"]: row for row in result.table("locality")}
        check(rows[own.pid]["local_ratio"] is not None, rows[own.pid])
        equal("of another user", (rows[other.pid]["local_ratio"], rows[other.pid]["memory"]), (None, None))
    check(any("hidden" in notice["text"] for notice in result.notices("locality")), "no notice")


# --- sensors, batteries -------------------------------------------------------------------------------------


def power_once(agrees, user=ROOT):
    """On a slow machine helpers may be late in the first samples: then one of many samples."""
    try:
        agrees(panetop("power", user=user, count=2))
    except Failure:
        agrees(panetop("power", user=user, count=20))


def chips():
    """Name of each chip -> its directory"""
    return {read(path + "/name").strip(): path for path in glob.glob("/sys/class/hwmon/hwmon*")}


def number(path, scale):
    text = read_or_none(path)
    return None if text is None else int(text) / scale


def about(what, got, want, tolerance=1e-6):
    same = got == want if None in (got, want) else abs(got - want) <= tolerance
    check(same, f"{what}: panetop has {got!r}, sysfs {want!r}")


def same_sensors(result):
    compared, machine = 0, chips()
    for table, key, column, prefix, scale, limits in (
            ("temperature", "sensor", "celsius", "temp", 1000, (("high_celsius", "max"), ("critical_celsius", "crit"))),
            ("fan", "fan", "rpm", "fan", 1, (("low_rpm", "min"),)),
            ("voltage", "input", "volts", "in", 1000, (("low_volts", "min"), ("high_volts", "max")))):
        for chip, path in machine.items():
            if chip == "acpitz":  # read as zones
                continue
            for file in glob.glob(f"{path}/{prefix}[0-9]*_input"):
                name = os.path.basename(file).removesuffix("_input")
                rows = [row for row in result.table(table) if row["chip"] == chip and row[key].endswith("/" + name)]
                check(len(rows) == 1, f"{len(rows)} rows of {chip} {name}")
                if read_or_none(f"{path}/{name}_fault") == "1":
                    equal(f"{chip} {name}", (rows[0][column], rows[0]["state"]), (None, "fault"))
                else:
                    about(f"{chip} {name}", rows[0][column], number(file, scale))
                for limit, suffix in limits:
                    set_to = number(f"{path}/{name}_{suffix}", scale)
                    if limit == "high_celsius" and set_to is not None and set_to <= 0:
                        set_to = None  # a default of the chip
                    about(f"{chip} {name} {limit}", rows[0][limit], set_to)
                compared += 1
    for chip in ("lm75", "max6639", "ads7828", "nvme"):
        check(chip in machine, f"the machine has no {chip}")
    check(compared >= 14, f"only {compared} sensors")


def lm75_at(celsius, result):
    same_sensors(result)
    check(celsius in [row["celsius"] for row in result.table("temperature")], "lm75:", result.table("temperature"))


def i2c(address, register, value, mode):
    bus = [path.rsplit("-", 1)[1] for path in glob.glob("/sys/bus/i2c/devices/i2c-*") if "stub" in read(path + "/name")][0]
    subprocess.run(["i2cset", "-f", "-y", bus, hex(address), hex(register), hex(value), mode], check=True)


@test("sensors: temperatures, fans and voltages with their limits, as root and as an ordinary user")
def _():
    for user in (ROOT, USER):
        power_once(same_sensors, user)
    i2c(0x48, 0, 0x8019, "w")  # 25.5 degrees
    for register, value in ((0, 45), (1, 55), (0x20, 64), (0x21, 128)):
        i2c(0x58, register, value, "b")
    for number_of, register in enumerate((0x84, 0xC4, 0x94, 0xD4, 0xA4, 0xE4, 0xB4, 0xF4)):
        raw = number_of * 500
        i2c(0x4A, register, (raw & 0xFF) << 8 | raw >> 8, "w")
    time.sleep(2.2)  # drivers keep a reading for up to 2 s
    power_once(lambda result: lm75_at(25.5, result))


@test("sensors: a negative temperature, and a fault")
def _():
    i2c(0x48, 0, 0x00E7, "w")  # -25 degrees
    i2c(0x58, 0x05, 0x01, "b")
    i2c(0x58, 0x20, 0xFF, "b")
    time.sleep(2.2)
    power_once(lambda result: lm75_at(-25, result), USER)


def same_zones(result):
    zones = [path for path in glob.glob("/sys/class/thermal/thermal_zone*") if read(path + "/type").strip() == "acpitz"]
    check(len(zones) == 2, f"the machine has {len(zones)} zones")
    equal("temperatures", sorted(row["celsius"] for row in result.table("temperature") if row["chip"] == "acpitz"),
          sorted(number(path + "/temp", 1000) for path in zones))
    equal("trip points", sorted((row["type"], row["celsius"]) for row in result.table("trip_point")),
          sorted((read(path).strip(), number(path.replace("_type", "_temp"), 1000))
                 for path in glob.glob("/sys/class/thermal/thermal_zone*/trip_point_*_type")))
    for row in result.table("cooling"):
        path = "/sys/class/thermal/" + row["device"]
        equal(row["device"] + " level", row["level"], number(path + "/cur_state", 1))
        equal(row["device"] + " maximum", row["max_level"], number(path + "/max_state", 1))


@test("thermal zones: temperatures and trip points")
def _():
    power_once(same_zones)


@test("batteries: watts, charge, health, and what the machine draws")
def _():
    result = panetop("power")
    drawn, names = 0, []
    for row in result.table("battery"):
        names.append(row["battery"])
        lines = dict(line.split("=", 1) for line in read(f"/sys/class/power_supply/{row['battery']}/uevent").splitlines())
        value = {key.removeprefix("POWER_SUPPLY_"): int(text) / 1e6 for key, text in lines.items() if text.isdigit()}
        status, volts = lines["POWER_SUPPLY_STATUS"], value["VOLTAGE_NOW"]
        watts = value["POWER_NOW"] if "POWER_NOW" in value else value["CURRENT_NOW"] * volts
        kind, factor = ("ENERGY", 1) if "ENERGY_NOW" in value else ("CHARGE", volts)
        holds, full, new = (value[f"{kind}_{what}"] * factor for what in ("NOW", "FULL", "FULL_DESIGN"))
        equal("status", row["status"], status)
        about("watts", row["watts"], watts if status == "Discharging" else -watts)
        about("volts", row["volts"], volts)
        about("joules", row["joules"], holds * 3600, 0.01)
        about("charge", row["charge_ratio"], holds / full)
        about("health", row["health_ratio"], full / new)
        to_go = holds if status == "Discharging" else full - holds
        about("remaining", row["remaining_seconds"], to_go / watts * 3600, 0.5)
        drawn += max(row["watts"], 0)
    equal("batteries", sorted(names), ["BAT0", "BAT1"])
    about("total", [row["watts"] for row in result.table("power") if row["domain"] == "total"][0], drawn, 1e-3)


# --- control groups -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def control_group(path, values):
    directory = "/sys/fs/cgroup/" + path
    os.mkdir(directory)
    try:
        for name, value in values.items():
            write(f"{directory}/{name}", value)
        yield directory
    finally:
        for pid in read(directory + "/cgroup.procs").split():
            write("/sys/fs/cgroup/cgroup.procs", pid)
        os.rmdir(directory)


@test("limits of a control group, its own and those of the group above")
def _():
    write("/sys/fs/cgroup/cgroup.subtree_control", "+memory +cpu")
    with control_group("kernels", {"memory.max": 192 << 20, "memory.swap.max": 16 << 20, "cpu.max": "150000 100000",
                                   "cgroup.subtree_control": "+memory +cpu"}) as outer, \
            control_group("kernels/inner", {}) as inner, child() as it:
        write(inner + "/cgroup.procs", it.pid)
        it("do_write", it("do_map", 4000 * PAGE), 4000)
        low = int(read(outer + "/memory.current"))
        result = panetop("memory", "cpu", into=inner)
        limits = {row["resource"]: row for row in result.table("memory_limit")}
        equal("limited", sorted(limits), ["memory", "swap"])
        memory = limits["memory"]
        equal("of memory", (memory["limit_bytes"], memory["cgroup"]), (192 << 20, "/kernels"))
        within("used", 4000 * PAGE, low, memory["limit_bytes"])
        within("used", 4000 * PAGE, memory["used_bytes"], memory["limit_bytes"])
        equal("free", memory["free_bytes"], memory["limit_bytes"] - memory["used_bytes"])
        equal("of swap", (limits["swap"]["limit_bytes"], limits["swap"]["used_bytes"]), (16 << 20, 0))
        rows = [(row["cgroup"], row["limit_ratio"]) for row in result.table("cpu_limit")]
        equal("of CPUs", rows, [("/kernels", 1.5)])


def group_value(directory, file, name):
    """The number after a name in a file of a group; None: this kernel has none."""
    lines = [line.split() for line in read_or_none(f"{directory}/{file}").splitlines()]
    return next((int(words[1]) for words in lines if words[0] == name), None)


def group_rows():
    rows = panetop("-t", "group", "groups").table("group")
    return {row["path"]: row for row in rows}


def closes(rows, column):
    """The groups below the top and the rest are the machine."""
    parts = [row[column] for row in rows.values() if row["parent"] == "/" and row[column] is not None]
    within(column + " of all parts", rows["/"][column] * 0.9999, sum(parts), rows["/"][column] * 1.0001)


@test("control groups: their numbers, names and sums")
def _():
    write("/sys/fs/cgroup/cgroup.subtree_control", "+memory +cpu +pids +io")
    with control_group("kernels.slice", {"cgroup.subtree_control": "+memory +cpu +pids +io"}) as outer, \
            control_group("kernels.slice/a\\x2db.service", {"memory.max": 128 << 20, "pids.max": 50,
                                                          "cpu.max": "150000 100000"}) as inner, child() as it:
        write(inner + "/cgroup.procs", it.pid)
        it("do_write", it("do_map", 8000 * PAGE), 8000)
        low = {where: group_value(where, "cpu.stat", "usage_usec") for where in (outer, inner)}
        rows = group_rows()
        row, above = rows["/kernels.slice/a\\x2db.service"], rows["/kernels.slice"]
        equal("kind and name", (row["kind"], row["name"]), ("unit", "a-b.service"))
        equal("kind and name of the slice", (above["kind"], above["name"]), ("slice", "kernels.slice"))
        for where, got in ((inner, row), (outer, above)):
            current, anonymous = int(read(where + "/memory.current")), group_value(where, "memory.stat", "anon")
            within("memory", 0.99 * current, got["memory_bytes"], 1.01 * current)
            within("anonymous", 0.99 * anonymous, got["anonymous_bytes"], 1.01 * anonymous)
            within("anonymous, as written", 8000 * PAGE, got["anonymous_bytes"], 8000 * PAGE * 1.25)
            within("file", 0, abs(got["file_bytes"] - group_value(where, "memory.stat", "file")), 64 * PAGE)
            equal("tasks", got["tasks"], int(read(where + "/pids.current")))
            within("CPU time", low[where] / 1e6, got["cpu_seconds"], group_value(where, "cpu.stat", "usage_usec") / 1e6)
            equal("killed", got["oom_kills"], group_value(where, "memory.events", "oom_kill"))
        kernel = group_value(inner, "memory.stat", "kernel")  # since Linux 5.18
        if kernel is not None:
            within("kernel memory", 0, abs(row["kernel_bytes"] - kernel), 64 * PAGE)
        equal("limits", (row["memory_limit_bytes"], row["tasks_limit"], row["cpu_limit_ratio"]), (128 << 20, 50, 1.5))
        equal("no limit", above["memory_limit_bytes"], None)
        equal("its own, of the slice", above["own_memory_bytes"] < above["memory_bytes"] / 2, True)
        equal("pressure is known", row["memory_stalled_seconds"] is not None, os.path.exists("/proc/pressure/memory"))
        for column in ("memory_bytes", "anonymous_bytes", "file_bytes", "tasks", "cpu_seconds"):
            closes(rows, column)
        value = meminfo()
        machine = value["MemTotal"][1] - value["MemFree"][1]
        within("the machine's memory", 0.97 * machine, rows["/"]["memory_bytes"], 1.03 * machine)
    equal("removed groups", [path for path in group_rows() if path.startswith("/kernels")], [])


@test("a process killed at the limit of its group is not the machine's memory")
def _():
    write("/sys/fs/cgroup/cgroup.subtree_control", "+memory")
    with control_group("kernels-limit", {"memory.max": 16 << 20, "memory.swap.max": 0}) as group, \
            Watch("-t", "finding", "groups") as run:
        run.next()
        killed = subprocess.run([sys.executable, "-c", "bytearray(64 << 20)"], check=False,
                                preexec_fn=lambda: write(group + "/cgroup.procs", os.getpid()))
        equal("killed by", killed.returncode, -signal.SIGKILL)
        text = ""
        while "; last: python3 " not in text:  # its group counts it before the log has its name
            found = run.next()["tables"]["finding"]
            equal("others", [row["text"] for row in found if row["rule"] == "out_of_memory"], [])
            text = next((row["text"] for row in found if (row["rule"], row["subject"]) == ("limit_killed", "kernels-limit")), "")
            check(not text or text.startswith("OOM kills at its memory limit of 16.0 MiB"), text)
    row = group_rows().get("/kernels-limit")
    equal("removed", row, None)


@test("no limits where the group has none")
def _():
    result = panetop("memory", "cpu")
    equal("limits", (result.table("memory_limit"), result.table("cpu_limit")), ([], []))


# --- rules --------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def watching(rule, marker, user=ROOT):
    """A run that prints nothing, and adds a line to the file whenever the rule fires; it waits for events."""
    program = arguments_of(user=user)[0]
    run = subprocess.Popen([program, "-d", "0.5", "--when", rule, "--run", f"/bin/sh -c 'echo $PANETOP_EXIT_CODE,$PANETOP_SIGNAL >>{marker}'"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **privileges(user))
    try:
        # in epoll_wait; wchan is 0 in Linux 5.10, whose kernels have no frame pointers
        awaited("it waits", lambda: (read_or_none(f"/proc/{run.pid}/syscall") or "").startswith("232 "))
        yield run
        check(run.poll() is None, "it ended:", run.poll())
    finally:
        run.terminate()
        run.communicate(timeout=PATIENCE)


def awaited(what, reached):
    last = time.monotonic() + PATIENCE
    while not reached():
        check(time.monotonic() < last, "in vain:", what)
        time.sleep(0.02)


def fired(marker):
    return (read_or_none(marker) or "").split()


@test("rules: each end of a process fires once, with its code or signal")
def _():
    marker, ends = "/tmp/fired-ends", [f"exit {i}" for i in range(40)] + ["kill -9 $$", "kill -15 $$"] * 5
    told = [f"{i}," for i in range(40)] + [",9", ",15"] * 5
    if KERNEL < (5, 19):  # exit records do not say which thread is the first one: processes are looked for at each delay
        ends, told = ["sleep 3; exit 7"] * 3, [","] * 3
    shutil.copy("/bin/sh", "/tmp/ends-here")
    with watching("process(command=ends-here).exits at most once per 0s", marker):
        for how in ends:
            subprocess.run(["/tmp/ends-here", "-c", how], check=False)
        awaited("ends", lambda: len(fired(marker)) >= len(ends))
    equal("ends", sorted(fired(marker)), sorted(told))


@test("rules: each start of a program fires once, and others fire nothing")
def _():
    marker = "/tmp/fired-starts"
    for name in ("starts-here", "starts-there"):
        shutil.copy("/bin/sh", f"/tmp/{name}")
    with watching("process(command=starts-here).starts at most once per 0s", marker):
        for count in range(10):
            for name in ("starts-here", "starts-there"):
                with subprocess.Popen([f"/tmp/{name}", "-c", "read line"], stdin=subprocess.PIPE) as started:
                    if name == "starts-here":
                        awaited("starts", lambda wanted=count: len(fired(marker)) > wanted)
                    started.stdin.close()
    equal("starts", fired(marker), [","] * 10)


@test("rules: a kill at the limit of a group, of which memory.events tells")
def _():
    marker = "/tmp/fired-kill"
    write("/sys/fs/cgroup/cgroup.subtree_control", "+memory")
    with control_group("kernels-rule", {"memory.max": 16 << 20, "memory.swap.max": 0}) as group, \
            watching("group(path=/kernels-rule).oom_kills", marker):
        time.sleep(1)
        killed = subprocess.run([sys.executable, "-c", "bytearray(64 << 20)"], check=False,
                                preexec_fn=lambda: write(group + "/cgroup.procs", os.getpid()))
        equal("killed by", killed.returncode, -signal.SIGKILL)
        awaited("the kill", lambda: fired(marker))
    equal("firings", len(fired(marker)), 1)


@test("rules: a stall by memory.high triggers one on pressure")
def _():
    marker = "/tmp/fired-stall"
    write("/sys/fs/cgroup/cgroup.subtree_control", "+memory")
    with control_group("kernels-stall", {"memory.high": 8 << 20}) as group, \
            watching("pressure(memory,some).stalled_ratio > 20% for 1s", marker):
        time.sleep(3)
        equal("before", fired(marker), [])
        hog = subprocess.Popen([sys.executable, "-c", "x = bytearray(48 << 20)\nwhile True:\n for i in range(0, len(x), 4096): x[i] = 1"],
                               preexec_fn=lambda: write(group + "/cgroup.procs", os.getpid()))
        try:
            awaited("the stall", lambda: fired(marker))
        finally:
            hog.kill()
            hog.wait()


# --- perf ---------------------------------------------------------------------------------------------------


def faults_of(pid):
    fields = stat_of(pid)
    return int(fields[7]) + int(fields[9])


def counted_faults(it, user):
    """Page faults of the child while it writes 500 pages: what panetop counts, and what /proc does."""
    start = it("do_map", 500 * PAGE)

    def total(sample):
        rows = [row for row in sample["tables"]["counter_process"] if row["event"] == "page-faults"]
        check(len(rows) == 1, f"{len(rows)} rows:", sample["notices"])
        return rows[0]["total"]

    with Watch("--perf=page-faults", "-p", it.pid, "cpu", user=user) as run:
        run.next()
        before, kernel_before = total(run.next()), faults_of(it.pid)
        it("do_write", start, 500)
        kernel_after = faults_of(it.pid)
        run.next()
        after = total(run.next())
        run.finish()
    return after - before, kernel_after - kernel_before


for each_user, each_level in ((ROOT, 3), (SUDO, 3), (CAPABLE, 2)):
    @test(f"perf: page faults of a process are those of /proc, as {each_user} with perf_event_paranoid {each_level}")
    def _(user=each_user, level=each_level):
        paranoid(level)
        try:
            with child() as it:
                got, want = counted_faults(it, user)
        finally:
            paranoid(3)
        check(want >= 500, f"only {want} faults")
        equal("page faults", got, want)


@test("perf: counters of every CPU, as root with perf_event_paranoid 3")
def _():
    paranoid(3)
    rows = panetop("--perf=page-faults,context-switches", "cpu").table("counter")
    equal("rows", sorted((row["cpu"], row["event"]) for row in rows),
          sorted((cpu, event) for cpu in ("all", "0", "1") for event in ("page-faults", "context-switches")))
    for event in ("page-faults", "context-switches"):
        total = {row["cpu"]: row["total"] for row in rows if row["event"] == event}
        equal("sum of " + event, total["all"], total["0"] + total["1"])


for each_user in (USER, CAPABLE):
    @test(f"perf: {each_user} sees in a notice that perf_event_paranoid 3 refuses it")
    def _(user=each_user):
        paranoid(3)
        result = panetop("--perf=page-faults", "cpu", user=user)
        equal("counters", result.table("counter"), [])
        remedies = " ".join(notice["remedy"] for notice in result.notices("counter"))
        check("perf_event_paranoid=2" in remedies, "remedies:", remedies)


@test("perf: an ordinary user counts an own process with perf_event_paranoid 2")
def _():
    paranoid(2)
    try:
        with child(USER) as it:
            got, want = counted_faults(it, USER)
    finally:
        paranoid(3)
    within("page faults", 500, got, want)


# --- tracepoints --------------------------------------------------------------------------------------------


EVERY = 1 if os.path.exists("/tmp/tests/all") else 8  # one of that many tracepoints


@test("every tracepoint is counted, or refused with a reason")
def _():
    tracing = "/sys/kernel/tracing"
    counted, refused = tracepoints.every(PANETOP, tracing, tracepoints.names(tracing)[::EVERY])
    print(f"# {counted} tracepoints are counted, {refused} are refused", flush=True)
    check(counted > 500 // EVERY, f"{counted} are counted, {refused} are refused")


# --- latency ------------------------------------------------------------------------------------------------


for each_user, each_policy in ((ROOT, "fifo"), (USER, "other")):
    @test(f"latency: as many samples as were asked for, policy {each_policy}")
    def _(user=each_user, policy=each_policy):
        with Watch("--samples=25", "latency", user=user, delay=0.3) as run:
            for _ in range(40):
                if all(row["samples"] >= 25 for row in run.next()["tables"]["latency"]):
                    break
            result = run.finish()
        rows = result.table("latency")
        equal("rows", sorted((row["cpu"], row["policy"], row["samples"]) for row in rows),
              [("0", policy, 25), ("1", policy, 25), ("all", policy, 50)])
        for row in rows:
            buckets = [bucket["samples"] for bucket in result.table("latency_bucket") if bucket["cpu"] == row["cpu"]]
            equal("sum of the buckets", sum(buckets), row["samples"])
        equal("a notice", bool(result.notices("latency")), user == USER)


# --- run ----------------------------------------------------------------------------------------------------


def known_failure(name):
    for finding, test_name, since, before in KNOWN_FAILURES:
        if test_name == name and (since is None or KERNEL >= since) and (before is None or KERNEL < before):
            return f" # TODO {finding}"
    return ""


def problem_of(function):
    try:
        function()
    except Failure as failure:
        return str(failure)
    except Exception as exception:
        line = traceback.extract_tb(exception.__traceback__)[-1].lineno
        return f"{type(exception).__name__}: {exception}, line {line}"
    return None


def main():
    print("# booted", flush=True)
    shutil.copy(PANETOP, CAPABLE_PANETOP)
    subprocess.run(["setcap", CAPABILITIES, CAPABLE_PANETOP], check=True)
    set_up_swap()
    write("/proc/sys/vm/nr_hugepages", 8)
    for name, function in TESTS:
        error = problem_of(function)
        print(f"{'not ok' if error else 'ok'} - {name}{known_failure(name)}", flush=True)
        if error:
            print("# " + error[:600].replace("\n", " "), flush=True)
    print("end")


main()
