# SPDX-License-Identifier: GPL-2.0-or-later
"""What panetop counts at tracepoints of a load that is known. Run by trace.test."""
import contextlib
import ctypes
import json
import mmap
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import time

from loop_disk import Loop
from ordinary_user import NOBODY, names_remedy, ordinary_copy
from samples import PANETOP, Samples
from tap import Skip, end, same, test
from tracepoints import every, names

SCRATCH = sys.argv[1]
PATIENCE = 60
SENDS, SEND_BYTES = 1000, 500
WRITES, WRITE_BYTES, SECTOR = 100, 8192, 512
ROWS_MAX = 8192
LIBC = ctypes.CDLL(None, use_errno=True)


def tracing():
    """The directory of tracefs, mounted here where it is not."""
    for place in "/sys/kernel/tracing", "/sys/kernel/debug/tracing":
        if os.path.exists(f"{place}/events"):
            return place
    place = os.path.join(SCRATCH, "tracing")
    os.makedirs(place, exist_ok=True)
    if not os.listdir(place) and subprocess.run(["mount", "-t", "tracefs", "tracefs", place], capture_output=True).returncode:
        raise Skip("tracefs cannot be read here")
    return place


def need(*tracepoints):
    """Rights to count, and a kernel that has these."""
    run = subprocess.run([PANETOP, "-n", "1", "-d", "0.05", "-o", "json", "-t", "tracing", "-t", "interrupt"], capture_output=True,
                         text=True, check=False)
    if run.returncode or not json.loads(run.stdout.splitlines()[-1])["tables"]["tracing"]:
        raise Skip("BPF is not permitted here")
    for name in tracepoints:
        if not os.path.exists(f"{tracing()}/events/{name.replace(':', '/')}"):
            raise Skip(f"this kernel has no {name}")


def traced(specs, load, *arguments, tables=("trace",)):
    """The rows of the last table, and the notices, of a sample behind the load; load gets the running panetop."""
    options = [word for table in tables[1:] for word in ("-t", table)] + [f"--trace={spec}" for spec in specs]
    samples = Samples(tables[0], *options, *arguments)
    try:
        samples.next()
        load()
        frame = samples.later()
    finally:
        samples.close()
    return [frame["tables"][table] for table in tables], json.dumps(frame["notices"])


def keys_of(rows, spec):
    """Its rows, by their keys."""
    return {row["keys"]: row for row in rows if row["trace"] == spec}


