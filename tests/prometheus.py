# SPDX-License-Identifier: GPL-2.0-or-later
"""Simulated machines, as recordings that grow: panetop replays them into files, python serves these, and Prometheus scrapes them.
And a live one by --listen, with what is made for a fleet: a dashboard and alerts.

Nothing here depends on how fast that goes: rates are compared with the rate of a clock that is scraped with them.
"""
import functools
import http.server
import json
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

PANETOP, TESTS = os.environ["PANETOP"], os.environ["TESTS_DIR"]
sys.path.insert(0, TESTS + "/recordings")
from recording import Recording  # noqa: E402

DATA = os.path.join(os.path.dirname(PANETOP), "data")  # made by the build
PATIENCE = 120
SCRAPES = 8  # of a live machine
INTERVALS = {"listen": "4s", "textfile": "4s"}  # and patience: a busy machine may answer late; the others are done in a second
STEPS = 6
CHURN_STEPS = 21  # of 15 s, 5 minutes after the first one
CHURN_STARTS = 75  # of commands with names of their own in each step, 5 a second
CHURN_SERIES = 400
LATE = 1000000  # wake-ups of a machine in each step

# Shares of each CPU's time in user mode; latencies in µs, and how many of 100 wake-ups have them. No fine bucket of one
# machine is one of the other: 98 % of its wake-ups are at most 95 µs late, and 1303 µs.
MACHINES = {
    "text": {"format": "prometheus", "user": (0.25, 0.154), "latency": {21: 50, 61: 44, 95: 4, 101: 2}},
    "open": {"format": "openmetrics", "user": (0.5, 0.125), "latency": {33: 60, 411: 30, 907: 7, 1303: 3}},
}
# What README recommends for a fleet.
with open(TESTS + "/../README.md", encoding="utf-8") as readme:
    FLEET = re.search(r"`panetop -o prometheus .*--write=\S* (.*?)`", readme.read()).group(1).split()
TYPES = {".prom": "text/plain; version=0.0.4", ".text": "text/plain; version=0.0.4", ".open": "application/openmetrics-text; version=1.0.0; charset=utf-8"}
LADDER = [step * 10.0 ** decade for decade in range(-6, 1) for step in (1, 1.5, 2, 3, 5, 7)] + [10.0]

count = failed = 0


def ok(name, good, *details):
    global count, failed
    count += 1
    failed += not good
    print("ok" if good else "not ok", count, "-", name, flush=True)
    for detail in details if not good else ():
        print("#", detail)


def skip(name, why):
    global count
    count += 1
    print("ok", count, "-", name, "# SKIP", why, flush=True)


