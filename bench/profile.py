# SPDX-License-Identifier: GPL-2.0-or-later
"""profile.py PANETOP WORK LARGE SECONDS: how true a profile is, and what it costs.

LARGE is WORK with 100,000 functions more.

Limits: shares within two standard errors and a hundredth; 99 of 100 stacks whole; one sample of 100 lost; at most 1 % of a CPU at 97 samples a second; 15 MiB more
memory; 40 kB a minute in a recording; first names within 200 ms; the screen pauses for at most 20 ms while the pane opens."""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from measure import drain, spawn

PANETOP, WORK, LARGE, SECONDS = *sys.argv[1:4], float(sys.argv[4])
SHARES = {"work_f": 0.5, "work_g": 0.3, "work_h": 0.2}
OPEN_PROFILE = ("\x1bOQ", *"Profile", "\r")
TICK = os.sysconf("SC_CLK_TCK")
EPOLL_WAITS = (b"232", b"281", b"441", b"22")  # of x86-64 and arm64


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="latin-1") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def resident(pid):
    """Its share of memory in MiB: pages that several processes have are divided among them."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as rollup:
        return int(re.search(r"^Pss: +(\d+) kB", rollup.read(), re.M)[1]) / 1024


def unwinder(pid):
    for task in os.listdir(f"/proc/{pid}/task"):  # a thread has started it
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as children:
            if pids := children.read().split():
                return int(pids[0])
    raise SystemExit("no process unwinds")


def truth():
    """Against what the program did, and what perf says of the same seconds."""
    with subprocess.Popen([WORK, str(SECONDS + 8)], stdout=subprocess.PIPE, text=True) as work:
        perf = None
        data = os.path.join(tempfile.mkdtemp(), "perf.data")
        if shutil.which("perf"):
            perf = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock", "-F", "97", "-o", data, "-p", str(work.pid), "sleep", str(SECONDS)],
                                    stderr=subprocess.DEVNULL)
        line = subprocess.run([PANETOP, "-o", "json", "-n", "1", "-d", str(SECONDS), f"--in=tree={work.pid}", "-t", "profile", "-t", "profile_stack", "-t", "profile_cost"],
                              stdout=subprocess.PIPE, check=True).stdout
        if perf:
            perf.wait()
        done = [int(word) for word in work.stdout.read().split()]
    tables = json.loads(line)["tables"]
    n = sum(row["samples"] for row in tables["profile_stack"])
    whole = sum(row["samples"] for row in tables["profile_stack"] if row["stack"].startswith("_start;"))
    found = {row["function"]: row["self_ratio"] for row in tables["profile"]}
    lost = tables["profile_cost"][0]["lost"]
    print(f"{n} samples in {SECONDS:.0f} s, {100 * lost / (n + lost):.1f} % of all lost (limit 1), {100 * whole / n:.1f} % of stacks from _start (limit 99)")
    for name, count in zip(SHARES, done):
        share = count / sum(done)
        most = 2 * math.sqrt(share * (1 - share) / n) + 0.01
        print(f"  {name}: {100 * found[name]:.1f} %, it did {100 * share:.1f} %: {100 * (found[name] - share):+.1f} (limit ±{100 * most:.1f})")
    if perf:
        report = subprocess.run(["perf", "report", "-i", data, "--stdio", "--percent-limit", "1"], capture_output=True, text=True, check=False).stdout
        print("  perf report:", ", ".join(f"{name} {share} %" for share, name in re.findall(r"(\d+\.\d+)%.*?(work_\w)", report)))


def cost():
    """Of its own CPU time, of the time that the program has less, of memory and of a recording, while one CPU is busy."""
    place = os.path.join(tempfile.mkdtemp(), "profile.recording")
    with subprocess.Popen([WORK, str(SECONDS + 40)], stdout=subprocess.DEVNULL) as work:
        began = time.monotonic()
        first = subprocess.Popen([PANETOP, "-o", "json", "-d", "0.05", f"--in=tree={work.pid}", "-t", "profile"], stdout=subprocess.PIPE, text=True)
        for line in first.stdout:
            if any(row["function"] == "work_f" for row in json.loads(line)["tables"].get("profile", [])):
                break
        print(f"first names after {1e3 * (time.monotonic() - began):.0f} ms, with the start of the program (limit 200)")
        first.kill()
        first.wait()
        run = subprocess.Popen([PANETOP, "-o", "json", "-d", "1", f"--in=tree={work.pid}", "-t", "profile", "-t", "profile_cost"], stdout=subprocess.PIPE,
                               text=True)
        run.stdout.readline()
        time.sleep(5)
        helper = unwinder(run.pid)
        before, at = cpu_seconds(helper), time.monotonic()
        time.sleep(SECONDS)
        used = (cpu_seconds(helper) - before) / (time.monotonic() - at)
        run.terminate()
        last = [json.loads(line)["tables"]["profile_cost"][0] for line in run.stdout.read().splitlines()][-1]
        print(f"unwinding {100 * used:.2f} % of a CPU; with what sampling is estimated at, as it says: {100 * last['cost_ratio']:.2f} % (limit 1)")
        subprocess.run([PANETOP, "-b", "-n", "60", "-d", "1", "-l", "0", f"--in=tree={work.pid}", f"--record={place}", "profile"], stdout=subprocess.DEVNULL, check=True)
        print(f"a recording of a minute: {os.path.getsize(place) / 1000:.1f} kB (limit 40)")


def memory():
    """What a screen takes more while the pane is open, with the process that unwinds."""
    for name, program in (("a small program", WORK), ("100,000 functions", LARGE)):
        with subprocess.Popen([program, "60"], stdout=subprocess.DEVNULL) as work:
            pid, fd, _ = spawn([PANETOP, "-d", "1", f"--in=tree={work.pid}"])
            threading.Thread(target=drain, args=(fd, 60), daemon=True).start()
            time.sleep(6)
            before = resident(pid)
            for key in OPEN_PROFILE:
                os.write(fd, key.encode())
                time.sleep(0.05)
            time.sleep(12)
            after, helper = resident(pid), resident(unwinder(pid))
            os.kill(pid, 15)
            os.waitpid(pid, 0)
            work.kill()
        print(f"memory while {name} runs: {before:.1f} MiB before the pane is open, {after:.1f} after, {helper:.1f} of the process that "
              f"unwinds: {after + helper - before:+.1f} (limit 15)")


def pauses(pid, seconds):
    """The longest stretch in ms in which the main thread did not wait for events, and of ours between two looks at it."""
    longest = unseen = 0
    began = None
    looked = time.monotonic()
    end = looked + seconds
    with open(f"/proc/{pid}/task/{pid}/syscall", "rb", buffering=0) as file:
        while looked < end:
            file.seek(0)
            waits = file.read(32).split()[0] in EPOLL_WAITS
            now = time.monotonic()
            unseen, looked = max(unseen, now - looked), now
            if waits and began is not None:
                longest = max(longest, now - began)
            began = None if waits else began or now
    return 1e3 * longest, 1e3 * unseen


def pause():
    """Of the screen, as root and as an ordinary user: in the overview, and while the pane opens."""
    for user in ([], ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]):
        found = {"overview": [], "opening": [], "unseen": []}
        for _ in range(5):
            pid, fd, _ = spawn([*user, PANETOP, "-d", "1"])
            reader = threading.Thread(target=lambda fd=fd: drain(fd, 60), daemon=True)
            reader.start()
            time.sleep(4)
            found["overview"].append(pauses(pid, 3)[0])
            for key in OPEN_PROFILE:
                os.write(fd, key.encode())
                time.sleep(0.05)
            longest, unseen = pauses(pid, 3)
            found["opening"].append(longest)
            found["unseen"].append(unseen)
            os.kill(pid, 15)
            os.waitpid(pid, 0)
        texts = ", ".join(f"{name} {' '.join(f'{value:.1f}' for value in values)}" for name, values in found.items())
        print(f"longest pauses of the screen in ms, as {'an ordinary user' if user else 'root'}: {texts} (limit 20 while it opens)")


truth()
cost()
memory()
pause()
