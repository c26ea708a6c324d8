# SPDX-License-Identifier: GPL-2.0-or-later
"""latency.py PANETOP TOOLS ROUNDS: the latency pane beside cyclictest and stress-ng --cyclic, alternating, and beside
itself while it draws, records, and samples 10,000 processes. TOOLS is the directory of crowd and bare."""
import json
import os
import re
import subprocess
import sys
import time

import pyte
from measure import crowd, median, spawn, stop

PANETOP, TOOLS, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
SECONDS = 8
PERIOD_US = 1000
PRIORITY = 80
PROCESSES = 10000
US = 1e6
BARE = "a loop that only sleeps"


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True, text=True).stdout


def figures(row):
    return {"p50": row["p50_seconds"] * US, "p99": row["p99_seconds"] * US, "p99.9": row["p99_9_seconds"] * US,
            "max": row["max_seconds"] * US}


def last_frame(text):
    return json.loads(text.strip().splitlines()[-1])


def of_panetop(*arguments, delay=SECONDS):
    count = str(int(SECONDS / delay))
    rows = last_frame(run([PANETOP, "-o", "json", "-d", str(delay), "-n", count, "latency", *arguments]))["tables"]["latency"]
    result = figures(rows[0])
    per_cpu = rows[1:]
    result["thread"] = max(row["thread_seconds"] / row["measured_seconds"] for row in per_cpu) * 100
    result["lost"] = sum(max(0, row["measured_seconds"] / 1e-3 - row["samples"] - row["missed"] - 2) for row in per_cpu)
    return result


def percentiles(histogram):
    """Of counts by microsecond; a count stands for all of its microsecond, of which the middle is told."""
    total, below, result = sum(histogram.values()), 0, {}
    for microseconds, count in sorted(histogram.items()):
        below += count
        for name, percent in (("p50", 50), ("p99", 99), ("p99.9", 99.9)):
            if name not in result and below >= total * percent / 100:
                result[name] = microseconds + 0.5
    result["max"] = max(histogram)
    return result


