# SPDX-License-Identifier: GPL-2.0-or-later
"""truth.py PANETOP [wakeups|disks|network]: loads that know what they use, and what the CPU pane says of them.

Each load ends with its own account (rusage); the pane is asked every 0.2 s meanwhile. Printed are the mean of the
load by its own account, the mean that the pane gave, and how far a single sample was off the duty, all in points
of one CPU."""
import json
import math
import mmap
import os
import random
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests"))
from loop_disk import BLOCK, WRITER, Loop, SlowDisk, bucket, diskstats, make_ext4, new_requests  # pylint: disable=wrong-import-position
from perf_record import AROUND, record, request_times, wakeups_of  # pylint: disable=wrong-import-position
from tap import Skip  # pylint: disable=wrong-import-position

PANETOP = sys.argv[1]
SECONDS, DELAY, PERIOD, ACCOUNTS = 8, 0.2, 0.01, 10
CLOSES = 0.02  # CPUs
PERCENTILE_SHARE, PERCENTILE_NS = 0.02, 1000  # how far a percentile may be from that of perf's record
CHILD = "truth-child"


def burn(duty, end):
    """Of every period the share duty, by the thread's own clock."""
    start = time.monotonic()
    used = time.thread_time()
    while (now := time.monotonic()) < end:
        if time.thread_time() - used < duty * (now - start):
            continue
        time.sleep(PERIOD / 10)


def load(duty, threads):
    """A child that burns in so many threads and exits; its pid."""
    pid = os.fork()
    if pid == 0:
        end = time.monotonic() + SECONDS + 2
        for _ in range(threads - 1):
            threading.Thread(target=burn, args=(duty, end)).start()
        burn(duty, end)
        os._exit(0)
    return pid