def send():
    """SENDS packets of UDP."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        for _ in range(SENDS):
            same(sender.sendto(bytes(SEND_BYTES), receiver.getsockname()), SEND_BYTES, "sent")


@test
def sends():
    """what a process sends, by what sockets and by what calls return"""
    need("sock:sock_send_length", "syscalls:sys_enter_sendto")
    sock = f"sock:sock_send_length by pid sum(ret) max(ret) hist if ret > 0 and pid == {os.getpid()}"
    call = f"syscalls:sys_enter_sendto by pid,tid sum(len) if pid == {os.getpid()}"
    error = f"sock:sock_send_length by ret if ret < 0 and pid == {os.getpid()}"
    (rows, buckets), notices = traced([sock, call, error], send, tables=("trace", "trace_bucket"))
    pid = str(os.getpid())
    row = keys_of(rows, sock)[pid]
    same((row["count"], row["sum"], row["max"]), (SENDS, SENDS * SEND_BYTES, SEND_BYTES), "at the socket")
    row = keys_of(rows, call)[f"{pid},{pid}"]
    same((row["count"], row["sum"], row["max"]), (SENDS, SENDS * SEND_BYTES, None), "at the call")
    same(keys_of(rows, error), {}, "errors")
    same([(row["trace"], row["keys"], row["from"], row["to"], row["count"]) for row in buckets], [(sock, pid, 256, 512, SENDS)], "histogram")
    same(notices, "[]", "notices")


@test
def others_count():
    """other counters of the same tracepoints go on"""
    events = ["sock:sock_send_length", "syscalls:sys_enter_sendto"]
    need(*events)
    counters = Samples("counter", f"--perf={','.join(events)}")
    totals = lambda: {row["event"]: row["total"] for row in counters.later()["tables"]["counter"] if row["cpu"] == "all"}  # noqa: E731
    try:
        counters.next()
        before = totals()
        traced([f"{event} by pid" for event in events], send)
        after = totals()
    finally:
        counters.close()
    for event in events:
        same(after[event] - before[event] >= SENDS, True, f"{event}: {before[event]}, then {after[event]}")


@test
def numbers_below_zero():
    """numbers below 0 are summed, compared and put into histograms as such"""
    need("syscalls:sys_exit_close")
    spec = f"syscalls:sys_exit_close by ret sum(ret) max(ret) hist if ret <= -1 and ret < 0 and pid == {os.getpid()}"
    none = f"syscalls:sys_exit_close if ret > 0 and pid == {os.getpid()}"

    def load():
        for _ in range(10):
            with contextlib.suppress(OSError):
                os.close(987654)
    (rows, buckets), _ = traced([spec, none], load, tables=("trace", "trace_bucket"))
    same({row["keys"]: (row["count"], row["sum"], row["max"]) for row in rows},
         {"-9": (10, -90, -9), "all": (0, None, None)}, "errors of close")
    same([(row["from"], row["to"], row["count"]) for row in buckets], [(-15, -7, 10)], "histogram")


@test
def blocks():
    """sectors that a device is sent, by what is done with them"""
    need("block:block_rq_issue")
    loop = Loop(os.path.join(SCRATCH, "blocks"), 16 << 20)
    room = memoryview(mmap.mmap(-1, WRITE_BYTES))
    number = os.stat(loop.path).st_rdev
    device = f"{os.major(number)}:{os.minor(number)}"
    spec = f"block:block_rq_issue by rwbs,dev sum(nr_sector) max(nr_sector) if dev == {device} and rwbs == WS"
    other = f"block:block_rq_issue by rwbs if dev == {os.major(number) << 20 | os.minor(number)} and rwbs != WS"

    def load():
        for at in range(WRITES):
            same(os.pwritev(loop.fd, [room], at * WRITE_BYTES), WRITE_BYTES, "written")
        os.preadv(loop.fd, [room], 0)
    try:
        (rows,), _ = traced([spec, other], load)
    finally:
        loop.close()
    sectors = WRITE_BYTES // SECTOR
    same({keys: (row["count"], row["sum"], row["max"]) for keys, row in keys_of(rows, spec).items()},
         {f"WS,{device}": (WRITES, WRITES * sectors, sectors)}, "writes")
    same({keys: row["count"] for keys, row in keys_of(rows, other).items() if keys[0] != "R"}, {}, "other writes")
    same(sum(row["count"] for row in keys_of(rows, other).values()), 1, "reads")


@test
def texts():
    """texts that are longer than a key are cut, and marked; comparisons are with all of a text"""
    need("sched:sched_process_exec")
    true, places = shutil.which("true"), {}
    for length in 62, 63, 64, 65, 200:
        place = f"{SCRATCH}/{'x' * (length - len(SCRATCH) - 1)}" if length < 255 else None
        if len(place) != length:
            raise Skip(f"{SCRATCH} is too long")
        shutil.copy(true, place)
        places[length] = place
    spec = "sched:sched_process_exec by filename,comm"
    equal = f"sched:sched_process_exec by filename if filename == {places[63]}"
    other = f"sched:sched_process_exec by filename if filename != {places[63]} and filename != {places[62]} and comm == {'x' * 15}"

    def load():
        for place in places.values():
            subprocess.run([place], check=True)
    (rows,), _ = traced([spec, equal, other], load, f"--in=tree={os.getpid()}")
    found = keys_of(rows, spec)
    begin = places[200][:63]
    same({keys: row["count"] for keys, row in found.items()},
         {f"{places[62]},{'x' * 15}": 1, f"{places[63]},{'x' * 15}": 1, f"{begin}…,{'x' * 15}": 3}, "programs")
    same({keys: row["count"] for keys, row in keys_of(rows, equal).items()}, {places[63]: 1}, "equal")
    same({keys: row["count"] for keys, row in keys_of(rows, other).items()}, {f"{begin}…": 3}, "others")


@test
def scope():
    """of a scope are its processes, and those that they start"""
    need("syscalls:sys_enter_getppid")
    spec = "syscalls:sys_enter_getppid by comm"
    child = "import os,sys\nfor _ in range(1000): os.getppid()\nif len(sys.argv) > 1: os.fork() or os.getppid()\nprint(flush=True)\nsys.stdin.read()"
    inside = subprocess.Popen([sys.executable, "-c", f"input()\n{child}", "more"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    outside = subprocess.Popen([sys.executable, "-c", f"input()\n{child}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def load():
        for process in inside, outside:
            process.stdin.write("\n")
            process.stdin.flush()
            process.stdout.readline()
        inside.stdout.readline()
    try:
        (rows,), _ = traced([spec], load, f"--in=tree={inside.pid}")
    finally:
        for process in inside, outside:
            process.communicate("\n\n\n")
    same([row["count"] for row in rows], [1001], "calls of the scope")


@test
def full():
    """what has no room is counted as lost"""
    need("syscalls:sys_enter_lseek")
    more = 500
    spec = f"syscalls:sys_enter_lseek by offset if pid == {os.getpid()} and whence == 0"
    file = os.open(os.path.join(SCRATCH, "full"), os.O_RDWR | os.O_CREAT)

    def load():
        for at in range(ROWS_MAX + more):
            os.lseek(file, at, os.SEEK_SET)
    (rows, programs), notices = traced([spec], load, tables=("trace", "tracing"))
    os.close(file)
    same(len(rows), ROWS_MAX, "rows")
    same(sum(row["count"] for row in rows), ROWS_MAX, "events in the table")
    same([row["lost"] for row in programs if row["topic"] == "trace"], [more], "lost")
    same(f"{more} events are not in the table, which has room for {ROWS_MAX}" in notices, True, notices)


@test
def pointers_and_groups():
    """addresses are hexadecimal; a control group has its path; without keys there is one row"""
    need("syscalls:sys_enter_openat")
    pointer = f"syscalls:sys_enter_openat by filename,dfd if pid == {os.getpid()}"
    alone = f"syscalls:sys_enter_openat hist(flags) if pid == {os.getpid()} and cpu < 100000"
    group = f"syscalls:sys_enter_openat by cgroup if pid == {os.getpid()}"
    path = ctypes.create_string_buffer(b"/nonexistent")

    def load():
        for _ in range(5):
            LIBC.openat(-100, path, os.O_RDONLY)
    (rows,), _ = traced([pointer, alone, group], load)
    same(keys_of(rows, pointer)[f"{ctypes.addressof(path):#x},-100"]["count"], 5, "opened")
    same(keys_of(rows, alone)["all"]["count"] >= 5, True, "all")
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        paths = [line.strip().removeprefix("0::") for line in file if line.startswith("0::")]
    with open("/proc/mounts", encoding="utf-8") as file:
        paths = paths if any(line.split()[2] == "cgroup2" for line in file) else []
    same(len(keys_of(rows, group)), 1, "control groups")
    if paths:
        same(list(keys_of(rows, group)), paths, "control groups")


@test
def hundred_tracepoints():
    """a hundred tracepoints of this kernel are counted, with texts, numbers, sums and conditions"""
    need()
    found = names(tracing())
    chosen = found[::max(1, len(found) // 100)][:100]
    counted, refused = every(PANETOP, tracing(), chosen)
    same((counted, refused), (len(chosen), 0), "counted and refused")


def programs():
    """Numbers of the kernel's programs that are called panetop."""
    number, found = 0, set()
    while True:
        attr = ctypes.create_string_buffer(struct.pack("=III", number, 0, 0) + bytes(116), 128)
        if LIBC.syscall(321, 11, attr, 128):
            return found
        number = struct.unpack_from("=II", attr)[1]
        attr = ctypes.create_string_buffer(struct.pack("=III", number, 0, 0) + bytes(116), 128)
        file = LIBC.syscall(321, 13, attr, 128)
        if file < 0:
            continue
        info = ctypes.create_string_buffer(256)
        attr = ctypes.create_string_buffer(struct.pack("=IIQ", file, 256, ctypes.addressof(info)) + bytes(112), 128)
        if LIBC.syscall(321, 15, attr, 128) == 0 and info.raw[64:80].rstrip(b"\0") == b"panetop":
            found.add(number)
        os.close(file)


