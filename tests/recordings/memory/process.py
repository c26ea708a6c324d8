# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes, some with names that would harm a terminal."""
from clock import STEP

MIB = 1 << 20
PROCESSES = [
    # pid, parent, name, command, user, nice, threads, share of a CPU, of that in the kernel, MiB, state
    (1, 0, "systemd", "/usr/lib/systemd/systemd --switched-root", "root", 0, 1, 0.0, 0.5, 12, "S"),
    (2, 0, "kthreadd", "[kthreadd]", "root", 0, 1, 0.0, 1, 0, "S"),
    (14, 2, "ksoftirqd/0", "[ksoftirqd/0]", "root", 0, 1, 0.004, 1, 0, "S"),
    (15, 2, "rcu_preempt", "[rcu_preempt]", "root", 0, 1, 0.004, 1, 0, "I"),
    (812, 1, "systemd-journal", "/usr/lib/systemd/systemd-journald", "root", 0, 1, 0.031, 0.8, 18, "S"),
    (2001, 1, "postgres", "postgres: writer process", "postgres", 0, 1, 0.12, 0.3, 310, "D"),
    (15001, 2044, "make", "make -j4 all", "ada", 0, 1, 0.012, 0.5, 6, "S"),
    (15385, 15001, "cc1", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -O2 main.c", "ada", 0, 1, 0.41, 0.03, 412, "R"),
    (15400, 2044, "render", "/home/ada/bin/render --threads 4 scene.json", "ada", 10, 5, 2.0, 0.05, 900, "R"),
    (15999, 15001, "x\u001b[31m) (y", "evil\u001b]0;name\u0007 \u202etxt", "mallory", 0, 1, 0.06, 0.1, 2, "R"),
    (2044, 1, "bash", "-bash", "ada", 0, 1, 0.0, 0.4, 5, "S"),
]


# what these use more and less than their share, in turns: not enough to be seen
UNSTEADY = {15: 0.0003}


def size_now(name, size, step):
    """The one that fills the memory grows until it is ended at step 29."""
    return (size + (min(max(step - 8, 0), 16) * 270 if name == "render" and step < 29 else 0)) * MIB


# bytes each second: read, written
STORED = {"postgres": (240_000, 3_100_000), "make": (52_000, 0), "cc1": (1_900_000, 350_000), "systemd-journal": (0, 28_000)}

# payload each second: received, sent
PAYLOAD = {"postgres": (18_000, 240_000), "render": (1_340_000, 22_000), "systemd": (900, 400)}


def use_of(name, share, threads, step):
    """Bytes read and written, the wait for a CPU, switches to it."""
    seconds, (read, written) = step * STEP, STORED.get(name, (0, 0))
    received, sent = PAYLOAD.get(name, (0, 0))
    by_tcp = 0 if name == "postgres" else 1
    return {"read_bytes": 8192 + read * seconds, "write_bytes": 4096 + written * seconds,
            "disk_bytes": 12288 + (read + written) * seconds,
            "received_bytes": received * seconds, "sent_bytes": sent * seconds, "tcp_bytes": (received + sent) * seconds * by_tcp,
            "tcp_received_bytes": received * seconds * by_tcp, "tcp_sent_bytes": sent * seconds * by_tcp,
            "wait_seconds": 0.5 + share * 0.3 * seconds, "switches": 40 + int(share * 500 * threads * seconds)}


def tables(step):
    rows = []
    for pid, parent, name, command, user, nice, threads, share, kernel, size, state in PROCESSES:
        cpu = 3.5 + (share * step + UNSTEADY.get(pid, 0) * (step % 2)) * STEP
        program = command.split(" ")[0]
        base = program.rpartition("/")[2]
        rows.append({"pid": pid, "start_seconds": pid / 10, "ppid": parent, "cpu_seconds": cpu,
                     "user_seconds": cpu * (1 - kernel), "system_seconds": cpu * kernel,
                     "user": user, "uid": 1000, "state": state, "processor": pid % 4, "threads": threads, "nice": nice,
                     "priority": 20 + nice, "tty": "pts/2" if user == "ada" else "", "kernel_thread": int(command[0] == "["), **use_of(name, share, threads, step),
                     "resident_bytes": size_now(name, size, step),
                     "growth_bytes_per_second": (size_now(name, size, step) - size_now(name, size, step - 1)) / STEP
                     if step > 0 else None, "virtual_bytes": 4 * size * MIB,
                     "shared_bytes": size * MIB // 4, "memory_ratio": size_now(name, size, step) / (8192 * MIB),
                     "swapped_bytes": 60 * MIB if name == "postgres" and step > 14 else 0, "minor_faults": pid, "major_faults": 0, "name": name,
                     "program": program, "program_base": base, "command": command,
                     "command_base": command.replace(program, base, 1)})
    waits = {"stuck_seconds": 0.0, "process": "postgres", "pid": 2001, "tid": 2001, "start_seconds": 200.1, "thread": "",
             "call": "fsync", "function": "folio_wait_bit_common", "path": "/var/lib/postgresql/wal", "frozen": ""}
    convoy = {"convoy_seconds": 0.0, "waiting_threads": 4, "waiting_ratio": 0.8, "threads": 5, "process": "render",
              "pid": 15400, "start_seconds": 1540.0, "lock": "0x55d0c0a04080", "holder": "render/2", "holder_tid": 15402,
              "holder_busy_ratio": 1.0}
    return {"process": rows, "stuck": [waits], "convoy": [convoy]}