def samples(pid):
    """The ratios that the pane gave, and the CPU time between its first and its last look."""
    count = int(SECONDS / DELAY)
    command = [PANETOP, "-o", "json", "-t", "process", "-d", str(DELAY), "-n", str(count), "-p", str(pid), "--idle", "cpu"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as panetop:
        rows = [json.loads(line)["tables"]["process"][0] for line in panetop.stdout]
    return [row["cpu_ratio"] for row in rows]


def known_load(duty, threads):
    start = time.monotonic()
    pid = load(duty, threads)
    time.sleep(0.5)
    ratios = samples(pid)
    _, _, usage = os.wait4(pid, 0)
    own = (usage.ru_utime + usage.ru_stime) / (time.monotonic() - start)
    mean = sum(ratios) / len(ratios)
    off = sorted(abs(ratio - mean) for ratio in ratios)
    print(f"{100 * duty:5.0f} % x {threads}  own {100 * own:6.1f}  pane {100 * mean:6.1f}  off by {100 * abs(own - mean):4.1f}"
          f"  a sample by {100 * off[len(off) // 2]:4.1f}, at most {100 * off[-1]:4.1f}")


@contextmanager
def hogs(count):
    """So many processes that never rest."""
    pids = []
    try:
        for _ in range(count):
            pids.append(os.fork())
            if pids[-1] == 0:
                while True:
                    pass
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def datagrams(end):
    """Sends datagrams over loopback and takes them back, until end: the kernel delivers them in soft interrupts."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.bind(("127.0.0.1", 0))
        ours.connect(ours.getsockname())
        while time.monotonic() < end:
            for _ in range(64):
                ours.send(b"x" * 1400)
            for _ in range(64):
                ours.recv(2048)


def flood():
    """How far the account is from closing while soft interrupts are a good part of it."""
    pid = os.fork()
    if pid == 0:
        datagrams(time.monotonic() + ACCOUNTS + 1)
        os._exit(0)
    command = [PANETOP, "-o", "json", "-d", "1", "-n", str(ACCOUNTS), "cpu"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as panetop:
        tables = [json.loads(line)["tables"] for line in panetop.stdout][1:]
    os.waitpid(pid, 0)
    parts = [{row["part"]: row["cpu_ratio"] for row in table["account"]} for table in tables]
    softirq = sum(row["softirq_ratio"] for table in tables for row in table["cpu"] if row["cpu"] != "all") / len(tables)
    off = sorted((abs(sample["unaccounted"]) for sample in parts), reverse=True)
    mean = sum(sample["unaccounted"] for sample in parts) / len(parts)
    shown = "unknown" if parts[0]["softirq"] is None else "known"
    print(f"softirq {softirq:.3f} CPUs, {shown} in the account  unaccounted {mean:.3f}, a sample at most {off[0]:.3f}: "
          f"{'closes' if abs(mean) <= CLOSES else 'DOES NOT CLOSE'} within {CLOSES} CPUs")


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_children(milliseconds, end):
    """Children that live so long, one after the other, until end()."""
    while not end():
        pid = os.fork()
        if pid == 0:
            used = time.process_time()
            while time.process_time() - used < milliseconds / 1000:
                pass
            os._exit(0)
        os.waitpid(pid, 0)


def children(milliseconds, beside):
    """Children of a known length while the account is watched, with so many processes beside that never rest."""
    command = [PANETOP, "-o", "json", "-d", "1", "-n", str(ACCOUNTS), "cpu"]
    with hogs(beside), subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as panetop:
        samples_seen = []  # with what the children had used when each came

        def read_samples():
            for line in panetop.stdout:
                samples_seen.append((line, children_seconds(), time.monotonic()))

        reader = threading.Thread(target=read_samples)
        reader.start()
        run_children(milliseconds, lambda: not reader.is_alive())
        reader.join()
    (_, first, start), (_, last, end) = samples_seen[0], samples_seen[-1]
    own = (last - first) / (end - start)
    tables = [json.loads(line)["tables"] for line, _, _ in samples_seen[1:]]
    parts = [{row["part"]: row["cpu_ratio"] for row in table["account"]} for table in tables]
    mean = {part: 100 * sum(sample[part] for sample in parts) / len(parts) for part in parts[0]}
    named = 100 * sum(row["cpu_ratio"] or 0 for table in tables for row in table["exited"]
                      if row["command"] == CHILD) / len(tables)
    worst = max(abs(sample["unaccounted"]) for sample in parts) * 100 / os.cpu_count()
    print(f"{milliseconds:2} ms, {beside} beside  own {100 * own:6.1f}  exited {mean['exited']:6.1f}  under their name {named:6.1f}"
          f"  unaccounted {mean['unaccounted']:5.1f}  of the machine {mean['unaccounted'] / os.cpu_count():5.1f}, a sample"
          f" at most {worst:4.1f}  busy {mean['busy']:6.1f}")
    return next(row["from"] for row in tables[-1]["account"] if row["part"] == "exited")


def ticks(hertz, count):
    """A child's work: sleeps as often."""
    def work():
        for _ in range(count):
            time.sleep(1 / hertz)
    return work


def passes(count, receive, send, first):
    """A child's work: hands a byte to another one and back."""
    def work():
        for _ in range(count):
            if first:
                send(b"x")
            receive(1)
            if not first:
                send(b"x")
    return work


def obey(work):
    """A child that works when it is told to, and answers how often it slept meanwhile: its pid, and files of both."""
    orders, answers = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # a pair is on one CPU
        os.read(orders[0], 1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
        work()
        os.write(answers[1], str(resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before).encode())
        os.read(orders[0], 1)
        os._exit(0)
    return pid, orders[1], answers[0]


CAUSES = ("timer", "device", "network", "task", "kernel")


def wakeups(what, cause, *works, by_perf=False):
    """What woke up children that work at the same time, by panetop, by their own account, and by the events that perf records."""
    children_of = [obey(work) for work in works]
    command = [PANETOP, "-b", "-o", "json", "-t", "wakeup", "-d", "0.5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as panetop:
        def rows():
            return {row["pid"]: row for row in json.loads(panetop.stdout.readline())["tables"]["wakeup"]}

        def let_work():
            for _, orders, _ in children_of:
                os.write(orders, b"x")
            for _, _, answers in children_of:
                while not select.select([answers], [], [], 0)[0]:
                    rows()  # so that it never waits for us
                slept.append(int(os.read(answers, 16)))

        slept, events = [], None
        before = rows()
        if by_perf:
            events = record(["sched:sched_waking", *AROUND, *AROUND.values()], let_work)
        if not slept:
            let_work()
        rows()
        after = rows()
        panetop.terminate()
    recorded = wakeups_of(events or [], [pid for pid, _, _ in children_of])
    for (pid, orders, _), own in zip(children_of, slept):
        grown = {name: after[pid]["by_" + name] - before.get(pid, {}).get("by_" + name, 0) for name in CAUSES}
        off = abs(grown[cause] - own)
        print(f"{what:24} slept {own:6}  woken up by " + "  ".join(f"{name} {grown[name]:6}" for name in CAUSES)
              + f"  off by {off}" + (f"  by perf {recorded[pid][0]}, network {recorded[pid][1]}" if events else ""))
        os.write(orders, b"x")
        os.waitpid(pid, 0)


def wakeup_truths():
    for hertz, count in ((1, 3), (100, 200), (1000, 2000)):
        wakeups(f"ticker of {hertz} Hz", "timer", ticks(hertz, count))
    there, back = os.pipe(), os.pipe()
    wakeups("pair over pipes", "task", passes(2000, lambda n: os.read(there[0], n), lambda b: os.write(back[1], b), False),
            passes(2000, lambda n: os.read(back[0], n), lambda b: os.write(there[1], b), True))
    ends = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
    for end in ends:
        end.bind(("127.0.0.1", 0))
    ends[0].connect(ends[1].getsockname())
    ends[1].connect(ends[0].getsockname())
    wakeups("pair over loopback", "network", passes(2000, ends[0].recv, ends[0].send, False),
            passes(2000, ends[1].recv, ends[1].send, True), by_perf=True)


def reads_of_cache():
    """A file that is read once cold and three times warm: how much of it the cache had, to the page."""
    pages, passes = 4000, 4
    length = pages * os.sysconf("SC_PAGESIZE")
    command = [PANETOP, "-o", "json", "-d", "0.5", "-t", "cache_file", "memory"]
    with tempfile.TemporaryFile(dir="/var/tmp") as file, subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as panetop:
        file.write(bytes(length))
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        panetop.stdout.readline()
        for _ in range(passes):
            for at in range(0, length, 1 << 16):
                os.pread(file.fileno(), 1 << 16, at)
        inode = os.fstat(file.fileno()).st_ino
        time.sleep(1)
        panetop.terminate()
        tables = [json.loads(line)["tables"]["cache_file"] for line in panetop.stdout]
    row = next((row for row in tables[-1] if row["inode"] == inode), None) if tables else None
    if not row:
        print("page cache: not counted here")
        return
    exact = row["asked_pages"] == passes * pages and row["hit_pages"] == (passes - 1) * pages
    print(f"page cache: {row['hit_pages']} of {row['asked_pages']} pages were there, {(passes - 1) * pages} of {passes * pages} "
          f"by the reader: {'exact' if exact else 'NOT EXACT'}")


def counts_of(name):
    """The numbers after this name in /proc/stat."""
    with open("/proc/stat", encoding="ascii") as file:
        return next([int(word) for word in line.split()[1:]] for line in file if line.split()[0] == name)


def rows_of(topic):
    command = [PANETOP, "-o", "json", "-n", "1", "-t", topic]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["tables"][topic]


def sums_of_interrupts():
    """Each lies between two reads of /proc/stat, whose first number is the sum of all."""
    before, rows, after = counts_of("softirq"), rows_of("softirq"), counts_of("softirq")
    runs = sum(row["runs"] for row in rows if row["cpu"] == "all")
    print(f"soft interrupts: {runs}, {before[0]} to {after[0]} by /proc/stat: "
          f"{'exact' if before[0] <= runs <= after[0] else 'NOT EXACT'}")
    before, rows, after = counts_of("intr"), rows_of("interrupt"), counts_of("intr")
    numbered = {int(row["irq"]): row["interrupts"] for row in rows if row["cpu"] == "all" and row["irq"].isdigit()}
    off = [irq for irq, count in numbered.items() if not before[1 + irq] <= count <= after[1 + irq]]
    print(f"interrupts: {len(off)} of {len(numbered)} do not lie between two reads of /proc/stat: {'NOT EXACT' if off else 'exact'}")


def sum_of_slab():
    """Of all caches and the row of what is in none, beside Slab of /proc/meminfo."""
    rows = rows_of("slab")
    with open("/proc/meminfo", encoding="ascii") as file:
        slab = next(int(line.split()[1]) << 10 for line in file if line.startswith("Slab:"))
    total = sum(row["bytes"] for row in rows if row["cache"] != "all")
    rest = sum(row["bytes"] for row in rows if row["cache"].startswith("("))
    off = 100 * (total - slab) / slab
    print(f"slab: {total >> 10} KiB, {rest >> 10} KiB of them in no cache, {slab >> 10} KiB by /proc/meminfo, off by {off:.2f} %: "
          f"{'holds' if abs(off) <= 3 else 'MISSED'}")


def parts_of_time():
    """A process that computes, sleeps, reads the disk and waits for a lock in known parts."""
    phase, rounds = 0.25, 4
    known = dict.fromkeys(("running", "sleep", "disk", "lock"), 0.0)
    block = mmap.mmap(-1, 1 << 16)
    lock = threading.Lock()
    with tempfile.NamedTemporaryFile(dir="/var/tmp") as file:
        file.write(bytes(1 << 24))
        os.fsync(file.fileno())
        disk = os.open(file.name, os.O_RDONLY | os.O_DIRECT)
        ends, begins = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(begins[1])
            wait_in_parts(phase, rounds, known, disk, block, lock, begins[0], ends[1])
        command = [PANETOP, "-o", "json", "-d", "0.5", "-t", "time_account", f"--pid={pid}", "cpu"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as panetop:
            first = json.loads(panetop.stdout.readline())["tables"]["time_account"]
            os.write(begins[1], b"x")
            known = json.loads(os.read(ends[0], 4096))
            time.sleep(0.6)  # a sample of all of it
            panetop.terminate()
            last = json.loads(panetop.stdout.readlines()[-1])["tables"]["time_account"]
        os.close(begins[1])
        os.waitpid(pid, 0)
    grown = {row["part"]: (row["seconds"] or 0) - (before["seconds"] or 0) for row, before in zip(last, first)}
    whole = sum(known.values())
    off = {part: 100 * (grown[part] - known[part]) / whole for part in known if part != "sleep"}
    ready = 100 * grown["ready"] / whole
    holds = all(abs(points) <= 2 + ready for points in off.values())
    print("parts of time: " + ", ".join(f"{part} {100 * known[part] / whole:.1f} off by {points:.2f}" for part, points in off.items())
          + f"; ready {ready:.1f}: {'within' if holds else 'NOT within'} 2 points and what it was ready")


def wait_in_parts(phase, rounds, known, disk, block, lock, begin, end):
    """The child's part: it knows from its own clocks how long it ran and waited; being ready counts as waiting."""
    def spend(part, do):
        wall, cpu = time.monotonic(), time.process_time()
        while time.monotonic() - wall < phase:
            do()
        cpu = time.process_time() - cpu
        known["running"] += cpu
        if part != "running":
            known[part] += time.monotonic() - wall - cpu

    lock.acquire()
    os.read(begin, 1)
    for _ in range(rounds):
        spend("running", lambda: None)
        spend("sleep", lambda: time.sleep(phase))
        spend("disk", lambda: os.preadv(disk, [block], random.randrange(256) << 16))
        spend("lock", lambda: lock.acquire(timeout=phase))
    os.write(end, json.dumps(known).encode())
    os.read(begin, 1)
    os._exit(0)


def counted_of_disk(topics, device, work):
    """Rows of this device by table, in a sample before the work and in one after it, and the growth of diskstats."""
    command = [PANETOP, "-b", "-o", "json", "-d", "0.5", "-t"]
    panetops = {topic: subprocess.Popen([*command, topic], stdout=subprocess.PIPE, text=True) for topic in topics}
    lines = {topic: [panetop.stdout.readline()] for topic, panetop in panetops.items()}
    readers = [threading.Thread(target=lambda topic=topic: lines[topic].extend(panetops[topic].stdout)) for topic in topics]
    for reader in readers:
        reader.start()  # so that it never waits for us

    def of_device(topic, line):
        return [row for row in json.loads(line)["tables"][topic] if row["device"] == device]

    before = diskstats(device)
    work()
    grown = [new - old for new, old in zip(diskstats(device), before)]
    time.sleep(1.2)  # a sample of all of it
    for panetop, reader in zip(panetops.values(), readers):
        panetop.terminate()
        reader.join()
        panetop.wait()
    whole = {topic: [line for line in lines[topic] if line.endswith("\n")] for topic in topics}
    return [{topic: of_device(topic, whole[topic][at]) for topic in topics} for at in (0, -1)] + [grown]


def direct_reads():
    """A program that reads known blocks past the page cache: requests and bytes, its own and those of the account."""
    count = 5000
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        loop = Loop(file.name, 64 << 20)
        _, tables, grown = counted_of_disk(("disk_user", "disk_account"), loop.name, lambda: loop.read(count))
        loop.close()
    ours = [(row["requests"], row["read_bytes"]) for row in tables["disk_user"] if row["pid"] == os.getpid()]
    device = [row["read_bytes"] for row in tables["disk_account"] if row["part"] == "device"]
    exact = ours == [(count, count * BLOCK)] and grown[:2] == [count, count * BLOCK] and device == [count * BLOCK]
    print(f"direct reads: requests and bytes {ours}, {(count, count * BLOCK)} by the reader, {tuple(grown[:2])} by diskstats, "
          f"account {device}: {'exact' if exact else 'NOT EXACT'}")


def slow_reads():
    """Reads of a device that takes known times: how many buckets panetop is outside of the server's and the reader's clocks."""
    own = []

    def read():
        for milliseconds in (20, 50, 100, 200, 400):
            own.append([bucket(nanoseconds) for nanoseconds in slow.read(milliseconds)])

    with tempfile.TemporaryDirectory() as place:
        try:
            slow = SlowDisk(place)
        except Skip as why:
            print(f"slow reads: {why}")
            return
        first, last, _ = counted_of_disk(("disk_latency_bucket",), slow.loop.name, read)
        slow.close()
    counted = new_requests(first["disk_latency_bucket"], last["disk_latency_bucket"]).get(("read", "device"), [])
    off = [max(0, served - number, number - mine) for (served, mine), number in zip(own, counted)]
    holds = len(counted) == len(own) and all(one <= 1 for one in off)
    print(f"slow reads: {len(counted)} of {len(own)} counted, off by {off} buckets: {'within' if holds else 'NOT within'} one")


def percentiles():
    """Percentiles of direct reads by several readers, beside those of each request as perf records it, and as the readers see it."""
    own, topic, part_blocks = [], "disk_latency", 4096

    def read(number):
        """Each a part of its own, so that a sector tells the requests apart that are on their way."""
        room = mmap.mmap(-1, 4096)
        for _ in range(2000):
            at = (number * part_blocks + random.randrange(part_blocks)) * 4096
            began = time.monotonic_ns()
            os.preadv(loop.fd, [room], at)
            own.append(time.monotonic_ns() - began)

    def read_all():
        readers = [threading.Thread(target=read, args=(number,)) for number in range(4)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()

    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        loop = Loop(file.name, 4 * part_blocks * 4096)
        device = os.stat(loop.path).st_rdev
        events = []
        _, last, grown = counted_of_disk((topic,), loop.name, lambda: events.extend(
            record(["block:block_rq_issue", "block:block_rq_complete"], read_all) or []))
        loop.close()
    row = next((row for row in last[topic] if (row["operation"], row["phase"]) == ("read", "device")), None)
    times = request_times(events, (os.major(device), os.minor(device)))
    if not times or not row or row["p50_seconds"] is None:
        print("percentiles: perf or BPF is not available here")
        return
    holds = row["requests"] == len(times) == grown[0]
    shown = []
    for name, share in ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99_9", 0.999), ("max", 1):
        rank = max(0, math.ceil(share * len(times)) - 1)
        seen = row[f"{name}_seconds"] * 1e9
        holds &= abs(seen - times[rank]) <= PERCENTILE_SHARE * times[rank] + PERCENTILE_NS
        shown.append(f"{name} {seen / 1000:.1f} ({times[rank] / 1000:.1f} by perf, {sorted(own)[rank] / 1000:.1f} by the readers)")
    print(f"percentiles of {row['requests']} reads, {len(times)} by perf, {grown[0]} by diskstats, in microseconds: " + ", ".join(shown)
          + f": {'within' if holds else 'NOT within'} {100 * PERCENTILE_SHARE:.0f} % and {PERCENTILE_NS / 1000:.0f} us of perf")


def buffered_writes():
    """Writers whose pages the kernel writes later, after they exited: how much of the device's bytes is theirs."""
    pids = []

    def write():
        for name in "ab":
            with subprocess.Popen([sys.executable, "-c", WRITER, os.path.join(place, name), "24"], stdin=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, text=True) as child:
                pids.append(child.pid)
                child.communicate("\n")
        subprocess.run(["sync", "-f", place], check=True)

    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file, tempfile.TemporaryDirectory() as place:
        loop = Loop(file.name, 128 << 20)
        make_ext4(loop.path)
        subprocess.run(["mount", loop.path, place], check=True)
        os.sync()
        first, last, grown = counted_of_disk(("disk_user", "disk_account"), loop.name, write)
        subprocess.run(["umount", place], check=True)
        loop.close()

    def parts(tables):
        return {row["part"]: row["write_bytes"] for row in tables["disk_account"]}

    theirs = sum(row["write_bytes"] for row in last["disk_user"] if row["pid"] in pids)
    old, new = parts(first), parts(last)
    whole = new["device"] - old["device"]
    rest = whole - sum(new[part] - old[part] for part in new if part != "device")
    share = 100 * theirs / whole
    print(f"buffered writes: {share:.2f} % of {whole} bytes are their writers' (at least 95: {'holds' if share >= 95 else 'MISSED'}); "
          f"diskstats {grown[3]}, account leaves {rest}: {'exact' if whole == grown[3] and rest == 0 else 'NOT EXACT'}")


def disk_truths():
    direct_reads()
    slow_reads()
    percentiles()
    buffered_writes()


def network_truths():
    """In a network namespace of its own, with the sysfs of that."""
    command = ["unshare", "-n", "-m", "--propagation", "private", "sh", "-c", 'mount -t sysfs none /sys && exec "$@"', "sh",
               sys.executable, os.path.join(os.path.dirname(__file__), "network_truth.py"), PANETOP]
    subprocess.run(command, check=False)


TRUTHS = {"wakeups": wakeup_truths, "disks": disk_truths, "network": network_truths}
if len(sys.argv) == 3 and sys.argv[2] in TRUTHS:
    TRUTHS[sys.argv[2]]()
    sys.exit()

print(f"a sample every {DELAY} s for {SECONDS} s, in percent of one CPU")
for share in (0.05, 0.25, 0.5, 0.75, 1.0):
    known_load(share, 1)
known_load(0.25, 3)
known_load(0.5, 3)
print(f"children one after the other, and their account, a sample each second for {ACCOUNTS} s")
with open("/proc/self/comm", "w", encoding="ascii") as comm:
    comm.write(CHILD)  # which children inherit
for length, others in ((5, 0), (1, 0), (5, 3), (1, 3)):
    source = children(length, others)
print(f"exited is from: {source}")
print("a flood of datagrams over loopback")
flood()
print("what wakes up whom")
wakeup_truths()
print("what the kernel counts for panetop")
sums_of_interrupts()
sum_of_slab()
reads_of_cache()
parts_of_time()
print("what disks did")
disk_truths()
print("what went through a pair of interfaces")
network_truths()
