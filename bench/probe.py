# SPDX-License-Identifier: GPL-2.0-or-later
"""probe.py PANETOP WORK LIBRARY ROUNDS: what counting a function costs each call, beside perf, bpftrace and ltrace where they are installed,
and whether the screen goes on while a probe is attached.

Limit: a key is answered within 100 ms while probes are attached."""
import os
import select
import shutil
import statistics
import subprocess
import sys
import time

import measure

PANETOP, WORK, LIBRARY, ROUNDS = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
CALLS = 100000
KEYS = 60
SETTLE_SECONDS = 3  # until a peer has attached


class Work(subprocess.Popen):
    def __init__(self, command=(WORK,)):
        super().__init__(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.stdout.readline()
        self.tell(f"load {LIBRARY}")

    def tell(self, line):
        print(line, file=self.stdin, flush=True)
        return self.stdout.readline()

    def seconds(self, function, calls=CALLS):
        """CPU time of each call."""
        before = self.cpu_seconds()
        self.tell(f"call {function} {calls}")
        return (self.cpu_seconds() - before) / calls

    def cpu_seconds(self):
        with open(f"/proc/{self.pid}/schedstat", encoding="ascii") as stat:
            return int(stat.read().split()[0]) / 1e9

    def __exit__(self, *why):
        self.kill()
        super().__exit__(*why)


def panetop(work, function):
    run = subprocess.Popen([PANETOP, "-o", "csv", "-d", "0.2", "-t", "probe", "-c", "probe,state,cost_seconds", f"--pid={work.pid}", "--probe-cost=100000",
                            f"--probe-call={LIBRARY}:{function}"], stdout=subprocess.PIPE, text=True)
    while ",counting" not in (line := run.stdout.readline()):
        pass
    return run, float(line.rsplit(",", 1)[1])


def with_panetop(function):
    with Work() as work:
        bare = work.seconds(function)
        run, said = panetop(work, function)
        cost = work.seconds(function) - bare
        run.kill()
        run.communicate()
    return cost, said


def with_perf(function):
    """perf probe and perf stat: counts alone, no times."""
    if not shutil.which("perf") or subprocess.run(["perf", "probe", "-q", "-x", LIBRARY, f"bench_{function}={function}"], capture_output=True,
                                                   check=False).returncode:
        return None
    try:
        with Work() as work:
            bare = work.seconds(function)
            run = subprocess.Popen(["perf", "stat", "-e", f"probe_*:bench_{function}", "-p", str(work.pid)], stderr=subprocess.PIPE, text=True)
            time.sleep(SETTLE_SECONDS)
            cost = work.seconds(function) - bare
            run.terminate()
            run.communicate()
        return cost
    finally:
        subprocess.run(["perf", "probe", "-q", "-d", f"bench_{function}"], capture_output=True, check=False)


def with_bpftrace(function):
    if not shutil.which("bpftrace"):
        return None
    program = f"uprobe:{LIBRARY}:{function} {{ @s[tid] = nsecs; }} uretprobe:{LIBRARY}:{function} /@s[tid]/ {{ @t = hist(nsecs - @s[tid]); delete(@s[tid]); }}"
    with Work() as work:
        bare = work.seconds(function)
        run = subprocess.Popen(["bpftrace", "-p", str(work.pid), "-e", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if "Attaching" not in run.stdout.readline():
            run.kill()
            return None
        time.sleep(SETTLE_SECONDS)
        cost = work.seconds(function) - bare
        run.kill()
        run.communicate()
    return cost


def with_ltrace(function):
    """It stops the program at each call: what passes meanwhile."""
    if not shutil.which("ltrace"):
        return None
    with Work(["ltrace", "-c", "-x", f"{function}@{os.path.basename(LIBRARY)}", "-L", "-o", "/dev/null", WORK]) as work:
        began = time.monotonic()
        work.tell(f"call {function} {CALLS // 20}")
        return (time.monotonic() - began) / (CALLS // 20)


def microseconds(values):
    known = [value for value in values if value is not None]
    return f"{1e6 * statistics.median(known):.2f}" if known else "not here"


def costs():
    print(f"each of {CALLS} calls costs more, in µs (medians of {ROUNDS} rounds, by turns):")
    for function in ("probe_plain", "probe_nop"):
        rounds = [(*with_panetop(function), with_perf(function), with_bpftrace(function), with_ltrace(function)) for _ in range(ROUNDS)]
        ours, said, perf, bpftrace, ltrace = zip(*rounds)
        print(f"  {function}: panetop, with returns and times {microseconds(ours)} (it said {microseconds(said)}), perf stat, counts alone "
              f"{microseconds(perf)}, bpftrace, with returns and times {microseconds(bpftrace)}, ltrace {microseconds(ltrace)}")


def answers():
    """How long keys take while probes are attached in 32 processes and taken off again."""
    works = [Work() for _ in range(32)]
    scope = ",".join(str(work.pid) for work in works)
    pid, fd, _ = measure.spawn([PANETOP, f"--pid={scope}", f"--probe-call={LIBRARY}:probe_plain", "calls"])
    measure.drain(fd, 1)
    took = []
    for _ in range(KEYS):
        began = time.monotonic()
        os.write(fd, b"\t")  # another view: it is drawn again
        select.select([fd], [], [], 10)
        took.append(time.monotonic() - began)
        measure.drain(fd, 0.05)
    os.kill(pid, 15)
    os.waitpid(pid, 0)
    for work in works:
        work.kill()
        work.wait()
    print(f"longest of {KEYS} keys while probes are attached to 32 processes: {1e3 * max(took):.0f} ms (limit 100)")


costs()
answers()
