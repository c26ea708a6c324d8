# SPDX-License-Identifier: GPL-2.0-or-later
"""--source=ssh:HOST and several recordings. Run by fleet.test."""
import csv
import getpass
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from tap import Skip, end, same, test

PANETOP = os.environ["PANETOP"]
PATIENCE = 120
DELAY = "-d0.1"

# Stands in for ssh: what a host does, its name says. Its words go into a file, one that is not read by words.
SSH = r"""#!/bin/sh
unset PANETOP_TEST_FD # no ssh passes it on
printf '%s\n' "$$" >>"$FAKE/pids"
for word; do printf '<%s>' "$word"; done >>"$FAKE/words"
echo >>"$FAKE/words"
while [ "$1" != -- ]; do shift; done
host=$2
shift 2
[ "$1 $2" = 'env PATH="$PATH"":$HOME"' ] && shift 2 # the shell there reads it
echo >>"$FAKE/starts.$host"
case $host in
refused) echo "$host: Permission denied (publickey)." >&2; exit 255 ;;
bare | ssh://me@bare:2222) echo "sh: 1: panetop: not found" >&2; exit 127 ;;
unlinked) echo "panetop: error while loading shared libraries: libz.so.1: cannot open shared object file" >&2; exit 127 ;;
old) echo "panetop: --record: unknown option" >&2; exit 2 ;;
garbage) exec yes garbage ;;
silent) exec sleep 1000 ;;
greets) echo "Welcome to this machine"; exec "$@" ;;
ends) exec "$@" --count=2 ;;
torn) "$@" --count=3 | head -c 4000 ;;
stops) "$@" --count=3; exec sleep 1000 ;;
asks)
	(exec 3</dev/tty) 2>/dev/null && echo "a terminal" >>"$FAKE/asked"
	head -c 1 >>"$FAKE/asked"
	exec "$@" ;;
past) LD_PRELOAD=$CLOCK_STEP_LIBRARY CLOCK_STEP=$FAKE exec "$@" ;;
moon | alone | few) exec cat "$FAKE/$host" ;;
*) exec "$@" ;;
esac
"""


class Fake:
    """A folder that has this ssh, and panetop as hosts have it; what is said to it."""

    def __init__(self):
        self.place = tempfile.mkdtemp()
        with open(self.path("ssh"), "w", encoding="ascii") as file:
            file.write(SSH)
        os.chmod(self.path("ssh"), 0o755)
        os.symlink(PANETOP, self.path("panetop"))
        self.environment = dict(os.environ, FAKE=self.place, PATH=self.place + ":" + os.environ["PATH"])

    def path(self, name):
        return os.path.join(self.place, name)

    def lines(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def command(self, *arguments):
        return [PANETOP, *arguments]

    def run(self, *arguments):
        return subprocess.run(self.command(*arguments), env=self.environment, capture_output=True, encoding="utf-8", check=False,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE)

    def start(self, *arguments):
        return subprocess.Popen(self.command(*arguments), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, encoding="utf-8")

    def living(self):
        """Those of its processes that are left."""
        return [pid for pid in self.lines("pids") if os.path.exists(f"/proc/{pid}/exe") and self.is_ours(pid)]

    def is_ours(self, pid):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                return b"FAKE=" + self.place.encode() in file.read()
        except OSError:
            return False

    def close(self):
        shutil.rmtree(self.place)


fake = Fake()
silent = fake.start("-b", DELAY, "-n1", "--source=ssh:silent")  # it takes as long as it takes: judged at the end


def rows(text):
    return list(csv.DictReader(text.splitlines()))


def says(result, status, *texts):
    same(result.returncode, status, "status of " + result.stderr)
    for text in texts:
        if text not in result.stderr:
            raise AssertionError(f"'{text}' is not said, but: {result.stderr}")


def sentences(result):
    return [line for line in result.stderr.splitlines() if line.startswith("panetop: ")]


def until(condition, run):
    limit = time.monotonic() + PATIENCE
    while not condition():
        if run.poll() is not None or time.monotonic() > limit:
            raise AssertionError("it did not come to that")
        time.sleep(0.05)


def stop(run):
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=PATIENCE)
    return out, err


