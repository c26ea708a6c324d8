# SPDX-License-Identifier: GPL-2.0-or-later
"""keys.py PANETOP: keys that a task takes from the first screen of panetop, htop, btop and top, each pressed in a terminal and
the result looked for. In a PID namespace of its own, so that all four see the same few processes."""
import os
import re
import subprocess
import sys
import tempfile
import time

BENCH = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(BENCH, "..", "tests", "screen"))
from terminal import Terminal  # noqa: E402

WIDTH, HEIGHT = 80, 24
SETTLE = 3.0  # seconds before the first key: btop shows nothing of processes before its second sample
PATIENCE = 6.0  # seconds for a result
NO = None  # the program cannot do it
GROUP = "keys-container"  # a control group in the root of the hierarchies of version 1
QUOTA_US = 20000  # of 100000: a fifth of a CPU
WRITE = ("import os, time\nfd = os.open('written', os.O_CREAT | os.O_WRONLY)\nwhile True:\n"
         "    os.pwrite(fd, bytes(1 << 20), 0)\n    os.fsync(fd)\n    time.sleep(0.1)\n")
GROW = "import time\nheld = []\nwhile True:\n    held.append(bytearray(b'x') * (4 << 20))\n    time.sleep(0.5)\n"


def typed(text):
    return list(text)


class Scene:
    """What runs while a program is looked at: a burner, a sleeper, one of another user, one that grows, a loop of commands."""

    def __enter__(self):
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.burner = subprocess.Popen(["yes"], **quiet)
        self.all = [self.burner, subprocess.Popen(["sleep", "4321"], **quiet),
                    subprocess.Popen(["sleep", "777"], user=65534, **quiet),
                    subprocess.Popen(["/usr/bin/python3", "-c", GROW, "grow"], **quiet),
                    subprocess.Popen(["sh", "-c", "while :; do cmp -s /etc/passwd /etc/group; sleep 0.1; done"], **quiet)]
        return self

    def __exit__(self, *_):
        for process in self.all:
            process.kill()
            process.wait()
        time.sleep(0.2)  # the last sleep of the loop
        while True:  # its orphans are children of this process, the first of its namespace
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break


class Session(Scene):
    """And a process that writes, one that waits for the CPU of the burner, and a container at its quota."""

    def __enter__(self):
        super().__enter__()
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.folder = tempfile.TemporaryDirectory(dir=BENCH)  # on a disk, where /tmp may be memory
        waiting = subprocess.Popen(["nice", "-n", "19", "md5sum", "/dev/zero"], **quiet)
        contained = subprocess.Popen(["sha1sum", "/dev/zero"], **quiet)
        self.writer = subprocess.Popen(["/usr/bin/python3", "-c", WRITE], cwd=self.folder.name, **quiet)
        self.all += [waiting, contained, self.writer]
        for process in (self.burner, waiting):
            os.sched_setaffinity(process.pid, {0})
        os.sched_setaffinity(contained.pid, {max(os.sched_getaffinity(0))})
        self.groups = [f"/sys/fs/cgroup/{name}/{GROUP}" for name in ("cpu", "cpuacct", "memory")]
        for group in self.groups:
            os.makedirs(group, exist_ok=True)
            if os.path.exists(f"{group}/cpu.cfs_quota_us"):
                write(f"{group}/cpu.cfs_quota_us", QUOTA_US)
            write(f"{group}/cgroup.procs", contained.pid)
        return self

    def __exit__(self, *rest):
        super().__exit__(*rest)
        for group in self.groups:
            os.rmdir(group)
        self.folder.cleanup()


def write(path, value):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(value))


def line_of(terminal, pattern):
    return next((line for line in terminal.lines() if re.search(pattern, line)), "")


def first_row(terminal, command):
    """Is this the first of the processes on the screen?"""
    lines = terminal.lines()
    heading = max((y for y, line in enumerate(lines) if re.search(r"\b(PID|Pid)\b", line)), default=HEIGHT)
    return heading + 1 < HEIGHT and command in lines[heading + 1]


def shows(*patterns):
    return lambda terminal, _scene: all(line_of(terminal, pattern) for pattern in patterns)


def lacks(present, absent):
    return lambda terminal, _scene: bool(line_of(terminal, present)) and not line_of(terminal, absent)


