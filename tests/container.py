# SPDX-License-Identifier: GPL-2.0-or-later
"""Where rights are missing: root in a container with the rights that Docker gives, and filters that end who makes a call."""
import contextlib
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

TESTS = os.environ["TESTS_DIR"]
sys.path.append(os.path.join(TESTS, "screen"))

from common import panes, screen  # noqa: E402  (from the folder above)
from ordinary_user import NOBODY, ordinary_copy  # noqa: E402
from tap import Skip, end, same, test  # noqa: E402

PANETOP = os.environ["PANETOP"]
KILL_FILTER = os.path.join(os.path.dirname(PANETOP), "tests", "kill_filter")
USER = 1000
PATIENCE = 120

# Docker's default: these 14 capabilities, and a list of the calls that are allowed. Here stand those that it does not allow, by
# the capability that opens them; None: none does.
CAPABILITIES = """chown dac_override fsetid fowner mknod net_raw setgid setuid setfcap setpcap net_bind_service sys_chroot kill
audit_write""".split()
REFUSED = {
    "bpf": "bpf", "perfmon": "perf_event_open", "sys_ptrace": "kcmp pidfd_getfd process_madvise",
    "dac_read_search": "open_by_handle_at", "sys_boot": "reboot", "sys_pacct": "acct", "syslog": "syslog",
    "sys_module": "delete_module init_module finit_module", "sys_rawio": "iopl ioperm", "sys_time": "settimeofday clock_settime",
    "sys_nice": "get_mempolicy mbind set_mempolicy", "sys_tty_config": "vhangup",
    "sys_admin": """bpf fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie mount mount_setattr move_mount open_tree
        perf_event_open quotactl setdomainname sethostname setns umount umount2 unshare""",
    None: """add_key io_uring_enter io_uring_register io_uring_setup kexec_load keyctl migrate_pages move_pages nfsservctl pivot_root
        request_key swapoff swapon sysfs userfaultfd ustat""",
}

def seccomp(capabilities):
    opened = {call for name in capabilities for call in REFUSED.get(name, "").split()}
    calls = {call for names in REFUSED.values() for call in names.split()} - opened
    return {"defaultAction": "SCMP_ACT_ALLOW",
            "syscalls": [{"names": sorted(calls), "action": "SCMP_ACT_ERRNO", "errnoRet": 1}]}


class Container:
    """Of runc, with the files of this machine, a proc and namespaces of its own."""

    def __init__(self, place, more=()):
        self.place, self.name = place, f"panetop-test-{os.getpid()}"
        capabilities = [*CAPABILITIES, *more]
        os.makedirs(f"{place}/rootfs", exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"{place}/config.json")
        subprocess.run(["runc", "spec", "--bundle", place], check=True)
        with open(f"{place}/config.json", encoding="utf-8") as file:
            self.config = json.load(file)
        held = ["CAP_" + name.upper() for name in capabilities]
        self.config["process"].update(
            terminal=False, noNewPrivileges=False, capabilities={kind: held for kind in ("bounding", "effective", "permitted")},
            env=[f"{name}={value}" for name, value in os.environ.items()])
        self.config["root"]["readonly"] = False
        self.config["linux"]["seccomp"] = seccomp(capabilities)

    def run(self, *command):
        self.config["process"]["args"] = list(command)
        with open(f"{self.place}/config.json", "w", encoding="utf-8") as file:
            json.dump(self.config, file)
        script = 'mount --rbind / "$1/rootfs" && exec runc --root "$1/state" run --bundle "$1" "$2"'
        return subprocess.run(["unshare", "-m", "--propagation", "slave", "sh", "-c", script, "sh", self.place, self.name],
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)


def run_as(user, *arguments, panetop=PANETOP):
    """Of a program in the container; its output."""
    become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    if user:
        become.append("--inh-caps=-all")
    return subprocess.run([*become, panetop, *arguments], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                          check=False, timeout=PATIENCE)


PROCESSES = "-t process -o json cpu"
TOPICS = "process page_total region open_file process_memory process_detail environment signal limit".split()


