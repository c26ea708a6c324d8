# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of the process postgres, which waits for its disk."""
from clock import START_WALL, STEP

PID, MIB = 2001, 1 << 20
FILES = [
    # fd, kind, flags, position, path, state
    (0, "device", "r", 0, "/dev/null", ""),
    (1, "pipe", "w,append", 0, "pipe:[31337]", ""),
    (2, "pipe", "w,append", 0, "pipe:[31337]", ""),
    (3, "eventpoll", "rw,cloexec", 0, "anon_inode:[eventpoll]", ""),
    (4, "socket", "rw,nonblock", 0, "socket:[41414]", ""),
    (5, "file", "rw", 0, "/var/lib/postgresql/15/main/base/16384/2619", ""),
    (6, "file", "rw", 4096, "/var/lib/postgresql/15/main/pg_wal/0000000100000000\u001b[31m", "deleted"),
]
LIMITS = [
    ("Max cpu time", "seconds", 4, None), ("Max data size", "bytes", 200 * MIB, None), ("Max open files", "files", 7, 8),
    ("Max stack size", "bytes", MIB // 8, 8 * MIB), ("Max locked memory", "bytes", 0, 64 * 1024),
]


SIGNALS = [(1, "HUP", "caught", "no", "no"), (2, "INT", "caught", "no", "no"), (9, "KILL", "default", "no", "no"),
           (10, "USR1", "caught", "yes", "yes"), (13, "PIPE", "ignored", "no", "no"), (15, "TERM", "caught", "no", "no")]


def size(value):
    return "0B" if value == 0 else f"{value // MIB}M" if value >= MIB else f"{value // 1024}K"


def limit_row(name, unit, used, soft):
    words = size if unit == "bytes" else str
    return {"pid": PID, "start_seconds": PID / 10, "name": name, "unit": unit, "used": used, "soft": soft, "hard": soft,
            "used_ratio": used / soft if soft else None, "used_text": words(used),
            "soft_text": words(soft) if soft else "unlimited", "hard_text": words(soft) if soft else "unlimited"}


def file_row(step, fd, kind, flags, position, path, state):
    moved = step * STEP * 3 * MIB if fd == 5 else 0
    return {"pid": PID, "start_seconds": PID / 10, "fd": fd, "kind": kind, "flags": flags, "position_bytes": position + moved,
            "path": path, "file_state": state, "age_seconds": 0}


def tables(step):
    detail = {"pid": PID, "start_seconds": PID / 10, "started_time": START_WALL * 10**9 - 86_400 * 10**9, "name": "postgres",
              "state": "D", "command": "postgres: writer process", "parents": "systemd 1", "user": "postgres", "uid": 1000,
              "ppid": 1, "process_group": PID, "session": PID, "threads": 1, "running_threads": 0, "waiting_threads": 1,
              "stopped_threads": 0, "disk_seconds": step * STEP * 0.6, "tracer_pid": 0, "wait_channel": "folio_wait_bit",
              "system_call": "pread64", "system_call_file": "/var/lib/postgresql/15/main/base/16384/2619",
              "executable": "/usr/lib/postgresql/15/bin/postgres", "executable_state": "deleted",
              "directory": "/var/lib/postgresql/15/main", "root": "/", "cgroup": "/system.slice/postgresql.service",
              "frozen": "no", "group_periods": 10 * step * STEP, "group_throttled_periods": step * STEP // 5,
              "group_limit_ratio": 0.5, "policy": "other", "cpus": "0-3", "nice": 0, "oom_score": 12, "oom_adjustment": 0,
              "cpu_seconds": 3.5 + 0.12 * step * STEP, "resident_bytes": 310 * MIB, "resident_peak_bytes": 330 * MIB,
              "anonymous_bytes": 120 * MIB, "file_bytes": 30 * MIB, "shared_memory_bytes": 160 * MIB, "swapped_bytes": 60 * MIB if step > 14 else 0,
              "call_read_bytes": step * STEP * 3 * MIB + step % 4 * MIB, "call_write_bytes": step * STEP * MIB // 2,
              "open_files": len(FILES)}
    return {"process_detail": [detail], "limit": [limit_row(*limit) for limit in LIMITS],
            "signal": [{"pid": PID, "start_seconds": PID / 10, "number": number, "name": name, "action": action, "blocked": blocked,
                        "pending": pending} for number, name, action, blocked, pending in SIGNALS],
            "open_file": [file_row(step, *file) for file in FILES]}
