# SPDX-License-Identifier: GPL-2.0-or-later
"""The recording behind the golden screens of the pane events.

A machine that compiles for half a minute, a sample each two seconds: make starts a shell for each file, and that a
compiler; one of these crashes, a debugger looks at it, and somebody logs in with a name that is none.
"""
from recording import Recording

STEP = 2
FRAMES = 16
FILES = 3  # compiled in each step
START_WALL = 1_732_095_000  # 2024-11-20 09:30:00 UTC
START_MONO = 270_000
SECOND = 10**9
MIB = 1 << 20
SEGV_AND_CORE = 11 | 0x80
MARKS = {"fork": "+", "exec": ">", "exit": "-", "core": "C", "comm": "=", "clone": "t", "ptrace": "P", "uid": "U", "gid": "G",
         "sid": "S"}
UNKNOWN = ("name", "program", "program_base", "command", "command_base", "user", "uid", "euid")
LOST = {"topic": "event", "text": "17 events were lost before they could be read",
        "remedy": "--real-time, or a less busy machine, loses less"}


class Story:
    """What happens, told once, and the sums of it."""

    def __init__(self):
        self.number, self.pid, self.rows = 0, 20100, []
        self.totals, self.parents, self.lives = {}, {}, [0] * 10
        self.names, self.sums = {15001: "make", 812: "sshd", 2044: "bash"}, {}

    def event(self, seconds, kind, pid, ppid, command, info="", **more):
        self.number += 1
        program = command.split(" ")[0]
        base = program if program[0] == "[" else program.rpartition("/")[2]
        name = more.pop("name", base[:15])
        row = {"number": self.number, "time": int((START_WALL + seconds) * SECOND), "mark": MARKS[kind], "event": kind,
               "pid": pid, "tid": pid, "ppid": ppid, "uid": 1000, "euid": 1000, "user": "ada", "tty": "pts/3", "info": info,
               "name": name, "program": program, "program_base": base, "command": command,
               "command_base": command.replace(program, base, 1), "parent": self.names.get(ppid), "status": "", **more}
        self.names[pid] = name
        self.rows.append(row)
        for key in ("all", name):
            total = self.totals.setdefault(key, {})
            total[kind] = total.get(kind, 0) + 1
            total["failed"] = total.get("failed", 0) + (row["mark"] == "!")
        return pid

    def fork(self, seconds, parent, command):
        self.pid += 1
        self.parents[parent] = self.parents.get(parent, 0) + 1
        return self.event(seconds, "fork", self.pid, parent, command)

    def exit(self, seconds, pid, parent, command, lived, code=0, signal=None):
        result = {"exit_code": code} if signal is None else {"signal": signal & 0x7f}
        info = f"code {code}" if signal is None else "SIGSEGV core"
        bucket = 0
        while bucket < 9 and lived >= 10.0 ** (bucket - 3):
            bucket += 1
        self.lives[bucket] += 1
        for key in ("all", self.names[pid]):
            count, seconds_lived = self.sums.get(key, (0, 0))
            self.sums[key] = count + 1, seconds_lived + lived
        self.event(seconds, "exit", pid, parent, command, info, duration_seconds=lived, status=info.removeprefix("code "),
                   mark="!" if code or signal else "-", **result)

    def compile(self, seconds, number, crashes):
        make, source = "make -j4 all", f"main{number}.c"
        shell = self.fork(seconds, 15001, make)
        cc, cc1 = f"cc -c {source}", f"/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -O2 {source}"
        self.event(seconds + 0.0011, "exec", shell, 15001, cc)
        child = self.fork(seconds + 0.0032, shell, cc)
        self.event(seconds + 0.0041, "exec", child, shell, cc1)
        if crashes:
            self.event(seconds + 0.3, "core", child, shell, cc1)
        self.exit(seconds + 0.412, child, shell, cc1, 0.409, signal=SEGV_AND_CORE if crashes else None)
        self.exit(seconds + 0.4131, shell, 15001, cc, 0.4131, code=1 if crashes else 0)

    def step(self, step):
        self.rows = []
        for number in range(FILES if step else 0):
            self.compile((step - 1) * STEP + number * 0.6, step * FILES + number, step == 6 and number == 1)
        at = (step - 1) * STEP + 1.9
        if step == 4:
            self.event(at, "sid", 20900, 812, "sshd: [accepted]", "20900", user="root", uid=0, euid=0, tty="")
            self.event(at + 0.01, "uid", 20900, 812, "sshd: ada [priv]", "1000", tty="")
        if step == 7:
            self.event(at, "ptrace", 17350, 2044, "gdb -p 15400", "attach 15400")
        if step == 9:
            self.event(at, "exec", 20950, 2044, "evil\u001b]0;name\u0007 \u202etxt\nnext", name="x\u001b[31m) (y")
            self.event(at + 0.01, "exit", 20951, 2, "[kworker/u8:1]", "code 0", name="kworker/u8:1", user="root",
                       uid=0, euid=0, tty="", exit_code=0, status="0")
            self.event(at + 0.02, "exit", 20952, None, "?", tty=None, status=None)
            self.rows[-1].update(dict.fromkeys(UNKNOWN))
        return self.rows