@test
def killed():
    """after SIGKILL nothing is left in the kernel"""
    if os.uname().machine != "x86_64":
        raise Skip("the numbers of bpf(2) are of x86-64")
    need("sched:sched_switch")
    before = programs()
    samples = Samples("trace", "--trace=sched:sched_switch by prev_comm", "--trace=sched:sched_waking by comm")
    samples.next()
    own = programs() - before
    same(len(own) >= 2, True, f"programs: {own}")
    samples.process.kill()
    samples.close()
    until = time.monotonic() + PATIENCE
    while programs() & own:
        if time.monotonic() > until:
            raise AssertionError("programs are left")
        time.sleep(0.05)


@test
def named_by_itself():
    """without a pane and a table there are the traces, and their histograms if any has one; CSV holds one table"""
    need("sched:sched_switch")
    for spec, form, expected in (("sched:sched_switch hist(prev_prio)", "json", {"trace", "trace_bucket"}), ("sched:sched_switch", "json", {"trace"}),
                                 ("sched:sched_switch hist(prev_prio)", "csv", None)):
        run = subprocess.run([PANETOP, "-n", "2", "-d", "0.2", "-o", form, f"--trace={spec}"], capture_output=True, text=True, check=True)
        if expected:
            same(set(json.loads(run.stdout.splitlines()[-1])["tables"]), expected, spec)
        else:
            same(run.stdout.splitlines()[0].split(",")[:2], ["time", "trace"], "columns")


