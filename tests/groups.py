# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads in control groups of version 1: CPU time, memory by kind, tasks and I/O by their own account and by panetop."""
import contextlib
import ctypes
import datetime
import json
import mmap
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import traceback

from tap import Skip, end, test

PANETOP = os.environ["PANETOP"]
CGROUP = "/sys/fs/cgroup"
NAME = f"panetop-test-{os.getpid()}"
ID = "4f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d391"
MIB = 1 << 20
CONTROLLERS = ("cpuacct", "memory", "pids", "blkio")


def place_of(controller):
    """Where the hierarchy of a controller is mounted; None: it is not, or of version 2."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for line in mounts:
            before, after = line.rstrip("\n").split(" - ")
            kind, _, options = after.split(" ", 2)
            if kind == "cgroup" and controller in options.split(","):
                return before.split(" ")[4]
    return None


PLACES = {controller: place_of(controller) for controller in CONTROLLERS}


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(str(text))


def empty(group):
    """Ends what is left in a group of the test: a process that is being removed keeps it busy for a moment."""
    for _ in range(1000):
        try:
            os.rmdir(group)
            return
        except FileNotFoundError:
            return
        except OSError:
            with open(f"{group}/cgroup.procs", encoding="ascii") as file:
                for pid in file:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
            time.sleep(0.01)


def remove(path):
    for directory, _, _ in os.walk(path, topdown=False):
        empty(directory)


@contextlib.contextmanager
def groups(*paths):
    """These groups, in all hierarchies, until their processes are gone."""
    tops = {path.split("/")[0] for path in paths}
    try:
        for place in set(PLACES.values()):
            for path in paths:
                os.makedirs(f"{place}/{path}", exist_ok=True)
        yield
    finally:
        for place in set(PLACES.values()):
            for top in tops:
                remove(f"{place}/{top}")


def enter(path):
    for place in set(PLACES.values()):
        write(f"{place}/{path}/cgroup.procs", os.getpid())


@contextlib.contextmanager
def child(path, function, *arguments):
    """A process in a group that runs function(say, wait, …); yields how to hear from it, how to let it go on, and the clock of its CPU time."""
    said, say = os.pipe()
    waits, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            enter(path)
            function(lambda value: os.write(say, f"{value}\n".encode()), lambda: os.read(waits, 1), *arguments)
        except BaseException:  # it must not return into the test
            traceback.print_exc()
        os._exit(0)
    os.close(say)
    lines = os.fdopen(said, encoding="utf-8")
    try:
        yield lines.readline, lambda: os.write(go, b"x"), lambda: time.clock_gettime(~pid << 3 | 2)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        lines.close()
        os.close(waits)
        os.close(go)


def arguments_of(samples, delay=0.1, columns=()):
    return [PANETOP, "-b", "-o", "json", "-t", "group", "-d", str(delay), "-n", str(samples), *columns, "groups"]


def tables(line):
    return {row["path"]: row for row in json.loads(line)["tables"]["group"]}


def printed(command):
    """Its lines, once no group of the top has gone meanwhile: it could not be told any more where its tasks count."""
    while True:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=True)
        lines = done.stdout.splitlines()
        paths = {path for line in lines for path, row in tables(line).items() if row["parent"] == "/" and path != "(rest)"}
        if all(any(os.path.isdir(place + path) for place in PLACES.values()) for path in paths):
            return lines


def look():
    """The rows of one sample by path."""
    return tables(printed(arguments_of(1))[-1])


def scope_of(scope):
    """The row of what a scope uses, and the first ones of its group and of the machine's memory in the same sample."""
    done = subprocess.run([PANETOP, "-b", "-o", "json", "-t", "scope_use", "-t", "group", "-t", "memory", "-n", "1", "-d", "0.1",
                           f"--in={scope}"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=True)
    return [json.loads(done.stdout)["tables"][topic][0] for topic in ("scope_use", "group", "memory")]


class Watch:
    """panetop going on: next() gives the rows of the next sample, of which several may wait to be read."""

    def __init__(self, delay=0.2):
        self.process = subprocess.Popen(arguments_of(100000, delay), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def next(self, after=""):
        line = self.process.stdout.readline()
        while json.loads(line)["time"] <= after:
            line = self.process.stdout.readline()
        return tables(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate()


def check(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(part) for part in what))


def near(what, got, want, share=0.01):
    check(got is not None and abs(got - want) <= share * want, f"{what}: panetop has {got}, it is {want}")


def is_apart(path):
    """Tasks of a group that is not in the hierarchy pids, where the tests have groups, are those of other groups, too."""
    return os.path.isdir(PLACES["memory"] + path) and not os.path.isdir(PLACES["pids"] + path)


def closes(rows, column):
    """The groups below the top and the rest are the machine; what the kernel knows of groups lags behind, so that they may
    have more than the machine, and the rest nothing."""
    below = [row[column] for row in rows.values() if row["parent"] == "/" and row[column] is not None
             and not (column == "tasks" and is_apart(row["path"]))]
    whole = rows["/"][column]
    more = sum(below) - whole
    closed = more >= 0 if rows["(rest)"][column] == 0 else abs(more) <= 1e-6 * max(1, abs(whole))
    check(closed, f"{column}: {sum(below)} of {whole}")


def burn(say, wait, seconds):
    start = time.process_time()
    say(start)
    while time.process_time() - start < seconds:
        pass
    say(time.process_time() - start)
    wait()


# --- tests --------------------------------------------------------------------------------------------------


def cpu_time():
    with groups(f"{NAME}/inner"):
        with child(f"{NAME}/inner", burn, 2.0) as (hear, _, clock):
            hear()
            used = float(hear())
            rows = look()
            for path in (f"/{NAME}/inner", f"/{NAME}"):
                check(used <= rows[path]["cpu_seconds"] <= clock(), path, used, rows[path]["cpu_seconds"], clock())
            check(rows[f"/{NAME}"]["own_cpu_seconds"] < 0.01 * used, "own:", rows[f"/{NAME}"]["own_cpu_seconds"])
            check(rows[f"/{NAME}/inner"]["own_cpu_seconds"] == rows[f"/{NAME}/inner"]["cpu_seconds"], "own of the inner")


def cpu_shares():
    with groups(NAME), child(NAME, burn, 1000) as (hear, *_), Watch() as watch:
        hear()
        watch.next()
        first = watch.next()
        for _ in range(5):
            rows = watch.next()
            closes(rows, "cpu_ratio")
            check(rows[f"/{NAME}"]["cpu_ratio"] > 0, "it burns")
            check(rows["(rest)"]["cpu_ratio"] >= 0, "rest", rows["(rest)"]["cpu_ratio"])
        with open(f"{PLACES['cpuacct']}/{NAME}/cpuacct.usage", encoding="ascii") as file:
            now = int(file.read()) / 1e9
        check(first[f"/{NAME}"]["cpu_seconds"] < rows[f"/{NAME}"]["cpu_seconds"] <= now, "it grows with the kernel's count")


def memory_by_kind():
    anonymous, cached = 96 * MIB, 64 * MIB

    def grow(say, wait, path):
        block = b"x" * MIB
        say("here")
        wait()
        memory = mmap.mmap(-1, anonymous, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for at in range(0, anonymous, mmap.PAGESIZE):
            memory[at] = 1
        with open(path, "wb") as file:
            for _ in range(cached // MIB):
                file.write(block)
        say("grown")
        wait()

    with groups(f"{NAME}/inner"), tempfile.NamedTemporaryFile(dir=os.environ.get("TMPDIR", "/tmp")) as file:
        with child(f"{NAME}/inner", grow, file.name) as (hear, go, _):
            hear()
            before = look()[f"/{NAME}/inner"]
            go()
            hear()
            rows = look()
            after = rows[f"/{NAME}/inner"]
            near("anonymous", after["anonymous_bytes"] - before["anonymous_bytes"], anonymous)
            near("file", after["file_bytes"] - before["file_bytes"], cached)
            near("all", after["memory_bytes"], after["anonymous_bytes"] + after["file_bytes"] + after["kernel_bytes"], 0.02)
            near("all of the group above it", rows[f"/{NAME}"]["memory_bytes"], after["memory_bytes"])
            for column in ("memory_bytes", "anonymous_bytes", "file_bytes"):
                closes(rows, column)
            account, *_ = scope_of(f"cgroup=/{NAME}/inner")
            near("anonymous of the scope", account["anonymous_bytes"], after["anonymous_bytes"])
            near("file of the scope", account["file_bytes"], after["file_bytes"])
            parts = sum(account[part] for part in ("anonymous_bytes", "file_bytes", "kernel_bytes", "other_bytes"))
            check(account["basis"] == "control group" and parts == account["memory_bytes"], account)
            bytes_of_all = [row.get("used_bytes", row.get("memory_bytes")) for row in scope_of("cgroup=/")]
            check(len(set(bytes_of_all)) == 1, "scope, group and machine:", *bytes_of_all)


def limits():
    with groups(NAME):
        write(f"{PLACES['memory']}/{NAME}/memory.limit_in_bytes", 64 * MIB)
        write(f"{PLACES['pids']}/{NAME}/pids.max", 7)
        row = look()[f"/{NAME}"]
        check(row["memory_limit_bytes"] == 64 * MIB, row)
        check(row["tasks_limit"] == 7, row)
        write(f"{PLACES['memory']}/{NAME}/memory.limit_in_bytes", -1)
        check(look()[f"/{NAME}"]["memory_limit_bytes"] is None, "no limit")


def tasks():
    def threads(say, wait):
        for _ in range(4):
            threading.Thread(target=signal.pause, daemon=True).start()
        say("started")
        wait()

    with groups(f"{NAME}/a", f"{NAME}/b"):
        with child(f"{NAME}/a", threads) as (hear, *_), child(f"{NAME}/b", burn, 0) as (hear_other, *_):
            hear()
            hear_other()
            hear_other()
            rows = look()
            check(rows[f"/{NAME}/a"]["tasks"] == 5, rows[f"/{NAME}/a"]["tasks"])
            check(rows[f"/{NAME}/b"]["tasks"] == 1, rows[f"/{NAME}/b"]["tasks"])
            check(rows[f"/{NAME}"]["tasks"] == 6, rows[f"/{NAME}"]["tasks"])
            closes(rows, "tasks")


def whole_disk(path):
    """The disk below the file system of path, as blkio names it; None: it is stacked, a partition, or none."""
    number = os.stat(path).st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    link = f"/sys/dev/block/{device}"
    if not os.path.exists(link) or os.path.exists(link + "/partition"):
        return None
    return None if re.match("loop|ram|zram|dm-|md|drbd", os.path.basename(os.path.realpath(link))) else device


def input_and_output():
    # blkio counts what passes a device with a limit: one that is never reached is set in the test's own group
    scratch = os.environ.get("TMPDIR", "/tmp")
    device = whole_disk(scratch)
    if not device:
        raise Skip(f"{scratch} is not on a whole disk")
    size = 32 * MIB

    def transfer(say, wait, path):
        wait()
        block = mmap.mmap(-1, MIB)
        file = os.open(path, os.O_RDWR | os.O_DIRECT)
        for _ in range(size // MIB):
            os.write(file, block)
        os.lseek(file, 0, os.SEEK_SET)
        for _ in range(size // MIB // 2):
            os.readv(file, [block])
        say("done")
        wait()

    with groups(f"{NAME}/inner"), tempfile.NamedTemporaryFile(dir=scratch) as file:
        inner = f"{PLACES['blkio']}/{NAME}/inner"
        for direction in ("read", "write"):
            write(f"{inner}/blkio.throttle.{direction}_bps_device", f"{device} {1 << 40}")
        with child(f"{NAME}/inner", transfer, file.name) as (hear, go, _):
            go()
            hear()
            rows = look()
            for path in (f"/{NAME}/inner", f"/{NAME}"):
                near(f"written in {path}", rows[path]["write_bytes"], size)
                near(f"read in {path}", rows[path]["read_bytes"], size // 2)
            closes(rows, "write_bytes")


def whole_machine():
    # all that closes, in one sample beside the machine's own tables, under loads of every kind
    scratch = os.environ.get("TMPDIR", "/tmp")
    device = whole_disk(scratch)

    def load(say, wait, path):
        block = mmap.mmap(-1, MIB)
        memory = mmap.mmap(-1, 32 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        file = os.open(path, os.O_RDWR | os.O_DIRECT)
        say("here")
        while True:
            for at in range(0, 32 * MIB, mmap.PAGESIZE):
                memory[at] = 1
            os.pwrite(file, block, 0)
            os.preadv(file, [block], 0)

    with groups(f"{NAME}/a", f"{NAME}/b"), tempfile.NamedTemporaryFile(dir=scratch) as file:
        for direction in ("read", "write") if device else ():
            write(f"{PLACES['blkio']}/{NAME}/a/blkio.throttle.{direction}_bps_device", f"{device} {1 << 40}")
        with child(f"{NAME}/a", load, file.name) as (hear, *_), child(f"{NAME}/b", burn, 1000) as (hear_other, *_):
            hear()
            hear_other()
            arguments = [PANETOP, "-b", "-o", "json", "-d", "0.3", "-n", "3", "groups", "memory", "disks", "cpu"]
            lines = printed(arguments)
    columns = ["cpu_ratio", "cpu_seconds", "memory_bytes", "anonymous_bytes", "file_bytes", "kernel_bytes", "tasks"]
    columns += ["read_bytes", "write_bytes"] if device else []
    samples = [json.loads(line)["tables"] for line in lines]
    for found in samples:
        rows = {row["path"]: row for row in found["group"]}
        for column in columns:
            closes(rows, column)
        top, memory = rows["/"], found["memory"][0]
        check(top["memory_bytes"] == memory["used_bytes"], top["memory_bytes"], memory["used_bytes"])
        check(top["tasks"] == found["system"][0]["threads"], top["tasks"], found["system"])
        check(rows[f"/{NAME}"]["cpu_ratio"] > 0 and rows[f"/{NAME}/a"]["anonymous_bytes"] >= 32 * MIB, rows[f"/{NAME}"])
    for column in ("read_bytes", "write_bytes") if device else ():  # disks are read a moment earlier or later
        low, high = (next(row for row in samples[i]["disk"] if row["device"] == "all")[column] for i in (0, 2))
        got = next(row for row in samples[1]["group"] if row["path"] == "/")[column]
        check(low <= got <= high, column, low, got, high)


def a_container():
    # in a pid and a control group namespace of its own, as a container engine makes it
    outer = f"docker/{ID}"

    def contain(say, wait):
        unshare = ctypes.CDLL(None, use_errno=True).unshare
        if unshare(0x02000000 | 0x20000000):  # CLONE_NEWCGROUP, CLONE_NEWPID
            say("refused")
        elif os.fork() == 0:
            say(os.getpid())
            burn(say, wait, 0.5)
        wait()

    for place in set(PLACES.values()):
        remove(f"{place}/{outer}")  # of a test that was killed
        try:
            os.rmdir(f"{place}/docker")
        except FileNotFoundError:
            pass
        except OSError:
            raise Skip("there are containers already") from None
    with groups(outer), child(outer, contain) as (hear, *_):
        if hear() != "1\n":
            raise Skip("no namespaces here")
        hear()
        used = float(hear())
        row = look()[f"/{outer}"]
        check(row["kind"] == "container" and row["name"] == ID[:12], row["kind"], row["name"])
        check(row["tasks"] == 2, row["tasks"])
        check(row["cpu_seconds"] >= used, row["cpu_seconds"], used)


def coming_and_going():
    # new groups count from 0, removed ones disappear, and one that is made again never has a negative rate
    with Watch() as watch:
        watch.next()
        for turn in range(3):
            with groups(NAME):
                with child(NAME, burn, 0.3 / (turn + 1)) as (hear, _, clock):
                    hear()
                    used = float(hear())
                    rows = watch.next(datetime.datetime.now(datetime.timezone.utc).isoformat())  # not of the group of before
                    while f"/{NAME}" not in rows or rows[f"/{NAME}"]["cpu_seconds"] is None or \
                            rows[f"/{NAME}"]["cpu_seconds"] < used:
                        check(all(row["cpu_ratio"] is None or row["cpu_ratio"] >= 0 for row in rows.values()), rows)
                        rows = watch.next()
                    check(rows[f"/{NAME}"]["cpu_seconds"] <= clock(), rows[f"/{NAME}"], clock())
            if turn == 1:
                continue  # it is made again at once
            rows = watch.next()
            while f"/{NAME}" in rows:
                rows = watch.next()
            check(rows["(rest)"]["cpu_ratio"] is not None, "the rest goes on")
            closes(rows, "cpu_ratio")


def hostile_names():
    odd = f"{NAME}/a b\\x2d\x1b[31m\xff"
    with groups(odd, f"{NAME}/(rest)"):
        rows = look()
        check(f"/{odd}" in rows, [path for path in rows if NAME in path])
        check(f"/{NAME}/(rest)" in rows and rows["(rest)"]["kind"] == "rest", "the rest")


def main():
    missing = [controller for controller, place in PLACES.items() if not place or not os.access(place, os.W_OK)]
    if missing or os.geteuid() != 0:
        print(f"1..0 # SKIP control groups of version 1 cannot be made here: {', '.join(missing) or 'only root may'}")
        return
    for each in (cpu_time, cpu_shares, memory_by_kind, limits, tasks, input_and_output, whole_machine, a_container, coming_and_going,
                 hostile_names):
        test(each)
    end()


main()
