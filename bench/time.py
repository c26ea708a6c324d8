# SPDX-License-Identifier: GPL-2.0-or-later
"""time.py PANETOP TOOLS ATOP SECONDS: recordings beside atop's, alternating, on a machine of 200 processes and on one of
10,000, of which 20 are busy: PID namespaces with crowd. Then a day of 200 processes: any moment of it, and one column. TOOLS
is the directory of crowd and day."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from measure import median

PANETOP, TOOLS, ATOP, SECONDS = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
BUSY = 20
DAY = 86400
HOUR = 3600
MOMENTS = 20
ROUNDS = 2


def run(command):
    """CPU in seconds and peak memory in KiB of a command that ends."""
    pid = os.spawnv(os.P_NOWAIT, command[0], command)
    _, status, used = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"{command[0]} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def inside(processes):
    """Runs in a namespace of its own; prints what was measured as JSON."""
    with subprocess.Popen([TOOLS + "/crowd", str(processes - BUSY), str(BUSY), "--configuration=/etc/crowd.conf"],
                          stdout=subprocess.PIPE, text=True) as crowd:
        crowd.stdout.readline()
        time.sleep(2)
        found = {"panetop": [], "atop": [], "unrecorded": [], "rss": [], "plain_rss": []}
        own, shared = TOOLS + "/time.recording", tempfile.mkdtemp()
        theirs = shared + "/log"
        os.chmod(shared, 0o777)
        for _ in range(ROUNDS):
            used, peak = run([PANETOP, "--record=" + own, "-d", "1", "-n", str(SECONDS)])
            found["panetop"].append(used / (SECONDS + 1) * 1000)
            found["rss"].append(peak)
            used, peak = run([PANETOP, "-o", "csv", "-t", "process", "-l", "1", f"--write={own}.csv", "-d", "1", "-n", str(SECONDS)])
            found["plain_rss"].append(peak)
            # without rights: with them it turns on the accounting of the kernel
            if os.path.exists(theirs):
                os.unlink(theirs)
            run(["/usr/bin/setpriv", "--reuid=65534", "--clear-groups", ATOP, "-w", theirs, "1", str(SECONDS)])
            found["atop"].append(os.stat(theirs).st_size / SECONDS)
        crowd.terminate()
        shutil.rmtree(shared)
    long = DAY if processes < 1000 else HOUR
    day = TOOLS + f"/day-{processes}.recording"
    samples, cost = (float(word) for word in subprocess.run([TOOLS + "/day", own, day, str(long)], stdout=subprocess.PIPE,
                                                            check=True).stdout.split())
    print(json.dumps({"bytes": samples, "short": os.stat(own).st_size / (SECONDS + 1), "atop": median(found["atop"]),
                      "cost_ms": cost, "whole_ms": median(found["panetop"]),
                      "rss_mib": (median(found["rss"]) - median(found["plain_rss"])) / 1024, "day": day}))


def measure(processes):
    out = subprocess.run(["/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "/usr/bin/python3", __file__, *sys.argv[1:],
                          str(processes)], stdout=subprocess.PIPE, check=True, text=True).stdout
    return json.loads(out.splitlines()[-1])


def timed(command):
    start = time.monotonic()
    subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return time.monotonic() - start


def main():
    print(f"{'processes':>10}{'bytes/sample':>14}{'atop':>10}{'ratio':>8}{'short run':>11}{'recording':>11}{'of all':>8}{'RSS':>8}")
    print(f"{'':>10}{'':>14}{'':>10}{'':>8}{'':>11}{'ms':>11}{'ms':>8}{'MiB':>8}")
    for processes in (200, 10000):
        found = measure(processes)
        print(f"{processes:>10}{found['bytes']:>14.0f}{found['atop']:>10.0f}{found['bytes'] / found['atop']:>8.3f}"
              f"{found['short']:>11.0f}{found['cost_ms']:>11.3f}{found['whole_ms']:>8.2f}{found['rss_mib']:>8.1f}", flush=True)
        if processes == 200:
            day = found["day"]
    moments = [timed([PANETOP, "--replay=" + day, f"--at=-{DAY * step // MOMENTS}", "-o", "json"]) for step in range(MOMENTS)]
    column = timed([PANETOP, "--replay=" + day, "-o", "csv", "-t", "memory", "-c", "free_bytes,name", "-f", "^available$"])
    print(f"a day at 200 processes, {os.stat(day).st_size / 1e6:.0f} MB: a moment (--at, all tables) {median(moments) * 1000:.0f} ms, "
          f"at most {max(moments) * 1000:.0f}; one column of one row of all samples {column:.2f} s")


if len(sys.argv) > 5:
    inside(int(sys.argv[5]))
else:
    main()
