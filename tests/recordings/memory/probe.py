# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions of a server whose calls are counted, one that costs too much, and what else could be counted."""

PROBES = (  # probe, pid, command, calls a second, times, cost, way, state
    ("libpq.so.5:PQexec", 2001, "postgres", 310, (0.00021, 0.0034, 0.081), 10.7e-6, "trap", "counting"),
    ("postgres:postgresql:transaction__start", 2001, "postgres", 96, None, 9.6e-6, "trap", "counting"),
    ("libc.so.6:malloc", 2001, "postgres", 0, (0.0000004, 0.0000019, 0.0021), 10.9e-6, "trap", "costly"),
    ("libssl.so.3:SSL_read", 4802, "logger", 12, (0.000012, 0.00034, 0.0011), 1.1e-6, "nop", "gone"),
)
FUNCTIONS = (("postgres", "/usr/lib/postgresql/15/bin/postgres", ("postgresql:transaction__start", "postgresql:lock__wait__start"),
              ("exec_simple_query", "heap_insert", "LWLockAcquire")),
             ("libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6", (), ("malloc", "free", "qsort", "getaddrinfo")))


def tables(step):
    probes = []
    for probe, pid, command, rate, times, cost, way, state in PROBES:
        hits = 40000 + rate * 2 * step
        probes.append({"probe": probe, "pid": pid, "hits": hits, "returns": hits if times else None, "p50_seconds": times and times[0],
                       "p99_seconds": times and times[1], "max_seconds": times and times[2], "cost_seconds": cost,
                       "spent_seconds": hits * cost, "expected_per_second": 118000.0 if state == "costly" else float(rate), "way": way,
                       "state": state, "command": command})
    functions = [{"pid": 2001, "function": name, "file": file, "kind": kind, "path": path}
                 for file, path, probed, plain in FUNCTIONS for kind, names in (("probe", probed), ("function", plain)) for name in names]
    return {"probe": probes, "function": functions}