def rows(machine, step):
    """The tables of one sample: every counter has grown by the same in each step."""
    cpus, buckets = [], []
    for name, share in enumerate(machine["user"]):
        cpus.append({"cpu": str(name), "user_seconds": 5000 + 10 * share * step, "idle_seconds": 5000 + 10 * (1 - share) * step,
                     "total_seconds": 20000 + 10 * step})
        buckets += [{"cpu": str(name), "from_seconds": late * 1e-6, "to_seconds": late * 1.005e-6,
                     "samples": (1000 + step) * share * LATE // 100} for late, share in machine["latency"].items()]
    both = {"cpu": "all", **{key: sum(cpu[key] for cpu in cpus) for key in cpus[0] if key != "cpu"}}
    merged = [{"cpu": "all", **{key: bucket[key] for key in ("from_seconds", "to_seconds")}, "samples": 2 * bucket["samples"]}
              for bucket in buckets if bucket["cpu"] == "0"]
    return {"cpu": [both] + cpus, "latency_bucket": merged + buckets,
            "latency": [{"cpu": "0", "policy": "fifo", "priority": 80, "samples": (1000 + step) * LATE}]}


class Machine:
    def __init__(self, file, rows_of, seconds, arguments):
        self.file, self.rows_of, self.seconds = file, rows_of, seconds
        self.process = subprocess.Popen([PANETOP, "--replay=-", "--write=" + file, *arguments], stdin=subprocess.PIPE, text=True)
        self.recording = Recording(PANETOP, self.process.stdin, 1_800_000_000, 1000)

    def step(self, step):
        self.recording.frame(self.seconds * step, self.rows_of(step))
        self.process.stdin.flush()

    def end(self):
        self.process.stdin.close()
        return self.process.wait(PATIENCE)


def wait_for(name, condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    ok(name, False, "waited %d s" % PATIENCE)
    return None


def serve(directory):
    class Handler(http.server.SimpleHTTPRequestHandler):
        extensions_map = TYPES

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=directory))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def churn_rows(step):
    """Daemons that stay, and commands of one step; those that have ended count in exited."""
    def process(pid, name, started, cpu, resident):
        return {"pid": pid, "start_seconds": started, "name": name, "command": name + " --password=secret%d" % pid,
                "program": name, "cpu_seconds": cpu, "resident_bytes": resident, "read_bytes": int(1000 * cpu), "write_bytes": 0}

    begin = 15.0 * step
    daemons = [process(pid, "daemon%d" % pid, 1, 0.01 * pid * (step + 1), pid << 20) for pid in range(1, 41)]
    jobs = [process(1000 + 100 * step + i, "job%d-%d" % (step, i), begin + 0.2 * i, 0.5, 1 << 20) for i in range(CHURN_STARTS)]
    ended = [{"command": "job%d-%d" % (before, i), "exits": 1, "failures": 1, "cpu_seconds": 0.5}
             for before in range(step) for i in range(CHURN_STARTS)]
    pressure = [{"resource": resource, "kind": kind, "avg10_ratio": 0.5, "avg60_ratio": 0.5, "avg300_ratio": 0.5, "stalled_seconds": begin}
                for resource in ("cpu", "memory", "io") for kind in ("some", "full")]
    return {"process": daemons + jobs, "exited": ended, "pressure": pressure, "memory": [{"name": "mem", "total_bytes": step}]}


def free_address():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % unused.getsockname()[1]


class Prometheus:
    def __init__(self, directory, targets):
        """targets: {job: (address, path)}"""
        self.address = free_address()
        with open(directory + "/prometheus.json", "w", encoding="utf-8") as config:
            json.dump({"scrape_configs": [
                {"job_name": name, "metrics_path": path, "scrape_interval": INTERVALS.get(name, "1s"),
                 "scrape_timeout": INTERVALS.get(name, "1s"),
                 "static_configs": [{"targets": [address]}]} for name, (address, path) in targets.items()]}, config)
        self.log = open(directory + "/log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            ["timeout", "-k", "5", "380", "prometheus", "--config.file=" + config.name, "--storage.tsdb.path=" + directory + "/data",
             "--web.listen-address=" + self.address, "--log.level=warn"], stdout=self.log, stderr=self.log)

    def answer(self, query):
        """The series; None: no answer."""
        url = "http://%s/api/v1/query?%s" % (self.address, urllib.parse.urlencode({"query": query}))
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]["result"]
        except OSError:
            return None

    def ask(self, query):
        """{job: value}; job is None where it was summed away."""
        return {series["metric"].get("job"): float(series["value"][1]) for series in self.answer(query) or []}

    def series(self, match):
        """All labels of every series that was ever scraped."""
        url = "http://%s/api/v1/series?%s" % (self.address, urllib.parse.urlencode({"match[]": match}))
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        self.log.seek(0)
        return [line for line in self.log if "SIGTERM" not in line]


def near(found, expected, share=1e-6):
    return set(found) == set(expected) and all(math.isclose(found[key], expected[key], rel_tol=share) for key in expected)


def quantile(latencies, q):
    """In µs, of {µs: share}."""
    total, below = sum(latencies.values()), 0
    for late, share in sorted(latencies.items()):
        below += share
        if below >= q * total:
            return late
    return None


def on_its_step(found, late):
    """Is it between the same bounds as the true one?"""
    upper = min(bound for bound in LADDER if bound >= late * 1.005e-6)
    return max([bound for bound in LADDER if bound < upper], default=0) <= found <= upper


