# SPDX-License-Identifier: GPL-2.0-or-later
"""System calls of three processes, of which one is timed, and the files that they open."""
from clock import START_WALL, STEP

CALLS = {  # pid, command, call: calls a second, errors a second, their names, seconds each, 50 %, 99 %, longest
    (2001, "postgres", "read"): (640, 0, "", 21e-6, 14.1e-6, 180e-6, 0.004), (2001, "postgres", "pread64"): (2400, 0, "", 8e-6, 5.3e-6, 96e-6, 0.021),
    (2001, "postgres", "openat"): (90, 77, "ENOENT 1540", 3e-6, 2.1e-6, 11e-6, 0.0004),
    (2001, "postgres", "epoll_wait"): (75, 3, "interrupted 60", 4.2e-3, 3.9e-3, 11e-3, 0.3),
    (2001, "postgres", "futex"): (220, 12, "EAGAIN 200, ETIMEDOUT 40", 0.4e-3, 61e-6, 5e-3, 0.12), (2001, "postgres", "close"): (13, 0, "", 0.4e-6, 0.3e-6, 2e-6, 3e-5),
    (4802, "logger", "write"): (312, 0, "", None, None, None, None), (4802, "logger", "fsync"): (12, 0, "", None, None, None, None),
    (4802, "logger", "i386:3"): (18, 18, "EBADF 360", None, None, None, None),
    (0, "(exited)", "execve"): (4, 2, "ENOENT 40", None, None, None, None), (0, "(exited)", "mmap"): (88, 0, "", None, None, None, None),
}
OPENS = {  # path, result: tries a second, names, command
    ("/etc/ssl/certs/5ed36f99.0", "ENOENT"): (31, 1, "postgres"), ("/etc/ssl/certs/ca-certificates.crt", "ENOENT"): (46, 2, "postgres"),
    ("/var/lib/postgresql/15/main/base/16384/2619", "opened"): (13, 1, "postgres"), ("/etc/passwd", "opened"): (5, 4, "cron"),
    ("/root/.config/secret", "EACCES"): (0.5, 1, "logger"), ("conf/../app.ini", "ENOENT"): (0.5, 1, "worker"),
    ("/usr/share/locale/en_GB/…", "ENOENT"): (0, 3, "logger"), ("(others)", ""): (2, None, ""),
}
STREAM = (  # command, pid, result, descriptor, path
    ("postgres", 2001, "ENOENT", None, "/etc/ssl/certs/ca-certificates.crt"), ("postgres", 2001, "opened", 41, "/var/lib/postgresql/15/main/base/16384/2619"),
    ("cron", 812, "opened", 5, "/etc/passwd"), ("logger", 4802, "EACCES", None, "/root/.config/secret"), ("worker", 4900, "ENOENT", None, "conf/../app.ini"),
    ("worker", 4900, "EFAULT", None, "(unreadable)"),
)


def tables(step):
    seconds = STEP * (step + 1)
    calls = [{"pid": pid or None, "start_seconds": 100.0 if pid else 0.0, "call": call, "calls": rate * seconds, "errors": errors * seconds, "error_names": names,
              "seconds": None if each is None else each * rate * seconds, "p50_seconds": half, "p99_seconds": most, "max_seconds": longest,
              "how": "bpf", "command": command}
             for (pid, command, call), (rate, errors, names, each, half, most, longest) in CALLS.items()]
    opens = [{"path": path, "result": result, "opens": int(rate * seconds) + (300 if path.endswith("…") else 0), "counted": int(rate * seconds),
              "commands": names, "command": command} for (path, result), (rate, names, command) in OPENS.items()]
    stream = [{"number": step * len(STREAM) + i + 1, "time": (START_WALL + STEP * step) * 10**9 + i * 10**8, "pid": pid, "tid": pid, "command": command,
               "result": result, "descriptor": descriptor, "path": path}
              for i, (command, pid, result, descriptor, path) in enumerate(STREAM)]
    return {"call": calls, "opened_total": opens, "opened": stream}
