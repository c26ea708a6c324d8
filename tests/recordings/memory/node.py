# SPDX-License-Identifier: GPL-2.0-or-later
"""Two NUMA nodes of which the first is full: the database has most of its memory there, and runs on the second."""
from clock import STEP

MIB = 1 << 20
NODES = [  # node, CPUs, MiB in all, free, anonymous, file; pages a second: hits, misses, lost, remote; its CPUs, busy
    (0, "0-1", 8192, 96, 4700, 2800, 1200, 0, 340, 30, 0.4),
    (1, "2-3", 8192, 5100, 1900, 900, 860, 340, 0, 700, 1.5),
]
PROCESSES = [  # PID, command, MiB, share of memory and of CPU time on node 1, threads that wander, of all; moves a second
    (2001, "postgres", 3100, 0.29, 0.88, 0, 12, 0),
    (15400, "render", 900, 0.52, 0.49, 3, 5, 2.5),
    (15385, "cc1", 412, 1.0, 1.0, 0, 1, 0),
    (812, "systemd-journal", 18, 0.0, 0.0, 0, 1, 0),
]
PAGES = 4096


def two_sigma(variance):
    return 2 * (variance / PAGES) ** 0.5 if variance > 0 else 3 / PAGES


def shares(second):
    return " ".join(f"{node}:{round(100 * part)}" for node, part in enumerate((1 - second, second)) if part >= 0.005)


def tables(step):
    nodes, processes, parts = [], [], []
    for node, cpus, total, free, anonymous, file, hits, misses, lost, remote, busy in NODES:
        seconds = step * STEP
        nodes.append({"node": node, "total_bytes": total * MIB, "free_bytes": free * MIB, "used_bytes": (total - free) * MIB,
                      "anonymous_bytes": anonymous * MIB, "file_bytes": file * MIB, "hits": int(hits * seconds),
                      "misses": int(misses * seconds), "foreign": int(lost * seconds), "other": int(remote * seconds),
                      "cpus": cpus, "distances": "10 21" if node == 0 else "21 10", "busy_seconds": busy * seconds,
                      "cpu_seconds": 2 * seconds})
    for turn, (pid, command, size, memory, cpu, wandering, threads, moves) in enumerate(PROCESSES):
        local = memory * cpu + (1 - memory) * (1 - cpu)
        small = size < 32
        error = 0 if small else two_sigma(memory * cpu ** 2 + (1 - memory) * (1 - cpu) ** 2 - local ** 2)
        same = {"pid": pid, "start_seconds": pid / 10, "command": command, "local_ratio": local, "age_seconds": float(turn // 2),
                "how": "all" if small else "sample"}
        processes.append({**same, "error_ratio": error, "far_bytes": (1 - local) * size * MIB, "resident_bytes": float(size * MIB),
                          "memory": shares(memory), "cpus": shares(cpu), "distance": 10 * local + 21 * (1 - local),
                          "best_node": int(memory >= 0.5), "best_ratio": max(memory, 1 - memory), "wandering": wandering, "threads": threads, "moves": int(moves * step * STEP)})
        for node, part, ran in (0, 1 - memory, 1 - cpu), (1, memory, cpu):
            if part > 0 or ran > 0:
                parts.append({**same, "node": node, "bytes": part * size * MIB, "share_ratio": part, "cpu_ratio": ran,
                              "error_ratio": 0 if small else two_sigma(part * (1 - part))})
    # root has hidden where this one is
    processes.append({"pid": 1, "start_seconds": 0.1, "command": "systemd", "cpus": "0:100", "threads": 1, "wandering": 0,
                      "moves": 0})
    parts.append({"pid": 1, "start_seconds": 0.1, "command": "systemd", "node": 0, "cpu_ratio": 1.0})
    wanderers = [{"pid": 15400, "start_seconds": 1540.0, "tid": 15400 + number, "node": (step + number) % 2,
                  "moves": int(rate * step * STEP), "thread": f"render/{number}", "command": "render"}
                 for number, rate in ((1, 1.5), (2, 0.75), (3, 0.25))]
    return {"node": nodes, "locality": processes, "node_process": parts, "node_thread": wanderers}