def known_columns(user, pid):
    """What panetop of this user knows of the process: the columns of each table, and the lines of notices."""
    ran = run_as(user, "-b", "-n", "2", "-d", "0.1", "-o", "json", f"--pid={pid}", *(f"--table={topic}" for topic in TOPICS))
    frame = json.loads(ran.stdout.splitlines()[-1])
    known = {f"{topic}.{key}" for topic, rows in frame["tables"].items() for row in rows for key, value in row.items()
             if value is not None and row.get("pid") in (None, pid)}
    known |= {f"process_memory.{row['key']}" for row in frame["tables"]["process_memory"]}
    columns = "pid,proportional_bytes,read_bytes_per_second"
    ran = run_as(user, "-b", "-n", "2", "-d", "0.1", "-o", "json", f"--pid={pid}", "-t", "process", "-c", columns)
    frame = json.loads(ran.stdout.splitlines()[-1])
    return known | {f"process.{key}" for row in frame["tables"]["process"] for key, value in row.items()
                    if value is not None and row["pid"] == pid}


def sets_of(pid):
    """Of all threads of a process."""
    sets = {"CapPrm": 0, "CapEff": 0, "CapBnd": 0}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as status:
            for line in status:
                name = line.split(":")[0]
                if name in sets:
                    sets[name] |= int(line.split()[1], 16)
    return sets