def judge(prometheus):
    clock = 'on(job) group_left rate(panetop_cpu_total_seconds_total{cpu="0"}[10m])'
    user = {name: sum(machine["user"]) for name, machine in MACHINES.items()}
    found = prometheus.ask("sum by (job) (rate(panetop_cpu_user_seconds_total[10m])) / " + clock)
    ok("the sum of the CPUs' rates is the load of each machine", near(found, user), found, user)
    found = prometheus.ask("sum(panetop_cpu_user_seconds_total)")
    expected = sum(2 * 5000 + 10 * user[name] * STEPS for name in MACHINES)
    ok("the sum of a counter over machines and CPUs counts each second once", near(found, {None: expected}), found, expected)
    found = prometheus.ask("count by (job) (panetop_cpu_user_seconds_total)")
    ok("a counter is there for each CPU, and not for their sum", near(found, {name: 2.0 for name in MACHINES}), found)

    for q in (0.5, 0.95, 0.99):
        found = prometheus.ask("histogram_quantile(%g, sum by (job, le) (rate(panetop_latency_seconds_bucket[10m])))" % q)
        true = {name: quantile(machine["latency"], q) for name, machine in MACHINES.items()}
        ok("quantile %g of each machine" % q, set(found) == set(true) and all(on_its_step(found[name], true[name]) for name in true),
           found, true)
        found = prometheus.ask("histogram_quantile(%g, sum by (le) (panetop_latency_seconds_bucket))" % q)
        both = {late: share for machine in MACHINES.values() for late, share in machine["latency"].items()}
        ok("quantile %g of both machines together" % q, set(found) == {None} and on_its_step(found[None], quantile(both, q)),
           found, quantile(both, q))
    mean = {name: sum(late * share for late, share in machine["latency"].items()) / 100 * 1e-6 for name, machine in MACHINES.items()}
    found = prometheus.ask("sum by (job) (rate(panetop_latency_seconds_sum[10m])) / sum by (job) (rate(panetop_latency_seconds_count[10m]))")
    ok("the mean of each machine is right to a percent", near(found, mean, 0.01), found, mean)
    found = prometheus.ask("count by (job) (count by (job, le) (panetop_latency_seconds_bucket))")
    ok("every bucket of the ladder is there", near(found, {name: len(LADDER) + 1.0 for name in MACHINES}), found)


def sums_at(prometheus, step):
    """None while another step is scraped, or none: a scrape that comes too late, as on a busy machine, takes all series away."""
    def is_there():
        return near(prometheus.ask('panetop_memory_total_bytes{name="mem"}'), {"churn": float(step)})

    found = is_there() and [prometheus.ask("sum by (job) (panetop_process_%s)" % what) for what in ("rows", "resident_bytes", "cpu_ratio")]
    return found if found and is_there() else None


def judge_churn(prometheus, churn):
    """Every step is scraped; the sums are true in each of them."""
    for step in range(1, CHURN_STEPS):
        churn.step(step)
        found = wait_for("step %d of what comes and goes is scraped" % step, functools.partial(sums_at, prometheus, step))
        if not found:
            return
        rows = churn_rows(step)["process"]
        expected = [len(rows), sum(row["resident_bytes"] for row in rows), (0.01 * 820 + 0.5 * CHURN_STARTS) / 15]
        if not all(near(one, {"churn": float(true)}, 1e-6) for one, true in zip(found, expected)):
            ok("the sums of step %d are true" % step, False, found, expected)
            return
    ok("sums over commands are those over processes, whatever comes and goes", True)
    series = prometheus.series('{job="churn",__name__=~"panetop_.+"}')
    print("# %d series in 5 minutes of 5 starts a second, %d bytes at the end" % (len(series), os.path.getsize(churn.file)))
    ok("in 5 minutes of 5 starts a second there are at most %d series" % CHURN_SERIES, 0 < len(series) <= CHURN_SERIES, len(series))
    ok("no argument and no process left the machine",
       not [one for one in series if "pid" in one or "start_seconds" in one or "secret" in str(one)])
    found = prometheus.ask('panetop_exposition_cut_rows{topic="process"}')
    ok("what has no name of its own is counted", found.get("churn", 0) >= 40 + CHURN_STARTS - 20, found)


