# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that speaks the query API of Prometheus, well and badly, and what panetop makes of its answers."""
import contextlib
import datetime
import gzip
import http.server
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import zlib

from tap import Skip, end, same, test

PANETOP = os.environ["PANETOP"]
PATIENCE = 60
NAME = 'a"b\\c{}.*:9100'
GIB = 1 << 30


def series(labels, value):
    """Of all steps of a query_range, the value may depend on the time."""
    return lambda times: {"metric": labels, "values": [[at, repr(value(at) if callable(value) else value)] for at in times]}


MACHINE = [
    series({"__name__": "panetop_memory_total_bytes", "name": "mem", "instance": NAME}, 8.0 * GIB),
    series({"__name__": "panetop_memory_free_bytes", "name": "available", "instance": NAME}, 2.0 * GIB),
    series({"__name__": "panetop_cpu_user_seconds_total", "cpu": "all"}, lambda at: 0.25 * at),
    series({"__name__": "panetop_cpu_total_seconds_total", "cpu": "all"}, lambda at: 1.0 * at),
    series({"__name__": "up", "instance": NAME}, 1.0),
]


class Handler(http.server.BaseHTTPRequestHandler):
    """answer: of a call and its parameters, the object that is sent, or bytes, or a function that sends itself."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        parameters = dict(urllib.parse.parse_qsl(parts.query))
        self.server.asked.append((parts.path, parameters, self.headers))
        answer = self.server.answer(parts.path.rsplit("/", 1)[-1], parameters)
        if callable(answer):
            with contextlib.suppress(OSError):
                answer(self)
            return
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body)
        self.send_response(200)
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def serving(answer):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.answer, server.asked, server.daemon_threads = answer, [], True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def result(found):
    return {"status": "success", "data": {"resultType": "matrix", "result": found}}


def good(call, parameters):
    if call == "query":
        return result([{"metric": {"instance": NAME}, "value": [0, "1"]}])
    if call == "values":
        return {"status": "success", "data": [NAME]}
    start, stop, step = (float(parameters[name]) for name in ("start", "end", "step"))
    times = [start + i * step for i in range(round((stop - start) / step) + 1)]
    return result([one(times) for one in MACHINE])


def shown(server, *options, path="", pane="memory"):
    url = f"prometheus:http://127.0.0.1:{server.server_address[1]}{path}"
    done = subprocess.run([PANETOP, "-b", f"--source={url}", *options, pane], capture_output=True, text=True, timeout=PATIENCE, check=False)
    if "built without libcurl" in done.stderr or "libcurl is not installed" in done.stderr:
        raise Skip("libcurl is not here")
    return done


@test
def a_machine():
    """the numbers of a machine are those that were stored, with the rates of its counters"""
    with serving(good) as server:
        done = shown(server, "-o", "json", "--at=-15s", "-t", "memory", "-t", "cpu")
        tables = json.loads(done.stdout.splitlines()[-1])["tables"]
        same({row["name"]: row["total_bytes"] for row in tables["memory"]}["mem"], 8 * GIB, "memory")
        same({row["name"]: row["free_bytes"] for row in tables["memory"]}["available"], 2 * GIB, "available memory")
        ratio = tables["cpu"][0]["user_ratio"]
        same(ratio is not None and abs(ratio - 0.25) < 1e-6, True, f"user {ratio}")
        same(json.loads(done.stdout.splitlines()[-1])["host"], NAME, "the machine")
        queries = {parameters["query"] for path, parameters, _ in server.asked if path.endswith("query_range")}
        same(queries, {'{instance="a\\"b\\\\c{}.*:9100",__name__=~"panetop_.+",__name__!~".+_bucket"}'}, "what was asked")
        same({headers.get("Authorization") for _, _, headers in server.asked}, {None}, "credentials")


@test
def long_past():
    """many samples are asked for with few queries"""
    with serving(good) as server:
        done = shown(server, "-o", "csv", "-t", "memory", "--at=-30m")
        same(done.returncode, 0, done.stderr)
        asked = len([path for path, _, _ in server.asked if path.endswith("query_range")])
        same(asked <= 3, True, f"{asked} queries")


@test
def a_jump():
    """a page of an hour, and of a moment all that leads to it, take few queries"""
    with serving(good) as server, tempfile.TemporaryDirectory() as place:
        url = f"prometheus:http://127.0.0.1:{server.server_address[1]}"
        done = subprocess.run([PANETOP, f"--source={url}", f"--report={place}/page.html"], capture_output=True, text=True, timeout=PATIENCE, check=False)
        if "libcurl" in done.stderr:
            raise Skip("libcurl is not here")
        same((done.returncode, done.stderr), (0, ""), "status and messages")
        asked = len([path for path, _, _ in server.asked if path.endswith("query_range")])
        same(asked <= 40, True, f"{asked} queries")
        with open(place + "/page.html", encoding="utf-8") as page:
            same("241 samples, usually 15 s apart" in page.read(), True, "an hour")


@test
def who_it_was():
    """a command that used more is named, without a number that no process has; one that is not stored any more has not ended"""
    now = time.time()

    def command(name, then, later):
        labels = {"command": name, "instance": NAME}
        return [series({"__name__": "panetop_process_cpu_ratio", **labels}, lambda at: later if at > now - 300 else then),
                series({"__name__": "panetop_process_resident_bytes", **labels}, 1.0 * (1 << 26))]

    def answer(call, parameters):
        if call != "query_range":
            return good(call, parameters)
        found = good(call, parameters)["data"]["result"]
        times = [at for at, _ in found[0]["values"]]
        early = [at for at in times if at < now - 200]
        found += [one(times) for one in command("hog", 0.01, 1.9) + command("calm", 0.1, 0.1)]
        return result(found + [one(early) for one in command("gone", 0.2, 0.2) if early])
    with serving(answer) as server, tempfile.TemporaryDirectory() as place:
        url = f"prometheus:http://127.0.0.1:{server.server_address[1]}"
        done = subprocess.run([PANETOP, f"--source={url}", f"--report={place}/page.html", "--at=-260s"], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        if "libcurl" in done.stderr:
            raise Skip("libcurl is not here")
        same((done.returncode, done.stderr), (0, ""), "status and messages")
        with open(place + "/page.html", encoding="utf-8") as file:
            page = file.read()
        found = page[page.index("What changed around"):page.index("<h2>Graphs")]
        same("hog: CPU 190 %, rose in" in found, True, found)
        for text in "1844674", "gone", "calm":
            same(text in found, False, found)


@test
def what_changed():
    """commands are joined on their names; one that is stored at one of the times only is unknown, not new"""
    now = time.time()

    def command(name, then, later):
        return series({"__name__": "panetop_process_resident_bytes", "command": name, "instance": NAME},
                      lambda at: float(later if at > now - 300 else then))

    def answer(call, parameters):
        if call != "query_range":
            return good(call, parameters)
        found = good(call, parameters)["data"]["result"]
        times = [at for at, _ in found[0]["values"]]
        late = [at for at in times if at > now - 300]
        return result(found + [command("grows", GIB, 3 * GIB)(times), command("stays", GIB, GIB)(times)] +
                      [one(late) for one in [command("listed", GIB, GIB)] if late])
    with serving(answer) as server:
        done = shown(server, "--between=-600s,-60s", "-ocsv", "-tprocess", "-cname,resident_bytes,change")
        same(sorted(line.split(",", 1)[1] for line in done.stdout.splitlines()[1:]), ["grows,2147483648,", "listed,,", "stays,0,"], done.stdout)


@test
def not_stored():
    """a machine, and a time, of which nothing is stored"""
    def answer(call, parameters):
        if call == "values" and "nobody" in parameters["match[]"]:
            return {"status": "success", "data": []}
        return result([]) if call == "query_range" else good(call, parameters)
    with serving(answer) as server:
        done = shown(server, path="?instance=nobody")
        same((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
        same("it has no metrics of panetop of 'nobody'" in done.stderr, True, done.stderr)
        done = shown(server, "--at=-1h", "-n1")
        same((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
        same("Prometheus has nothing of " in done.stderr, True, done.stderr)
        same(shown(server, path="?instanze=nobody").returncode, 2, "another word")


def screen(server):
    try:
        sys.path.insert(0, os.path.join(os.environ["TESTS_DIR"], "screen"))
        from terminal import Terminal  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise Skip("python3-pyte is not installed") from None
    terminal = Terminal([PANETOP, f"--source=prometheus:http://127.0.0.1:{server.server_address[1]}"], 120, 30)
    terminal.started()
    return terminal


@test
def the_screen_goes_on():
    """a screen that follows does not wait for an answer, and shows it when it comes"""
    asked, seen, left = threading.Event(), threading.Event(), threading.Event()

    def answer(call, parameters):
        found = good(call, parameters)
        if call != "query_range" or not waits:
            return found

        def late_one(handler):
            asked.set()
            while not seen.is_set() and not left.is_set():
                if select.select([handler.connection], [], [], 0.05)[0]:
                    left.set()
            body = json.dumps(found).encode()
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
        return late_one
    waits = False
    with serving(good) as server:
        shown(server, "-n1")  # or a skip
    with serving(answer) as server:
        terminal = screen(server)
        try:
            terminal.until("available")
            waits = True
            for _ in range(3):  # on a loaded machine the answer may be given up before the key arrives
                asked.clear()
                left.clear()
                same(asked.wait(PATIENCE), True, "a query")
                terminal.send("F1")
                terminal.until("Keys everywhere")
                if not left.is_set():
                    break
                terminal.send("Esc")
            same(left.is_set(), False, "it waited")
            seen.set()
            terminal.send("Esc")
            terminal.until("available")
            terminal.send("q")
            terminal.end()
        finally:
            seen.set()
            terminal.close()


@test
def several_machines():
    """of several machines one is chosen by its name"""
    def answer(call, parameters):
        if call == "query":
            return result([{"metric": {"instance": name}, "value": [0, "1"]} for name in ("one:1", "other:2")])
        return good(call, parameters)
    with serving(answer) as server:
        done = shown(server, "--at=-15s", path="?instance=one:1")
        same(done.returncode, 0, done.stderr)
        asked = [parameters.get("query") or parameters["match[]"] for path, parameters, _ in server.asked]
        same([query for query in asked if 'instance="one:1"' not in query], [], "what was asked of others")


def names_of(query):
    """The pattern of the metrics that it chooses."""
    return re.search('__name__=~?"(.*?)"', query)[1]


def texts_of(pattern):
    """All that match a pattern of alternatives."""
    group = re.search(r"\(([^()]*)\)", pattern)
    return {pattern} if not group else set().union(*(texts_of(pattern[:group.start()] + word + pattern[group.end():])
                                                     for word in group[1].split("|")))


@test
def a_fleet():
    """of several machines there is a row for each, the worst first, by three queries of at most ten metrics, and the tables of one"""
    def machine(name, used, severity):
        labels = {"instance": name}
        return [series({"__name__": "panetop_memory_total_bytes", "name": "mem", **labels}, 8.0 * GIB),
                series({"__name__": "panetop_memory_used_bytes", "name": "available", **labels}, used * GIB),
                series({"__name__": "panetop_self_sample_time_seconds", "topic": "all", **labels}, lambda at: at - 7),
                series({"__name__": "panetop_finding_row_info", "rule": "x", "subject": "a disk", "severity": severity, **labels}, 1.0)]
    machines = {f"web{i}:1": machine(f"web{i}:1", i, "critical" if i == 2 else "note") for i in range(4)}

    def answer(call, parameters):
        if call == "query":
            return result([{"metric": {"instance": name}, "value": [0, "1"]} for name in machines if name != "web3:1"])
        if call == "values":
            return {"status": "success", "data": [*machines, "web9:1"]}
        start, stop, step = (float(parameters[name]) for name in ("start", "end", "step"))
        times = [start + i * step for i in range(round((stop - start) / step) + 1)]
        only = re.search('instance="(.*?)"', parameters["query"])
        found = [one(times) for name, found in machines.items() if not only or only[1] == name for one in found]
        return result([one for one in found if re.fullmatch(names_of(parameters["query"]), one["metric"]["__name__"])])
    with serving(answer) as server:
        done = shown(server, "-o", "json", "--at=-15s", "-t", "host", "-t", "memory", pane="fleet")
        tables = json.loads(done.stdout.splitlines()[-1])["tables"]
        same([row["host"] for row in tables["host"]], ["web2:1", "web0:1", "web1:1", "web3:1"], "machines")
        same({row["host"]: row["memory_used_ratio"] for row in tables["host"]}, {f"web{i}:1": i / 8 for i in range(4)}, "memory")
        same([(row["severity"], row["finding"]) for row in tables["host"]][:2], [("critical", "a disk"), ("note", "a disk")], "findings")
        same({round(row["age_seconds"]) for row in tables["host"]}, {7}, "ages")
        same([row["used_bytes"] for row in tables["memory"] if row["name"] == "available"], [0], "the first machine")
        asked = [parameters["query"] for path, parameters, _ in server.asked if path.endswith("query_range") and "instance=" not in parameters["query"]]
        same(len(set(asked)), 3, f"queries for all: {set(asked)}")
        same(len(asked) <= 6, True, "of two moments")
        most = max(len(texts_of(names_of(query))) for query in asked)
        same(most <= 10, True, f"a query has {most} metrics")


@test
def a_machine_that_is_gone():
    """a machine whose samples have ended has its row, with their age and the reason"""
    labels = {"instance": "gone:1"}
    newest = {"__name__": "panetop_self_sample_time_seconds", "topic": "all"}

    def answer(call, parameters):
        if call != "query_range":
            return good(call, parameters)
        found = good(call, parameters)["data"]["result"]
        times = [at for at, _ in found[0]["values"]]
        if "last_over_time" not in parameters["query"]:
            return result(found)
        return result([series({**newest, **labels}, lambda at: times[-1] - 35)(times)])
    with serving(answer) as server:
        done = shown(server, "-o", "json", "--at=-15s", "-t", "host", pane="fleet")
        rows = {row["host"]: row for row in json.loads(done.stdout.splitlines()[-1])["tables"]["host"]}
        gone = rows["gone:1"]
        same((gone["severity"], gone["finding"], round(gone["age_seconds"]), gone["load1"]),
             ("critical", "Prometheus has nothing of it at this time", 35, None), "its row")
        same(rows[NAME]["severity"] != "critical", True, f"the other one: {rows[NAME]}")
        same(any("Prometheus" in notice["text"] for notice in json.loads(done.stdout.splitlines()[0])["notices"]), False, "notices of what is there")


@test
def time_begins():
    """the first sample is the first one that is stored"""
    begun = time.time() - 840

    def answer(call, parameters):
        if call == "query" and "min_over_time" in parameters["query"]:
            return result([{"metric": {}, "value": [0, str(begun)]}])
        return good(call, parameters)
    with serving(answer) as server:
        done = shown(server, "--at=-3d", "-t", "memory")
    found = re.search("nothing was recorded at '-3d': the recording is ([^ ]*) to", done.stderr)
    same((done.returncode, found is not None), (1, True), done.stderr)
    first = datetime.datetime.fromisoformat(found[1]).timestamp()
    same(0 <= first - begun <= 15, True, f"it begins {first - begun} s behind the first one")


@test
def machines_that_are_gone():
    """where none is there now, those that were are shown"""
    with serving(lambda call, parameters: result([]) if call == "query" else good(call, parameters)) as server:
        done = shown(server, "-o", "json", "--at=-15s", "-t", "memory")
        same(json.loads(done.stdout.splitlines()[-1])["host"], NAME, "the machine")


def late(handler):
    time.sleep(PATIENCE)
    handler.send_response(200)


def half(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"status":')


def endless(handler):
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b" " * (1 << 20))


def redirected(handler):
    handler.send_response(302)
    handler.send_header("Location", "http://127.0.0.1:1/api/v1/query")
    handler.end_headers()


def bomb(kind):
    """Much that takes little on its way: blanks, series, machines, or one of them that does not end."""
    def answer(handler):
        begin, one, behind = {"blanks": (b"", b" " * (1 << 20), b""),
                              "a text": (b'{"status":"', b"x" * (1 << 20), b'"}'),
                              "a name": (b'{"data":["', b"x" * (1 << 20), b'"]}'),
                              "machines": (b'{"data":[', b'"%d",' * 2000, b'""]}'),
                              "named": (b'{"data":{"result":[', b'{"metric":{"instance":"%d"},"value":[0,"1"]},' * 2000, b'{}]}}'),
                              "brackets": (b'{"data":[', b"[" * (1 << 20), b"]"),
                              "empty": (b'{"data":{"result":[{}', b",{}" * 100000, b"]}}")}[kind]
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        packer, number = zlib.compressobj(9, zlib.DEFLATED, 31), 0
        handler.wfile.write(packer.compress(begin))
        for _ in range(4096):
            count = one.count(b"%d")
            text = one % tuple(range(number, number + count)) if count else one
            number += count
            handler.wfile.write(packer.compress(text))
        handler.wfile.write(packer.compress(behind) + packer.flush())
    return answer


def other_packing(handler):
    handler.send_response(200)
    handler.send_header("CONTENT-ENCODING", "zstd")
    handler.end_headers()
    handler.wfile.write(bytes.fromhex("28b52ffd04581000007b7de75be36a"))


def refused(status):
    def answer(handler):
        handler.send_response(status)
        handler.end_headers()
    return answer


BAD = {
    "locked": (refused(401), "status 401: give a user and password"),
    "elsewhere": (refused(404), "status 404: nothing is at this path"),
    "late": (late, "no answer came in time"),
    "half": (half, "."),
    "endless": (endless, "the answer is too long|no answer came in time"),
    "other packing": (other_packing, "compressed in another way than gzip"),
    "redirected": (redirected, "it answers with status 302"),
    "no JSON": (b"<html>", "the answer is not one of Prometheus"),
    "of something else": ({"hello": 1}, "the answer is not one of Prometheus|it has no metrics of panetop"),
    "empty": (result([]), "it has no metrics of panetop"),
    "an error": ({"status": "error", "error": "query processing would load too many samples"}, "query processing would load|the answer is not one of Prometheus"),
}


@test
def bad_answers():
    """a bad answer is one sentence"""
    for name, (answer, sentence) in BAD.items():
        with serving(lambda *_, answer=answer: answer) as server:
            done = shown(server, "--at=-15s")
            same((done.returncode, len(done.stderr.splitlines()), bool(re.search(sentence, done.stderr))), (1, 1, True), f"{name}: {done.stderr!r}")


def measured(server, *options):
    """The status, messages, and the most memory in MiB that it took."""
    with tempfile.TemporaryFile("w+") as messages:
        child = subprocess.Popen([PANETOP, "-b", f"--source=prometheus:http://127.0.0.1:{server.server_address[1]}", *options],
                                 stdout=subprocess.DEVNULL, stderr=messages)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        return child.returncode, messages.read(), usage.ru_maxrss / 1024


@test
def answers_without_end():
    """an answer that unpacks to gigabytes ends in a sentence, not in memory"""
    with serving(good) as server:
        shown(server, "-n1")  # or a skip
    for kind in "blanks", "a text", "a name", "machines", "named", "brackets", "empty":
        with serving(lambda *_, kind=kind: bomb(kind)) as server:
            status, messages, mebibytes = measured(server, "-n1", "-tmemory")
        same((status, len(messages.splitlines())), (1, 1), f"{kind}: {messages}")
        same(bool(re.search("too long|too many machines|not one of Prometheus|no answer came in time", messages)), True, f"{kind}: {messages}")
        same(mebibytes < 64, True, f"{kind}: {mebibytes} MiB")


@test
def series_without_end():
    """so does one of too many series, or of too many rows"""
    def answer(rows):
        def of_series(call, parameters):
            if call != "query_range":
                return good(call, parameters)

            def write(handler):
                handler.send_response(200)
                handler.end_headers()
                handler.wfile.write(b'{"status":"success","data":{"resultType":"matrix","result":[')
                values = ",".join('[%s,"1"]' % at for at, _ in good(call, parameters)["data"]["result"][0]["values"])
                for first in range(0, rows, 1000):
                    handler.wfile.write("".join(
                        '{"metric":{"__name__":"panetop_disk_busy_ratio","device":"%d","instance":"x"},"values":[%s]},' % (i, values)
                        for i in range(first, first + 1000)).encode())
                handler.wfile.write(b"{}]}}")
            return write
        return of_series
    for rows in 30000, 1900000:
        with serving(answer(rows)) as server:
            _, messages, mebibytes = measured(server, "--at=-15s", "-n1", "-tdisk", "-thost")
        same(bool(re.search("the answer is too long|no answer came in time", messages)), True, f"{rows}: {messages}")
        same(mebibytes < 64, True, f"{rows}: {mebibytes} MiB")


@test
def bad_later():
    """a bad answer behind good ones is a sentence, too"""
    calls = []

    def answer(call, parameters):
        calls.append(call)
        return b"{" if call == "query_range" else good(call, parameters)
    with serving(answer) as server:
        done = shown(server, "-o", "json", "--at=-15s", "-t", "memory")
        same("the answer is not one of Prometheus" in done.stderr, True, done.stderr)


@test
def secrets():
    """a password is sent, but not shown"""
    with serving(lambda *_: b"<html>") as server:
        url = f"prometheus:http://user:hush@127.0.0.1:{server.server_address[1]}/"
        done = subprocess.run([PANETOP, "-b", f"--source={url}", "memory"], capture_output=True, text=True, timeout=PATIENCE, check=False)
        if "libcurl" in done.stderr:
            raise Skip("libcurl is not here")
        same(bool(server.asked) and "Basic" in server.asked[0][2].get("Authorization", ""), True, "it was sent")
    same("hush" in done.stdout + done.stderr, False, done.stderr)
    same(f"127.0.0.1:{server.server_address[1]}" in done.stderr, True, done.stderr)


@test
def no_server():
    """where nothing listens, a sentence says so"""
    with serving(good) as server:
        pass
    done = shown(server)
    same((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)


end()
