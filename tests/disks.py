# SPDX-License-Identifier: GPL-2.0-or-later
"""What panetop says of a loop device with a known load, and of file systems of a known size. Run by disks.test."""
import json
import mmap
import os
import shutil
import signal
import subprocess
import sys
import time

from loop_disk import WRITER, Loop, SlowDisk, bucket, diskstats, make_ext4, new_requests
from ordinary_user import NOBODY, ordinary_copy
from samples import Samples
from tap import Skip, end, same, test

PANETOP, SCRATCH = os.environ["PANETOP"], sys.argv[1]
MIB = 1 << 20
READS, READ_BYTES = 50, 16384
WRITES, WRITE_BYTES = 100, 8192


WORKER = """
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
room = mmap.mmap(-1, 65536)
def work(reads, writes):
    for i in range(reads):
        assert os.preadv(fd, [memoryview(room)[:int(sys.argv[3])]], i * 65536) == int(sys.argv[3])
    for i in range(writes):
        assert os.pwritev(fd, [memoryview(room)[:int(sys.argv[5])]], i * 65536) == int(sys.argv[5])
work(1, 1)  # so that the code is in memory
print("ready", flush=True)
input()
work(int(sys.argv[2]), int(sys.argv[4]))
print("done", flush=True)
input()
"""


def io_of(pid):
    """Bytes read and written: also of pages of its own program that were evicted meanwhile."""
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        numbers = dict(line.split() for line in file)
    return int(numbers["read_bytes:"]), int(numbers["write_bytes:"])


