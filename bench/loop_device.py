# SPDX-License-Identifier: GPL-2.0-or-later
"""A loop device that is read past the page cache. It goes when it is closed."""
import mmap
import os
import subprocess
import time

BLOCK = 512


class Loop:
    def __init__(self, path):
        self.path = subprocess.run(["losetup", "--find", "--show", path], capture_output=True, text=True, check=True).stdout.strip()
        self.fd = os.open(self.path, os.O_RDWR | os.O_DIRECT)
        subprocess.run(["losetup", "--detach", self.path], check=True)
        self.room = memoryview(mmap.mmap(-1, 1 << 16))

    def read(self, count, per_second=0):
        began = time.monotonic()
        for number in range(count):
            os.preadv(self.fd, [self.room[:BLOCK]], number * BLOCK % (32 << 20))
            if per_second and (late := began + number / per_second - time.monotonic()) > 0:
                time.sleep(late)
        return count / (time.monotonic() - began)

    def close(self):
        os.close(self.fd)
