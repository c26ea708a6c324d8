# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles for pprof: the stacks of a recording, as folded stacks and as a message, and what pprof itself reads."""
import os
import pty
import re
import shutil
import subprocess
import tempfile

from pprof_message import Profile, folded
from tap import Skip, end, same, test

PANETOP = os.environ["PANETOP"]
RECORDING = os.path.join(os.environ["RECORDINGS"], "memory.recording")
PATIENCE = 60
PATIENCE_OF_GO = 900  # it compiles pprof first
RATE = 97
HERE = tempfile.mkdtemp(prefix="panetop-pprof-")


def panetop(*arguments, status=0, text=False):
    done = subprocess.run([PANETOP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=text, timeout=PATIENCE, check=False)
    same(done.returncode, status, f"status of {arguments}: {done.stderr}")
    return done.stdout if status == 0 else done.stderr.decode()


def both(*arguments):
    """Samples by stack of the same samples in both formats."""
    profile = Profile(panetop("-o", "pprof", *arguments))
    return folded(panetop("-o", "folded", *arguments).decode()), profile


@test
def same_stacks():
    """a recording has the same stacks in both formats"""
    expected, profile = both("--replay=" + RECORDING)
    same(profile.stacks(), expected, "stacks")
    same(len(expected) >= 10 and sum(expected.values()) > 1000, True, f"there are stacks: {expected}")


@test
def one_message():
    """samples of several intervals are one message, in which each text and function is once"""
    _, profile = both("--replay=" + RECORDING)
    places = {place for stack, _ in profile.samples for place in stack}
    same(len(places), len(profile.locations), "locations that differ")
    same(len(profile.samples) > len(profile.stacks()), True, "a sample of a stack in each interval")


@test
def values():
    """samples have their count and the CPU time that they stand for"""
    _, profile = both("--replay=" + RECORDING)
    same(profile.types, [("samples", "count"), ("cpu", "nanoseconds")], "types")
    same(profile.period_type, ("cpu", "nanoseconds"), "type of the period")
    same(abs(profile.period - 1e9 / RATE) <= 1, True, f"period {profile.period}")
    for stack, (samples, nanoseconds) in profile.samples:
        same(abs(nanoseconds - samples * 1e9 / RATE) <= 1, True, f"time of {samples} samples of {stack[-1]}: {nanoseconds}")


@test
def times():
    """the profile begins with its first interval, and lasts until its last sample"""
    _, profile = both("--replay=" + RECORDING)
    _, one = both("--replay=" + RECORDING, "-n", "1", "--at=-0s")
    same(profile.duration > 0 and profile.time + profile.duration == one.time + (one.duration or 0), True,
         f"{profile.time} + {profile.duration}, the last sample {one.time} + {one.duration}")


@test
def files():
    """functions have the program or library that they are of"""
    _, profile = both("--replay=" + RECORDING)
    places = {place for stack, _ in profile.samples for place in stack}
    same({("intersect", "render"), ("malloc", "libc.so.6"), ("ExecScan", "postgres"), ("vfs_read", "(kernel)")} <= places, True, f"files: {places}")
    same({mapping["has_functions"][0] for mapping in profile.mappings.values()}, {1}, "mappings have functions")


@test
def filtered():
    """a filter leaves the rest out, in both formats"""
    expected, profile = both("--replay=" + RECORDING, "--filter=postgres", "-n", "1")
    same(profile.stacks(), expected, "stacks")
    same(len(expected) > 0 and all("postgres" in stack.lower() for stack in expected), True, f"only those: {expected}")


@test
def nothing():
    """a profile without samples is one, too"""
    _, profile = both("--replay=" + RECORDING, "--filter=no such function")
    same((profile.samples, profile.types), ([], [("samples", "count")]), "samples")


@test
def replaced():
    """with --write the file is the profile of the last sample alone"""
    path = os.path.join(HERE, "written")
    panetop("-o", "pprof", "--replay=" + RECORDING, "--write=" + path)
    with open(path, "rb") as file:
        profile = Profile(file.read())
    _, last = both("--replay=" + RECORDING, "-n", "1", "--at=-0s")
    same(profile.stacks(), last.stacks(), "stacks")


@test
def refused():
    """another table, and a difference, are refused with what to do"""
    same("pprof takes a table of stacks, as profile_stack" in panetop("-o", "pprof", "-t", "memory", status=2), True, "another table")
    same("pprof holds samples, not differences" in
         panetop("-o", "pprof", "--replay=" + RECORDING, "--between=-10s,-0s", "-t", "profile_stack", status=2), True, "a difference")


@test
def not_of_samples():
    """what is no sample has no stacks"""
    for form in "folded", "pprof":
        same(f"--output={form}: cannot be combined with --probe" in panetop("-o", form, "--probe", status=2), True, form)


@test
def no_terminal():
    """a terminal gets no message"""
    ours, theirs = pty.openpty()
    done = subprocess.run([PANETOP, "-o", "pprof", "--replay=" + RECORDING], stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
                          check=False)
    os.close(theirs)
    os.close(ours)
    same((done.returncode, "send it to a file" in done.stderr), (2, True), done.stderr)


def go_pprof(*arguments):
    """Its output; the first call compiles it."""
    go = shutil.which("go", path=os.environ["PATH"] + ":/usr/local/go/bin")
    if not go:
        raise Skip("there is no go, whose pprof would read it")
    environment = {**os.environ, "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "", "PPROF_TMPDIR": HERE}
    if not os.access(os.environ.get("HOME", "/nonexistent"), os.W_OK):
        environment.setdefault("GOCACHE", os.path.join(HERE, "cache"))
    done = subprocess.run([go, "tool", "pprof", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_OF_GO,
                          check=False, env=environment)
    if done.returncode != 0 and "no such tool" in done.stderr:
        raise Skip("this go has no pprof")
    same(done.returncode, 0, f"status of go tool pprof: {done.stderr}")
    return done.stdout


def written():
    path = os.path.join(HERE, "profile")
    with open(path, "wb") as file:
        file.write(panetop("-o", "pprof", "--replay=" + RECORDING))
    return path, folded(panetop("-o", "folded", "--replay=" + RECORDING).decode())


def check_top(text, expected, factor):
    """Flat and cumulative values of each function, as -top prints them, with the template arguments of C++."""
    flat, total = {}, {}
    for stack, samples in expected.items():
        functions = stack.split(";")
        flat[functions[-1]] = flat.get(functions[-1], 0) + samples
        for function in set(functions):
            total[function] = total.get(function, 0) + samples
    everything = sum(expected.values())
    rows = {}
    for line in text.splitlines():
        found = re.fullmatch(r" *([\d.]+)\w* +([\d.]+)% +[\d.]+% +([\d.]+)\w* +([\d.]+)%  (.*?)(?: \(inline\))?", line)
        if found:
            rows[found[5]] = [float(found[i]) for i in (1, 2, 3, 4)]
    for function, samples in total.items():
        row = rows[function]
        own = flat.get(function, 0)
        same(abs(row[1] - 100 * own / everything) <= 0.01 and abs(row[3] - 100 * samples / everything) <= 0.01, True,
             f"shares of {function}: {row}, expected {own} and {samples} of {everything}")
        if factor:
            same((row[0], row[2]), (own, samples), f"samples of {function}")
    same(len(rows), len(total), f"functions in {text}")


@test
def read_by_pprof():
    """go tool pprof has the same samples and shares of functions"""
    path, expected = written()
    check_top(go_pprof("-top", "-nodecount=1000", "-nodefraction=0", "-sample_index=samples", path), expected, 1)
    check_top(go_pprof("-top", "-nodecount=1000", "-nodefraction=0", path), expected, 0)  # of CPU time, which it takes first


@test
def tree_of_pprof():
    """go tool pprof has the same calls"""
    path, expected = written()
    text = go_pprof("-tree", "-nodecount=1000", "-nodefraction=0", "-edgefraction=0", "-sample_index=samples", path)
    calls = sum(samples for stack, samples in expected.items() if "shade;intersect" in stack)
    found = re.search(rf"^ +{calls} +100% \| +shade\n +{calls} .* intersect$", text, re.M)
    same(found is not None, True, f"shade calls intersect {calls} times: {text[:4000]}")


@test
def files_of_pprof():
    """go tool pprof knows the files, and how long it was"""
    path, _ = written()
    text = go_pprof("-raw", path)
    same("Duration: " in text and re.search(r"^PeriodType: cpu nanoseconds\nPeriod: \d+", text, re.M) is not None, True, text[:300])
    mappings = re.findall(r"^\d+: 0x0/0x0/0x0 (\S+)  \[FN\]", text, re.M)
    same({"render", "libc.so.6", "postgres", "(kernel)"} <= set(mappings), True, f"mappings: {mappings}")


shutil.rmtree(HERE, ignore_errors=True)
end()
