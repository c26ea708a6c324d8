# SPDX-License-Identifier: GPL-2.0-or-later
"""power.py PANETOP ROUNDS: what a sample of the power pane costs on a machine of 2 sockets, 8 domains of energy, 60
temperatures and 128 CPUs that is made of files on tmpfs, beside a program that only opens, reads and closes them."""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "machines"))

from measure import batch_cpu_ms, median  # noqa: E402
from tree import RANGE, Tree  # noqa: E402

PANETOP, ROUNDS = sys.argv[1], int(sys.argv[2])
CPUS, LIMIT_MS, PROGRAMS_LIMIT_MS = 128, 2, 0.1
NAMES = ("core", "uncore", "dram")


def make(root):
    tree = Tree(root, {})
    tree.proc(CPUS, 1)
    for socket in (0, 1):
        tree.zone(f"intel-rapl:{socket}", f"package-{socket}", 5_000_000_000, RANGE, 250_000_000)
        for i, name in enumerate(NAMES):
            tree.zone(f"intel-rapl:{socket}:{i}", name, 1_000_000_000 * (i + 1), RANGE)
        files = {}
        for i in range(1, 29):
            files.update({f"temp{i}_input": 50_000 + 100 * i, f"temp{i}_label": f"Core {i}", f"temp{i}_max": 95_000,
                          f"temp{i}_crit": 105_000})
        tree.chip(socket, "coretemp", f"coretemp.{socket}", **files)
        tree.thermal(socket, "x86_pkg_temp", 52_000)
    tree.chip(2, "nvme", "0000:01:00.0", temp1_input=41_850, temp1_label="Composite", temp2_input=45_000)
    for cpu in range(CPUS):
        tree.frequency(cpu, 2_000_000 + 1000 * cpu, 800_000, 3_500_000, 800_000, 3_500_000, 2_000_000)
        tree.idle(cpu, (("POLL", 1000, 10), ("C1", 500_000, 4000), ("C1E", 900_000, 700), ("C6", 9_000_000, 900)))
        tree.throttle(cpu, 3, 40)
        tree.put_all(f"sys/devices/system/cpu/cpu{cpu}/topology", physical_package_id=cpu * 2 // CPUS, core_id=cpu)


def keep_moving(root, stop):
    """Every idle state of every CPU is entered between two samples, as far as this writer keeps up."""
    files = [(f"{root}/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{state}/{name}") for cpu in range(CPUS)
             for state in range(4) for name in ("usage", "time")]
    fds = [os.open(file, os.O_WRONLY) for file in files]
    value = 10_000_000
    while not stop.wait(0.03):
        value += 1
        for fd in fds:
            os.pwrite(fd, b"%d\n" % value, 0)
    for fd in fds:
        os.close(fd)


def sample_ms(root):
    """CPU of one sample by topic, as panetop itself measured it, the median of 60; and of all together."""
    with tempfile.TemporaryDirectory() as scratch:
        path = scratch + "/recording.jsonl"
        subprocess.run([PANETOP, "--record=" + path, "-d", "0.05", "-n", "60", "--root=" + root, "power"], check=True)
        with open(path, encoding="utf-8") as recording:
            lines = recording.read().splitlines()
    keys = [column["key"] for column in json.loads(lines[0])["topics"]["self"]["columns"]]
    topic, seconds = keys.index("topic"), keys.index("sample_seconds")
    found = {}
    for line in lines[2:]:
        for row in json.loads(line)["tables"]["self"]["rows"]:
            found.setdefault(row[topic], []).append(row[seconds] * 1000)
    return {name: median(values) for name, values in found.items()}


def floor_ms(root):
    """Opening, reading and closing every file that changes, in Python's thinnest words: system calls and little else."""
    paths = []
    for folder, _, names in os.walk(root + "/sys"):
        paths += [os.path.join(folder, name) for name in names
                  if name.endswith(("_input", "energy_uj", "scaling_cur_freq", "temp", "time", "usage", "_count"))]
    best = []
    for _ in range(20):
        start = time.process_time()
        for path in paths:
            fd = os.open(path, os.O_RDONLY)
            os.read(fd, 64)
            os.close(fd)
        best.append((time.process_time() - start) * 1000)
    return len(paths), median(best)


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as root:
        make(root)
        samples, batch, stop = [], [], threading.Event()
        mover = threading.Thread(target=keep_moving, args=(root, stop))
        mover.start()
        for _ in range(ROUNDS):
            samples.append(sample_ms(root))
            batch.append(batch_cpu_ms(
                lambda count: [PANETOP, "-b", "-o", "json", "-d", "0.05", "-n", str(count), "--root=" + root, "power"], 2, 42))
        stop.set()
        mover.join()
        names = sorted(samples[0], key=lambda name: -samples[0][name])
        values = {name: median(sample.get(name) for sample in samples) for name in names}
        files, floor = floor_ms(root)
    print(f"2 sockets, 8 domains, 60 temperatures, {CPUS} CPUs on tmpfs; CPU ms of a sample, medians of {ROUNDS} rounds")
    for name in names:
        print(f"{name:16}{values[name]:8.3f}")
    print(f"opening, reading and closing the {files} files that change, in Python: {floor:.3f} ms")
    print(f"a sample with its output as JSON: {median(batch):.3f} ms")
    programs = values["program_power"]
    print(f"limit: watts of programs {programs:.3f} ms (at most {PROGRAMS_LIMIT_MS}): {'holds' if programs <= PROGRAMS_LIMIT_MS else 'missed'}")
    print(f"limit: a sample {values['all']:.2f} ms (at most {LIMIT_MS}): {'holds' if values['all'] <= LIMIT_MS else 'missed'}")


main()