def a_known_load():
    """requests and bytes of a loop device are exact, in the tables disk and process"""
    loop = Loop(os.path.join(SCRATCH, "load"), 64 * MIB)
    numbers = [str(number) for number in (READS, READ_BYTES, WRITES, WRITE_BYTES)]
    worker = subprocess.Popen([sys.executable, "-c", WORKER, loop.path, *numbers], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    disk = Samples("disk")
    process = Samples("process", "--idle", "--columns=pid,read_bytes,write_bytes,read_bytes_per_second,"
                      "write_bytes_per_second")
    try:
        worker.stdout.readline()
        disk.later()
        process.later()
        before = diskstats(loop.name)
        io_before = io_of(worker.pid)
        worker.stdin.write("\n")
        worker.stdin.flush()
        worker.stdout.readline()
        disk.later()
        process.later()
        after = diskstats(loop.name)
        grown = [new - old for new, old in zip(after, before)]
        same(grown, [READS, READS * READ_BYTES, WRITES, WRITES * WRITE_BYTES], "growth of diskstats")
        row = disk.rows("device", loop.name)[-1]
        same([row[key] for key in ("reads", "read_bytes", "writes", "write_bytes")], list(after), "counters")
        same((row["kind"], row["model"]), ("loop", loop.file), "kind and file")
        moved = [row for row in disk.rows("device", loop.name) if row and row["reads_per_second"]]
        same({round(row["read_bytes_per_second"] / row["reads_per_second"]) for row in moved}, {READ_BYTES},
             "bytes by requests, in the intervals with reads")
        same({row["read_request_bytes"] for row in moved}, {READ_BYTES}, "size of a read")
        rows = process.rows("pid", worker.pid)
        same(READS * READ_BYTES <= rows[-1]["read_bytes"] - io_before[0] <= io_of(worker.pid)[0] - io_before[0], True,
             f"read by the process: {rows[-1]['read_bytes'] - io_before[0]}")
        same(rows[-1]["write_bytes"] - io_before[1], WRITES * WRITE_BYTES, "written by the process")
    finally:
        worker.kill()
        worker.wait()
        disk.close()
        process.close()
        loop.close()


def check_latencies(times_itself):
    slow = SlowDisk(os.path.join(SCRATCH, "slow"))
    aim = f"/sys/block/{slow.loop.name}/queue/wbt_lat_usec"
    if not times_itself:
        write_number(aim, 0)
    samples = Samples("disk_latency_bucket")
    try:
        if any(notice["topic"] == "disk_latency" for notice in samples.later()["notices"]):
            raise Skip("BPF is not permitted here")
        slow.settle()
        before, old = diskstats(slow.loop.name), samples.later()
        took = [slow.read(milliseconds) for milliseconds in (1, 2, 5, 5, 10, 20, 50, 100)]
        new, after = samples.later(), diskstats(slow.loop.name)
        rows = [[row for row in frame["tables"]["disk_latency_bucket"] if row["device"] == slow.loop.name] for frame in (old, new)]
        counted = new_requests(*rows)
        same({name: len(buckets) for name, buckets in counted.items()},
             {("read", "queued"): len(took), ("read", "device"): len(took)}, "requests")
        same(after[0] - before[0], len(took), "growth of diskstats")
        for server, number, program in zip(sorted(one[0] for one in took), counted["read", "device"], sorted(one[1] for one in took)):
            if not bucket(server) <= number <= bucket(program):
                raise AssertionError(f"bucket {number} of a request that took {server} to {program} ns")
    finally:
        samples.close()
        if not times_itself:
            write_number(aim, -1)
        slow.close()


def write_number(path, number):
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(str(number))
    except OSError as error:
        raise Skip(f"{path}: {error.strerror}") from error


def latencies():
    """each request is in a bucket between what the device took and what the program measured; the sums are those of diskstats"""
    check_latencies(True)


def latencies_of_other_devices():
    """the same where the kernel does not note when a request is sent"""
    check_latencies(False)


def rows_of(samples, device):
    """The rows of that device in the last sample."""
    return [row for row in samples.frames[-1]["tables"][samples.table] if row["device"] == device]


def counted(samples):
    if any(notice["topic"] == samples.table and notice["text"].startswith("BPF") for notice in samples.later()["notices"]):
        raise Skip("BPF is not permitted here")
    return samples


def who_it_was():
    """direct reads and writes are those of the process, to the byte, and the account of the device closes"""
    loop = Loop(os.path.join(SCRATCH, "who"), 64 * MIB)
    numbers = [str(number) for number in (READS, READ_BYTES, WRITES, WRITE_BYTES)]
    users, account = Samples("disk_user"), Samples("disk_account")
    worker = None
    try:
        counted(users)
        counted(account)
        before = diskstats(loop.name)
        worker = subprocess.Popen([sys.executable, "-c", WORKER, loop.path, *numbers], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        worker.stdout.readline()
        worker.stdin.write("\n")
        worker.stdin.flush()
        worker.stdout.readline()
        users.later()
        account.later()
        read, written = (READS + 1) * READ_BYTES, (WRITES + 1) * WRITE_BYTES
        same([(row["pid"], row["read_bytes"], row["write_bytes"], row["requests"], row["how"]) for row in rows_of(users, loop.name)],
             [(worker.pid, read, written, READS + WRITES + 2, "bpf")], "the row")
        same([new - old for new, old in zip(diskstats(loop.name), before)], [READS + 1, read, WRITES + 1, written], "growth of diskstats")
        same({row["part"]: (row["read_bytes"], row["write_bytes"]) for row in rows_of(account, loop.name)},
             {"programs": (read, written), "written back": (0, 0), "kernel": (0, 0), "device": (read, written)}, "account")
    finally:
        if worker:
            worker.kill()
            worker.wait()
        users.close()
        account.close()
        loop.close()


def who_made_it_dirty():
    """what is written later is that of who made the file dirty: at least 95 % of the device, and the account closes"""
    if not shutil.which("mkfs.ext4"):
        raise Skip("mkfs.ext4 is not installed")
    loop = Loop(os.path.join(SCRATCH, "dirty"), 128 * MIB)
    users, account, writers = Samples("disk_user"), Samples("disk_account"), []
    try:
        make_ext4(loop.path)
        place = mounted(loop.path, os.path.join(SCRATCH, "dirtied"))
        os.sync()
        counted(users)
        counted(account)
        old = {row["part"]: row["write_bytes"] for row in rows_of(account, loop.name)}
        before = diskstats(loop.name)
        for size in (24, 16):
            writers.append(subprocess.Popen([sys.executable, "-c", WRITER, os.path.join(place, str(size)), str(size)],
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        for writer in writers:
            writer.stdout.readline()
        users.later()
        writers[0].communicate("\n")  # it has ended when the kernel writes
        subprocess.run(["sync", "-f", place], check=True)
        users.later()
        account.later()
        found = {row["pid"]: row["write_bytes"] for row in rows_of(users, loop.name)}
        for writer, size in zip(writers, (24, 16)):
            if not size * MIB <= found.get(writer.pid, 0) <= size * MIB * 1.05:
                raise AssertionError(f"{writer.pid} wrote {size} MiB: {found}")
        grown = {row["part"]: row["write_bytes"] - old[row["part"]] for row in rows_of(account, loop.name)}
        device = diskstats(loop.name)[3] - before[3]
        same(grown["device"], device, "the device in the account, and in diskstats")
        same(grown["programs"] + grown["written back"] + grown["kernel"], device, "sum of the parts")
        if grown["programs"] < 0.95 * device:
            raise AssertionError(f"too little is attributed: {grown}")
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
        users.close()
        account.close()
        subprocess.run(["umount", os.path.join(SCRATCH, "dirtied")], capture_output=True)
        loop.close()


def without_rights():
    """without BPF the means of diskstats are shown, and say so"""
    loop = Loop(os.path.join(SCRATCH, "means"), 64 * MIB)
    samples = Samples("disk_latency", "--no-bpf")
    try:
        samples.later()
        before = diskstats(loop.name)
        for place in range(READS):
            os.preadv(loop.fd, [mmap.mmap(-1, READ_BYTES)], place * READ_BYTES)
        after = diskstats(loop.name)
        same(after[0] - before[0], READS, "growth of diskstats")
        row = next(row for row in samples.later()["tables"]["disk_latency"]
                   if (row["device"], row["operation"]) == (loop.name, "read"))
        same((row["phase"], row["how"], row["requests"], row["p99_seconds"]), ("both", "proc", after[0], None), "the row")
    finally:
        samples.close()
        loop.close()


def as_an_ordinary_user():
    """an ordinary user sees devices, mean times, bytes of own processes, and why the rest is missing"""
    numbers = [str(number) for number in (READS, READ_BYTES, WRITES, WRITE_BYTES)]
    tables = ("disk", "disk_latency", "disk_user", "disk_account")
    workers, samples = [], {}
    loop = Loop(os.path.join(SCRATCH, "own"), 64 * MIB)
    mode = os.stat(loop.path).st_mode
    try:
        with ordinary_copy(PANETOP) as copy:
            os.chmod(loop.path, 0o666)
            before = diskstats(loop.name)
            samples = {table: Samples(table, enter=NOBODY, program=copy) for table in tables}
            for enter in NOBODY, ():
                workers.append(subprocess.Popen([*enter, sys.executable, "-c", WORKER, loop.path, *numbers],
                                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
                workers[-1].stdout.readline()
            for worker in workers:
                worker.stdin.write("\n")
                worker.stdin.flush()
                worker.stdout.readline()
            last = {table: one.later() for table, one in samples.items()}
        after = diskstats(loop.name)
        read, written = (READS + 1) * READ_BYTES, (WRITES + 1) * WRITE_BYTES
        same([new - old for new, old in zip(after, before)], [2 * (READS + 1), 2 * read, 2 * (WRITES + 1), 2 * written], "growth of diskstats")
        row = samples["disk"].rows("device", loop.name)[-1]
        same([row[key] for key in ("reads", "read_bytes", "writes", "write_bytes")], list(after), "the device")
        same([(row["operation"], row["phase"], row["how"], row["requests"]) for row in rows_of(samples["disk_latency"], loop.name)[:2]],
             [("read", "both", "proc", after[0]), ("write", "both", "proc", after[2])], "means of its times")
        rows = [row for row in last["disk_user"]["tables"]["disk_user"] if row["pid"] in [worker.pid for worker in workers]]
        same([(row["pid"], row["device"], row["write_bytes"], row["how"]) for row in rows], [(workers[0].pid, "all", written, "proc")],
             "processes")
        same(read <= rows[0]["read_bytes"] <= io_of(workers[0].pid)[0], True, f"read by the process: {rows[0]['read_bytes']}")
        for table, remedy in ("disk_latency", "cap_bpf"), ("disk_user", "cap_bpf"), ("disk_account", "cap_sys_ptrace"):
            if not any(remedy in (notice["remedy"] or "") for frame in samples[table].frames for notice in frame["notices"]):
                raise AssertionError(f"no notice of {table} names {remedy}")
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
        for one in samples.values():
            one.close()
        os.chmod(loop.path, mode)
        loop.close()


def a_device_that_hangs():
    """a device and a file system that do not answer: everything else goes on, and they are there again later"""
    slow = SlowDisk(os.path.join(SCRATCH, "slow"))
    tables = "disk", "disk_latency_bucket", "disk_user", "disk_account", "filesystem"
    disk, times, users, account, spaces = samples = [Samples(table) for table in tables]
    reader = None

    def read_by_part():
        return {row["part"]: row["read_bytes"] for row in rows_of(account, slow.loop.name)}
    try:
        for one in samples:
            one.later()
        slow.settle()
        known = next(row for row in spaces.frames[-1]["tables"]["filesystem"] if row["mount"] == slow.place)
        same(known["used_bytes"], 400 * 4096, "what the server says")
        account.later()
        parts = read_by_part()  # empty without BPF
        os.kill(slow.server.pid, signal.SIGSTOP)
        before = diskstats(slow.loop.name)
        reader = subprocess.Popen([sys.executable, "-c", "import mmap, os, sys\n"
                                   "os.preadv(os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), [mmap.mmap(-1, 4096)], 1 << 20)", slow.loop.path])
        while not in_flight(slow.loop.name):
            time.sleep(0.01)
        for _ in range(3):
            for one in samples:
                one.later()
        while not spaces.later()["notices"]:
            pass
        row = next(row for row in spaces.frames[-1]["tables"]["filesystem"] if row["mount"] == slow.place)
        same(row["used_bytes"], known["used_bytes"], "old numbers stay")
        if not row["age_seconds"] > 2:
            raise AssertionError(f"they are called new: {row}")
        same(diskstats(slow.loop.name)[0], before[0], "requests while it hangs")
        same(read_by_part(), parts, "bytes while it hangs")
        os.kill(slow.server.pid, signal.SIGCONT)
        same(reader.wait(), 0, "the reader")
        while spaces.later()["notices"]:
            pass
        times.later()
        account.later()
        same(diskstats(slow.loop.name)[0], before[0] + 1, "requests in the end")
        if parts:
            same({part: number - parts[part] for part, number in read_by_part().items()},
                 {"programs": 4096, "written back": 0, "kernel": 0, "device": 4096}, "bytes in the end")
    finally:
        os.kill(slow.server.pid, signal.SIGCONT)
        if reader:
            reader.wait()
        for one in samples:
            one.close()
        slow.close()


def in_flight(device):
    with open(f"/sys/block/{device}/stat", encoding="ascii") as file:
        return int(file.read().split()[8])


def that_come_and_go():
    """a device that goes and one that comes with its name; the sum of all does not jump"""
    samples = [Samples(table) for table in ("disk", "disk_user", "disk_account")]
    names = set()
    try:
        for _ in range(3):
            loop = Loop(os.path.join(SCRATCH, "comes"), 8 * MIB)
            names.add(loop.name)
            for place in range(5):
                os.preadv(loop.fd, [mmap.mmap(-1, READ_BYTES)], place * READ_BYTES)
            for one in samples:
                one.later()
            loop.close()
            for one in samples:
                one.later()
        for one in samples:
            for row in (row for frame in one.frames for row in frame["tables"][one.table] if row["device"] in names):
                rates = row["read_bytes_per_second"], row["write_bytes_per_second"]
                if not all(rate is None or 0 <= rate < 1e9 for rate in rates):
                    raise AssertionError(f"it jumped: {row}")
    finally:
        for one in samples:
            one.close()


def names_with_escapes():
    """what is no text in the name of a device reaches no terminal"""
    root = os.path.join(SCRATCH, "root")
    os.makedirs(os.path.join(root, "proc"), exist_ok=True)
    with open(os.path.join(root, "proc", "diskstats"), "wb") as file:
        file.write(b" 8 0 sd\x1b[2J\xff 9 0 72 5 9 0 72 5 0 9 9\n 8 16 cciss/c0d0 9 0 72 5 9 0 72 5 0 9 9\n 8 32 " + b"x" * 500
                   + b" 9 0 72 5 9 0 72 5 0 9 9\n")
    for table in ("disk", "disk_health", "disk_latency", "disk_latency_bucket", "disk_user", "disk_account"):
        for output in ("text", "csv", "json"):
            done = subprocess.run([PANETOP, "-b", "--root", root, "-n", "1", "-d", "0.05", "-o", output, "-t", table],
                                  capture_output=True)
            if b"\x1b" in done.stdout or b"\x1b" in done.stderr:
                raise AssertionError(f"an escape in {output} of {table}: {done.stdout[:200]}")
            if table == "disk":
                done.check_returncode()


SMARTCTL = """#!/bin/sh
{ grep ^CapEff: /proc/$$/status; tr '\\0' ' ' </proc/$$/environ; echo "$*"; } >"${0%/*}/seen"
echo '{"smartctl":{},"nvme_smart_health_information_log":{"critical_warning":8,"percentage_used":7}}'
"""
OF_ANOTHER = """set -e
mount -t tmpfs none "$1/dev"
cp -a /dev/null "$1/dev"
touch "$1/dev/sda"
mount --bind "$1/diskstats" /proc/diskstats
mount --bind "$1/dev" /dev
mount --bind "$1/sbin" /usr/sbin
shift
exec "$@"
"""


def program_of_health():
    """smartctl gets three capabilities and no variable, and the table of disks has what it says"""
    place, root = os.path.join(SCRATCH, "health"), os.geteuid() == 0
    if not root or os.path.islink("/usr/sbin"):
        raise Skip("this takes root, and a directory /usr/sbin")
    for name in "sbin", "dev":
        os.makedirs(os.path.join(place, name))
    with open(os.path.join(place, "sbin", "smartctl"), "w", encoding="ascii") as file:
        file.write(SMARTCTL)
        os.chmod(file.fileno(), 0o755)
    with open(os.path.join(place, "diskstats"), "w", encoding="ascii") as file:
        file.write("8 0 sda 10 0 80 1 10 0 80 1 0 1 1\n")
    enter = ("unshare", "-m", "sh", "-c", OF_ANOTHER, "sh", place)
    tried = subprocess.run([*enter, "true"], capture_output=True, text=True)
    if tried.returncode:
        raise Skip(f"nothing can be mounted: {tried.stderr.strip()}")
    samples = Samples("disk_health", "-t", "disk", enter=enter)
    try:
        while samples.later()["tables"]["disk_health"][0]["state"] == "unknown":
            pass
        tables = samples.frames[-1]["tables"]
        same(tables["disk_health"][0]["reason"], "read-only", "reason")
        same([row["health"] for row in tables["disk"]], [None, "failing"], "disks")
        with open(os.path.join(place, "sbin", "seen"), encoding="ascii") as file:
            same(file.read().split("\n"), ["CapEff:\t0000000000220004",
                                           "--json=c -n standby,3 -i -H -A -l error -l ssd /dev/sda", ""], "what it got")
    finally:
        samples.close()


def filesystem_rows():
    done = subprocess.run([PANETOP, "-n", "1", "-o", "json", "-t", "filesystem"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["tables"]["filesystem"]


def compare_space(mount):
    """The row of a mount, which nothing else writes to, against statvfs(3)."""
    found = os.statvfs(mount)
    row = next(row for row in filesystem_rows() if row["mount"] == mount)
    same(row["total_bytes"], found.f_blocks * found.f_frsize, "total")
    same(row["used_bytes"], (found.f_blocks - found.f_bfree) * found.f_frsize, "used")
    same(row["available_bytes"], found.f_bavail * found.f_frsize, "available")
    same(row["inodes_total"], found.f_files or None, "inodes")
    same(row["inodes_used"], found.f_files - found.f_ffree if found.f_files else None, "inodes used")
    return row


def mounted(*arguments):
    place = arguments[-1]
    os.makedirs(place, exist_ok=True)
    made = subprocess.run(["mount", *arguments], capture_output=True, text=True)
    if made.returncode:
        raise Skip(f"nothing can be mounted: {made.stderr.strip()}")
    return place


def fill(place, size):
    with open(os.path.join(place, "data"), "wb") as file:
        file.write(b"x" * size)
        file.flush()
        os.fsync(file.fileno())


def a_tmpfs():
    """a tmpfs of 16 MiB with 5 MiB in it, in a directory with a blank"""
    place = mounted("-t", "tmpfs", "-o", "size=16m,nr_inodes=100", "tmpfs", os.path.join(SCRATCH, "a place"))
    fill(place, 5 * MIB)
    row = compare_space(place)
    same((row["total_bytes"], row["used_bytes"], row["inodes_total"], row["inodes_used"]), (16 * MIB, 5 * MIB, 100, 2),
         "its size")
    fill(place, 12 * MIB)
    same(compare_space(place)["used_bytes"], 12 * MIB, "after more was written")
    subprocess.run(["umount", place], check=True)
    same([row for row in filesystem_rows() if row["mount"] == place], [], "after it was unmounted")


def on_a_loop_device():
    """a file system on a loop device, mounted twice, is shown once; read-only is known"""
    if not shutil.which("mkfs.ext4"):
        raise Skip("mkfs.ext4 is not installed")
    loop = Loop(os.path.join(SCRATCH, "image"), 32 * MIB)
    place, again = os.path.join(SCRATCH, "disk"), os.path.join(SCRATCH, "longer name")
    try:
        subprocess.run(["mkfs.ext4", "-q", loop.path], check=True, capture_output=True)
        mounted(loop.path, place)
        mounted("--bind", place, again)
        fill(place, 10 * MIB)
        row = compare_space(place)
        same((row["type"], row["device"], row["mode"]), ("ext4", loop.path, "rw"), "what it is")
        if row["used_bytes"] < 10 * MIB:
            raise AssertionError(f"only {row['used_bytes']} bytes are used")
        same([row["mount"] for row in filesystem_rows() if row["device"] == loop.path], [place], "its mounts")
        subprocess.run(["umount", again], check=True)
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        same(compare_space(place)["mode"], "ro", "after a remount")
        subprocess.run(["umount", place], check=True)
    finally:
        loop.close()


def over_another():
    """what is mounted over hides what is below"""
    place = mounted("-t", "tmpfs", "-o", "size=1m", "below", os.path.join(SCRATCH, "over"))
    mounted("-t", "tmpfs", "-o", "size=2m", "above", place)
    same([(row["device"], row["total_bytes"]) for row in filesystem_rows() if row["mount"] == place],
         [("above", 2 * MIB)], "what is there")
    subprocess.run(["umount", place], check=True)
    subprocess.run(["umount", place], check=True)


for each in (a_known_load, latencies, latencies_of_other_devices, without_rights, as_an_ordinary_user, who_it_was, who_made_it_dirty,
             a_device_that_hangs, that_come_and_go, names_with_escapes, program_of_health, a_tmpfs, on_a_loop_device, over_another):
    test(each)
end()
