# SPDX-License-Identifier: GPL-2.0-or-later
"""panetop beside a server that has read a request and never answers. Run by hangs.test."""
import json
import os
import pty
import shutil
import signal
import subprocess
import sys

from tap import end, same, test, until

PANETOP, HUNG_MOUNT, SCRATCH, TESTS = (os.environ["PANETOP"], os.environ["HUNG_MOUNT"], sys.argv[1],
                                       os.environ["TESTS_DIR"])
WORK = os.path.join(os.path.dirname(PANETOP), "tests/profile_work")
PATIENCE = 30
PLACE = os.path.join(SCRATCH, "hung")
os.makedirs(PLACE, exist_ok=True)


def helpers():
    """Helpers that wait for a server, whoever started them."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
                name = file.read().strip()
            with open(f"/proc/{pid}/wchan", encoding="ascii") as file:
                where = file.read()
        except OSError:
            continue
        if name == "panetop-helper" and where == "request_wait_answer":
            found.append(int(pid))
    return found


class Hung:
    """A mount that hangs, and a process beside it: this script sees neither, but their processes."""

    def __init__(self, when, *command, place=PLACE, content="/etc/hostname", file=False, terminal=None):
        options = [f"--hang={when}"] + ["--file"] * file
        self.before = set(helpers())
        self.process = subprocess.Popen([HUNG_MOUNT, *options, place, content, *command],
                                        stdin=terminal or subprocess.PIPE, stdout=terminal or subprocess.PIPE,
                                        stderr=subprocess.STDOUT)

    def held(self):
        return [pid for pid in helpers() if pid not in self.before]

    def command(self):
        """The pid of the command."""
        def children():
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
                return file.read().split()
        until(children, "the command")
        return int(children()[-1])

    def output(self):
        text, _ = self.process.communicate(timeout=PATIENCE)
        return text.decode("utf-8", "replace")

    def end(self, number=signal.SIGTERM):
        """Sends a signal to the command, which must end: what it printed, and its status."""
        os.kill(self.command(), number)
        return self.output(), self.process.returncode


def batch(*arguments, when="statfs", **more):
    """A run to its end beside a mount that hangs: what it printed, its status, and the helpers left behind."""
    hung = Hung(when, PANETOP, "-b", *arguments, **more)
    os.close(hung.process.stdin.fileno())
    hung.process.stdin = None
    text = hung.output()
    return text, hung.process.returncode


@test
def _():
    """a run ends beside a mount that hangs, and what is known is there"""
    text, status = batch("-n", "3", "-d", "0.2", "-t", "filesystem")
    same(status, 0, text)
    assert "/proc" not in text and " / " in text.replace("\n/ ", " / "), text
    assert any(line.startswith("/ ") for line in text.splitlines()), text


ENDS = [
    ("batch", ("-b", "-d", "0.1", "disks")),
    ("a record", ("-b", "-d", "0.1", f"--record={SCRATCH}/record", "overview")),
    ("--listen", (f"--listen=unix:{SCRATCH}/socket", "-d", "0.1", "disks")),
    ("--when", ("-d", "0.1", "--when=filesystem(/).used_ratio > 2", "--run=true")),
]
for name, arguments in ENDS:
    def ends(arguments=arguments):
        hung = Hung("statfs", PANETOP, *arguments)
        until(hung.held, "a helper that is held")
        _, status = hung.end()
        assert status in (0, 128 + signal.SIGTERM), status
    ends.__doc__ = f"{name} ends at SIGTERM beside a mount that hangs"
    test(ends)


@test
def _():
    """--assert is answered beside a mount that hangs"""
    text, status = batch("-n", "2", "-d", "0.2", "--assert=filesystem(/).used_ratio < 2", "-t", "filesystem", "-l", "0")
    same(status, 0, text)


@test
def _():
    """one helper waits for a mount, however often it is asked, and a notice counts it"""
    hung = Hung("statfs", PANETOP, "-b", "-d", "0.1", "-o", "json", "-t", "filesystem")
    for line in hung.process.stdout:
        texts = [notice["text"] for notice in json.loads(line)["notices"]]
        if any("1 process waits for an answer" in text and PLACE in text for text in texts):
            break
    same(len(hung.held()), 1, "helpers that are held")
    os.kill(hung.command(), signal.SIGTERM)
    for line in hung.process.stdout:
        pass
    hung.process.wait(PATIENCE)


@test
def _():
    """who reads what panetop prints sees its end while a helper is held"""
    hung = Hung("statfs", "/bin/sh", "-c", f"{PANETOP} -b -n 2 -d 0.2 -t filesystem | cat; read line")
    hung.process.stdin.write(b"\n")
    text = hung.output()
    assert any(line.startswith("/ ") for line in text.splitlines()), text


def draw(terminal):
    """What was drawn since; None: it is closed."""
    try:
        return os.read(terminal, 65536)
    except BlockingIOError:
        return b""
    except OSError:
        return None


@test
def _():
    """the screen goes on, and q ends it"""
    main, other = pty.openpty()
    os.set_blocking(main, False)
    hung = Hung("statfs", "/usr/bin/env", "TERM=xterm", PANETOP, "-d", "0.1", "disks", terminal=other)
    os.close(other)
    until(lambda: draw(main) and hung.held(), "a screen, and a helper that is held")
    until(lambda: draw(main), "a screen that goes on")
    os.write(main, b"q")
    until(lambda: draw(main) is None or hung.process.poll() is not None, "the end")
    os.close(main)
    same(hung.process.wait(PATIENCE), 0, "status")


def samples_of(hung):
    for line in hung.process.stdout:
        if line.startswith(b"{"):
            yield json.loads(line)


@test
def _():
    """a program whose file hangs is profiled beside the others, and the run ends"""
    script = f"""{PLACE}/file 100000 & work=$!
        until [ "$(cut -d " " -f 1 /proc/$work/schedstat)" -gt 100000000 ]; do kill -0 $work || exit; sleep 0.02; done # all that it runs is in memory
        kill -USR1 $HUNG_MOUNT_PID
        {PANETOP} -b -o json -d 0.5 -p $work -t profile & panetop=$!
        read line; kill $panetop; wait $panetop; echo status $?; kill -9 $work"""
    hung = Hung("signal", "/bin/sh", "-c", script, content=WORK)
    seen = 0
    for number, sample in enumerate(samples_of(hung)):
        assert number < 200, "it is not sampled"
        seen += sum(row["samples"] for row in sample["tables"].get("profile") or [] if row["file"] == "file")
        if seen > 10:
            break
    hung.process.stdin.write(b"\n")
    text = hung.output()
    assert "status 0" in text or "status 143" in text, text[-300:]


@test
def _():
    """functions of a program whose file hangs are listed as far as other files go"""
    script = f"""{PLACE}/file 100000 & work=$!
        until grep -q {PLACE} /proc/$work/maps && grep -q libc /proc/$work/maps; do kill -0 $work || exit; sleep 0.02; done
        kill -USR1 $HUNG_MOUNT_PID
        {PANETOP} -b -n 2 -d 0.5 -p $work -t function; kill -9 $work"""
    hung = Hung("signal", "/bin/sh", "-c", script, content=WORK)
    text = hung.output()
    assert "libc" in text, text[-300:]


def tree(name):
    copy = os.path.join(SCRATCH, name)
    shutil.copytree(os.path.join(os.environ["ROOTS"], name, "tick0"), copy, symlinks=True)
    return copy


DRIVERS = [
    ("power-laptop", "sys/class/hwmon/hwmon1/temp1_input", "power"),
    ("power-laptop", "sys/class/hwmon/hwmon1/temp1_label", "power"),
    ("power-laptop", "sys/class/thermal/thermal_zone0/temp", "power"),
    ("power-batteries", "sys/class/power_supply/BAT0/uevent", "power"),
    ("power-laptop", "proc/stat", "cpu"),
    ("linux-6.1", "proc/meminfo", "memory"),
    ("gpu-amdgpu", "sys/class/drm/card1/device/gpu_busy_percent", "power"),
    ("gpu-amdgpu", "proc/100/cmdline", "cpu"),
]
for fixture, path, pane in DRIVERS:
    def answers(fixture=fixture, path=path, pane=pane):
        root = tree(fixture)
        with open(os.path.join(root, path), "a", encoding="ascii"):
            pass
        text, status = batch(f"--root={root}", "-n", "2", "-d", "0.2", pane, "overview", "network", when="read",
                             place=os.path.join(root, path), file=True)
        shutil.rmtree(root)
        assert status in (0, 1), text[-300:]  # 1: nothing of a pane is known
    answers.__doc__ = f"a run ends beside {path} of {fixture} that never answers"
    test(answers)


end()
