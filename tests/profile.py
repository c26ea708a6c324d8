# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles of programs whose shares are known: they report themselves how much they did in each function."""
import collections
import contextlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pprof_message
from ordinary_user import NOBODY, SYS_PTRACE, has_capability, names_remedy, ordinary_copy
from tap import Skip, end, same, test

PANETOP = os.environ["PANETOP"]
PATIENCE = 60
SAMPLES, FRAMES_MAX = 200, 100  # of which shares are made; a busy machine gives few at a time
LIFE = "1000"  # seconds
BUILD = os.path.dirname(os.path.abspath(PANETOP))
WORK, PLAIN, STATIC = (os.path.join(BUILD, "tests", name) for name in ("profile_work", "profile_work_plain", "profile_work_static"))
HERE = tempfile.mkdtemp(prefix="panetop-profile-")
ROOT = os.geteuid() == 0
FUNCTIONS = ("work_f", "work_g", "work_h")


def profiled(command, *options, program=PANETOP, enter=()):
    """The tables of some samples of the command while it runs, until there are enough of its code, and their notices."""
    tables = [word for table in ("profile", "profile_stack", "profile_call", "profile_caller", "profile_line", "profile_cost") for word in ("-t", table)]
    frames, notices, total = [], [], 0
    with subprocess.Popen([*enter, *command], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as work, \
            subprocess.Popen([*enter, program, "-o", "json", "-d", "2", f"--in=tree={work.pid}", *options, *tables], stdout=subprocess.PIPE,
                             text=True) as run:
        try:
            while total < SAMPLES and len(frames) < FRAMES_MAX:
                sample = json.loads(run.stdout.readline())
                frames.append(sample["tables"])
                notices.append(sample["notices"])
                total += sample["tables"]["profile_cost"][0]["samples"] or 0  # None: not known yet
        finally:
            run.kill()
            work.kill()
    return frames, json.dumps(notices)


def totals_of(frame):
    """The samples in which each function has a frame."""
    samples = frame["profile_cost"][0]["samples"] or 0
    return collections.Counter({row["function"]: round(row["total_ratio"] * samples) for row in frame["profile"]})


def shares_of(frames, names):
    """Of the samples of both intervals: of each function itself; how many; and how many begin where a program does."""
    samples = dict.fromkeys(names, 0)
    total = whole = 0
    for frame in frames:
        for row in frame["profile"]:
            if row["function"] in samples:
                samples[row["function"]] += row["samples"]
        for row in frame["profile_stack"]:
            total += row["samples"]
            whole += row["samples"] * row["stack"].startswith("_start;")
    return {name: count / max(total, 1) for name, count in samples.items()}, total, whole


def check_shares(command, names=FUNCTIONS, whole=True, **more):
    """Within four standard errors, and a hundredth: farther off is one of ten thousand right ones."""
    frames, _ = profiled([*command, LIFE] if len(command) == 1 else command, **more)
    found, total, begun = shares_of(frames, names)
    if total < 100:
        raise AssertionError(f"only {total} samples")
    for name, share in zip(names, (0.5, 0.3, 0.2)):
        if abs(found[name] - share) > 4 * math.sqrt(share * (1 - share) / total) + 0.01:
            raise AssertionError(f"{name}: {found[name]:.3f} of {total} samples, expected {share}: {found}")
    if whole:
        same(begun >= 0.99 * total, True, f"{begun} of {total} stacks begin at _start")
    return frames


def cpu_seconds(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as stat:
        return int(stat.read().split()[0]) / 1e9


@contextlib.contextmanager
def changed(source, *command):
    """A copy of the program that the command has changed."""
    path = os.path.join(HERE, "changed_work")
    shutil.copy(source, path)
    if not shutil.which(command[0]):
        raise Skip(f"{command[0]} is not here")
    subprocess.run([*command, path], check=True)
    yield path
    os.remove(path)


@test
def known_shares():
    """functions have their shares, and all stacks begin where the program does"""
    frames = check_shares([WORK])
    totals = collections.Counter()
    for frame in [frame for frame in frames if frame["profile"]]:  # the first may be over before it samples
        same(abs(sum(row["self_ratio"] for row in frame["profile"]) - 1) < 1e-6, True, "the sum of self")
        totals += totals_of(frame)
    samples = sum(frame["profile_cost"][0]["samples"] or 0 for frame in frames)
    same(totals["main"] > 0.98 * samples and totals["call_f"] >= totals["work_f"] * 0.99, True, f"totals: {totals}")


@test
def with_frame_pointers():
    """the same of a program that keeps frame pointers"""
    check_shares([PLAIN])


@test
def callers_and_tree():
    """who calls whom, and the tree of calls, have the same numbers"""
    frames, _ = profiled([WORK, LIFE])
    of_all = collections.Counter()
    for frame in frames:
        pairs = {(row["caller"], row["function"]): row["samples"] for row in frame["profile_caller"]}
        totals = totals_of(frame)
        of_all += totals
        for letter in "fgh":
            same(pairs.get((f"call_{letter}", f"work_{letter}"), 0), totals[f"work_{letter}"], f"calls of work_{letter}")
        tree = {row["stack"]: row for row in frame["profile_call"]}
        top = [row for row in tree.values() if not row["parent"]]
        same(sum(row["samples"] for row in top), frame["profile_cost"][0]["samples"] or 0, "the roots of the tree")
        for row in tree.values():
            same(not row["parent"] or row["parent"] in tree, True, f"the row above {row['stack']}")
    same([name for name in FUNCTIONS if not of_all[name]], [], "functions without samples")


def lines_of(function):
    """Where it is in its source."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "profile_work.c"), encoding="utf-8") as source:
        text = source.read().splitlines()
    first = next(number for number, line in enumerate(text, 1) if f"void {function}(" in line)
    return range(first, first + text[first - 1:].index("}") + 1)


@test
def lines():
    """where there are line tables, lines have the samples of their functions"""
    frames, _ = profiled([PLAIN, LIFE])
    same(frames[-1]["profile_cost"][0]["event"] in ("cycles", "cpu-clock"), True, frames[-1]["profile_cost"])
    for name in FUNCTIONS:
        rows = [row for frame in frames for row in frame["profile_line"] if row["function"] == name]
        of_function = sum(row["samples"] for frame in frames for row in frame["profile"] if row["function"] == name)
        same(sum(row["samples"] for row in rows), of_function, f"samples of lines of {name}")
        for row in rows:
            same((os.path.basename(row["source"]), row["line"] in lines_of(name)), ("profile_work.c", True), f"a line of {name}: {row}")


@test
def no_lines():
    """where there are none, no line is made up"""
    frames, _ = profiled([WORK, LIFE])
    same([row for frame in frames for row in frame["profile_line"] if row["function"].startswith("work_")], [], "lines")


@test
def wall_time():
    """running code, waiting for a CPU and waits are all time of all threads"""
    with subprocess.Popen(["sh", "-c", f'"{WORK}" {LIFE} >/dev/null & sleep {LIFE} & wait'], start_new_session=True) as shell:
        tables = [word for table in ("wall_time", "waiting", "profile") for word in ("-t", table)]
        done = subprocess.run([PANETOP, "-o", "json", "-n", "3", "-d", "2", f"--in=tree={shell.pid}", *tables], stdout=subprocess.PIPE, text=True,
                              timeout=PATIENCE, check=True)
        os.killpg(shell.pid, signal.SIGKILL)
    found = json.loads(done.stdout.splitlines()[-1])["tables"]
    for name in "running", "sleep", "child":
        both = [sum(row["seconds"] for row in found[table] if row["cause"] == name) for table in ("wall_time", "waiting")]
        same(abs(both[0] - both[1]) < 1e-6, True, f"{name}: {both}")
    same(abs(sum(row["ratio"] for row in found["wall_time"]) - 1) < 1e-6, True, "the sum of all")
    running = {row["function"]: row["ratio"] for row in found["wall_time"] if row["cause"] == "running"}
    own = {row["function"]: row["self_ratio"] for row in found["profile"] if row["samples"] > 0}
    for name in FUNCTIONS:  # one without a sample is in neither
        same(abs(running.get(name, 0) - own.get(name, 0) * sum(running.values())) < 1e-6, True, f"{name}: {running} {own}")


def rates():
    """a rate is that of samples in a second of CPU time"""
    for rate in 97, 499:
        with subprocess.Popen([WORK, LIFE], stdout=subprocess.DEVNULL) as work, \
                subprocess.Popen([PANETOP, "-o", "json", "-n", "60", "-d", "1", f"--rate={rate}", f"--in=tree={work.pid}", "-t", "process",
                                  "-t", "profile_cost"], stdout=subprocess.PIPE, text=True) as run:
            first, samples, lost, used = None, 0, 0, 0
            while used < 2 and (line := run.stdout.readline()):  # both as of the same sample, however late it is
                tables = json.loads(line)["tables"]
                seconds = next(row["cpu_seconds"] for row in tables["process"] if row["pid"] == work.pid)
                if first is None:
                    first = seconds
                else:
                    samples += tables["profile_cost"][0]["samples"] or 0
                    lost += tables["profile_cost"][0]["lost"] or 0  # of other processes, too
                    used = seconds - first
            run.kill()
            work.kill()
        same(0.7 * rate * used - lost < samples < 1.3 * rate * used, True,
             f"{samples} samples and {lost} lost ones in {used} s of CPU time at {rate}")


if os.environ.get("TEST_PART") == "tolerance":  # for bench/run tolerances: the helper may wait for a CPU
    test(rates)


@test
def folded():
    """folded stacks have the same stacks, one a line"""
    with subprocess.Popen([WORK, LIFE], stdout=subprocess.DEVNULL) as work:
        done = subprocess.run([PANETOP, "-o", "folded", "-n", "1", "-d", "2", f"--in=tree={work.pid}"], stdout=subprocess.PIPE, text=True,
                              timeout=PATIENCE, check=True)
        work.terminate()
    lines = done.stdout.splitlines()
    for line in lines:
        if not re.fullmatch(r"[^;]+(;[^;]+)* \d+", line):
            raise AssertionError(f"not a folded stack: {line!r}")
    same(any(";main;call_f;work_f " in line for line in lines), True, f"work_f in {lines[:5]}")


@test
def recorded():
    """a recording has the same stacks as folded ones and for pprof"""
    path = os.path.join(HERE, "recorded")
    with subprocess.Popen([WORK, LIFE], stdout=subprocess.DEVNULL) as work:
        subprocess.run([PANETOP, "--record=" + path, "-n", "2", "-d", "2", f"--in=tree={work.pid}", "profile"], timeout=PATIENCE, check=True)
        work.terminate()
    lines, data = (subprocess.run([PANETOP, "-o", form, "--replay=" + path], stdout=subprocess.PIPE, timeout=PATIENCE, check=True).stdout
                   for form in ("folded", "pprof"))
    expected, profile = pprof_message.folded(lines.decode()), pprof_message.Profile(data)
    same(profile.stacks(), expected, "stacks")
    same({file for stack, _ in profile.samples for function, file in stack if function in FUNCTIONS}, {os.path.basename(WORK)}, "files")
    same(sum(expected.values()) > 0 and 1.5e9 < profile.duration < 30e9, True, f"{profile.duration} ns")


@test
def stripped():
    """a stripped program has the names that it exports"""
    with changed(WORK, "strip", "--strip-all") as path:
        check_shares([path])


@test
def nameless():
    """functions without a name are their file and address, each one row"""
    with changed(PLAIN, "strip", "--strip-all") as path:
        frames, _ = profiled([path, LIFE])
    samples = collections.Counter()
    for frame in frames:
        samples.update({row["function"]: row["samples"] for row in frame["profile"] if row["function"].startswith("changed_work+0x")})
    of_three = sum(count for _, count in samples.most_common(3))
    same(len(samples) >= 3 and of_three > 0.8 * samples.total(), True, f"three functions: {samples.most_common(4)}")


@test
def in_a_root_of_its_own():
    """a program is read where it sees its file, in another root"""
    if not ROOT:
        raise Skip("only root can change its root")
    root = os.path.join(HERE, "root")
    os.makedirs(root + "/bin")
    shutil.copy(STATIC, root + "/bin/work")
    check_shares(["chroot", root, "/bin/work", LIFE])


@test
def made_at_run_time():
    """code that was made at run time has the names of its map"""
    made = ("made_f", "made_g", "made_h")
    if subprocess.run([WORK, "0", "jit"], stdout=subprocess.DEVNULL, check=False).returncode == 77:
        raise Skip("no code can be made here")
    frames = check_shares([WORK, LIFE, "jit"], made, whole=False)
    same({row["file"] for row in frames[-1]["profile"] if row["function"] in made}, {"(JIT)"}, "its file")
    for name in os.listdir("/tmp"):
        if re.fullmatch(r"perf-\d+\.map", name) and not os.path.exists(f"/proc/{name[5:-4]}"):
            os.remove(f"/tmp/{name}")


@test
def of_go():
    """stacks of Go begin where a goroutine does"""
    go = shutil.which("go", path=os.environ["PATH"] + ":/usr/local/go/bin")
    if not go:
        raise Skip("there is no go")
    path = os.path.join(HERE, "of_go")
    with open(path + ".go", "w", encoding="utf-8") as file:
        file.write("package main\n//go:noinline\nfunc work(n int) (sum int) {\nfor i := 0; i < n; i++ {\nsum += i * i\n}\nreturn\n}\n"
                   "func main() {\nsum := 0\nfor {\nsum += work(1000)\n}\n}\n")
    environment = {**os.environ, "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOCACHE": os.path.join(HERE, "cache")}
    built = subprocess.run([go, "build", "-o", path, path + ".go"], capture_output=True, text=True, check=False, env=environment)
    same(built.returncode, 0, built.stderr)
    frames, _ = profiled([path])
    stacks = [row["stack"].split(";") for row in frames[-1]["profile_stack"] if "main.work" in row["stack"]]
    same(stacks != [] and {stack[0].removesuffix(".abi0") for stack in stacks} == {"runtime.goexit"}, True, f"stacks: {stacks[:4]}")


@test
def hints():
    """a Python program without names has a hint, and a program of C none"""
    _, notices = profiled(["/usr/bin/python3", "-c", "import time\nend = time.time() + 1000\nwhile time.time() < end: sum(range(1000))"])
    same("-X perf" in notices, True, notices)
    _, notices = profiled([WORK, LIFE])
    same("-X perf" in notices, False, notices)


@test
def short_lives():
    """programs that live shorter than a look have their names"""
    script = f"while :; do {WORK} 0.05 >/dev/null; done"
    frames, _ = profiled(["sh", "-c", script])
    found, total, _ = shares_of(frames, FUNCTIONS)
    same(total > 100 and sum(found.values()) > 0.5, True, f"{found} of {total} samples")


@test
def as_an_ordinary_user():
    """an ordinary user sees own processes without the kernel, and which remedy there is"""
    with ordinary_copy(PANETOP) as copy, ordinary_copy(WORK) as work:
        frames, notices = profiled([work, LIFE], program=copy, enter=NOBODY if ROOT else ())
    found, total, begun = shares_of(frames, FUNCTIONS)
    same(total > 100 and sum(found.values()) > 0.98, True, f"{found} of {total} samples")
    same(begun >= 0.99 * total, True, "stacks begin at _start")
    same(any(row["file"] == "(kernel)" for frame in frames for row in frame["profile"]), False, "code of the kernel")
    same("only code of own processes" in notices and names_remedy(notices, "perf_event_paranoid"), True, notices)


@test
def a_replaced_program():
    """a program whose file is gone keeps its names, also for an ordinary user"""
    with ordinary_copy(PANETOP) as copy, ordinary_copy(WORK) as work:
        os.chmod(os.path.dirname(work), 0o777)
        script = f"(until grep -q profile_work /proc/$$/comm; do :; done; rm {work}) & exec {work} {LIFE}"
        frames, _ = profiled(["sh", "-c", script], program=copy, enter=NOBODY if ROOT else ())
        same(os.path.exists(work), False, "its file is there")
    found, total, begun = shares_of(frames, FUNCTIONS)
    same(total > 100 and sum(found.values()) > 0.9, True, f"{found} of {total} samples")
    same(begun >= 0.9 * total, True, "stacks begin at _start")


def unwinder(pid):
    """The process that unwinds, of this panetop."""
    for task in os.listdir(f"/proc/{pid}/task"):  # a thread has started it
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as children:
            for child in children.read().split():
                with contextlib.suppress(OSError), open(f"/proc/{child}/comm", encoding="ascii") as comm:
                    if comm.read() == "panetop-profile\n":
                        return int(child)
    return None


def awaited_unwinder(process, other=None):
    """Once it has given up its rights; frames go on meanwhile."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        process.stdout.readline()
        found = unwinder(process.pid)
        if found not in (None, other):
            with contextlib.suppress(OSError), open(f"/proc/{found}/status", encoding="ascii") as file:
                if "Seccomp:\t2" in file.read():
                    return found
    raise AssertionError("no process that unwinds")


def check_confined(process):
    first = awaited_unwinder(process)
    with open(f"/proc/{first}/status", encoding="ascii") as file:
        status = dict(line.split(":\t") for line in file.read().splitlines() if ":\t" in line)
    same((int(status["CapEff"], 16), int(status["CapPrm"], 16), status["NoNewPrivs"], status["Seccomp"]), (0, 0, "1", "2"), "its rights")
    if ROOT:
        kept = [""]
        while set(kept) - {"anon_inode", "socket"} and process.stdout.readline():  # it may be reading a file
            with contextlib.suppress(FileNotFoundError):
                kept = [os.readlink(f"/proc/{first}/fd/{name}").split(":[")[0] for name in os.listdir(f"/proc/{first}/fd")]
        same(set(kept), {"anon_inode", "socket"}, "its descriptors")
        same(kept.count("socket"), 1, "sockets")
    os.kill(first, signal.SIGSEGV)
    notices = []
    for _ in range(100):
        sample = json.loads(process.stdout.readline())
        notices = [notice for notice in sample["notices"] if "crashed" in json.dumps(notice)]
        if notices and sample["tables"]["profile"]:
            break
    same(len(notices), 1, "a notice of it")
    same(awaited_unwinder(process, first) != first, True, "another one goes on")


@test
def confined():
    """the process that unwinds has no capability and no file of panetop, and may crash"""
    if ROOT and not has_capability(SYS_PTRACE):
        raise Skip("its files take CAP_SYS_PTRACE")
    with subprocess.Popen([WORK, LIFE], stdout=subprocess.DEVNULL) as work, \
            subprocess.Popen([PANETOP, "-o", "json", "-d", "0.5", f"--in=tree={work.pid}", "-t", "profile", "profile"], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            check_confined(process)
        finally:
            process.kill()
            work.kill()


@test
def without_the_library():
    """without libdw the functions that run are there, and a notice that their callers are not"""
    found = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    library = re.search(r"libdw\.so\.1 .*=> (\S+)", found)
    hidden = ["unshare", "-m", "sh", "-c", 'mount --bind /dev/null "$0" && exec "$@"', library[1] if library else ""]
    if not ROOT or not library or subprocess.run([*hidden, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Skip("no library can be hidden here")
    launcher = os.path.join(HERE, "without")
    with open(launcher, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in [*hidden, PANETOP]) + ' "$@"\n')
    os.chmod(launcher, 0o755)
    frames, notices = profiled([WORK, LIFE], program=launcher)
    found, _, begun = shares_of(frames, FUNCTIONS)
    same(sum(found.values()) > 0.9 and begun == 0, True, f"{found}, {begun} whole")
    same("libdw is not installed" in notices, True, notices)


try:
    end()
finally:
    shutil.rmtree(HERE)