def scrape(directory):
    churn = Machine(directory + "/churn.prom", churn_rows, 15, ["-o", "prometheus", *FLEET])
    machines = [Machine("%s/%s.%s" % (directory, name, name), functools.partial(rows, machine), 10,
                        ["-o", machine["format"], "cpu", "latency"]) for name, machine in MACHINES.items()]
    server = serve(directory)
    prometheus = None
    try:
        for machine in machines:
            for step in (0, 1):  # the first one is for rates
                machine.step(step)
        churn.step(0)
        files = ["%s/%s.%s" % (directory, name, name) for name in MACHINES]
        if not wait_for("both machines have a file", lambda: all(os.path.exists(file) for file in files)):
            return
        address = "127.0.0.1:%d" % server.server_address[1]
        targets = {name: (address, "/%s.%s" % (name, name)) for name in MACHINES}
        prometheus = Prometheus(directory, {**targets, "churn": (address, "/churn.prom")})
        for step in range(1, STEPS + 1):
            for machine in machines if step > 1 else ():
                machine.step(step)
            scraped = {name: 20000.0 + 10 * step for name in MACHINES}
            if not wait_for("step %d is scraped" % step,
                            lambda: near(prometheus.ask('panetop_cpu_total_seconds_total{cpu="0"}'), scraped)):
                return
        judge(prometheus)
        judge_churn(prometheus, churn)
        ok("all replays end well", [machine.end() for machine in [*machines, churn]] == [0, 0, 0])
    finally:
        log = prometheus.end() if prometheus else []
        server.shutdown()
        for machine in [*machines, churn]:
            if machine.process.poll() is None:
                machine.process.kill()
                machine.process.wait()
    ok("Prometheus has no warning, whenever it came to read", not log, *log[:5])


def churning(stop):
    """Processes that start and end, well and badly, all the while."""
    while not stop.is_set():
        for command in ("true", "false"):
            subprocess.run([command], check=False)


def dashboard_queries():
    with open(DATA + "/grafana-dashboard.json", encoding="utf-8") as file:
        for panel in json.load(file)["panels"]:
            for target in panel.get("targets", ()):
                yield target["expr"].replace("$instance", ".*").replace("$__rate_interval", "1m")


def judge_live(prometheus, jobs):
    every = '{job=~"listen|textfile"}[5m]'
    if not wait_for("%d scrapes of each" % SCRAPES,
                    lambda: min(map(prometheus.ask("count_over_time(up%s)" % every).get, jobs, [0] * len(jobs)), default=0) >= SCRAPES):
        return
    found = prometheus.ask("min_over_time(up%s)" % every)
    ok("no scrape failed", found == dict.fromkeys(jobs, 1.0), found)
    if "textfile" in jobs:
        found = prometheus.ask("max_over_time(node_textfile_scrape_error[5m])")
        ok("node_exporter could read every file", found == {"textfile": 0.0}, found)
        names = [set(one["__name__"] for one in prometheus.series('{job="%s",__name__=~"panetop_.+",__name__!~"panetop_finding_.+"}' % job))
                 for job in jobs]  # a finding may last for a moment
        ok("both ways have the same metrics", names[0] == names[1], names[0] ^ names[1])
    for query in dashboard_queries():
        found = prometheus.answer(query)
        calm = query.startswith("panetop_finding_") and not prometheus.answer("count_over_time(panetop_finding_since_seconds[5m])")
        ok("the dashboard's %s is answered" % query, found or (calm and found is not None), found)