@test
def of_one():
    """the tables of one host are as they are without it: no column is added"""
    there = fake.run("-ocsv", DELAY, "-n2", "-tmemory", "--source=ssh:web1")
    here = fake.run("-ocsv", DELAY, "-n2", "-tmemory")
    same(there.returncode, 0, "status " + there.stderr)
    same(there.stdout.splitlines()[0], here.stdout.splitlines()[0], "columns")
    same(len(rows(there.stdout)), len(rows(here.stdout)), "rows")
    total = {row["total_bytes"] for row in rows(there.stdout) if row["name"] == "mem"}
    same(total, {row["total_bytes"] for row in rows(here.stdout) if row["name"] == "mem"}, "memory")


@test
def rates():
    """samples have their rates"""
    result = fake.run("-ocsv", DELAY, "-n2", "-tcpu", "--source=ssh:web1")
    busy = [row["busy_ratio"] for row in rows(result.stdout) if row["cpu"] == "all"]
    same(len(busy), 2, "samples")
    if not all(busy):
        raise AssertionError(f"unknown rates: {busy}")


def in_namespace(name, *words):
    """A host that is a namespace of this machine, made without panetop, which has no rights to lend."""
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        raise Skip("no such namespace is possible here")
    os.mkfifo(fake.path(name))
    with subprocess.Popen([*words, "sh", "-c", 'hostname moon; exec "$@" >"$0"', fake.path(name), PANETOP, "--record=-", DELAY, "overview"],
                          stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as host:
        try:
            return fake.run("-ojson", DELAY, "-n1", "-tprocess", "-tsystem", f"--source=ssh:{name}")
        finally:
            host.terminate()


@test
def there():
    """it is the host that is shown, not this machine"""
    result = in_namespace("moon", "unshare", "-u")
    same(json.loads(result.stdout.splitlines()[0])["host"], "moon", "host")


@test
def processes_there():
    """the processes are those of a private namespace"""
    result = in_namespace("alone", "unshare", "-ufp", "--mount-proc")
    processes = json.loads(result.stdout.splitlines()[0])["tables"]["process"]
    same([(row["pid"], row["name"]) for row in processes if row["name"] != "panetop-helper"], [(1, "panetop")], "processes")


@test
def of_two():
    """tables of several hosts have the column host, in CSV, JSON, text and metrics"""
    both = {"web1", "web2"}
    source = "--source=ssh:web1,web2"
    result = fake.run("-ocsv", DELAY, "-n3", "-tmemory", source)
    same(result.stdout.splitlines()[0].split(",")[:3], ["time", "host", "name"], "columns")
    same({row["host"] for row in rows(result.stdout)}, both, "hosts in CSV")
    tables = json.loads(fake.run("-ojson", DELAY, "-n1", "-tmemory", source).stdout.splitlines()[0])["tables"]
    same({row["host"] for row in tables["memory"]}, both, "hosts in JSON")
    text = fake.run("-b", DELAY, "-n1", "-tmemory", source).stdout.splitlines()
    same({line.split()[0] for line in text if line.split()[1:2] == ["mem"]}, both, "hosts in text")
    metrics = fake.run("-oprometheus", DELAY, "-n1", "-tmemory", source).stdout
    for host in both:
        if f'panetop_memory_total_bytes{{name="mem",host="{host}"}} ' not in metrics:
            raise AssertionError(f"no metric of {host}")


@test
def once():
    """each sample is printed once, however the hosts are out of step"""
    with subprocess.Popen(fake.command("-ojson", DELAY, "-n20", "-tsystem", "--source=ssh:web1,web2,web3"), env=fake.environment,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as run:
        uptimes = [(row["host"], row["uptime_seconds"]) for line in run.stdout for row in json.loads(line)["tables"].get("system", [])]
    same(len(set(uptimes)), len(uptimes), "samples that differ")
    same({host for host, _ in uptimes}, {"web1", "web2", "web3"}, "hosts")


@test
def conditions():
    """conditions hold for each host, or for the one that they name"""
    source = "--source=ssh:web1,web2"
    for condition, status in (("memory(mem).total_bytes > 1", 0), ("memory(mem).total_bytes < 1", 3), ("memory(host=web2) == 3", 0),
                              ("memory(host=web1) == 1", 3), ("memory(host=web3) == 0", 0)):
        same(fake.run("-b", DELAY, "-n1", "-tmemory", source, "--assert", condition).returncode, status, condition)


@test
def a_row_each():
    """without a table a row for each host is printed, and what does not answer is on top"""
    result = fake.run("-ocsv", DELAY, "-n2", "--source=ssh:web1,refused")
    says(result, 0, "refused: no connection: refused: Permission denied (publickey).")
    last = rows(result.stdout)[-2:]
    same([row["host"] for row in last], ["refused", "web1"], "hosts")
    same(last[0]["severity"], "critical", "severity")
    same(last[0]["finding"], "no connection: refused: Permission denied (publickey).", "finding")
    same(last[0]["age_seconds"], "", "age")
    if not float(last[1]["age_seconds"]) < PATIENCE or not last[1]["load1"]:
        raise AssertionError(f"row of web1: {last[1]}")


@test
def refused():
    """a host that refuses: one sentence, status 1"""
    result = fake.run("-b", "--source=ssh:refused")
    says(result, 1, "panetop: refused: no connection: refused: Permission denied (publickey).")
    same(len(sentences(result)), 1, "sentences")


@test
def bare():
    """a host without panetop: how to copy it there"""
    result = fake.run("-b", "--source=ssh:bare")
    says(result, 1, "bare: panetop is not installed there; copy it: scp /", " bare:\n")
    same(len(sentences(result)), 1, "sentences")
    says(fake.run("-b", "--source=ssh:ssh://me@bare:2222"), 1, "copy it: scp /", " scp://me@bare:2222/\n")


@test
def no_library():
    """a panetop that cannot be loaded there is not one that is not there"""
    says(fake.run("-b", "--source=ssh:unlinked"), 1, "unlinked: panetop there lacks a library; install its package: ", "libz.so.1")


@test
def old():
    """a panetop that does not know how: what it said"""
    says(fake.run("-b", "--source=ssh:old"), 1, "old: panetop ended there: panetop: --record: unknown option")


@test
def garbage():
    """a host that sends garbage without end: one sentence"""
    result = fake.run("-b", "--source=ssh:garbage")
    says(result, 1, "garbage: what comes from there is no recording")
    same(len(sentences(result)), 1, "sentences")


@test
def missing():
    """without ssh: which package has it"""
    empty = tempfile.mkdtemp()
    result = subprocess.run([PANETOP, "-b", "--source=ssh:web1"], env=dict(os.environ, PATH=empty), capture_output=True,
                            encoding="utf-8", check=False, timeout=PATIENCE)
    os.rmdir(empty)
    says(result, 1, "web1: ssh is not installed here (package openssh-client)")


@test
def greets():
    """what a login prints before the recording is passed over"""
    result = fake.run("-ocsv", DELAY, "-n1", "-tmemory", "--source=ssh:greets")
    same(result.returncode, 0, "status " + result.stderr)


@test
def again():
    """a connection that ends is made again, and samples go on"""
    result = fake.run("-ojson", DELAY, "-n6", "-tmemory", "--source=ssh:ends")
    same(result.returncode, 0, "status " + result.stderr)
    same(len(result.stdout.splitlines()), 6, "samples")
    if len(fake.lines("starts.ends")) < 3:
        raise AssertionError("it was not started again")


@test
def torn():
    """a recording that is torn: the samples before that, and it is made again"""
    run = fake.start("-ojson", DELAY, "-tmemory", "--source=ssh:torn,web1")
    until(lambda: len(fake.lines("starts.torn")) >= 2, run)
    stop(run)


@test
def stalls():
    """a host that stops in the middle: the others go on, and its row says so and ages"""
    run = fake.start("-ojson", DELAY, "-thost", "--source=ssh:stops,web1")
    for line in run.stdout:
        row = {row["host"]: row for row in json.loads(line)["tables"]["host"]}
        if row["stops"]["finding"] == "connected, but no sample comes":
            break
    else:
        raise AssertionError(f"never said: {run.stderr.read()}")
    if not row["stops"]["age_seconds"] > 1 > row["web1"]["age_seconds"]:
        raise AssertionError(f"ages: {row['stops']['age_seconds']}, {row['web1']['age_seconds']}")
    run.stdout.close()
    run.wait(PATIENCE)
    run.stderr.close()


@test
def clocks():
    """a host whose clock is 100 s behind: its samples are of now, and the row has the difference"""
    result = fake.run("-ocsv", DELAY, "-n5", "-thost", "--source=ssh:past,web1")
    same(result.returncode, 0, "status " + result.stderr)
    last = {row["host"]: row for row in rows(result.stdout)[-2:]}
    if not last["past"]["clock_offset_seconds"]:
        raise Skip("the library that sets clocks back cannot be loaded into this build")
    offset = float(last["past"]["clock_offset_seconds"])
    if not -100 - PATIENCE < offset <= -100:
        raise AssertionError(f"offset {offset}")
    if float(last["past"]["age_seconds"]) > 50:
        raise AssertionError(f"age {last['past']['age_seconds']}")


@test
def asks():
    """no host can ask for anything: there is no terminal, and the input is empty"""
    result = fake.run("-b", DELAY, "-n1", "--source=ssh:asks")
    same(result.returncode, 0, "status " + result.stderr)
    same(fake.lines("asked"), [], "what it got")


@test
def words():
    """ssh gets words, whatever a host is called"""
    host = "web1;touch$IFS'x'"
    fake.run("-b", DELAY, "-n1", "--source=ssh:" + host)
    line = fake.lines("words")[-1]
    if f"<-oBatchMode=yes>" not in line or f'<--><{host}><env><PATH="$PATH"":$HOME"><panetop><--record=-><--delay=0.1>' not in line:
        raise AssertionError(line)


@test
def options():
    """what is wrong with the option: one sentence, status 2"""
    for source in ("ssh:", "ssh:-oProxyCommand=x", "ssh:a,-b", "ssh:a b", "telnet:a", "ssh:a,,b", "a", "ssh:" + ",".join(["a"] * 65)):
        says(fake.run("-b", "--source=" + source), 2, "--source", "use ssh:HOST[,HOST...]")
    for other in ("--replay=x", "--root=/", "--when=memory(available).free_bytes < 1", "--at=-1s"):
        says(fake.run("-b", "--source=ssh:a", other), 2, other.split("=", maxsplit=1)[0], "cannot be combined with --source")
    says(fake.run("-b", "--source=ssh:a", "--listen=127.0.0.1:9799"), 2, "--source", "cannot be combined with --listen")
    says(fake.run("-b", "--source=ssh:a,b", "--user=root"), 2, "--in", "is for one machine, and there are 2")
    says(fake.run("--record=x", "--source=ssh:a,b"), 2, "--record", "is for one machine, and there are 2")


@test
def twice():
    """a host that is named twice is refused"""
    says(fake.run("-b", "--source=ssh:a,b,a"), 2, "--source", "is named twice")


def record(name, *arguments):
    subprocess.run([PANETOP, *arguments, "--record=" + fake.path(name)], check=True, capture_output=True, timeout=PATIENCE)


@test
def recorded_there():
    """what comes from a host can be recorded, and is the same in a replay"""
    live = fake.run("-ojson", DELAY, "-n3", "-tmemory", "--record=" + fake.path("there"), "--source=ssh:web1")
    replay = fake.run("-ojson", "-n3", "-tmemory", "--replay=" + fake.path("there"))
    same(live.returncode, 0, "status " + live.stderr)
    lines = [json.loads(line) for line in live.stdout.splitlines()]
    again_lines = [json.loads(line) for line in replay.stdout.splitlines()]
    same([line["tables"]["memory"] for line in again_lines], [line["tables"]["memory"] for line in lines], "tables")


@test
def recordings():
    """several recordings: each sample of each, once, on one axis"""
    record("one", "-d0.1", "-n5", "-tmemory")
    record("two", "-d0.1", "-n7", "-tmemory")
    result = fake.run("-ojson", "-tmemory", f"--replay={fake.path('one')},{fake.path('two')}")
    same(result.returncode, 0, "status " + result.stderr)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    same([line["time"] for line in lines], sorted(line["time"] for line in lines), "order")
    for name, n_samples in ("one", 5), ("two", 7):
        own = [rows_of for line in lines if (rows_of := [row for row in line["tables"].get("memory", []) if row["host"] == fake.path(name)])]
        alone = [json.loads(line)["tables"]["memory"] for line in
                 fake.run("-ojson", "-tmemory", "--replay=" + fake.path(name)).stdout.splitlines()]
        same(len(own), n_samples, "samples")
        same([[{key: value for key, value in row.items() if key != "host"} for row in sample] for sample in own], alone, "rows of " + name)


@test
def other_forms():
    """JSON lines and blocks go together; what is no recording is refused in one sentence"""
    record("three.jsonl", "-d0.1", "-n2", "-tmemory")
    result = fake.run("-ocsv", "-tmemory", f"--replay={fake.path('one')},{fake.path('three.jsonl')}")
    same(len({row["host"] for row in rows(result.stdout)}), 2, "hosts")
    with open(fake.path("wrong"), "w", encoding="ascii") as file:
        file.write("no recording\n")
    result = fake.run("-b", f"--replay={fake.path('one')},{fake.path('wrong')}")
    same((result.returncode, len(sentences(result))), (1, 1), "status and sentences " + result.stderr)
    says(fake.run("-b", f"--replay={fake.path('one')},{fake.path('none')}"), 1, "none: No such file")
    says(fake.run("-b", f"--replay={fake.path('one')},-"), 2, "--replay")


@test
def of_one_host():
    """recordings of one host are called as their files, however many there are"""
    for name in "first", "second", "third":
        fake.run("-n2", DELAY, "--record=" + fake.path(name), "memory")
    files = [fake.path(name) for name in ("first", "second", "third")]
    found = rows(fake.run("-ocsv", "-thost", "--replay=" + ",".join(files)).stdout)
    same({row["host"] for row in found}, set(files), "names")


@test
def a_comma():
    """a file whose name has a comma is one recording"""
    record("a,b", "-d0.1", "-n2", "-tmemory")
    same(fake.run("-ocsv", "-tmemory", "--replay=" + fake.path("a,b")).stdout.splitlines()[0].split(",")[:2], ["time", "name"], "columns")


def screen(*arguments):
    try:
        sys.path.insert(0, os.path.join(os.environ["TESTS_DIR"], "screen"))
        from terminal import Terminal  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise Skip("python3-pyte is not installed") from None
    terminal = Terminal([PANETOP, *arguments], 120, 30, env=fake.environment)
    terminal.started()
    return terminal


@test
def with_a_few_tables():
    """a host that has a few tables only is drawn on all panes, and says what it lacks"""
    record("few", "-d0.1", "-n3", "memory", "disks")
    terminal = screen("--source=ssh:few")
    try:
        for pane in "1234567890":
            terminal.send(pane)
            if terminal.ended():
                raise AssertionError(f"it ended on pane {pane}")
        terminal.send("1")
        if not terminal.wait_for("not recorded"):
            raise AssertionError("nothing is said to be missing:\n" + terminal.text())
    finally:
        terminal.close()


@test
def on_the_screen():
    """the screen opens on the fleet, Enter shows a host on all panes, and Esc leads back"""
    terminal = screen(DELAY, "--source=ssh:web1,web2,refused")
    try:
        terminal.until("[Fleet]")
        terminal.until("no connection: refused")
        same([line.split()[0] for line in terminal.lines()[4:7]], ["refused", "web1", "web2"], "rows")
        terminal.send("Down", "Down", "Down", "Enter")
        terminal.until("[1Overview]")
        terminal.until("panetop  web2 ")
        terminal.until("available")
        terminal.send("3")
        terminal.until("panetop  web2 ")
        terminal.send("1", "Esc")
        terminal.send("q")
        same(terminal.end(), 0, f"status, of\n{terminal.text()}")
    finally:
        terminal.close()


@test
def back_in_time():
    """one can step back, on all panes, and the row of each host is of then"""
    terminal = screen(f"--replay={fake.path('one')},{fake.path('two')}", "fleet")
    try:
        terminal.until("[Fleet]")
        terminal.send("End", ".", ".", ".")
        same(terminal.has(os.path.basename(fake.path("one"))[:3]), True, "row of one")
        terminal.send(",", ",")
        terminal.send("q")
        same(terminal.end(), 0, "status")
    finally:
        terminal.close()


@test
def trouble_on_the_screen():
    """a host that stops answering: the panes that show it say how old that is"""
    terminal = screen(DELAY, "--source=ssh:stops", "memory")
    try:
        terminal.until("connected, but no sample comes")
        terminal.until("stops: this is ")
        terminal.send("q")
        same(terminal.end(), 0, "status")
    finally:
        terminal.close()


@test
def no_fleet_of_one():
    """with one host there is no pane fleet"""
    terminal = screen(DELAY, "--source=ssh:web1")
    try:
        terminal.until("[1Overview]")
        terminal.send("F2")
        same(terminal.has("Fleet"), False, "a pane fleet")
        terminal.send("Esc", "q")
        terminal.end()
    finally:
        terminal.close()


# A real one, in a network namespace of its own, and without anything of the user's.
SSHD = """Port 2222
ListenAddress 127.0.0.1
HostKey {place}/host_key
PidFile none
AuthorizedKeysFile {place}/user_key.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
SetEnv PATH={place}:/usr/bin:/bin
"""
CLIENT = """#!/bin/sh
exec /usr/bin/ssh -F none -i {place}/user_key -oUserKnownHostsFile={place}/known -oStrictHostKeyChecking=yes "$@"
"""


def write(path, text, mode=0o600):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, mode)


def real_place():
    """Keys, and a configuration of sshd."""
    place = tempfile.mkdtemp()
    for key in "host_key", "user_key":
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(place, key)], check=True)
    with open(os.path.join(place, "host_key.pub"), encoding="ascii") as file:
        write(os.path.join(place, "known"), "[127.0.0.1]:2222 " + file.read())
    write(os.path.join(place, "sshd_config"), SSHD.format(place=place))
    write(os.path.join(place, "ssh"), CLIENT.format(place=place), 0o755)
    os.symlink(PANETOP, os.path.join(place, "panetop"))
    return place