@test
def recorded():
    """a recording has the same rows"""
    need("sched:sched_switch")
    spec = "sched:sched_switch by prev_comm sum(prev_prio) hist"
    file = os.path.join(SCRATCH, "trace.recording")
    subprocess.run([PANETOP, "-n", "2", "-d", "0.2", f"--record={file}", "-t", "trace", "-t", "trace_bucket", f"--trace={spec}"], check=True,
                   capture_output=True)
    run = subprocess.run([PANETOP, f"--replay={file}", "-o", "json", "-t", "trace", "-t", "trace_bucket"], capture_output=True, text=True,
                         check=True)
    tables = json.loads(run.stdout.splitlines()[-1])["tables"]
    counts = {}
    for row in tables["trace_bucket"]:
        counts[row["keys"]] = counts.get(row["keys"], 0) + row["count"]
    same({row["keys"]: row["count"] for row in tables["trace"]}, counts, "counts and histogram")
    same(len(counts) > 1, True, "rows")
    same(any(row["sum_per_second"] for row in tables["trace"]), True, "rates")


@test
def mistakes():
    """what the kernel does not have is named, with what it has"""
    need("block:block_rq_issue")
    for spec, text in (("block:block_rq_issue by nosuch", "no field nosuch; there are: dev sector nr_sector"),
                       ("block:block_rq_isue", "did you mean block:block_rq_issue?"),
                       ("blok:block_rq_issue", "no group of tracepoints blok; did you mean block?"),
                       ("sched:sched_switch sum(prev_comm)", "prev_comm is a text, not a number"),
                       ("block", "begins with the group and name of a tracepoint")):
        run = subprocess.run([PANETOP, "-n", "1", f"--trace={spec}"], capture_output=True, text=True, check=False)
        same((run.returncode, text in run.stderr), (2, True), run.stderr)


@test
def on_the_screen():
    """on the screen a tracepoint is chosen from a list, changed and ended"""
    need("sched:sched_switch", "block:block_rq_issue")
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "screen"))
    try:
        from common import screen  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise Skip("python3-pyte is not installed") from error
    first = "sched:sched_switch by prev_comm"
    counted = re.compile(rf"\d .*{first}$")

    def expect(holds, terminal):
        if not holds:
            raise AssertionError(terminal.text())
    with screen("-d", "0.2", f"--trace={first}", width=150) as terminal:
        expect(terminal.wait_for("[Traces]") and terminal.wait_for(counted), terminal)
        terminal.send("F9", "Enter")
        expect(terminal.wait_for("[Tracepoints]") and terminal.wait_for("alarmtimer"), terminal)
        terminal.send("/", *"rq_issue", "Enter", "Enter")
        expect(terminal.wait_for("Count: block:block_rq_issue by comm"), terminal)
        terminal.send(*",nosuch", "Enter")
        expect(terminal.wait_for("no field nosuch; there are: dev sector nr_sector"), terminal)
        terminal.send("\x17", *"comm,rwbs sum(bytes)", "Enter")
        expect(terminal.wait_for("[Traces]") and terminal.wait_for(counted), terminal)
        terminal.send("F9")
        expect(terminal.has(f"End     {first}") and terminal.has("End     block:block_rq_issue by comm,rwbs sum(bytes)"), terminal)
        terminal.send("Down", "Down", "Enter", "F9")
        expect(not terminal.has(first) and terminal.has("End     block:block_rq_issue by comm,rwbs sum(bytes)"), terminal)
        terminal.send("Esc", "3")
        expect(terminal.wait_for("Calls*"), terminal)


@test
def without_rights():
    """an ordinary user learns what to do"""
    with ordinary_copy(PANETOP) as copy:
        run = subprocess.run([*NOBODY, copy, "-n", "1", "-d", "0.05", "--trace=sched:sched_switch by prev_comm"], capture_output=True,
                             text=True, check=False)
    same(names_remedy(run.stderr, "run it as root, or give it the capabilities cap_bpf and cap_perfmon"), True, run.stderr)


end()