def held_by(*arguments):
    """The capabilities of a panetop of root that prints its tables: between two samples, if then none is effective."""
    with subprocess.Popen([PANETOP, "-b", "-d", "0.1", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as shown:
        shown.stdout.readline()
        sets = sets_of(shown.pid)
        for _ in range(1000):
            if not sets["CapEff"]:
                break
            sets = sets_of(shown.pid)
        shown.send_signal(signal.SIGTERM)
        shown.stdout.read()
    return sets


def inside():
    """The program in the container: what both users know of a process of root and of one of the user."""
    processes = {"root": subprocess.Popen(["sleep", "1000"])}
    processes["user"] = subprocess.Popen(["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all", "sleep", "1000"])
    for process in processes.values():
        while open(f"/proc/{process.pid}/comm", encoding="ascii").read() != "sleep\n":
            pass
    found = {"known": {f"{of} by {user}": sorted(known_columns(user, process.pid))
                       for of, process in processes.items() for user in (0, USER)},
             "probe": {str(user): run_as(user, "--probe", "-o", "csv").stdout for user in (0, USER)},
             "notices": json.loads(run_as(0, "-b", "-n", "2", "-d", "0.1", "-o", "json", "kernel").stdout.splitlines()[-1])["notices"],
             "held": {pane: held_by(*pane.split()) for pane in ("memory", PROCESSES)}}
    for process in processes.values():
        process.kill()
    json.dump(found, sys.stdout)


def container_why():
    if os.getuid():
        return "only root can make a container"
    if not shutil.which("runc"):
        return "runc is not installed"
    with tempfile.TemporaryDirectory() as place:
        ran = Container(place).run("true")
    return ran.stderr.strip().splitlines()[-1][:200] if ran.returncode else None


def look_inside(more=()):
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        ran = Container(place, more).run("/usr/bin/python3", os.path.abspath(__file__), "inside")
    if ran.returncode:
        raise AssertionError(ran.stderr[-1500:])
    return json.loads(ran.stdout)


def remedies(found, user):
    rows = csv.DictReader(io.StringIO(found["probe"][str(user)]))
    return {f"{row['topic']} {row['source']}": row["remedy"] for row in rows if row["remedy"]}


WANTED = ["page_total.present_pages", "region.present_bytes", "open_file.path", "process.proportional_bytes",
          "process.read_bytes_per_second", "process_memory.Pss", "process_detail.executable", "environment.name"]


def container_tests():
    why = container_why()
    found = {} if why else look_inside()

    def in_container():
        if why:
            raise Skip(why)
        return found

    @test
    def _():
        """in a container root sees of its own processes what a user sees of its own"""
        known = in_container()["known"]
        same([name for name in WANTED if name not in known["root by 0"]], [], "unknown of a process of root")
        same(sorted(set(known[f"user by {USER}"]) - set(known["root by 0"])), [], "known to users only")

    @test
    def _():
        """and of the user's processes all that the user sees"""
        known = in_container()["known"]
        same([name for name in WANTED if name not in known[f"user by {USER}"]], [], "unknown to the user")
        same(sorted(set(known[f"user by {USER}"]) - set(known["user by 0"])), [], "unknown to root")

    @test
    def _():
        """it keeps rights only where it looks at processes, and raises them only then"""
        held = in_container()["held"]
        same(held["memory"], {"CapPrm": 0, "CapEff": 0, "CapBnd": 0}, "held for memory")
        if not held[PROCESSES]["CapPrm"] or held[PROCESSES]["CapEff"] or held[PROCESSES]["CapBnd"]:
            raise AssertionError(f"held for processes: {held}")

    @test
    def _():
        """what would give the rest is named by its flag, to root and to users"""
        for user in (0, USER):
            said = remedies(in_container(), user)
            wrong = {source: text for source, text in said.items() if "even for root" in text or (user == 0 and "run it as root" in text)}
            same(wrong, {}, f"told to user {user}")
            for source, flags in {"timer BPF": "--cap-add PERFMON --cap-add BPF, and a seccomp profile", "counter perf_event_open": "PERFMON",
                                  "privilege cap_sys_ptrace: /proc/PID/io": "--cap-add SYS_PTRACE:",
                                  "locality move_pages(2)": "--security-opt seccomp="}.items():
                if source in said and flags not in said[source]:
                    raise AssertionError(f"{source}: {said[source]}")
        if not any("--cap-add" in (notice["remedy"] or "") for notice in found["notices"]):
            raise AssertionError(f"notices: {found['notices']}")

    @test
    def _():
        """with SYS_PTRACE it keeps that, and what stands in for DAC_READ_SEARCH"""
        in_container()
        more = look_inside(["sys_ptrace"])
        same([name for name in WANTED if name not in more["known"]["root by 0"] or name not in more["known"]["user by 0"]], [], "unknown to root")
        same(more["held"][PROCESSES]["CapPrm"], 1 << 19 | 1 << 1, "held for processes")


def filtered(copies, action, calls, *arguments):
    """panetop of an ordinary user under a filter that ends it at these calls: its output."""
    ran = subprocess.run([*NOBODY, copies["kill_filter"], action, calls, copies["panetop"], *arguments], stdin=subprocess.DEVNULL,
                         capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE)
    if ran.returncode == 77:
        raise Skip(f"no filter can be had here: {ran.stderr.strip()}")
    if ran.returncode:
        raise AssertionError(f"{arguments} under {action} {calls}: {ran.returncode}: {ran.stderr[-500:]}")
    return ran.stdout


@contextlib.contextmanager
def copies_for_users():
    with ordinary_copy(PANETOP) as panetop:
        yield {"panetop": panetop, "kill_filter": shutil.copy(KILL_FILTER, os.path.dirname(panetop))}


SETS = {"those that Docker refuses": "fsopen,move_pages,bpf,perf_event_open", "those since Linux 4.11": "newer",
        "those of rights and resources": "all"}


def filter_tests():
    with copies_for_users() as copies, subprocess.Popen([*NOBODY, "sleep", "1000"]) as own:
        for name, calls in SETS.items():
            for action in ("kill", "trap"):
                def runs():
                    batch = [pane for pane in panes() if pane not in ("pages", "process", "profile", "latency")]
                    filtered(copies, action, calls, "-b", "-n", "1", "-d", "0.1", *batch)
                    filtered(copies, action, calls, "-b", "-n", "1", "-d", "0.1", f"--pid={own.pid}", "pages", "process")
                    filtered(copies, action, calls, "--probe")
                runs.__doc__ = f"every pane prints where system calls end it: {name} ({action})"
                test(runs)

            def draws():
                for pane in panes():
                    command = [*NOBODY, copies["kill_filter"], "kill", calls, copies["panetop"]]
                    with screen(pane, program=command) as terminal:
                        terminal.send("q")
                        same(terminal.end(), 0, f"{pane}: status")
            draws.__doc__ = f"every pane draws where system calls end it: {name}"
            test(draws)
        own.kill()


if sys.argv[1:] == ["inside"]:
    inside()
else:
    container_tests()
    filter_tests()
    end()
