# SPDX-License-Identifier: GPL-2.0-or-later
"""slow_disk.py PLACE SIZE: a FUSE file system with one file, PLACE/data, of zeros. A read from it takes as many milliseconds as its
offset has MiB; then a line with the time that it took, in nanoseconds, is printed. Stopped (SIGSTOP), it is a dead server."""
import ctypes
import errno
import os
import struct
import sys
import time

PLACE, SIZE = sys.argv[1], int(sys.argv[2])
LOOKUP, FORGET, GETATTR, OPEN, READ, WRITE, STATFS, RELEASE, FLUSH, INIT, INTERRUPT, BATCH_FORGET = 1, 2, 3, 14, 15, 16, 17, 18, 25, 26, 36, 42
DIRECT_IO = 1
BLOCKS = 1000


def attributes(node):
    mode, size = (0o40755, 0) if node == 1 else (0o100600, SIZE)
    return struct.pack("<6Q10I", node, size, size // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def slow_read(body):
    began = time.monotonic_ns()
    _, offset, size = struct.unpack_from("<QQI", body)
    time.sleep((offset >> 20) / 1000)
    print(time.monotonic_ns() - began, flush=True)
    return bytes(size)


def answer(operation, node, body):
    """The bytes of the answer, or the number of an error."""
    if operation == INIT:
        return struct.pack("<4I2H2I2H8I", 7, 31, 0, 0, 16, 12, 1 << 17, 1, 32, 0, *[0] * 8)
    if operation == LOOKUP:
        return struct.pack("<5Q", 2, 0, 9, 9, 0) + attributes(2) if body == b"data\0" else errno.ENOENT
    if operation == GETATTR:
        return struct.pack("<2Q", 9, 0) + attributes(node)
    if operation == OPEN:
        return struct.pack("<Q2I", 1, DIRECT_IO, 0)
    if operation == READ:
        return slow_read(body)
    if operation == WRITE:
        return struct.pack("<2I", struct.unpack_from("<QQI", body)[2], 0)
    if operation == STATFS:
        return struct.pack("<5Q4I24x", BLOCKS, 600, 500, 10, 5, 4096, 255, 4096, 0)
    return b"" if operation in (RELEASE, FLUSH) else errno.ENOSYS


def main():
    fuse = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0,allow_other"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"slow", PLACE.encode(), b"fuse.slow", 0, options.encode()) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
    print("mounted", flush=True)
    while True:
        try:
            request = os.read(fuse, 1 << 18)
        except OSError as error:
            if error.errno == errno.ENODEV:  # it was unmounted
                return
            if error.errno in (errno.EINTR, errno.ENOENT):
                continue
            raise
        _, operation, unique, node = struct.unpack_from("<IIQQ", request)
        if operation in (FORGET, BATCH_FORGET, INTERRUPT):
            continue
        said = answer(operation, node, request[40:])
        body, error = (said, 0) if isinstance(said, bytes) else (b"", said)
        os.write(fuse, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)


main()