def thread_seconds(pid):
    """CPU time of each thread so far."""
    return {task: int(open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii").read().split()[0]) / 1e9
            for task in os.listdir(f"/proc/{pid}/task")}


def of_cyclictest(*arguments):
    """It holds the CPUs out of idle states unless it is told not to."""
    command = ["cyclictest", "-q", "-m", "-S", f"-p{PRIORITY}", f"-i{PERIOD_US}", "-d0", "-D", str(SECONDS), "-h", "20000",
               *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        time.sleep(1)
        before, began = thread_seconds(process.pid), time.monotonic()
        time.sleep(SECONDS - 2)
        after, ended = thread_seconds(process.pid), time.monotonic()
        text = process.stdout.read()
    histogram = {}
    for line in text.splitlines():
        words = line.split()
        if re.fullmatch(r"\d{6}", words[0] if words else "") and sum(map(int, words[1:])) > 0:
            histogram[int(words[0])] = sum(map(int, words[1:]))
    busiest = max(seconds - before.get(task, 0) for task, seconds in after.items())
    return percentiles(histogram) | {"thread": busiest / (ended - began) * 100}


def of_bare_loop():
    """What a wake-up costs on this machine, whoever is woken."""
    return {"thread": float(run([f"{TOOLS}/bare", str(SECONDS), str(PERIOD_US), str(PRIORITY)]))}


def of_stress_ng():
    samples = str(SECONDS * 1000000 // PERIOD_US)
    done = subprocess.run(["stress-ng", "--cyclic", "1", "--cyclic-method", "clock_ns", "--cyclic-policy", "fifo",
                           "--cyclic-prio", str(PRIORITY), "--cyclic-sleep", str(PERIOD_US * 1000), "--cyclic-samples",
                           samples, "-t", str(SECONDS)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True)
    found = {percent: float(ns) / 1000 for percent, ns in re.findall(r"([\d.]+)%: +(\d+) ns", done.stdout)}
    longest = re.search(r"max: (\d+)", done.stdout)
    return {"p50": found.get("50.00"), "p99": found.get("99.00"), "p99.9": found.get("99.90"),
            "max": float(longest.group(1)) / 1000 if longest else None}


def of_screen():
    """At ten samples a second; the figures are read off the screen."""
    pid, fd, _ = spawn([PANETOP, "-d", "0.1", "latency"], 200, 60)
    screen = pyte.Screen(200, 60)
    stream, end = pyte.ByteStream(screen), time.monotonic() + SECONDS
    while time.monotonic() < end:
        stream.feed(os.read(fd, 65536))
    stop(pid, fd)
    scale = {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}
    found = {name: float(value) * scale[unit] for name, value, unit in
             re.findall(r"(?<![.\d])(max|50%|99%|99\.9%) ([\d.]+)(ns|µs|ms|s)", screen.display[3])}
    return {"p50": found["50%"], "p99": found["99%"], "p99.9": found["99.9%"], "max": found["max"]}


def of_recording():
    path = f"{TOOLS}/latency.recording"
    run([PANETOP, f"--record={path}", "-d", "0.1", "-n", str(SECONDS * 10), "latency"])
    result = figures(last_frame(run([PANETOP, f"--replay={path}", "-o", "json", "-t", "latency", "latency"]))["tables"]["latency"][0])
    os.unlink(path)
    return result


def of_crowd(*panes):
    """The same machine with 10,000 processes, with and without the cpu pane sampling them."""
    return of_panetop(*panes, delay=1 if panes else SECONDS)


def measure(ways, rounds):
    results = {name: [] for name in ways}
    for _ in range(rounds):  # alternating, so that what else the machine does meets all alike
        for name, way in ways.items():
            results[name].append(way())
    return results


def value(results, name, key):
    return median(result.get(key) for result in results[name])


def spread(results, name, key):
    values = [result[key] for result in results[name] if result.get(key) is not None]
    return max(values) - min(values)


def show(title, results):
    print(f"\n{title}; fifo {PRIORITY}, a wake-up each {PERIOD_US} us, {SECONDS} s; medians of "
          f"{len(next(iter(results.values())))} runs, +/- half of what they spread")
    print(f"{'':24}" + "".join(f"{key:>18}" for key in ("p50", "p99", "p99.9", "max")) + "   in us")
    for name in (name for name in results if name != BARE):
        cells = [f"{value(results, name, key):.1f} +/- {spread(results, name, key) / 2:.1f}"
                 for key in ("p50", "p99", "p99.9", "max")]
        print(f"{name:24}" + "".join(f"{cell:>18}" for cell in cells))
    sys.stdout.flush()


def limit(what, mine, most):
    print(f"{what} {mine:.2f} (at most {most:.2f}): {'holds' if mine <= most else 'missed'}")


def main():
    peers = measure({"panetop": of_panetop, "cyclictest": lambda: of_cyclictest("--default-system"),
                     "stress-ng --cyclic": of_stress_ng, "panetop, held awake": lambda: of_panetop("--cpu-dma-latency"),
                     "cyclictest, held awake": of_cyclictest, BARE: of_bare_loop}, ROUNDS)
    show("beside its peers, idle states as they are or held off", peers)
    busy = measure({"at rest": of_panetop, "drawing at 10 Hz": of_screen, "recording at 10 Hz": of_recording}, ROUNDS)
    show("panetop beside itself", busy)
    with crowd(f"{TOOLS}/crowd", PROCESSES, 1):
        many = measure({"latency alone": of_crowd, "with the cpu pane": lambda: of_crowd("cpu")}, ROUNDS)
    show(f"among {PROCESSES} processes", many)
    print("\nlimits")
    for state in ("", ", held awake"):
        limit(f"p50{state}, of cyclictest's", value(peers, "panetop" + state, "p50") / value(peers, "cyclictest" + state, "p50"),
              1.10)
        limit(f"p99.9 in us{state}, of cyclictest's and its noise", value(peers, "panetop" + state, "p99.9"),
              value(peers, "cyclictest" + state, "p99.9") + spread(peers, "cyclictest" + state, "p99.9"))
    print("thread, % of a CPU: " + ", ".join(f"{name} {value(peers, name, 'thread'):.2f}"
                                             for name in ("panetop", "cyclictest", BARE)))
    limit("thread, % of a CPU", value(peers, "panetop", "thread"), 1.5)
    limit("thread, of cyclictest's", value(peers, "panetop", "thread") / value(peers, "cyclictest", "thread"), 1.10)
    limit("samples lost", value(peers, "panetop", "lost"), 0)
    for results, base, name in ((busy, "at rest", "drawing at 10 Hz"), (busy, "at rest", "recording at 10 Hz"),
                                (many, "latency alone", "with the cpu pane")):
        for key in ("p50", "p99", "p99.9"):
            limit(f"{key} in us {name}, of that {base} and its noise", value(results, name, key),
                  value(results, base, key) + spread(results, base, key))


main()