@test
def really():
    """through a real ssh: tables of the host, an unknown key is one sentence"""
    sshd = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not sshd or not os.path.exists("/usr/bin/ssh"):
        raise Skip("no sshd here; openssh-server has it")
    inside = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        raise Skip("no network namespace is possible here")
    place = real_place()
    checked = subprocess.run([sshd, "-t", "-f", os.path.join(place, "sshd_config")], capture_output=True, encoding="utf-8", check=False)
    try:
        if checked.returncode:
            raise Skip("sshd: " + checked.stderr.strip().splitlines()[-1])
        script = f'"{sshd}" -f {place}/sshd_config -D -e 2>{place}/log & server=$!; until grep -q listening {place}/log; do sleep 0.1; done; ' \
                 'status=0; "$@" || status=$?; kill $server; wait; exit $status'
        source = f"--source=ssh:ssh://{getpass.getuser()}@127.0.0.1:2222"
        command = [*inside, "sh", "-c", script, "sh", PANETOP, DELAY]
        environment = dict(os.environ, PATH=place + ":" + os.environ["PATH"])
        result = subprocess.run([*command, "-ojson", "-n2", "-tmemory", source], env=environment, capture_output=True, encoding="utf-8",
                                check=False, timeout=PATIENCE)
        same(result.returncode, 0, "status " + result.stderr)
        same(json.loads(result.stdout.splitlines()[-1])["host"], socket.gethostname(), "host")
        write(os.path.join(place, "known"), "")
        result = subprocess.run([*command, "-b", source], env=environment, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)
        says(result, 1, "no connection: Host key verification failed.")
    finally:
        shutil.rmtree(place)


@test
def nothing_comes():
    """a host that never answers ends a run that has no other"""
    out, err = silent.communicate(timeout=PATIENCE)
    same((silent.returncode, out), (1, ""), "status and output")
    if "silent: no answer for 20 s" not in err:
        raise AssertionError(err)


@test
def nobody_is_left():
    """no ssh outlives its panetop"""
    same(fake.living(), [], "processes")


fake.close()
end()
