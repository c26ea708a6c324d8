# SPDX-License-Identifier: GPL-2.0-or-later
"""What threads of two processes wait for, of four and one threads, and who wakes whom."""

WAITS = {  # pid, command, threads: cause, function, part of the time of all threads, waits a second
    (4711, "postgres", 4): (("running", "", 0.31, None), ("ready", "", 0.02, None), ("disk", "filemap_get_pages", 0.21, 640),
                            ("lock", "futex_do_wait", 0.09, 220), ("poll", "do_epoll_wait", 0.048, 90),
                            ("network", "tcp_recvmsg_locked", 0.322, 75)),
    (4802, "logger", 1): (("running", "", 0.04, None), ("ready", "", 0.001, None), ("pipe", "anon_pipe_read", 0.709, 300),
                          ("disk", "jbd2_log_wait_commit", 0.25, 12)),
}
WAKES = {("postgres", "logger"): 300, ("(device)", "logger"): 12, ("(device)", "postgres"): 640, ("postgres", "postgres"): 220,
         ("(timer)", "postgres"): 41, ("(network)", "postgres"): 75, ("logger", "worker"): 18}
SECONDS = 10


def tables(step):
    waiting = [{"pid": pid, "start_seconds": 100.0, "cause": cause, "function": function, "seconds": part * threads * SECONDS,
                "ratio": part * threads, "waits": None if waits is None else (waits + step % 3) * SECONDS, "how": "bpf",
                "command": command}
               for (pid, command, threads), rows in WAITS.items() for cause, function, part, waits in rows]
    return {"waiting": waiting,
            "wake": [{"waker": waker, "woken": woken, "wakes": count * 2 * step} for (waker, woken), count in WAKES.items()]}
