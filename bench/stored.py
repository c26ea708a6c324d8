# SPDX-License-Identifier: GPL-2.0-or-later
"""stored.py PANETOP PROMETHEUS PROMTOOL [MACHINES]: a fleet as Prometheus stored it: scrapes of this machine, as if they were of that
many, ten minutes of them 15 s apart; how long the rows of all take, and the panes of one, each with the start of panetop.

Limits: with 200 machines a second and half a second, and 64 MiB."""
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request

PANETOP, PROMETHEUS, PROMTOOL = sys.argv[1:4]
MACHINES = int(sys.argv[4]) if len(sys.argv) > 4 else 200
STEPS, STEP, SCRAPES, ROUNDS = 40, 15, 6, 5
LISTEN, SERVER = "127.0.0.1:19911", "127.0.0.1:19912"


def scraped():
    """Values of each series, by metric and labels."""
    found = {}
    with subprocess.Popen([PANETOP, f"--listen={LISTEN}"]) as run:
        time.sleep(2)
        for number in range(SCRAPES):
            with urllib.request.urlopen(f"http://{LISTEN}/metrics") as page:
                text = page.read().decode()
            for name, labels, value in re.findall(r"^([a-z0-9_]+)(\{.*\})? (\S+)$", text, re.M):
                found.setdefault(name, {}).setdefault(labels, {})[number] = value
            time.sleep(1.2)
        run.terminate()
    return found


def write(found, path):
    now, count = int(time.time()), 0
    with open(path, "w", encoding="utf-8") as out:
        for name, series in found.items():
            counter = name.endswith("_total")
            out.write(f"# TYPE {name.removesuffix('_total')} {'counter' if counter else 'gauge'}\n")
            for machine in range(MACHINES):
                for labels, values in series.items():
                    text = (labels[:-1] + "," if labels else "{") + f'instance="web{machine:04}:9799",job="panetop"}}'
                    numbers = sorted(values)
                    for step in range(STEPS):
                        value = values[numbers[min(step * len(numbers) // STEPS, len(numbers) - 1)]]
                        out.write(f"{name}{text} {value} {now - (STEPS - step) * STEP}\n")
                        count += 1
        out.write("# EOF\n")
    return count


def timed(pane):
    """Seconds and resident MiB of a run that prints it."""
    before = time.monotonic()
    run = subprocess.Popen([PANETOP, "-b", f"--source=prometheus:http://{SERVER}", "--at=-60s", "-o", "csv", "-t", pane], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(run.pid, 0)
    return time.monotonic() - before, used.ru_maxrss / 1024, status


def main():
    with tempfile.TemporaryDirectory() as place:
        found = scraped()
        count = write(found, place + "/samples")
        subprocess.run([PROMTOOL, "tsdb", "create-blocks-from", "openmetrics", place + "/samples", place + "/data"], stdout=subprocess.DEVNULL, check=True)
        with open(place + "/config", "w", encoding="utf-8") as config:
            config.write("global: {scrape_interval: 15s}\n")
        print(f"{MACHINES} machines, {sum(map(len, found.values()))} series each, {count} samples")
        with subprocess.Popen([PROMETHEUS, f"--config.file={place}/config", f"--storage.tsdb.path={place}/data", f"--web.listen-address={SERVER}"],
                              stderr=subprocess.DEVNULL) as server:
            time.sleep(5)
            for what, pane, limit in (("rows of all", "host", 1), ("memory of one", "memory", 0.5), ("processes of one", "process", 0.5)):
                runs = [timed(pane) for _ in range(ROUNDS)]
                times = " ".join(f"{seconds:.3f}" for seconds, _, _ in runs)
                print(f"{what}: {times} s (limit {limit}); {max(size for _, size, _ in runs):.1f} MiB (limit 64); status {runs[-1][2]}")
            server.terminate()


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
main()