def burner_ended(_terminal, scene):
    return scene.burner.poll() is not None


def selected(pattern):
    """The row with another ground than most holds it."""
    def found(terminal, _scene):
        for y, line in enumerate(terminal.lines()):
            cell = terminal.screen.buffer[y][30]
            if (cell.bg != "default" or cell.reverse) and re.search(pattern, line):
                return True
        return False
    return found


# Task; for each program its keys (NO: it cannot), and what shows that it worked, of all or by program.
TASKS = (
    ("which process uses the CPU", {"panetop": [], "htop": [], "btop": [], "top": []}, shows(r"\byes\b")),
    ("which process has most memory", {"panetop": [], "htop": ["M"], "btop": ["Left"] * 2, "top": ["M"]}, shows(r"pyth")),
    ("which process grows", {"panetop": [], "htop": NO, "btop": NO, "top": NO}, shows(r"growing", r"\dK? .*python3|\d.*import time")),
    ("load, memory, swap", {"panetop": [], "htop": [], "btop": [], "top": []}, shows(r"(?i)load|LAV", r"(?i)mem")),
    ("end the process that uses the CPU",
     {"panetop": ["F9", "Enter"], "htop": ["F9", "Enter"], "btop": ["Down", "t", "Enter"], "top": ["k", "Enter", "Enter"]},
     burner_ended),
    ("kill it (SIGKILL)",
     {"panetop": ["F9", "K", "Enter"], "htop": ["F9", "9", "Enter"], "btop": ["Down", "k", "Enter"],
      "top": ["k", "Enter", "9", "Enter"]}, burner_ended),
    ("sort by memory", {"panetop": ["M"], "htop": ["M"], "btop": ["Right"] * 7, "top": ["M"]},
     lambda terminal, _scene: first_row(terminal, "pyth")),
    ("sort by CPU time", {"panetop": ["T"], "htop": ["T"], "btop": NO, "top": ["T"]},
     lambda terminal, _scene: first_row(terminal, "yes")),
    ("reverse the order", {"panetop": ["I"], "htop": ["I"], "btop": ["r"], "top": ["R"]},
     lambda terminal, _scene: not first_row(terminal, "yes")),
    ("tree", {"panetop": ["t"], "htop": ["t"], "btop": ["e"], "top": ["V"]}, shows(r"[├└]|`-|\|-")),
    ("threads", {"panetop": ["H"], "htop": ["H"], "btop": NO, "top": ["H"]},
     lambda terminal, _scene: bool(line_of(terminal, r"\[Threads\]|Threads:|\d+ thr"))),
    ("processes of one user",
     {"panetop": ["u", "n", "Enter"], "htop": ["u", "n", "Enter"], "btop": ["f", *typed("nobody"), "Enter"],
      "top": ["u", *typed("nobody"), "Enter"]}, lacks(r"sleep", r"\byes\b")),
    ("find a process", {"panetop": ["/", *typed("4321")], "htop": ["/", *typed("4321")], "btop": NO,
                        "top": NO}, selected(r"4321")),
    ("show only what matches", {"panetop": ["\\", *typed("4321")], "htop": ["\\", *typed("4321")],
                                "btop": ["f", *typed("4321")], "top": ["o", *typed("COMMAND=sleep"), "Enter"]},
     lacks(r"sleep", r"\byes\b")),
    ("set the delay to 3 s", {"panetop": ["d", "3", "Enter"], "htop": NO, "btop": ["+"] * 10, "top": ["d", "3", "Enter"]},
     lambda terminal, _scene: bool(line_of(terminal, r"\b3 s\b|3000ms|top - "))),
    ("choose columns", {"panetop": ["c"], "htop": ["F2", "Down", "Down"], "btop": NO, "top": ["f"]},
     shows(r"(?i)columns|Fields Management")),
    ("help", {"panetop": ["h"], "htop": ["h"], "btop": ["h"], "top": ["h"]}, shows(r"(?i)help|keys")),
    ("what a number means", {"panetop": ["i"], "htop": NO, "btop": NO, "top": NO}, shows(r"From|Source|source")),
    ("commands that end at once, and how often", {"panetop": [], "htop": NO, "btop": NO, "top": NO}, shows(r"\d+ .*\bcmp\b")),
    ("how late the machine wakes a program", {"panetop": ["9", "Enter"], "htop": NO, "btop": NO, "top": NO},
     shows(r"p?99")),
    ("pause", {"panetop": ["Z"], "htop": NO, "btop": NO, "top": NO}, shows(r"(?i)paused")),
)

