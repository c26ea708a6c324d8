# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients of --listen on loopback addresses and UNIX sockets; prints TAP. Waits for states, never for times."""
import atexit
import concurrent.futures
import contextlib
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

from ordinary_user import NOBODY
from tap import PATIENCE, Skip, end, same, test, until

PANETOP, TESTS = os.environ["PANETOP"], os.environ["TESTS_DIR"]
IDLE = 1000  # clients at a time
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
TEXT = "text/plain; version=0.0.4; charset=utf-8"
PROMETHEUS = ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
              "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")  # as 2.42 asks
SCRATCH = tempfile.mkdtemp()
os.chmod(SCRATCH, 0o711)
atexit.register(shutil.rmtree, SCRATCH)


def free_port(host="127.0.0.1"):
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as unused:
        unused.bind((host, 0))
        return unused.getsockname()[1]


def connect(place):
    """place: a port of 127.0.0.1, (host, port), or the path of a socket."""
    if isinstance(place, str):
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(PATIENCE)
        made.connect(place)
        return made
    return socket.create_connection(("127.0.0.1", place) if isinstance(place, int) else place, timeout=PATIENCE)


def read_all(client):
    """Up to the end, which a client that is thrown out may see as a reset."""
    parts = []
    with contextlib.suppress(ConnectionError):
        while part := client.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


class Answer:
    def __init__(self, raw):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split()[1]) if raw else None
        self.fields = dict(line.split(": ", 1) for line in lines[1:])
        self.text = self.body.decode(errors="replace")


def ask(place, path="/metrics", method="GET", version="1.1", **fields):
    with connect(place) as client:
        fields = {"Host": "localhost", **{name.replace("_", "-"): value for name, value in fields.items()}}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value is not None)
        with contextlib.suppress(ConnectionError):
            client.sendall(f"{method} {path} HTTP/{version}\r\n{head}\r\n".encode())
        return Answer(read_all(client))


def frame(place):
    return json.loads(ask(place, "/frame.json").body)


def sampled(text):
    """When the sample of this exposition was taken."""
    return re.search(r'^panetop_self_sample_time_seconds\{topic="all"\} (\S+)', text, re.M).group(1)


def can_ask(place):
    try:
        return ask(place, "/healthz").status == 200
    except OSError:
        return False