def start_textfile(directory):
    """What writes the file, and node_exporter, which reads it; its address."""
    address = free_address()
    file = directory + "/panetop.prom"
    started = [subprocess.Popen([PANETOP, "-o", "prometheus", "-d", "0.5", "--write=" + file, *FLEET], stderr=subprocess.DEVNULL)]
    if wait_for("the file is there", lambda: os.path.exists(file)):
        started.append(subprocess.Popen(["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
                                         "--collector.textfile.directory=" + directory, "--web.listen-address=" + address],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    return address, started


def scrape_live(directory):
    """A live machine, scraped in both ways while processes come and go."""
    address, stop = free_address(), threading.Event()
    targets = {"listen": (address, "/metrics")}
    started = [subprocess.Popen([PANETOP, "--listen=" + address, "-d", "0.5"], stderr=subprocess.DEVNULL)]
    if shutil.which("prometheus-node-exporter"):
        os.mkdir(directory + "/textfile")
        textfile, others = start_textfile(directory + "/textfile")
        targets["textfile"] = (textfile, "/metrics")
        started += others
    else:
        skip("node_exporter reads the file", "prometheus-node-exporter is not installed")
    churn = threading.Thread(target=churning, args=(stop,))
    churn.start()
    prometheus = None
    try:
        if not wait_for("all answer", lambda: all(urllib_status("http://%s/" % place) for place, _ in targets.values())):
            return
        prometheus = Prometheus(directory, targets)
        judge_live(prometheus, list(targets))
    finally:
        stop.set()
        churn.join()
        log = prometheus.end() if prometheus else []
        for process in started:
            process.terminate()
        ended = [process.wait(PATIENCE) for process in started]
        ok("all end well", set(ended[:2]) == {0}, ended)
    ok("Prometheus has no warning about a live machine", not log, *log[:5])


def urllib_status(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as answer:
        return answer.code
    except OSError:
        return None


def check_rules():
    """Their form, and that the one about critical findings fires."""
    result = subprocess.run(["promtool", "check", "rules", DATA + "/prometheus-alerts.yaml"], capture_output=True, text=True, check=False)
    ok("promtool takes the rules of alerts", result.returncode == 0 and "rules found" in result.stdout, result.stdout, result.stderr)
    labels = {"instance": "web1", "rule": "disk_full", "subject": "/var"}
    with open(DATA + "/prometheus-alerts.yaml", encoding="utf-8") as rules:
        description = re.search(r'alert: PanetopFindingCritical\n.*?description: "(.*?)"\n', rules.read(), re.S).group(1)
    fires = {"exp_labels": {**labels, "severity": "critical"},
             "exp_annotations": {"summary": "web1: disk_full, /var", "description": description}}
    series = "panetop_finding_row_info{%s}" % ",".join('%s="%s"' % label for label in {**labels, "severity": "critical"}.items())
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"rule_files": [DATA + "/prometheus-alerts.yaml"], "tests": [
            {"interval": "1m", "input_series": [{"series": series, "values": "_ 1x3 _x5"}], "alert_rule_test": [
                {"eval_time": time, "alertname": "PanetopFindingCritical", "exp_alerts": alerts}
                for time, alerts in (("0m", []), ("1m", []), ("3m", [fires]), ("20m", []))]}]}, file)
        file.flush()
        result = subprocess.run(["promtool", "test", "rules", file.name], capture_output=True, text=True, check=False)
    ok("a critical finding that stays is an alert", result.returncode == 0, result.stdout, result.stderr)


def check(name, *arguments):
    exposition = subprocess.run([PANETOP, "-o", "prometheus", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    check_text(name, exposition.stdout)


def check_text(name, text):
    result = subprocess.run(["promtool", "check", "metrics"], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    ok("promtool finds nothing in " + name, text and result.returncode == 0 and not result.stdout, *result.stdout.decode().splitlines()[:5])


def check_listening():
    """All panes at once, as text; those of one process with this one."""
    address = free_address()
    with subprocess.Popen([PANETOP, "--listen=" + address, "-d", "0.1", "-p", str(os.getpid()), *panes()], stderr=subprocess.DEVNULL) as panetop:
        if wait_for("--listen answers", lambda: urllib_status("http://%s/healthz" % address) == 200):
            with urllib.request.urlopen("http://%s/metrics" % address, timeout=PATIENCE) as answer:
                check_text("--listen with all panes", answer.read())
        panetop.terminate()


def panes():
    """All of --help."""
    text = subprocess.run([PANETOP, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall("^  ([a-z]+) ", text.split("\n\n")[1], re.M)


def main():
    for pane in panes():
        of_one = ["-p", str(os.getpid())] if pane in ("pages", "process") else []
        check("this machine's pane " + pane, "-n", "1", "-d", "0.2", *of_one, pane)
    check("what README recommends", "-n", "1", "-d", "0.2", *FLEET)
    for name in ("memory", "power", "events"):
        check("the recording " + name, "--replay=%s/%s.recording" % (os.environ["RECORDINGS"], name), name)
    check_rules()
    check_listening()
    with tempfile.TemporaryDirectory() as directory:
        scrape_live(directory)
    with tempfile.TemporaryDirectory() as directory:
        scrape(directory)
    print("1..%d" % count)
    sys.exit(failed > 0)


main()
