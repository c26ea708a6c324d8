# SPDX-License-Identifier: GPL-2.0-or-later
"""Loop devices whose requests are known, for tests and bench/."""
import mmap
import os
import shutil
import subprocess
import sys
import time

from tap import Skip

BLOCK = 512

# Writes FILE with so many MiB, and ends when it may.
WRITER = """
import sys
with open(sys.argv[1], "wb") as file:
    for _ in range(int(sys.argv[2])):
        file.write(bytes(1 << 20))
print("done", flush=True)
input()
"""


class Loop:
    """A loop device over a file, of this size if it is a new one; it goes when the last one who has it open ends."""

    def __init__(self, file, size=None):
        self.file = file
        if size:
            with open(self.file, "wb") as new:
                new.truncate(size)
        made = subprocess.run(["losetup", "--find", "--show", self.file], capture_output=True, text=True)
        if made.returncode:
            raise Skip(f"no loop device: {made.stderr.strip()}")
        self.path = made.stdout.strip()
        self.name = os.path.basename(self.path)
        self.fd = os.open(self.path, os.O_RDWR | os.O_DIRECT)
        self.room = memoryview(mmap.mmap(-1, BLOCK))
        subprocess.run(["losetup", "--detach", self.path], check=True)  # as soon as it is closed
        if shutil.which("udevadm"):
            subprocess.run(["udevadm", "settle"], check=False)  # it looks into every new device

    def read(self, count, per_second=0):
        """So many direct reads of a BLOCK, one after the other: how many a second."""
        began = time.monotonic()
        for number in range(count):
            os.preadv(self.fd, [self.room], number * BLOCK % (32 << 20))
            if per_second and (late := began + number / per_second - time.monotonic()) > 0:
                time.sleep(late)
        return count / (time.monotonic() - began)

    def close(self):
        os.close(self.fd)


class SlowDisk:
    """A loop device over slow_disk.py: the read at N MiB takes N milliseconds."""

    def __init__(self, place, size=1 << 30):
        os.makedirs(place, exist_ok=True)
        self.server = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(__file__), "slow_disk.py"), place, str(size)],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.server.stdout.readline() != "mounted\n":
            raise Skip(f"no FUSE: {self.server.stderr.read().strip()}")
        self.place = place
        self.loop = Loop(os.path.join(place, "data"))

    def read(self, milliseconds):
        """Nanoseconds that the server took, and that a direct read took."""
        room = mmap.mmap(-1, 4096)
        began = time.monotonic_ns()
        os.preadv(self.loop.fd, [room], milliseconds << 20)
        took = time.monotonic_ns() - began
        return int(self.server.stdout.readline()), took

    def settle(self):
        """What was read of the new device is over: forget the lines of it."""
        os.set_blocking(self.server.stdout.fileno(), False)
        while self.server.stdout.readline():
            pass
        os.set_blocking(self.server.stdout.fileno(), True)

    def close(self):
        self.loop.close()
        while subprocess.run(["umount", self.place], capture_output=True).returncode:
            time.sleep(0.01)  # until the loop device is gone
        self.server.stdout.close()
        self.server.stderr.close()
        self.server.wait()


def diskstats(device):
    """reads, bytes read, writes, bytes written; None: it is not there."""
    with open("/proc/diskstats", encoding="ascii") as file:
        for line in file:
            word = line.split()
            if word[2] == device:
                return int(word[3]), int(word[5]) * 512, int(word[7]), int(word[9]) * 512
    return None


def make_ext4(path):
    """Nothing is left to be written later, but what programs write."""
    subprocess.run(["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", path], check=True, capture_output=True)


def bucket(nanoseconds):
    """As histogram_index() of core/histogram.h: 128 buckets in a power of two."""
    shift = max(0, nanoseconds.bit_length() - 8)
    return (shift << 7) + (nanoseconds >> shift)


def new_requests(old, new):
    """The buckets of requests that rows of disk_latency_bucket have more in new than in old, shortest first, by operation and phase."""
    def key(row):
        return row["operation"], row["phase"], row["from_seconds"]
    before = {key(row): row["requests"] for row in old}
    found = {}
    for row in sorted(new, key=key):
        number = row["requests"] - before.get(key(row), 0)
        found.setdefault((row["operation"], row["phase"]), []).extend([bucket(round(row["from_seconds"] * 1e9))] * number)
    return {name: buckets for name, buckets in found.items() if buckets}