def mean(count, seconds):
    return seconds / count if count else None


def total_rows(story, step):
    keys = {"forks": "fork", "execs": "exec", "exits": "exit", "failures": "failed", "clones": "clone", "core_dumps": "core",
            "renames": "comm", "ptraces": "ptrace", "user_changes": "uid", "sessions": "sid"}
    rows = []
    for command, counts in story.totals.items():
        if command is not None:
            total = sum(count for kind, count in counts.items() if kind != "failed")
            rows.append({"command": command, "total": total, "mean_per_second": total / max(1, step * STEP),
                         "mean_lifetime_seconds": mean(*story.sums.get(command, (0, 0))),
                         **{key: counts.get(kind, 0) for key, kind in keys.items()}})
    return rows


def parent_rows(story, step):
    sizes = {15001: (6, 72), 1: (12, 60)}
    rows = []
    for pid, forks in story.parents.items():
        resident, tables = sizes.get(pid, (2, 40))
        rows.append({"pid": pid, "start_seconds": pid / 10, "forks": forks, "mean_forks_per_second": forks / (step * STEP),
                     "resident_bytes": resident * MIB, "page_table_bytes": tables * 1024,
                     "command": "make" if pid == 15001 else "cc"})
    return rows


def lifetime_rows(story):
    bounds = [0] + [10.0 ** power for power in range(-3, 6)]
    everything = sum(story.lives) or 1
    return [{"from_seconds": lower, "to_seconds": upper, "exits": exits, "share_ratio": exits / everything}
            for lower, upper, exits in zip(bounds, bounds[1:] + [None], story.lives)]


def source_rows(story, step):
    return [
        {"source": "perf", "received": 900 * step, "lost": 0 if step < 12 else 17, "unnamed": False, "state": "read",
         "gives": "fork exec comm clone"},
        {"source": "connector", "received": 500 * step, "lost": 0, "unnamed": False, "state": "read",
         "gives": "exit core ptrace uid gid sid"},
        {"source": "panetop", "received": story.number, "lost": 0, "unnamed": 0 if step < 9 else 1, "state": "read", "gives": ""},
    ]


def write(panetop, out):
    recording, story = Recording(panetop, out, START_WALL, START_MONO), Story()
    for step in range(FRAMES):
        tables = {"event": story.step(step), "event_source": source_rows(story, step),
                  "event_total": total_rows(story, step), "event_parent": parent_rows(story, step),
                  "event_lifetime": lifetime_rows(story)}
        recording.frame(step * STEP, tables, [LOST] if step >= 12 else [])
