# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules: what fires, how often, and with which command; what a rule costs that does not hold; files of rules."""
import contextlib
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

from ordinary_user import NET_ADMIN, SYS_PTRACE, has_capability
from tap import PATIENCE, Skip, end, same, test, until

PANETOP = os.environ["PANETOP"]
HERE = tempfile.mkdtemp(prefix="panetop-watch-")
ROOT = os.geteuid() == 0


@contextlib.contextmanager
def watching(*arguments, before=(), **more):
    """A panetop that has begun to watch: it waits for events. Ended by SIGTERM, with status 0."""
    with tempfile.TemporaryFile(mode="w+", encoding="utf-8") as errors, \
            subprocess.Popen([*before, PANETOP, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True,
                             **more) as process:
        process.errors = lambda: (errors.flush(), errors.seek(0), errors.read())[2]
        try:
            until(lambda: waits(process.pid) or process.poll() is not None, "it waits")
            if process.poll() is not None:
                raise AssertionError(process.errors())
            yield process
            process.send_signal(signal.SIGTERM)
            same(process.wait(PATIENCE), 0, "status after SIGTERM")
        finally:
            if process.poll() is None:
                process.kill()


def waits(pid):
    with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/wchan", encoding="ascii") as place:
        return "poll" in place.read()
    return False


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        return children.read().split()


def switches(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(next(line.split()[1] for line in status if line.startswith("voluntary")))


def refusal(*arguments):
    done = subprocess.run([PANETOP, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stderr


def refused(arguments, status, *words):
    code, text = refusal(*arguments)
    same(code, status, f"status of {arguments}: {text}")
    for word in words:
        if word not in text:
            raise AssertionError(f"{word!r} is not in {text!r}")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def program(name):
    """A program of this name that ends as it is told: "c7", or "s9" for a signal to itself."""
    path = os.path.join(HERE, name)
    if not os.path.exists(path):
        shutil.copy("/bin/sh", path)
    return path


ENDING = 'case $0 in c*) exit ${0#c} ;; s*) kill -${0#s} $$ ;; esac'


@contextlib.contextmanager
def firings(*rules, delay="0.2", before=()):
    """Rows of the topic watch as they come; a function that waits for so many of them and gives all."""
    arguments = ["-o", "json", "-d", delay, "-t", "watch"]
    for rule in rules:
        arguments += rule if isinstance(rule, list) else ["--when", rule]
    with watching(*arguments, before=before) as process:
        os.set_blocking(process.stdout.fileno(), False)
        text, rows = bytearray(), []

        def wanted(count, what):
            """At least as many; 0: those that are there."""
            last = time.monotonic() + PATIENCE
            while len(rows) < count or count == 0:
                if time.monotonic() > last:
                    raise AssertionError(f"{what}: {len(rows)} of {count} firings; {process.errors()}")
                if not select.select([process.stdout], [], [], min(count, 1))[0]:
                    if count == 0:
                        break
                    continue
                text.extend(os.read(process.stdout.fileno(), 1 << 20) or b"")
                *lines, rest = bytes(text).split(b"\n")
                text[:] = rest
                for line in lines:
                    rows.extend(json.loads(line)["tables"].get("watch", []))
            return rows
        wanted.process = process
        yield wanted


@contextlib.contextmanager
def load():
    loops = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(4 * os.cpu_count())]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@test
def what_is_wrong():
    """what is wrong with a rule, a command or a place of rules is one sentence"""
    refused(["--when", "nothing.at_all > 1"], 2, "--when", "unknown topic 'nothing'")
    refused(["--when", "memory(mem).used_byte > 1"], 2, "did you mean used_bytes?")
    refused(["--when", "system.load1"], 2, "must follow")
    refused(["--when", "system.load1 > 1 for ever"], 2, "a duration must follow")
    refused(["--when", "system.load1 > 1 and more"], 2, "unexpected 'and more'")
    refused(["--when", "process(command=x).exits for 3s"], 2, "has no duration")
    refused(["--when", "system.load1 > 1", "--run", "'open"], 2, "quotes are closed")
    refused(["--when", "process(command=x).starts until system.load1 > 1"], 2, "has no duration")
    refused(["--when", "process(command=x).exits"] * 129, 1, "at most 128 rules")
    refused(["--when", "process(command=x).starts"] * 129, 1, "at most 128 rules")
    refused(["--when", "file(path=etc).changes"], 2, "expected a whole path")
    refused(["--when", "file(path=/etc/hosts).changes for 1min"], 2, "has no duration")
    refused(["--when", "file(path=/nosuch/hosts).changes"], 1, "cannot be watched: No such file or directory")
    for option in ("-n3", "--root=/", "-tmemory", "-ojson", "--replay=x", "--listen=9", "--record=x"):
        refused(["watch", option], 2, "cannot be combined with watch")
    refused(["--when", "system.load1 > 1", "-n3"], 2, "--count: cannot be combined with --when")
    refused(["--run", "/bin/true"], 2, "--run")
    refused(["watch", "/none"], 1, "/none: No such file")
    refused(["watch", HERE, HERE], 2, "one directory")


@test
def ends_with_their_codes():
    """each of 600 ends fires once, with its exit code or signal"""
    if not has_capability(NET_ADMIN):
        raise Skip("exit records are for root")
    name = "ends-here"
    wanted = [f"c{i % 256}" for i in range(500)] + [f"s{(6, 9, 11, 15)[i % 4]}" for i in range(100)]
    with firings(f"process(command={name}).exits at most once per 0s") as fired:
        started = {}
        for index in range(0, len(wanted), 20):
            group = [subprocess.Popen([program(name), "-c", ENDING, how]) for how in wanted[index:index + 20]]
            for how, process in zip(wanted[index:], group):
                started[process.pid] = how
                process.wait()
        rows = fired(len(wanted), "ends")
    same(len(rows), len(wanted), "firings")
    same(len({row["pid"] for row in rows}), len(wanted), "processes")
    for row in rows:
        how = started[row["pid"]]
        found = f"c{row['exit_code']}" if row["signal"] is None else f"s{row['signal']}"
        same(found, how, f"end of {row['pid']}")
        same(row["subject"], f"{name} {row['pid']}", "subject")


@test
def ends_without_rights():
    """without exit records, the ends of processes that lived before are seen, and what is missed is named"""
    user = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if ROOT else []
    copy = os.path.join(HERE, "panetop")
    if ROOT:
        os.chmod(HERE, 0o755)
        shutil.copy(os.path.realpath(PANETOP), copy)
    if ROOT and subprocess.run([*user, copy, "--version"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise Skip("an ordinary user cannot run a program here")
    name = "lives-here"
    zombie = subprocess.Popen([program(name), "-c", "exit 3"])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    living = [subprocess.Popen([program(name), "-c", "read line; exit 3"], stdin=subprocess.PIPE) for _ in range(50)]
    errors = os.path.join(HERE, "errors")
    with open(errors, "w", encoding="utf-8") as file, \
            subprocess.Popen([*user, copy if ROOT else PANETOP, "-o", "json", "-d", "0.2", "-t", "watch", "--when",
                              f"process(command={name}).exits at most once per 0s"], stdout=subprocess.PIPE, stderr=file, text=True) as process:
        process.stdout.readline()
        rows = []

        def read(count, more=0):
            """Until so many fired, and some samples more."""
            while len(rows) < count or (more := more - 1) >= 0:
                rows.extend(json.loads(process.stdout.readline())["tables"]["watch"])
        for one in living:
            one.stdin.close()
        read(len(living), 5)  # they are zombies
        for one in [*living, zombie]:
            one.wait()
        read(len(living), 3)
        process.terminate()
    with open(errors, encoding="utf-8") as file:
        text = file.read()
    if "those that live shorter are missed" not in text:
        raise AssertionError(text)
    same(sorted(row["pid"] for row in rows), sorted(one.pid for one in living), "processes")
    same({row["exit_code"] for row in rows} <= {3, None}, True, "exit codes")


NO_PERF = ["/usr/bin/setpriv", "--bounding-set=-perfmon,-sys_admin"]


@contextlib.contextmanager
def waiting(name, count, enter=()):
    """Programs of this name, which have begun and wait; ended at the end. The kernel reports a start after Popen() has returned."""
    programs = [subprocess.Popen([*enter, program(name), "-c", "echo; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                for _ in range(count)]
    try:
        for one in programs:
            one.stdout.readline()
        yield programs
    finally:
        for one in programs:
            one.stdin.close()
            one.stdout.close()
            one.wait()


def starts_are_named(before):
    name, pids = "starts-here", []
    with waiting(name, 5), firings(f"process(command={name}).starts at most once per 0s", before=before) as fired:
        for round_ in range(5):
            # the second program of a process has the name
            with waiting(name, 20, ["/usr/bin/env"] if round_ % 2 else []) as programs, waiting("starts-there", 20):
                pids += [one.pid for one in programs]
                rows = fired(len(pids), "starts")
        rows = fired(0, "more")
    same(sorted(row["pid"] for row in rows), sorted(pids), "processes")
    same({row["subject"] for row in rows}, {f"{name} {pid}" for pid in pids}, "subjects")
    same({(row["exit_code"], row["signal"]) for row in rows}, {(None, None)}, "ends")


@test
def starts_of_programs():
    """each of 100 starts fires once, also of a process that ran another program, and starts of other programs fire nothing"""
    starts_are_named([])


@test
def starts_by_the_connector():
    """the same where the kernel reports starts without a name"""
    if not ROOT:
        raise Skip("only root has rights to give up")
    starts_are_named(NO_PERF)


ONE_PID = """
import subprocess, sys
for _ in range(50):
    with open("/proc/sys/kernel/ns_last_pid", "w") as last:
        last.write("4710")
    subprocess.run([sys.argv[1], "-c", "exit 0"], check=True)
"""


@test
def starts_with_one_pid():
    """50 programs that end at once and have the same PID are 50 starts"""
    unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if not ROOT or not os.path.exists("/proc/sys/kernel/ns_last_pid") or \
            subprocess.run([*unshare, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        raise Skip("PIDs cannot be chosen here")
    name = "again-here"
    with subprocess.Popen([*unshare, PANETOP, "-o", "json", "-d", "0.2", "-t", "watch", "--when",
                           f"process(command={name}).starts at most once per 0s"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True) as process:
        try:
            until(lambda: children_of(process.pid), "it begins")
            inside = children_of(process.pid)[0]
            until(lambda: waits(inside), "it waits")
            subprocess.run(["nsenter", "--pid", "-t", inside, sys.executable, "-c", ONE_PID, program(name)], check=True)
            rows, last = [], time.monotonic() + PATIENCE
            while len(rows) < 50 and time.monotonic() < last:
                rows += json.loads(process.stdout.readline())["tables"].get("watch", [])
            os.kill(int(inside), signal.SIGTERM)
            for line in process.stdout:
                rows += json.loads(line)["tables"].get("watch", [])
        finally:
            process.kill()
    same([row["pid"] for row in rows], 50 * [4711], "PIDs")


@test
def changes_of_files():
    """a file fires when it is written, replaced and removed, not when it is read or another one is written"""
    place = os.path.join(HERE, "changes")
    os.mkdir(place)
    path, other = os.path.join(place, "watched"), os.path.join(place, "other")
    for name in path, other:
        with open(name, "w", encoding="utf-8") as file:
            file.write("before\n")
    always = "at most once per 0s"
    with firings(f"file(path={path}).changes {always}", f"file(path={place}/later).changes {always}") as fired:
        with open(path, encoding="utf-8") as file:
            file.read()
        with open(other, "a", encoding="utf-8") as file:
            file.write("more\n")
        for n in range(1, 4):
            with open(path, "a", encoding="utf-8") as file:
                file.write("more\n")
            fired(n, "writes")
        os.rename(other, path)
        fired(4, "a replacement")
        with open(path, "a", encoding="utf-8") as file:  # the new one
            file.write("more\n")
        fired(5, "a write of what has replaced it")
        os.remove(path)
        fired(6, "a removal")
        os.mkdir(os.path.join(place, "later"))
        fired(7, "what was not there")
        rows = fired(0, "more")
    same([row["subject"] for row in rows], 6 * [path] + [os.path.join(place, "later")], "subjects")


@test
def changes_in_a_directory():
    """a directory fires for what is in it; one that is removed is reported"""
    place = os.path.join(HERE, "directory")
    os.mkdir(place)
    with firings(f"file(path={place}).changes at most once per 0s") as fired:
        os.mkdir(os.path.join(place, "in"))
        fired(1, "a directory in it")
        os.rmdir(os.path.join(place, "in"))
        fired(2, "without it")
        os.rmdir(place)
        fired(3, "itself")
        same("are lost" in fired.process.errors(), True, fired.process.errors())


@test
def starts_that_are_looked_for():
    """where the kernel reports no starts, new processes are looked for, and what is missed is named"""
    unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *(NO_PERF if ROOT else [])]
    if subprocess.run([*unshare, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        raise Skip("no PID namespace can be made here")
    name, marker = "starts-inside", os.path.join(HERE, "started")
    rule = ["--when", f"process(command={name}).starts", "--run", f"/bin/sh -c 'echo $PANETOP_SUBJECT >>{marker}'"]
    with tempfile.TemporaryFile(mode="w+", encoding="utf-8") as errors, \
            subprocess.Popen([*unshare, PANETOP, "-d", "0.2", *rule], stdin=subprocess.DEVNULL, stderr=errors) as process:
        try:
            until(lambda: children_of(process.pid), "it begins")
            inside = children_of(process.pid)[0]
            until(lambda: waits(inside), "it waits")
            with waiting(name, 3, ["nsenter", "--pid", "-t", inside]):
                until(lambda: os.path.exists(marker) and len(lines_of(marker)) == 3, "three starts")
        finally:
            process.kill()
        process.wait()
        errors.seek(0)
        text = errors.read()
    same(text.count("forks count"), 1, text)
    same({line.split()[0] for line in lines_of(marker)}, {name}, "subjects")


@test
def nothing_wakes_it():
    """rules on ends wait in the kernel: other processes that end wake nothing up"""
    if not has_capability(NET_ADMIN):
        raise Skip("exit records are for root")
    marker = os.path.join(HERE, "ended")
    with watching("--when", "process(command=ends-here).exits", "--run", f"/bin/touch {marker}") as process:
        before = switches(process.pid)
        for _ in range(200):
            subprocess.run(["/bin/true"], check=True)
        same(switches(process.pid), before, "times that it slept")
        subprocess.run([program("ends-here"), "-c", "exit 0"], check=True)
        until(lambda: os.path.exists(marker), "the command")


@test
def commands_get_what_fired():
    """a command gets rule, subject, value, PID, code, signal and time, and no shell reads it"""
    out = os.path.join(HERE, "out")
    rule = "system.cpus > 0"
    with watching("-d", "0.2", "--when", rule, "--run", f'/bin/sh -c "env >{out}.new; echo $0 >>{out}.new; mv {out}.new {out}" "a b" `no`'):
        until(lambda: os.path.exists(out), "the command")
    with open(out, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = dict(line.split("=", 1) for line in lines[:-1] if line.startswith("PANETOP_"))
    same(found["PANETOP_RULE"], rule, "rule")
    same(float(found["PANETOP_VALUE"]) >= 1, True, "value")
    same((found["PANETOP_PID"], found["PANETOP_EXIT_CODE"], found["PANETOP_SIGNAL"]), ("", "", ""), "of a process")
    same(found["PANETOP_TIME"].endswith("Z"), True, "time")
    same(lines[-1], "a b", "its own arguments")


@test
def no_capability_reaches_a_command():
    """no capability of panetop reaches a command, and a program file that gives rights is refused"""
    if not ROOT or not has_capability(NET_ADMIN):
        raise Skip("only root with all capabilities can give them")
    copy, out = os.path.join(HERE, "lent"), os.path.join(HERE, "capabilities")
    user = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    os.chmod(HERE, 0o777)
    shutil.copy(os.path.realpath(PANETOP), copy)
    rule = ["-d", "0.2", "--when", "system.cpus > 0", "--run", f"/bin/sh -c 'cat /proc/self/status >{out}.new; mv {out}.new {out}'"]
    with subprocess.Popen([*user, "--inh-caps=+net_admin", "--ambient-caps=+net_admin", copy, *rule], stdin=subprocess.DEVNULL) as process:
        until(lambda: os.path.exists(out) or process.poll() is not None, "the command")
        process.terminate()
    with open(out, encoding="ascii") as file:
        sets = dict(line.split(":\t") for line in file.read().splitlines() if line.startswith("Cap"))
    same([int(sets[name], 16) for name in ("CapPrm", "CapEff", "CapAmb")], [0, 0, 0], "capabilities")
    subprocess.run(["setcap", "cap_net_admin+p", copy], check=True)
    done = subprocess.run([*user, copy, *rule], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
    same((done.returncode, "has rights that its user has not" in done.stderr), (1, True), done.stderr)


@test
def what_becomes_of_commands():
    """each firing is a row with the status of its command, or none"""
    rules = [["--when", "system.cpus > 0", "--run", "/bin/sh -c 'exit 7'"], ["--when", "system.cpus > 0", "--run", "/bin/sh -c 'kill -9 $$'"],
             ["--when", "system.cpus > 0", "--run", "/nothing/here"], ["--when", "system.cpus > 0"]]
    with firings(*rules) as fired:
        rows = fired(4, "commands")
        same("/nothing/here: No such file" in fired.process.errors(), True, "message")
    same(sorted(str(row["command_status"]) for row in rows), ["127", "137", "7", "None"], "status")


AWKWARD = {
    "leaves its group": "os.setpgid(0, os.getpgid(os.getppid()))",
    "leaves its session": "os.setpgid(0, os.getpgid(os.getppid())); os.setsid()",
    "ignores signals": "[signal.signal(number, signal.SIG_IGN) for number in (1, 2, 3, 13, 15)]",
    "is stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
    "has a grandchild in a session of its own": "os.fork() or (begun(), os.setsid(), signal.pause())",
    "has a grandchild that ignores signals": "os.fork() or ([signal.signal(number, signal.SIG_IGN) for number in (1, 2, 15)], begun(), signal.pause())",
    "goes on without a parent": "os.fork() and os._exit(0); os.setsid()",
    "is held by a debugger": "held()",
}
AWKWARD_PROGRAM = """
import ctypes, os, signal, sys
def held():  # traced by a child that never looks
    c, process, (ready, told) = ctypes.CDLL(None), os.getpid(), os.pipe()
    c.prctl(0x59616d61, ctypes.c_ulong(-1))
    if os.fork() == 0:
        os.setsid()
        if c.ptrace(0x4206, process, None, None):
            os._exit(1)
        begun()
        os.write(told, b"1")
        signal.pause()
    os.close(told)
    os.read(ready, 1) or os._exit(0)
def begun():
    with open(sys.argv[2], "a") as file:
        print(os.getpid(), file=file)
begun()
exec(sys.argv[1])
os.rename(sys.argv[2], sys.argv[2] + ".ready") if os.path.exists(sys.argv[2]) else None
begun()
signal.pause()
"""


def ends_beside(name, code):
    """What panetop prints when it ends while such a command runs, and the seconds that this takes."""
    place = os.path.join(HERE, "awkward")
    with open(place + ".py", "w", encoding="utf-8") as file:
        file.write(AWKWARD_PROGRAM)
    command = f"{sys.executable} {place}.py '{code}' {place}"
    try:
        with watching("-d", "0.2", "--when", "system.cpus > 0", "--run", command) as process:
            if "SIGSTOP" in code:
                until(lambda: os.path.exists(place) and [state_of(pid) for pid in lines_of(place)[:1]] == ["T"], name)
            else:
                until(lambda: os.path.exists(place + ".ready") and os.path.exists(place), name)
            begun = time.monotonic()
            process.send_signal(signal.SIGTERM)
            same(process.wait(PATIENCE), 0, f"status beside a command that {name}")
            seconds = time.monotonic() - begun
            return process.errors(), seconds
    finally:
        for path in (place, place + ".ready"):
            for pid in lines_of(path) if os.path.exists(path) else []:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def may_be_traced():
    """May a process that was named trace another one? Root's command gained capabilities as it began; yama forbids it others."""
    if ROOT:
        return has_capability(SYS_PTRACE)
    with contextlib.suppress(FileNotFoundError), open("/proc/sys/kernel/yama/ptrace_scope", encoding="ascii") as scope:
        return int(scope.read()) < 2
    return True


@test
def no_command_keeps_it():
    """whatever its command does, panetop ends soon, and counts what it left behind"""
    for name, code in AWKWARD.items():
        if code == "held()" and not may_be_traced():
            continue
        text, seconds = ends_beside(name, code)
        same("left behind" in text, name == "is held by a debugger", f"left behind where it {name}: {text}")
        if seconds > 5:  # it may take 2 on an idle machine
            raise AssertionError(f"a command that {name} kept it for {seconds:.1f} s")


HUNG_MOUNT = os.path.join(os.path.dirname(os.path.abspath(PANETOP)), "tests", "hung_mount")
BESIDE_A_HUNG_COMMAND = """
import os, subprocess, sys
place = sys.argv[1]
watch = subprocess.Popen([os.environ["PANETOP"], "-d", "0.2", "--when", "system.cpus > 0", "--run", f"{place}/file", "--when",
                          "system.cpus > 0", "--run", f"/bin/sh -c 'touch {place}.ran'"], stderr=open(f"{place}.errors", "w"))
while not os.path.exists(f"{place}.ran"):
    if watch.poll() is not None:
        sys.exit(1)
watch.terminate()
print(watch.wait(60), open(f"{place}.errors").read())
os.unlink(f"{place}.ran")
"""


@test
def programs_that_cannot_be_opened():
    """a command whose file does not answer holds up neither panetop nor another command"""
    if not os.path.exists(HUNG_MOUNT):
        raise Skip("no file system that hangs can be made")
    place = os.path.join(HERE, "hung")
    os.mkdir(place)
    for when in ("lookup", "open", "read"):
        done = subprocess.run([HUNG_MOUNT, f"--hang={when}", place, "/bin/true", sys.executable, "-c", BESIDE_A_HUNG_COMMAND, place],
                              stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
        if done.returncode == 77:
            raise Skip("file systems cannot be mounted here")
        same((done.returncode, done.stdout.strip()), (0, "0 panetop: --run: 1 command does not end and is left behind"), when)


@test
def rows_are_named():
    """a row is named by its name and the keys that people know"""
    with subprocess.Popen([program("named-here"), "-c", "read line"], stdin=subprocess.PIPE) as child, \
            firings(f"process(pid={child.pid}).threads > 0") as fired:
        row = fired(1, "a process")[0]
        child.stdin.close()
    same((row["subject"], row["pid"], row["value"]), (f"named-here {child.pid}", child.pid, 1), "subject, PID and value")


@test
def too_many_are_counted():
    """ends that a limit drops are counted, and the last one fires when there is room"""
    if not has_capability(NET_ADMIN):
        raise Skip("exit records are for root")
    name, ended = "many-here", 0
    with firings(f"process(command={name}).exits at most once per 2s") as fired:
        last = time.monotonic() + PATIENCE
        while len(fired(0, "any")) < 3 and time.monotonic() < last:
            with subprocess.Popen([program(name), "-c", "exit 0"]) as newest:
                newest.wait()
            ended += 1
        rows = fired(3, "firings")
        while (counted := sum(row["dropped"] for row in rows) + len(rows)) < ended:
            rows = fired(len(rows) + 1, f"the last one: {counted} of {ended}")
    same(rows[0]["dropped"], 0, "dropped before the first")
    same(rows[1]["dropped"] > 0, True, "some dropped before the second")
    same((counted, rows[-1]["pid"]), (ended, newest.pid), "fired or dropped, and the last one")


@test
def findings_fire():
    """a finding of the overview fires a rule, with its sentence"""
    with firings("finding(rule=cpu_busy) for 0s", "finding(severity=note)") as fired, load():
        rows = fired(1, "a finding")
    same(any(": " in row["subject"] for row in rows), True, f"sentence in {rows}")


@test
def pressure_wakes_it():
    """tasks that wait for a CPU trigger a rule of the kernel; before, it sleeps"""
    if not os.path.exists("/proc/pressure/cpu"):
        raise Skip("the kernel counts no pressure")
    marker = os.path.join(HERE, "stalled")
    with watching("-d", "0.5", "--when", "pressure(cpu,some).stalled_ratio > 60% for 2s", "--run", f"/bin/touch {marker}"), load():
        until(lambda: os.path.exists(marker), "the trigger")


def removed(group):
    with contextlib.suppress(OSError):
        os.rmdir(group)
    return not os.path.exists(group)


def sleeps(pid):
    """Not woken up for a second."""
    before = switches(pid)
    time.sleep(1)
    return switches(pid) == before


def memory_group():
    """A new group of version 1 or 2 that may use 24 MiB, and its path below the mount."""
    name = f"panetop-test-watch-{os.getpid()}"
    for place, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        with contextlib.suppress(OSError):
            os.mkdir(f"{place}/{name}")
            try:
                with open(f"{place}/{name}/{limit}", "w", encoding="ascii") as file:
                    file.write(str(24 << 20))
                return f"{place}/{name}", f"/{name}"
            except OSError:
                os.rmdir(f"{place}/{name}")
    raise Skip("no memory group can be made here")


@test
def kills_wake_it():
    """a kill in a group that runs out of memory fires; before, nothing is sampled"""
    group, path = memory_group()
    marker = os.path.join(HERE, "killed")
    hog = f"echo $$ >{group}/cgroup.procs && exec /usr/bin/python3 -c 'x = bytearray(200 << 20)'"
    try:
        with watching("-d", "0.2", "--when", f"group(path={path}).oom_kills", "--run", f"/bin/sh -c 'echo $PANETOP_VALUE >>{marker}'") as process:
            until(lambda: sleeps(process.pid), "it sleeps")
            for count in (1, 2):
                subprocess.run(["/bin/sh", "-c", hog], stderr=subprocess.DEVNULL, check=False)
                until(lambda wanted=count: os.path.exists(marker) and len(lines_of(marker)) == wanted, f"kill {count}")
            same(set(lines_of(marker)), {"1"}, "kills")
    finally:
        until(lambda: removed(group), "the group is empty")


@test
def minutes_before_are_saved():
    """--save-on-fire writes what was sampled before a rule fired, for its owner alone"""
    place = os.path.join(HERE, "saved")
    os.mkdir(place)
    with watching("-d", "0.2", "--when", "process(command=saved-here).exits" if has_capability(NET_ADMIN) else "system.cpus > 0 for 4s", f"--save-on-fire={place}"):
        time.sleep(4)  # some samples, also on a busy machine
        subprocess.run([program("saved-here"), "-c", "exit 0"], check=True)
        until(lambda: any(name.endswith(".recording") for name in os.listdir(place)), "a recording")
    for name in os.listdir(place):
        path = os.path.join(place, name)
        same(stat.S_IMODE(os.stat(path).st_mode), 0o600, "its mode")
        done = subprocess.run([PANETOP, "--replay", path, "-o", "json", "-t", "cpu"], capture_output=True, text=True, check=True)
        same(len(done.stdout.splitlines()) >= 2, True, "samples before it fired")
    refused(["-b", "--when", "system.load1 > 1", "--save-on-fire=" + place, "memory"], 2, "for rules without a pane")
    refused(["--when", "system.load1 > 1", "--past=0", "--save-on-fire=" + place], 1, "needs a past")


@test
def a_service_manager_hears():
    """a service manager hears when it is ready, and when it ends"""
    place = os.path.join(HERE, "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(place)
        manager.settimeout(PATIENCE)
        with watching("--when", "system.load1 > 1e9", env={**os.environ, "NOTIFY_SOCKET": place}):
            same(manager.recv(100), b"READY=1", "first")
        same(manager.recv(100), b"STOPPING=1", "last")


def rule_file(directory, name, text, mode=0o644):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def is_safe(path):
    """Whether others can write neither it nor a directory above it."""
    way = [path, *(str(above) for above in pathlib.Path(path).parents)]
    return all(os.path.isdir(each) and not os.path.islink(each) and os.stat(each).st_uid in (0, os.geteuid())
               and not os.stat(each).st_mode & (stat.S_IWGRP | stat.S_IWOTH) for each in way)


@contextlib.contextmanager
def rule_directory():
    for home in ("/root", "/var/lib") if ROOT else (os.path.expanduser("~"),):
        if is_safe(home) and os.access(home, os.W_OK):
            break
    else:
        raise Skip("there is no directory that others cannot write")
    directory = tempfile.mkdtemp(prefix=".panetop-rules-", dir=home)
    try:
        yield directory
    finally:
        shutil.rmtree(directory)


@test
def files_of_rules():
    """rules of files are checked whole, with file and line; others may write none of them"""
    with rule_directory() as place:
        refused(["watch", place], 1, "there is no rule in it")
        good = rule_file(place, "a.rule", f"# a comment\n\nwhen = system.cpus > 0\nrun = /bin/touch {HERE}/of-file\n")
        rule_file(place, "ignored.txt", "nonsense\n")
        with watching("watch", "-d", "0.2", place):
            until(lambda: os.path.exists(HERE + "/of-file"), "the command")
        rule_file(place, "b.rule", "when = system.load1 > 1\nnonsense\nrun = x\nwhen = memory.no > 3\n")
        refused(["watch", place], 2, "b.rule, line 2: expected", "b.rule, line 4: unknown column")
        os.remove(place + "/b.rule")
        os.chmod(good, 0o664)
        refused(["watch", place], 1, good, "others can write it")
        os.chmod(good, 0o644)
        os.chmod(place, 0o777)
        refused(["watch", place], 1, place, "others can write it")
        os.chmod(place, 0o755)
        os.rename(good, place + "/real")
        os.symlink(place + "/real", good)
        refused(["watch", place], 1, good, "not followed")
        os.remove(good)
        os.mkfifo(good)
        refused(["watch", place], 1, good)
        os.symlink(place, place + "-link")
        refused(["watch", place + "-link"], 1, "not followed")
        os.remove(place + "-link")
    below = os.path.join(HERE, "others", "below")
    os.makedirs(below)
    os.chmod(os.path.dirname(below), 0o777)
    refused(["watch", below], 1, "others can write it, or a directory above it")


try:
    end()
finally:
    shutil.rmtree(HERE)