@contextlib.contextmanager
def panetop(*arguments, place, before=(), **options):
    """Listens at place, and has ended well without a word on standard output afterwards."""
    process = subprocess.Popen([*before, PANETOP, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               **options)

    def answers():
        if process.poll() is not None:
            raise AssertionError(f"ended with {process.returncode}: {process.stderr.read().decode()}")
        return can_ask(place)

    try:
        until(answers, "it listens")
        yield process
        process.send_signal(signal.SIGTERM)
        same(process.wait(PATIENCE), 0, "exit status after SIGTERM")
        same(process.stdout.read(), b"", "standard output")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()


@contextlib.contextmanager
def listening(*arguments, **options):
    port = free_port()
    with panetop(f"--listen={port}", *arguments, place=port, **options) as process:
        process.port = port
        yield process


def refused(status, text, *arguments, **options):
    run = subprocess.run([PANETOP, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False, **options)
    same((run.returncode, run.stdout, run.stderr.count(b"\n")), (status, b"", 1), f"status, output and lines of {arguments}")
    if text not in run.stderr.decode():
        raise AssertionError(f"{arguments}: {run.stderr.decode()}")


try:
    ctypes.CDLL("libmicrohttpd.so.12")
except OSError:
    print("1..0 # SKIP libmicrohttpd is not installed")
    sys.exit(0)


@test
def paths():
    """every path has its kind of content"""
    with listening("-t", "memory", "-t", "self") as process:
        answer = ask(process.port)
        same((answer.status, answer.fields["Content-Type"], answer.fields["Vary"]), (200, TEXT, "Accept"), "/metrics")
        assert 'panetop_memory_total_bytes{name="mem"} ' in answer.text and "# EOF" not in answer.text, answer.text
        answer = ask(process.port, "/frame.json")
        same((answer.status, answer.fields["Content-Type"]), (200, "application/json"), "/frame.json")
        same(list(json.loads(answer.body)["tables"]), ["memory", "self"], "tables")
        answer = ask(process.port, "/describe")
        same((answer.status, answer.fields["Content-Type"]), (200, "application/json"), "/describe")
        same([topic["name"] for topic in json.loads(answer.body)["topics"]], ["memory", "self"], "topics")
        same(ask(process.port, "/healthz").body, b"ok\n", "/healthz")
        for path in ("/", "/metrics/", "/METRICS", "/nothing", "//metrics", "/../metrics"):
            same(ask(process.port, path).status, 404, path)
        same(ask(process.port, "/metrics?name=x").status, 200, "a query")


@test
def described():
    """/describe has the name of every metric and label"""
    with listening("cpu", "memory", "disks", "network", "groups", "kernel", "power", "latency", "overview", "-d", "0.1") as process:
        topics = json.loads(ask(process.port, "/describe").body)["topics"]
        text = ask(process.port).text
    metrics = {"panetop_exposition_cut_rows": {"topic"}}
    for topic in topics:
        labels = {column["label"] for column in topic["columns"]} - {None}
        metrics[f"panetop_{topic['name']}_rows"] = labels
        metrics[topic["info_metric"]] = {column["key"] for column in topic["columns"]}
        for column in topic["columns"]:
            metrics[column["metric"]] = labels
    seen = 0
    for name, labels in re.findall(r"^(panetop_\w+?)(?:\{(.*)\})? \S+$", text, re.M):
        name = re.sub("(?<=_seconds)_(g?sum|g?count)$", "_bucket", name) if name not in metrics else name
        assert name in metrics, name
        lost = set(re.findall(r'(\w+)="(?:[^"\\]|\\.)*"', labels)) - metrics[name] - {"le"}
        assert not lost, (name, lost)
        seen += 1
    assert seen > 300, seen


@test
def accept():
    """the format is what the client prefers"""
    with listening("-t", "memory") as process:
        for value, expected in ((None, TEXT), ("", TEXT), ("*/*", TEXT), ("image/png", TEXT), (PROMETHEUS, OPENMETRICS),
                                ("application/openmetrics-text", OPENMETRICS), ("application/openmetrics-text;q=0", TEXT),
                                ("text/plain, application/openmetrics-text;q=0.9", TEXT), (";;,,=;q=x", TEXT)):
            same(ask(process.port, Accept=value).fields["Content-Type"], expected, f"Accept: {value}")
        assert ask(process.port, Accept=PROMETHEUS).text.endswith("# EOF\n")


@test
def methods():
    """other methods are not allowed, and HEAD has no body"""
    with listening("-t", "memory") as process:
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "BREW"):
            answer = ask(process.port, method=method, Content_Length="0")
            same((answer.status, answer.fields["Allow"]), (405, "GET, HEAD"), method)
        answer = ask(process.port, method="HEAD")
        same((answer.status, answer.body), (200, b""), "HEAD")
        assert int(answer.fields["Content-Length"]) > 100, answer.fields


@test
def hosts():
    """only addresses and names of this host are answered, so that no web page can ask (DNS rebinding)"""
    name = os.uname().nodename
    port = free_port()
    with panetop(f"--listen=127.0.0.1:{port},metrics.example.org", "-t", "memory", place=port):
        for host in ("localhost", "LOCALHOST:1", "localhost.", "127.0.0.1", f"127.0.0.1:{port}", "[::1]:9", "10.0.0.1", name,
                     "metrics.example.org", "Metrics.Example.org:80"):
            same(ask(port, Host=host).status, 200, host)
        for host in ("example.org", "localhost.example.org", "127.0.0.1.example.org", "metrics.example.org.evil", "[::1", "a b", "localhost:x"):
            same(ask(port, Host=host).status, 421, host)
        same(ask(port, version="1.0", Host=None).status, 200, "HTTP/1.0 without Host")


@test
def too_long():
    """heads that are too long are refused, and so is what is not HTTP"""
    with listening("-t", "memory") as process:
        same(ask(process.port, X_Long="x" * 4000).status, 200, "a field of 4 kB")
        same(ask(process.port, X_Long="x" * 70000).status, 431, "a field of 70 kB")
        same(ask(process.port, "/" + "x" * 70000).status, 414, "a path of 70 kB")
        same(ask(process.port, version="9.9").status, 505, "another version")
        for junk in (b"\r\n\r\n", b"\0" * 100 + b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00" + bytes(range(256)) * 4, b"GET / HTTP/1.1\r\n: x\r\n\r\n"):
            with connect(process.port) as client:
                client.sendall(junk)
                client.shutdown(socket.SHUT_WR)
                read_all(client)
        same(ask(process.port).status, 200, "afterwards")


@test
def ages():
    """a sample is used until it is older than --delay"""
    with listening("-d", "86400", "-t", "self") as process:
        first = sampled(ask(process.port).text)
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            for answer in pool.map(lambda n: ask(process.port, Accept=PROMETHEUS if n % 2 else None), range(200)):
                same(sampled(answer.text), first, "time of the sample")
        same(frame(process.port)["tables"]["self"][0]["sample_time_seconds"], float(first), "that of JSON")
    with listening("-d", "0.05", "-t", "self") as process:
        first = sampled(ask(process.port).text)
        until(lambda: sampled(ask(process.port).text) != first, "another sample")


@test
def rates():
    """the first answer has rates"""
    with listening("-d", "86400", "-t", "process") as process:
        assert re.search(r"^panetop_process_cpu_ratio\{.*\} ", ask(process.port).text, re.M)
        assert frame(process.port)["interval_seconds"] > 0


@test
def at_rest():
    """nothing wakes it up between requests"""
    def switches(pid):
        total = 0
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/status", encoding="utf-8") as status:
                total += sum(int(line.split()[1]) for line in status if "ctxt_switches" in line)
        return total

    with listening("-t", "memory", "-t", "pressure", "-t", "process") as process:
        ask(process.port)
        before = until(lambda: [(count := switches(process.pid)), time.sleep(0.2)][0] == switches(process.pid) and count, "rest")
        time.sleep(2)
        same(switches(process.pid), before, "context switches after two seconds")


@test
def usual_tables():
    """without a pane it has what README recommends for a fleet"""
    def families(text):
        return {re.sub("_(row_info|rows)$", "", name).split("_")[1] for name in re.findall(r"^# TYPE (\S+)", text, re.M)}

    with open(TESTS + "/../README.md", encoding="utf-8") as readme:
        fleet = re.search(r"`panetop -o prometheus .*--write=\S* (.*?)`", readme.read()).group(1).split()
    with listening() as process:
        same(list(frame(process.port)["tables"]), [name for name in fleet if name != "-t"], "tables")


@contextlib.contextmanager
def spinning(*before):
    """A process that uses CPU time, of another user where before says so; arguments that nobody should see."""
    with subprocess.Popen([*before, "/usr/bin/python3", "-c", "print(flush=True)\nwhile True: pass", "--password=secret"],
                          stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()
            yield process.pid
        finally:
            process.kill()


def has_process(place, pid):
    """Its row in the second of two samples, which has its CPU time."""
    return next((row for row in frame(place)["tables"]["process"] if row["pid"] == pid), None)


@test
def arguments():
    """no argument is shown, unless --arguments or nothing but UNIX sockets says so"""
    path = SCRATCH + "/arguments"
    port = free_port()
    with spinning() as pid:
        with listening("-d", "0.05", "cpu") as process:
            row = until(lambda: has_process(process.port, pid), "its row")
            same((row["command"], row["name"]), ("python3", "python3"), "command")
            for page in ("/metrics", "/frame.json"):
                assert "secret" not in ask(process.port, page).text, page
        with panetop(f"--listen={port}", f"--listen=unix:{path}", "-d", "0.05", "cpu", place=port):
            until(lambda: has_process(path, pid), "its row")
            for page in ("/metrics", "/frame.json"):
                assert "secret" not in ask(path, page).text + ask(port, page).text, page
        with panetop(f"--listen=unix:{path}", "-d", "0.05", "cpu", place=path):
            until(lambda: "--password=secret" in has_process(path, pid)["command"], "its arguments")
            assert "secret" not in ask(path).text
        with listening("-d", "0.05", "--arguments", "--top=1000", "cpu") as process:
            until(lambda: "--password=secret" in (has_process(process.port, pid) or {"command": ""})["command"], "its arguments")
            until(lambda: "--password=secret" in ask(process.port).text, "its arguments as a label")


@test
def secrets():
    """tables of environments and the like need --arguments"""
    refused(2, "the table environment has what only --arguments shows", f"--listen={free_port()}", "-t", "environment", "-p", str(os.getpid()))


@test
def other_users():
    """processes of other users are shown only by a UNIX socket, and with --arguments; metrics have their sums"""
    path, port = SCRATCH + "/users", free_port()
    if os.getuid() == 0:
        other = spinning(*NOBODY)
    else:
        raise Skip("only root can be a second user")
    with other as pid, spinning() as own:
        with panetop(f"--listen={port}", f"--listen=unix:{path}", "-d", "0.05", "cpu", place=port):
            until(lambda: has_process(port, own), "a process of the same user")
            until(lambda: has_process(path, pid), "one of another user")
            same(has_process(port, pid), None, "one of another user by TCP")
            same({row["uid"] for row in frame(port)["tables"]["process"]}, {0}, "users")
            assert 'command="python3"' in ask(port).text
        with listening("-d", "0.05", "--arguments", "cpu") as process:
            until(lambda: has_process(process.port, pid), "one of another user, with --arguments")


@test
def turkish():
    """the words of a request are the same in Turkish, where i is not I"""
    done = subprocess.run(["localedef", "-i", "tr_TR", "-f", "UTF-8", SCRATCH + "/tr_TR.UTF-8"], capture_output=True, check=False) \
        if shutil.which("localedef") else None
    if not done or not os.path.isdir(SCRATCH + "/tr_TR.UTF-8"):
        raise Skip("the package locales is not installed")
    with listening("-t", "memory", env={**os.environ, "LOCPATH": SCRATCH, "LC_ALL": "tr_TR.UTF-8"}) as process:
        answer = ask(process.port, Accept="APPLICATION/OPENMETRICS-TEXT", Host="127.0.0.1")
        same((answer.status, answer.fields["Content-Type"]), (200, OPENMETRICS), "an Accept in capitals")


@test
def caller():
    """under sudo the processes are those of the user who called it, not root's"""
    if os.getuid() != 0:
        raise Skip("only root can be called by sudo")
    called = {**os.environ, "SUDO_UID": "65534", "SUDO_GID": "65534"}
    with spinning(*NOBODY) as other, spinning() as own:
        with listening("-d", "0.05", "-t", "process", env=called) as process:
            until(lambda: has_process(process.port, other), "a process of the caller")
            same(has_process(process.port, own), None, "one of root")
            same({row["uid"] for row in frame(process.port)["tables"]["process"]}, {65534}, "users")


@test
def private_tables():
    """what all users do, by file, function or program, is for no other user: alone it is refused, beside others it is left out"""
    path, port = SCRATCH + "/private", free_port()
    for table in ("opened_total", "cache_file", "profile", "profile_stack", "profile_call", "profile_caller", "profile_line", "wall_time",
                  "wake", "trace", "cache_group"):
        refused(2, f"the table {table} has what only --arguments shows", f"--listen={free_port()}", "-t", table)
    beside = ("-t", "memory", "-t", "cache_group")
    with panetop(f"--listen={port}", f"--listen=unix:{path}", *beside, place=port):
        same((list(frame(port)["tables"]), list(frame(path)["tables"])), (["memory"], ["memory", "cache_group"]), "tables")
    with listening("--arguments", *beside) as process:
        same(list(frame(process.port)["tables"]), ["memory", "cache_group"], "tables with --arguments")


@test
def events():
    """events are of all users, so TCP has none of them"""
    with listening("events") as process:
        tables = frame(process.port)["tables"]
        assert "event" not in tables and "event_total" in tables, list(tables)


@test
def groups():
    """control groups are of the machine, and shown to all"""
    with listening("-t", "group") as process:
        assert frame(process.port)["tables"]["group"], "no group"


@test
def nothing_said():
    """there is nothing on standard error but what the tables lack"""
    port = free_port()
    with subprocess.Popen([PANETOP, f"--listen={port}", "-d", "0.05", "-t", "memory"], stderr=subprocess.PIPE) as process:
        until(lambda: process.poll() is not None or can_ask(port), "it listens")
        ask(port, "/frame.json")
        process.terminate()
        same((process.wait(PATIENCE), process.stderr.read()), (0, b""), "status and errors")


@test
def unix_socket():
    """a UNIX socket is its owner's alone, and goes with panetop"""
    path = SCRATCH + "/socket"
    with panetop(f"--listen=unix:{path}", "-t", "memory", place=path):
        mode = os.lstat(path).st_mode
        assert stat.S_ISSOCK(mode), mode
        same(stat.S_IMODE(mode), 0o600, "mode")
        same(ask(path, Host="any.example.org").status, 200, "any host")
        refused(1, "another program listens there", f"--listen=unix:{path}", "-t", "memory")
        same(ask(path).status, 200, "the first one goes on")
    assert not os.path.lexists(path)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(path)
    with panetop(f"--listen=unix:{path}", "-t", "memory", place=path):
        pass  # in the place of what a program left that was killed
    assert not os.path.lexists(path)


@test
def unix_refused():
    """what is not a socket stays as it is, with one sentence"""
    path = SCRATCH + "/file"
    with open(path, "w", encoding="utf-8") as file:
        file.write("kept")
    refused(1, "this is not a socket", f"--listen=unix:{path}", "-t", "memory")
    with open(path, encoding="utf-8") as file:
        same(file.read(), "kept", "the file")
    refused(1, "this is not a socket", f"--listen=unix:{SCRATCH}", "-t", "memory")
    refused(1, "there is no directory", f"--listen=unix:{SCRATCH}/none/socket", "-t", "memory")
    refused(1, "File name too long", f"--listen=unix:{SCRATCH}/{'x' * 200}", "-t", "memory")


@test
def other_owner():
    """the socket of another user is left alone"""
    if os.getuid() != 0:
        raise Skip("only root can be a second user")
    place = SCRATCH + "/sticky"
    os.mkdir(place)
    os.chmod(place, 0o1777)
    subprocess.run([*NOBODY, "/usr/bin/python3", "-c", f"import socket; socket.socket(socket.AF_UNIX).bind('{place}/socket')"], check=True)
    refused(1, "another user", f"--listen=unix:{place}/socket", "-t", "memory")
    assert os.path.lexists(place + "/socket")


@test
def addresses_refused():
    """wrong addresses are wrong usage, with one sentence"""
    for address in ("", "x", "0", "65536", "127.0.0.1", "127.0.0.1:", ":9799", "127.0.0.1:x", "127.0.0.1:0", "127.0.0.256:1", "::1:9799",
                    "[::1]", "[::1:9799", "example.org:9799", "unix:", "127.0.0.1:9799:1", "systemd:1", "1 2"):
        refused(2, "--listen: '" + address + "': use 127.0.0.1:9799", f"--listen={address}")
    refused(2, "at most 8 times", *[f"--listen={free_port()}" for _ in range(9)])


@test
def combinations_refused():
    """what writes or ends samples cannot be combined with it"""
    for option in ("--replay=x", "--record=x", "--write=x", "--count=1", "--output=json", "--assert=memory() > 0"):
        refused(2, f"{option.split('=')[0]}: cannot be combined with --listen", "--listen=9799", option)
    refused(2, "--listen: cannot be combined with --describe", "--listen=9799", "--describe")
    refused(2, "--: cannot be combined with --listen", "--listen=9799", "latency", "--", "true")


@test
def binding_refused():
    """an address in use, of another machine, or that one may not have: one sentence and status 1"""
    with socket.socket() as used:
        used.bind(("127.0.0.1", 0))
        used.listen()
        port = used.getsockname()[1]
        refused(1, f"'127.0.0.1:{port}': another program listens there", f"--listen=127.0.0.1:{port}", "-t", "memory")
    refused(1, "this machine does not have this address", "--listen=192.0.2.1:9799", "-t", "memory")


@test
def low_port():
    """a port below 1024 needs a right"""
    with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding="ascii") as start:
        if int(start.read()) <= 1:
            raise Skip("every port is for all here")
    if os.getuid() == 0:
        from ordinary_user import ordinary_copy
        with ordinary_copy(PANETOP) as copy:
            run = subprocess.run([*NOBODY, copy, "--listen=1", "-t", "memory"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    else:
        run = subprocess.run([PANETOP, "--listen=1", "-t", "memory"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    same(run.returncode, 1, "status")
    assert "ports below 1024 need cap_net_bind_service" in run.stderr, run.stderr


@test
def no_library():
    """without libmicrohttpd it says so"""
    place = SCRATCH + "/lib"
    os.mkdir(place)
    with open(place + "/libmicrohttpd.so.12", "w", encoding="ascii"):
        pass
    run = subprocess.run([PANETOP, f"--listen={free_port()}", "-t", "memory"], capture_output=True, text=True, timeout=PATIENCE, check=False,
                         env={**os.environ, "LD_LIBRARY_PATH": place})
    same((run.returncode, run.stdout, run.stderr.count("\n")), (1, "", 1), "status, output and lines")
    assert "libmicrohttpd is not installed" in run.stderr, run.stderr


@test
def several():
    """several addresses, also of IPv6, are answered by one sample"""
    port, path = free_port(), SCRATCH + "/several"
    places, arguments = [port, path], [f"--listen=127.0.0.1:{port}", f"--listen=unix:{path}"]
    with contextlib.suppress(OSError):
        port6 = free_port("::1")
        places.append(("::1", port6))
        arguments.append(f"--listen=[::1]:{port6}")
    with panetop(*arguments, "-d", "86400", "-t", "self", place=port):
        same(len({sampled(ask(place).text) for place in places}), 1, "samples")


def by_systemd(sockets, pid="$$"):
    """Starts panetop as systemd does: the sockets are descriptors from 3 on."""
    def hand_over():
        for at, fd in enumerate(copies):
            os.dup2(fd, 3 + at)

    copies = [os.dup(made.fileno()) for made in sockets]
    copies = [os.dup2(fd, 100 + at) for at, fd in enumerate(copies)]  # none of them is among the targets
    return {"before": ("/bin/sh", "-c", f'LISTEN_PID={pid} LISTEN_FDS={len(sockets)} exec "$@"', "sh"), "preexec_fn": hand_over,
            "pass_fds": range(3, 3 + len(sockets))}


@test
def handed_over():
    """sockets of systemd are taken over"""
    path = SCRATCH + "/systemd"
    with socket.socket() as internet, socket.socket(socket.AF_UNIX) as local:
        for made, address in ((internet, ("127.0.0.1", 0)), (local, path)):
            made.bind(address)
            made.listen()
        port = internet.getsockname()[1]
        with panetop("--listen=systemd", "-t", "memory", place=port, **by_systemd([internet, local])) as process:
            same((ask(port).status, ask(path).status), (200, 200), "both sockets")
            with open(f"/proc/{process.pid}/cmdline", "rb") as command:
                assert command.read().startswith(PANETOP.encode())
    assert os.path.lexists(path)  # it is systemd's


@test
def handed_over_refused():
    """what is not handed over, or is not a listening socket, is refused"""
    refused(1, "no socket was handed over", "--listen=systemd", "-t", "memory")
    with socket.socket() as silent:
        for pid, text in (("1", "no socket was handed over"), ("$$", "not a listening stream socket")):
            options = by_systemd([silent], pid)
            run = subprocess.run([*options.pop("before"), PANETOP, "--listen=systemd", "-t", "memory"], capture_output=True, text=True,
                                 timeout=PATIENCE, check=False, **options)
            same((run.returncode, run.stdout), (1, ""), "status and output")
            assert text in run.stderr, run.stderr


def allow_files(most):
    """For so many clients, of this process and of those that it starts."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard < most:
        raise Skip("the limit of open files is too low")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(most, resource.getrlimit(resource.RLIMIT_NOFILE)[0]), hard))


@contextlib.contextmanager
def crowd(place, count, first=b""):
    with contextlib.ExitStack() as stack:
        clients = []
        for _ in range(count):
            client = stack.enter_context(connect(place))
            client.sendall(first)
            clients.append(client)
        yield clients


@test
def idle_clients():
    """a thousand clients that say nothing, or half of it, keep none from an answer"""
    allow_files(3 * IDLE + 200)
    with listening("-d", "0.05") as process:
        for first in (b"", b"GET /metrics HTTP/1.1\r\nHost: local"):
            with crowd(process.port, IDLE, first):
                same(ask(process.port, Accept=PROMETHEUS).status, 200, f"beside {first}")


@test
def more_clients():
    """of more clients than it may have, the oldest are closed"""
    allow_files(3 * IDLE + 200)
    with listening("-t", "memory") as process, crowd(process.port, 2 * IDLE) as clients:
        same(ask(process.port).status, 200, "status")
        same(clients[0].recv(1), b"", "the first client")
        clients[-1].sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        same(Answer(read_all(clients[-1])).status, 200, "the last client")


@test
def few_files():
    """where few files may be open, there are fewer clients, and still an answer"""
    with listening("-t", "memory", before=("prlimit", "--nofile=256:256")) as process, crowd(process.port, 200):
        same(ask(process.port).status, 200, "status")


@test
def parallel_clients():
    """a thousand clients at once are answered, by one sample"""
    allow_files(3 * IDLE + 200)
    with listening("-d", "86400") as process, crowd(process.port, IDLE) as clients:
        for client in clients:
            client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answers = [Answer(read_all(client)) for client in clients]
        same({answer.status for answer in answers}, {200}, "status")
        same(len({sampled(answer.text) for answer in answers}), 1, "samples")


@test
def greedy_clients():
    """clients that read nothing keep none from an answer, and nothing from ending"""
    allow_files(3 * IDLE + 200)
    with listening("-d", "0.05", "cpu", "memory", "kernel", "network", "disks") as process:
        with crowd(process.port, IDLE // 2, b"GET /describe HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            same(ask(process.port).status, 200, "status")
            process.send_signal(signal.SIGTERM)
            same(process.wait(PATIENCE), 0, "exit status after SIGTERM")


end()
