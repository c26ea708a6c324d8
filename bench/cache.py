# SPDX-License-Identifier: GPL-2.0-or-later
"""cache.py PANETOP ROUNDS: what counting hits of the page cache costs a read of one page and one of 16 pages, all in the
cache: without and with the table cache_use; alternating, the best of each."""
import os
import subprocess
import sys
import tempfile
import time

PANETOP, ROUNDS = sys.argv[1], int(sys.argv[2])
PAGE = os.sysconf("SC_PAGESIZE")
PAGES, READS, SETTLE_SECONDS = 4096, 200000, 1


def nanoseconds_a_read(fd, pages):
    count, length = READS // pages, pages * PAGE
    start = time.perf_counter()
    for number in range(count):
        os.pread(fd, length, number * length % (PAGES * PAGE))
    return (time.perf_counter() - start) * 1e9 / count


def measure(fd, counted):
    command = [PANETOP, "-b", "-d", "1", "-o", "csv", "-t", "cache_use", "memory"]
    watcher = subprocess.Popen(command, stdout=subprocess.DEVNULL) if counted else None
    time.sleep(SETTLE_SECONDS)
    result = [nanoseconds_a_read(fd, pages) for pages in (1, 16)]
    if watcher:
        watcher.terminate()
        watcher.wait()
    return result


def main():
    best = {False: [float("inf")] * 2, True: [float("inf")] * 2}
    with tempfile.TemporaryFile(dir="/var/tmp") as file:
        file.write(bytes(PAGES * PAGE))
        file.flush()
        for _ in range(ROUNDS):
            for counted in best:
                best[counted] = [min(pair) for pair in zip(best[counted], measure(file.fileno(), counted))]
    for what, without, with_it in zip(("one page", "16 pages"), best[False], best[True]):
        print(f"a read of {what}: {without:.0f} ns, counted {with_it:.0f} ns: {with_it - without:.0f} ns more")


main()
