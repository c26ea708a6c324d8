# SPDX-License-Identifier: GPL-2.0-or-later
"""Control groups of a server: units, containers, a pod, a session, and what is in none."""
from clock import STEP

MIB = 1 << 20
CONTAINER = "4f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d3914f0c1e5a77b2d391"
OTHER = "9a1b0c2d3e4f5a6b9a1b0c2d3e4f5a6b9a1b0c2d3e4f5a6b9a1b0c2d3e4f5a6b"
POD = "/kubepods.slice/kubepods-pod0f3c9a52_1b2c_4d5e_8f90_a1b2c3d4e5f6.slice"
GROUPS = [
    # path, name, kind, CPUs, anonymous, file, kernel (MiB), read and written MiB/s, tasks; only those of their own tasks
    ("/system.slice", "system.slice", "slice", 0, 0, 0, 0, 0, 0, 0),
    ("/system.slice/postgresql.service", "postgresql.service", "unit", 0.12, 120, 210, 18, 3, 0.5, 31),
    ("/system.slice/ssh.service", "ssh.service", "unit", 0.01, 6, 4, 2, 0, 0, 2),
    (f"/system.slice/docker-{CONTAINER}.scope", "web", "container", 0.48, 410, 60, 30, 0.25, 1, 44),
    (f"/system.slice/docker-{OTHER}.scope", "9a1b0c2d3e4f", "container", 0, 12, 3, 1, 0, 0, 4),
    ("/system.slice/dev-disk-by\\x2duuid.swap", "dev-disk-by-uuid.swap", "unit", 0, 0, 0, 0, 0, 0, 0),
    ("/kubepods.slice", "kubepods.slice", "slice", 0, 0, 0, 0, 0, 0, 0),
    (POD, "prod/shop-0", "pod", 0, 0, 0, 0, 0, 0, 0),
    (f"{POD}/cri-containerd-{OTHER}.scope", "app", "container", 0.2, 90, 30, 6, 0, 0.125, 12),
    ("/user.slice", "user.slice", "slice", 0, 0, 0, 0, 0, 0, 0),
    ("/user.slice/user-1000.slice/session-2.scope", "session-2.scope", "scope", 0.9, 300, 700, 40, 0, 11, 18),
    ("/user.slice/user-1000.slice", "user-1000.slice", "slice", 0, 0, 0, 0, 0, 0, 0),
    ("/a\nb\x1b[31m", "a\nb\x1b[31m", "group", 0, 1, 0, 0, 0, 0, 1),
]
REST = ("(rest)", "(not in a group)", "rest", 0.05, 40, 30, 400, 0.25, 0.125, 130)
LIMITS = {"web": (1024, 0.5, 200), "app": (128, None, None), "postgresql.service": (None, None, 4915)}  # MiB, CPUs, tasks
STALLED = {"web": (0.3, 0, 0), "session-2.scope": (0.02, 0.01, 0.2), "postgresql.service": (0.05, 0.08, 0.3)}


def parent_of(path):
    return "/" if path == "(rest)" else path.rpartition("/")[0] or "/"


def is_in(path, other):
    return other == "/" or path == other or path.startswith(other + "/")


def row(step, path, name, kind):
    """With the groups below it."""
    seconds = step * STEP
    within = [group for group in [*GROUPS, REST] if is_in(group[0], path)]
    own = next((group for group in [*GROUPS, REST] if group[0] == path), REST)
    cpus, anonymous, file, kernel, read, written, tasks = (sum(group[i] for group in within) for i in range(3, 10))
    memory, quota, most = LIMITS.get(name, (None, None, None))
    stalled = STALLED.get(name, (0, 0, 0))
    used = int(anonymous + file + kernel + (step if name == "web" else 0)) * MIB
    return {"path": path, "parent": "" if path == "/" else parent_of(path), "name": name, "kind": kind, "tasks": tasks,
            "tasks_limit": most, "memory_bytes": used, "own_memory_bytes": int(own[4] + own[5] + own[6]) * MIB,
            "memory_limit_bytes": memory * MIB if memory else None, "cpu_limit_ratio": quota,
            "memory_limit_used_ratio": (used - file * MIB * 0.8) / (memory * MIB) if memory else None,
            "anonymous_bytes": anonymous * MIB, "file_bytes": file * MIB, "kernel_bytes": kernel * MIB, "swap_bytes": 0,
            "oom_kills": 2 if name == "app" else 0, "limit_oom_kills": 0, "all_limit_oom_kills": 0,
            "age_seconds": 20 if name == "ssh.service" else 0,
            "cpu_seconds": 100 + cpus * seconds, "own_cpu_seconds": 100 + own[3] * seconds,
            "periods": 10 * seconds if quota else 0, "throttled_periods": 4 * seconds if quota else 0,
            "throttled_seconds": 0.2 * seconds if quota else 0, "refaults": 40 * seconds if name == "app" else 0,
            "read_bytes": int(read * MIB * seconds), "write_bytes": int(written * MIB * seconds),
            "cpu_stalled_seconds": stalled[0] * seconds, "memory_stalled_seconds": stalled[1] * seconds,
            "io_stalled_seconds": stalled[2] * seconds}


def tables(step):
    named = [("/", "all", "group"), *sorted(group[:3] for group in GROUPS), REST[:3]]
    return {"group": [row(step, *group) for group in named]}
