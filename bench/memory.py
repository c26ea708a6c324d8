# SPDX-License-Identifier: GPL-2.0-or-later
"""memory.py PANETOP ROUNDS: the memory pane beside top, htop and free."""
import json
import subprocess
import sys
import tempfile

from measure import batch_cpu_ms, first_screen_ms, median, steady

PANETOP, ROUNDS = sys.argv[1], int(sys.argv[2])
INTERVAL = 0.5
SECONDS = 5

SCREENS = {
    "panetop": [PANETOP, "-d", str(INTERVAL), "memory"],
    "top": ["top", "-d", str(INTERVAL)],
    "htop": ["htop", "-d", str(int(INTERVAL * 10))],
}
BATCHES = {
    "panetop": lambda count: [PANETOP, "-b", "-d", "0.05", "-n", str(count), "memory"],
    "free": lambda count: ["free", "-s", "0.05", "-c", str(count)],
    "top": lambda count: ["top", "-b", "-d", "0.05", "-n", str(count)],
}


def cell(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def sample_ms():
    """What panetop itself measured: CPU of one sample of all topics that the pane needs, the median of 60."""
    with tempfile.TemporaryDirectory() as scratch:
        path = scratch + "/recording.jsonl"
        subprocess.run([PANETOP, "--record=" + path, "-d", "0.05", "-n", "60", "memory"], check=True)
        with open(path, encoding="utf-8") as recording:
            lines = recording.read().splitlines()
    keys = [column["key"] for column in json.loads(lines[0])["topics"]["self"]["columns"]]
    at = keys.index("sample_seconds")
    return median(json.loads(line)["tables"]["self"]["rows"][0][at] for line in lines[2:]) * 1000


def main():
    first = {name: [] for name in SCREENS}
    idle = {name: [] for name in SCREENS}
    batch = {name: [] for name in BATCHES}
    for _ in range(ROUNDS):  # alternating, so that what else the machine does meets all alike
        for name, command in SCREENS.items():
            first[name].append(first_screen_ms(command))
        for name, command in BATCHES.items():
            batch[name].append(batch_cpu_ms(command, 2, 42))
    for _ in range(3):
        for name, command in SCREENS.items():
            idle[name].append(steady(command, SECONDS, INTERVAL))
    print(f"medians of {ROUNDS} rounds (the screen: 3 of {SECONDS} s), 80x24, a sample each {INTERVAL} s")
    print(f"{'':10}{'first screen':>14}{'CPU/screen':>12}{'bytes/screen':>14}{'peak RSS':>10}{'CPU/batch sample':>18}")
    print(f"{'':10}{'ms':>14}{'ms':>12}{'':>14}{'MiB':>10}{'ms':>18}")
    for name in ("panetop", "top", "htop", "free"):
        runs = idle.get(name, [])
        print(f"{name:10}{cell(median(first.get(name, []))):>14}{cell(median(run[0] for run in runs)):>12}"
              f"{cell(median(run[1] for run in runs), 0):>14}{cell(median(run[2] / 1024 for run in runs)):>10}"
              f"{cell(median(batch.get(name, [])), 3):>18}")
    print(f"panetop: CPU of a sample of all topics of the pane, without output: {sample_ms():.3f} ms")


main()
