# SPDX-License-Identifier: GPL-2.0-or-later
"""listen.py PANETOP CROWD PROMTOOL [SCRAPES]: what --listen costs on a machine of 200 processes and on one of 10,000, in PID
namespaces, 20 of them busy: a scrape, its page, memory beside a thousand clients of each bad kind, and the time of a scrape beside
them. Then what Prometheus keeps of it: the samples of SCRAPES scrapes, as if they were 15 s apart, in a block.

Limits: beside the clients a scrape takes a second at most, and they add 8 MiB at most."""
import contextlib
import gzip
import json
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time

PANETOP, CROWD, PROMTOOL = sys.argv[1:4]
SCRAPES = int(sys.argv[4]) if len(sys.argv) > 4 else 240
BUSY, CLIENTS, INTERVAL = 20, 1000, 15
DELAY = 0.25
REQUEST = b"GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\n\r\n"
KINDS = {"idle": b"", "half a request": b"GET /metrics HTTP/1.1\r\nHost: local", "greedy": REQUEST % (b"/frame.json", b"*/*"),
         "malformed": b"\0" * 5000, "at once": REQUEST % (b"/metrics", b"*/*")}


def number_in(pid, file, name):
    with open(f"/proc/{pid}/{file}", encoding="utf-8") as text:
        return int(re.search(rf"^{name}:\s+(\d+)", text.read(), re.M)[1])


def cpu_seconds(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as stat:
        return int(stat.read().split()[0]) / 1e9


def ask(port, path=b"/metrics", accept=b"text/plain"):
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(REQUEST % (path, accept))
        parts = []
        while part := client.recv(1 << 20):
            parts.append(part)
    return b"".join(parts).partition(b"\r\n\r\n")[2], time.perf_counter() - began


def beside(port, pid, first):
    """Resident KiB and the slowest of ten scrapes beside clients that sent this, and read nothing."""
    with contextlib.ExitStack() as stack:
        for _ in range(CLIENTS):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            with contextlib.suppress(OSError):
                client.sendall(first)
        slowest = 0
        for _ in range(10):
            time.sleep(DELAY)
            slowest = max(slowest, ask(port)[1])
        return number_in(pid, "status", "VmRSS"), slowest


def inside(processes):
    """Runs in a namespace of its own; prints what was measured as JSON."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (3 * CLIENTS, 3 * CLIENTS))
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    found, pages = {}, []
    with subprocess.Popen([CROWD, str(processes - BUSY), str(BUSY)], stdout=subprocess.PIPE, text=True) as crowd, \
            subprocess.Popen([PANETOP, f"--listen={port}", "-d", str(DELAY)], stderr=subprocess.DEVNULL) as panetop:
        crowd.stdout.readline()
        time.sleep(3)
        for _ in range(20):
            ask(port)
            time.sleep(DELAY)
        before, began = cpu_seconds(panetop.pid), time.time()
        for at in range(SCRAPES):
            page = ask(port, accept=b"application/openmetrics-text")[0].decode()
            pages.append((page, int(began) - SCRAPES * INTERVAL + at * INTERVAL))
            time.sleep(DELAY)
        found["ms a scrape"] = (cpu_seconds(panetop.pid) - before) / SCRAPES * 1e3
        before = cpu_seconds(panetop.pid)
        for _ in range(1000):
            ask(port, b"/healthz")
        found["ms a request without a sample"] = (cpu_seconds(panetop.pid) - before)
        page = ask(port)[0]
        found["series"] = sum(not line.startswith(b"#") for line in page.splitlines())
        found["bytes"], found["bytes, gzip"] = len(page), len(gzip.compress(page))
        found["RSS at rest"] = number_in(panetop.pid, "status", "VmRSS")
        for name, first in KINDS.items():
            found["RSS, " + name], found["ms, " + name] = beside(port, panetop.pid, first)
            found["ms, " + name] *= 1e3
        found["RSS afterwards"] = number_in(panetop.pid, "status", "VmRSS")
        panetop.terminate()
        crowd.terminate()
    found.update(block(pages))
    print(json.dumps(found))


def block(pages):
    """What the samples take in a block of Prometheus, which is of two hours: half of it is index where there are few."""
    families, samples = {}, 0
    for page, at in pages:
        family = None
        for line in page.splitlines():
            if line.startswith("# EOF"):
                continue
            if line.startswith("# "):
                family = families.setdefault(line.split()[2], {"head": {}, "samples": []})
                family["head"].setdefault(line.split()[1], line)
            else:
                family["samples"].append(f"{line} {at}")
                samples += 1
    with tempfile.TemporaryDirectory() as directory:
        with open(directory + "/text", "w", encoding="utf-8") as file:
            for family in families.values():
                file.writelines(line + "\n" for line in [*family["head"].values(), *sorted(family["samples"], key=lambda one: one.rsplit(" ", 2)[0])])
            file.write("# EOF\n")
        run = subprocess.run([PROMTOOL, "tsdb", "create-blocks-from", "openmetrics", directory + "/text", directory + "/data"],
                             capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(run.stderr)
        size = {kind: sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(directory + "/data") for name in names
                          if (name == "index") == (kind == "index")) for kind in ("index", "chunks")}
    return {"samples": samples, "bytes a sample": size["chunks"] / samples, "bytes of index a sample": size["index"] / samples}


def main():
    sizes = (200, 10000)
    found = []
    for processes in sizes:
        run = subprocess.run(["unshare", "-pf", "--mount-proc", sys.executable, __file__, PANETOP, CROWD, PROMTOOL, str(SCRAPES), str(processes)],
                             stdout=subprocess.PIPE, text=True, check=True)
        found.append(json.loads(run.stdout))
    print("| processes | " + " | ".join(str(size) for size in sizes) + " |\n| --- | --- | --- |")
    for name in found[0]:
        print(f"| {name} | " + " | ".join(f"{one[name]:.2f}" if isinstance(one[name], float) else str(one[name]) for one in found) + " |")
    for one in found:
        for name in KINDS:
            if one["ms, " + name] > 1000 or one["RSS, " + name] - one["RSS at rest"] > 8192:
                sys.exit("beyond the limit: " + name)


if len(sys.argv) > 5:
    inside(int(sys.argv[5]))
else:
    main()