# The same of a session: what one comes for. Exit codes of others need the PID namespace of the machine.
SESSION = (
    ("who writes to the disk", {"panetop": [], "htop": ["Tab"], "btop": NO, "top": NO},
     lambda terminal, scene: bool(line_of(terminal, rf"\dM +{scene.writer.pid} |\b{scene.writer.pid} .*\d M/s"))),
    ("what is this container doing", {"panetop": ["Up", "Up", "Enter", "Enter"], "htop": NO, "btop": NO, "top": NO},
     shows(rf"in .*{GROUP}", r"sha1sum")),
    ("is it at a limit", {"panetop": [], "htop": NO, "btop": NO, "top": NO}, shows(rf"{GROUP}.*limit: 20 % of a CPU")),
    ("why is this process slow", {"panetop": ["/", *"md5", "Enter", "Enter"], "htop": NO, "btop": NO, "top": NO},
     shows(r"waits for a CPU: it could use")),
)
FAILURES = (
    ("which command fails again and again", {"panetop": ["7", "Tab"], "htop": NO, "btop": NO, "top": NO},
     shows(r"\b1 +sh +cmp -s")),
)

COMMANDS = {"htop": ["htop"], "btop": ["btop", "--utf-force"], "top": ["top"]}


def attempt(command, keys, worked, scenery):
    """Does it work? Each attempt has a scene and a program of its own."""
    with tempfile.TemporaryDirectory() as home, scenery() as scene:
        terminal = Terminal(command, WIDTH, HEIGHT, env={"HOME": home, "XDG_CONFIG_HOME": home})
        try:
            terminal.started()
            terminal.pump(SETTLE)
            end = time.monotonic() + SETTLE
            while time.monotonic() < end:
                terminal.pump(0.2)
            for key in keys:
                terminal.send(key)
                terminal.pump(0.3)
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                if worked(terminal, scene):
                    return True, terminal.text()
                terminal.pump(0.2)
            return False, terminal.text()
        finally:
            terminal.close()


def run_tasks(panetop, tasks, scenery, only):
    """Prints a row of each; how many attempts failed, and the tasks in which a peer needs fewer keys."""
    programs = ["panetop", "htop", "btop", "top"]
    failed, worse = 0, []
    for task, keys, worked in tasks:
        if only and not any(part in task for part in only):
            continue
        counts = {}
        for program in programs:
            if keys[program] is NO:
                counts[program] = "-"
                continue
            good, text = attempt([panetop] if program == "panetop" else COMMANDS[program], keys[program], worked, scenery)
            counts[program] = len(keys[program]) if good else "failed"
            if not good:
                failed += 1
                print(f"{program}: {task}\n{text}", file=sys.stderr)
        peers = [counts[program] for program in programs[1:] if isinstance(counts[program], int)]
        if peers and (counts["panetop"] == "failed" or counts["panetop"] > min(peers)):
            worse.append(task)
        print(f"| {task} | " + " | ".join(str(counts[program]) for program in programs) + " |", flush=True)
    return failed, worse


def main():
    panetop = os.path.abspath(sys.argv[1])
    only = [argument.removeprefix("--only=") for argument in sys.argv if argument.startswith("--only=")]
    if "--inside" not in sys.argv:
        print("| task | panetop | htop | btop | top |\n|" + " --- |" * 5, flush=True)
        inside = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", sys.executable, *sys.argv, "--inside"], check=False)
        failed, worse = run_tasks(panetop, FAILURES, Session, only)
        if failed or worse:
            print(f"\nof the machine: {failed} failed; more keys than the best peer: {', '.join(worse) or 'none'}")
        return inside.returncode or (1 if failed or worse else 0)
    failed, worse = run_tasks(panetop, TASKS, Scene, only)
    more_failed, more_worse = run_tasks(panetop, SESSION, Session, only)
    failed, worse = failed + more_failed, worse + more_worse
    print(f"\n{failed} failed; more keys than the best peer: {', '.join(worse) or 'none'}")
    return 1 if failed or worse else 0


sys.exit(main())
