# SPDX-License-Identifier: GPL-2.0-or-later
"""What panetop says of known loads between three network namespaces: this one forwards. Run by network.test."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from datetime import datetime

from network_namespace import Namespace, run
from ordinary_user import NOBODY, ordinary_copy
from tap import Skip, end, same, test

PANETOP = os.environ["PANETOP"]
MIB = 1 << 20
TCP_BYTES, DATAGRAMS, DATAGRAM = 40 * MIB, 1000, 500
UDP_BYTES = DATAGRAMS * DATAGRAM
ACCOUNT_SHARE = 0.001
SAMPLES_MAX = 60

# Receives by TCP and UDP, says where, and then how much it got.
RECEIVER = """
import socket, sys
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
t, u = socket.socket(family), socket.socket(family, socket.SOCK_DGRAM)
for s in t, u: s.bind((sys.argv[1], 0))
u.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
t.listen()
print(t.getsockname()[1], u.getsockname()[1], flush=True)
c, _ = t.accept()
tcp = udp = 0
while more := c.recv(1 << 16): tcp += len(more)
u.settimeout(0.5)
try:
    while udp < int(sys.argv[2]): udp += len(u.recv(2048))
except TimeoutError: pass
print(tcp, udp, flush=True)
sys.stdin.read()
"""
SENDER = """
import socket, sys
host, tcp_port, udp_port, tcp, n, size = sys.argv[1], *map(int, sys.argv[2:])
u = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
u.connect((host, udp_port))
for _ in range(n): u.send(bytes(size))
t = socket.create_connection((host, tcp_port))
t.sendall(bytes(tcp))
t.shutdown(socket.SHUT_WR)
t.recv(1)
print("sent", flush=True)
sys.stdin.read()
"""
# Sends itself as many bytes as each line says.
TALKER = """
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
here = socket.create_connection(listener.getsockname())
there, _ = listener.accept()
print("ready", flush=True)
for line in sys.stdin:
    left = int(line)
    while left:
        got = here.send(bytes(min(left, 1 << 16)))
        left -= got
        while got: got -= len(there.recv(got))
    print("said", flush=True)
"""


class Panetop:
    """Samples of one table; seen() is what the last one has more than the first."""

    def __init__(self, table, *options, delay=0.3, enter=(), program=PANETOP):
        self.table = table
        self.process = subprocess.Popen([*enter, program, "-o", "json", "-d", str(delay), "-t", table, *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.first = self.sample()

    def sample(self):
        sample = json.loads(self.process.stdout.readline())
        self.time = datetime.fromisoformat(sample["time"]).timestamp()
        self.notices = sample["notices"]
        return sample["tables"][self.table]

    def after(self):
        """The first sample that began after the call; older ones wait in the pipe."""
        ended = time.time()
        rows = self.sample()
        while self.time < ended:
            rows = self.sample()
        return rows

    def last(self, complete=lambda rows: True):
        """The first sample that is complete; each begins after the load, and after what was asked of the one before."""
        rows = self.after()
        for _ in range(SAMPLES_MAX):
            if complete(rows):
                break
            rows = self.after()
        self.process.kill()
        self.process.wait()
        return rows


def script(code, *words, enter=()):
    return subprocess.Popen([*enter, "/usr/bin/python3", "-c", code, *map(str, words)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)


class Load:
    """From one namespace (None: this one) to another; both ends stay until it is closed."""

    def __init__(self, source, target, host, tcp, datagrams):
        enter = [namespace.enter if namespace else [] for namespace in (source, target)]
        self.receiver = script(RECEIVER, host, datagrams * DATAGRAM, enter=enter[1])
        ports = self.receiver.stdout.readline().split()
        self.remote = f"{host}:{ports[0]}"
        self.sender = script(SENDER, host, *ports, tcp, datagrams, DATAGRAM, enter=enter[0])
        self.received = [int(word) for word in self.receiver.stdout.readline().split()]

    def close(self):
        for process in self.sender, self.receiver:
            process.kill()
            process.wait()


def account_of(rows, interface="all"):
    return {row["part"]: row for row in rows if row["interface"] == interface}


def closes(account, what):
    """The parts add up to the wire, and what is unexplained is next to nothing."""
    for direction in "received_bytes", "sent_bytes":
        parts = sum(row[direction] or 0 for part, row in account.items() if part != "wire")
        same(round(parts), round(account["wire"][direction]), f"{what} {direction}: sum of the parts")
        # who receives does not know what came twice, and part of it may be on another interface
        again = account["retransmitted"]["sent_bytes"] if direction == "received_bytes" else 0
        if not -ACCOUNT_SHARE * TCP_BYTES <= account["unexplained"][direction] <= again + ACCOUNT_SHARE * TCP_BYTES:
            raise AssertionError(f"{what} {direction}: {account}")


def has_bpf():
    return any(row["how"] == "bpf" for row in Panetop("softirq").last())


run("ip", "link", "set", "lo", "up")
left, right = Namespace(1), Namespace(2)
BPF = has_bpf()


@test
def both_sides():
    """40 MiB by TCP and 1,000 datagrams are both sides' to the byte, by the program of each"""
    if not BPF:
        raise Skip("BPF is not permitted")
    panetop = Panetop("traffic")
    load = Load(None, left, left.host, TCP_BYTES, DATAGRAMS)
    rows = {row["pid"]: row for row in panetop.last()}
    load.close()
    same(load.received, [TCP_BYTES, UDP_BYTES], "received by the test")
    same([rows[load.sender.pid][key] for key in ("tcp_sent_bytes", "udp_sent_bytes")], [TCP_BYTES, UDP_BYTES], "sent")
    same([rows[load.receiver.pid][key] for key in ("tcp_received_bytes", "udp_received_bytes")], [TCP_BYTES, UDP_BYTES], "received")


@test
def ended_between_samples():
    """a process that begins and ends between two samples keeps its bytes"""
    if not BPF:
        raise Skip("BPF is not permitted")
    panetop = Panetop("traffic", delay=3)
    load = Load(None, None, "127.0.0.1", MIB, 10)
    load.close()
    rows = {row["pid"]: row for row in panetop.last()}
    sent, received = rows.get(load.sender.pid), rows.get(load.receiver.pid)
    same([(row["tcp_sent_bytes"], row["udp_sent_bytes"]) for row in (sent,)], [(MIB, 10 * DATAGRAM)], "sent")
    same([(row["tcp_received_bytes"], row["udp_received_bytes"]) for row in (received,)], [(MIB, 10 * DATAGRAM)], "received")


@test
def pid_namespace():
    """in a PID namespace no process has the bytes of another that has its PID in the kernel"""
    panetop = Panetop("traffic", enter=("unshare", "-pf", "--kill-child", "--mount-proc"))
    load = Load(None, None, "127.0.0.1", MIB, 10)
    rows = panetop.last()
    load.close()
    same({row["how"] for row in rows} - {"proc"}, set(), "how")
    same([row for row in rows if row["pid"] in (load.sender.pid, load.receiver.pid)], [], "rows")


@test
def without_bpf():
    """without BPF the bytes of TCP are the same, and those of UDP unknown, not 0"""
    panetop = Panetop("traffic", "--no-bpf")
    load = Load(None, None, "127.0.0.1", TCP_BYTES, 10)

    def has_all(rows):
        moved = {row["pid"]: (row["tcp_sent_bytes"] or 0) + (row["tcp_received_bytes"] or 0) for row in rows}
        return all(moved.get(end.pid, 0) >= TCP_BYTES for end in (load.sender, load.receiver))
    rows = {row["pid"]: row for row in panetop.last(has_all)}
    load.close()
    same(rows[load.sender.pid]["tcp_sent_bytes"], TCP_BYTES, "sent")
    same(rows[load.receiver.pid]["tcp_received_bytes"], TCP_BYTES, "received")
    same([rows[load.sender.pid][key] for key in ("udp_sent_bytes", "sent_bytes", "how")], [None, None, "proc"], "UDP")


def check_account(source, target, host, interface):
    panetop = Panetop("network_account")
    load = Load(source, target, host, TCP_BYTES, DATAGRAMS)
    account = account_of(panetop.last())
    load.close()
    closes(account, interface)
    return account


@test
def account_of_a_pair():
    """the account of a pair of interfaces closes to 0.1 %"""
    if not BPF:
        raise Skip("BPF is not permitted")
    account = check_account(None, left, left.host, left.near)
    same(account["programs"]["sent_bytes"], TCP_BYTES + UDP_BYTES, "programs")


@test
def account_of_loopback():
    """loopback is in the account, and it closes to 0.1 %"""
    if not BPF:
        raise Skip("BPF is not permitted")
    account = check_account(None, None, "127.0.0.1", "lo")
    same(account["programs"]["sent_bytes"], TCP_BYTES + UDP_BYTES, "programs")
    same(account["programs"]["received_bytes"], TCP_BYTES + UDP_BYTES, "programs")


# Sends 50 kB; for each line says how many bytes of that it has sent again, as the kernel counts them, and how many are not there yet.
AGAIN = """
import fcntl, socket, struct, sys, termios
here = socket.create_connection((sys.argv[1], int(sys.argv[2])))
print("connected", flush=True)
sys.stdin.readline()
here.send(bytes(50000))
for line in sys.stdin:
    again = int.from_bytes(here.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 216)[208:216], sys.byteorder)
    print(again, *struct.unpack("i", fcntl.ioctl(here, termios.TIOCOUTQ, bytes(4))), flush=True)
"""


def asked(process):
    process.stdin.write("\n")
    process.stdin.flush()
    return [int(word) for word in process.stdout.readline().split()]


def check_again(*options):
    """Sends to a host that does not answer for a while. What was sent again, by interface, and the rows of all."""
    panetop = Panetop("network_account", *options)
    receiver = script(RECEIVER, left.host, 0, enter=left.enter)
    sender = script(AGAIN, left.host, receiver.stdout.readline().split()[0])
    Load(None, None, "127.0.0.1", MIB, 0).close()
    sender.stdout.readline()
    run(*left.enter, "ip", "address", "del", f"{left.host}/24", "dev", left.far)
    sender.stdin.write("\n")
    while asked(sender)[0] == 0:
        time.sleep(0.05)
    run("ip", "route", "del", "10.9.1.0/24", "dev", left.near)
    time.sleep(1.2)  # it tries every half second; what cannot be sent is not sent again
    run("ip", "route", "add", "10.9.1.0/24", "dev", left.near)
    run(*left.enter, "ip", "address", "add", f"{left.host}/24", "dev", left.far)
    run(*left.enter, "ip", "route", "replace", "default", "via", "10.9.1.1")

    def settled(_rows):
        """All has arrived, and nothing was sent again during the last sample."""
        nonlocal again
        before, (again, waiting) = again, asked(sender)
        return before == again and waiting == 0
    again = 0
    rows = panetop.last(settled)
    for process in sender, receiver:
        process.kill()
        process.wait()
    account = account_of(rows)
    closes(account, "sent again")
    same(account["retransmitted"]["received_bytes"], None, "received again")
    return {row["interface"]: row["sent_bytes"] for row in rows if row["part"] == "retransmitted"}, again, rows


@test
def sent_again():
    """what TCP sends again is that of its socket, by the interface through which it goes"""
    if not BPF:
        raise Skip("BPF is not permitted")
    found, again, rows = check_again()
    same(found[left.near], again, "sent again")
    same(found["all"], sum(found.values()) - found["all"], f"sent again, by interface: {found}")
    closes(account_of(rows, left.near), f"sent again by {left.near}")


@test
def sent_again_without_bpf():
    """without BPF it is known of all by their sockets, and of no single interface"""
    found, again, _rows = check_again("--no-bpf")
    same(list(found) == ["all"] and found["all"] >= again, True, f"{again} bytes sent again: {found}")


@test
def forwarded():
    """what is forwarded is no program's, but the kernel's"""
    with open("/proc/sys/net/ipv4/ip_forward", "w", encoding="ascii") as file:  # of this namespace
        file.write("1")
    panetop = Panetop("network_account")
    load = Load(left, right, right.host, TCP_BYTES, DATAGRAMS)
    account = account_of(panetop.last())
    load.close()
    same(load.received[0], TCP_BYTES, "received by the test")
    same(account["programs"]["sent_bytes"], 0, "programs")
    closes(account, "forwarded")
    for direction in "received_bytes", "sent_bytes":  # the estimate of headers takes a little of it
        if account["kernel"][direction] < (TCP_BYTES + UDP_BYTES) * 0.999:
            raise AssertionError(f"{direction}: {account}")


@test
def forwarded_ipv6():
    """what is forwarded by IPv6 is the kernel's, too"""
    with open("/proc/sys/net/ipv6/conf/all/forwarding", "w", encoding="ascii") as file:
        file.write("1")
    for number, namespace in (1, left), (2, right):
        run("ip", "address", "add", f"fd09:{number}::1/64", "dev", namespace.near, "nodad")
        run(*namespace.enter, "ip", "address", "add", f"fd09:{number}::2/64", "dev", namespace.far, "nodad")
        run(*namespace.enter, "ip", "route", "add", "default", "via", f"fd09:{number}::1")
    panetop = Panetop("network_account")
    load = Load(left, right, "fd09:2::2", TCP_BYTES, DATAGRAMS)
    account = account_of(panetop.last())
    load.close()
    same(load.received[0], TCP_BYTES, "received by the test")
    closes(account, "forwarded by IPv6")
    for direction in "received_bytes", "sent_bytes":
        if account["kernel"][direction] < (TCP_BYTES + UDP_BYTES) * 0.999:
            raise AssertionError(f"{direction}: {account}")


@test
def connections():
    """a connection has its bytes, its process and its other side"""
    panetop = Panetop("connection")
    load = Load(None, left, left.host, TCP_BYTES, 0)
    rows = panetop.last(lambda rows: any(row["pid"] == load.sender.pid for row in rows))
    rows = [row for row in rows if row["remote"] == load.remote and row["protocol"] == "tcp"]
    load.close()
    same([(row["sent_bytes"], row["pid"]) for row in rows], [(TCP_BYTES, load.sender.pid)], "connections")


class Talker:
    """A process with a connection to itself."""

    def __init__(self, enter=()):
        self.process = script(TALKER, enter=enter)
        self.process.stdout.readline()
        self.pid = self.process.pid

    def say(self, size):
        self.process.stdin.write(f"{size}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def close(self):
        self.process.kill()
        self.process.wait()


WITHOUT_ADMIN = "setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"


@test
def other_namespace():
    """processes of another network namespace have their connections, and what these moved while they were read"""
    here, there = Talker(), Talker(enter=left.enter)
    there.say(MIB)
    watches = {table: Panetop(table, "--no-bpf") for table in ("traffic", "connection")}
    for talker in here, there:
        talker.say(2 * MIB)

    def known(rows):
        return {row["pid"]: row for row in rows if row["pid"] in (here.pid, there.pid) and row["tcp_sent_bytes"] == 2 * MIB
                and row["connections"] == 2}
    rows = known(watches["traffic"].last(lambda rows: len(known(rows)) == 2))
    same([(rows[talker.pid]["tcp_received_bytes"], rows[talker.pid]["retransmitted_bytes"] is None) for talker in (here, there)],
         [(2 * MIB, False)] * 2, "received; what was sent again is known")

    def connected(rows, talker):
        return sorted((row["namespace"], row["sent_bytes"]) for row in rows if row["pid"] == talker.pid and row["remote"])
    rows = watches["connection"].last(lambda rows: all(len(connected(rows, talker)) == 2 for talker in (here, there)))
    numbers = [os.stat(f"/proc/{talker.pid}/ns/net").st_ino for talker in (here, there)]
    same([connected(rows, talker) for talker in (here, there)],
         [[(numbers[0], 0), (numbers[0], 2 * MIB)], [(numbers[1], 0), (numbers[1], 3 * MIB)]], "connections")
    for talker in here, there:
        talker.close()


@test
def other_namespace_without_rights():
    """without cap_sys_admin they are unknown, not 0, and a notice says why"""
    here, there = Talker(), Talker(enter=left.enter)
    panetop = Panetop("traffic", enter=WITHOUT_ADMIN)
    for talker in here, there:
        talker.say(MIB)
    rows = {row["pid"]: row for row in panetop.last(lambda rows: any(row["pid"] == here.pid and row["connections"] == 2 for row in rows))}
    if BPF:
        same([(rows[talker.pid]["connections"], rows[talker.pid]["retransmitted_bytes"] is None, rows[talker.pid]["tcp_sent_bytes"])
              for talker in (here, there)], [(2, False, MIB), (None, True, MIB)], "connections")
    same(there.pid in rows, BPF, "a row of what nothing is known of")
    same([notice["remedy"] is not None for notice in panetop.notices if "network namespace" in notice["text"]], [True],
         f"notices: {panetop.notices}")
    for talker in here, there:
        talker.close()


@test
def other_namespace_from_the_second_sample():
    """where the list of processes reads sockets first, and only our own, no notice gives a reason for that"""
    there = Talker(enter=left.enter)
    with tempfile.NamedTemporaryFile() as file:
        command = [PANETOP, "-d", "0.3", "-o", "csv", "--no-bpf", "-t", "connection", "-c", "pid", f"--record={file.name}", "overview",
                   "network"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as panetop:
            for line in panetop.stdout:
                if line.endswith(f",{there.pid}\n"):
                    break
            panetop.terminate()
            notices = panetop.communicate()[1].splitlines()
    there.close()
    same([line for line in notices if "namespace" in line], [], "notices")


@test
def tcp_of_another_namespace():
    """where only our own namespace is read, TCP of processes elsewhere is unknown, not 0"""
    here, there = Talker(), Talker(enter=left.enter)
    panetop = Panetop("process", "-c", "pid,tcp_bytes", "--idle", "cpu")
    for talker in here, there:
        talker.say(MIB)
    rows = panetop.last(lambda rows: any(row["pid"] == here.pid and row["tcp_bytes"] == 2 * MIB for row in rows))
    moved = {row["pid"]: row["tcp_bytes"] for row in rows}
    same([moved[here.pid], moved[there.pid]], [2 * MIB, None], "TCP")
    for talker in here, there:
        talker.close()


@test
def counted_in_slots():
    """a process that sends and receives thousands of times, and goes on after each sample, keeps every byte"""
    if not BPF:
        raise Skip("BPF is not permitted")
    panetop, talker = Panetop("traffic"), Talker()
    said = 0
    for mib in 80, 1, 80:  # of the first, more than 1,000 calls each way
        talker.say(mib * MIB)
        said += mib * MIB
        row = next(row for row in panetop.after() if row["pid"] == talker.pid)
        same([row["tcp_sent_bytes"], row["tcp_received_bytes"]], [said, said], "sent and received")
    talker.close()
    panetop.last()


# Sends until there is no more room to a socket of its own that does not read.
STUCK = """
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
here = socket.create_connection(listener.getsockname())
there, _ = listener.accept()
here.setblocking(False)
print(here.getsockname()[1], flush=True)
while True:
    try: here.send(bytes(1 << 16))
    except BlockingIOError: break
sys.stdin.read()
"""


# Holds so many connections to itself; for each line it closes as many as the line says, and makes as many new ones.
HOLDER = """
import resource, socket, sys
n = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (2 * n + 100,) * 2)
listener = socket.create_server(("127.0.0.1", 0), backlog=100)
def pair():
    here = socket.create_connection(listener.getsockname())
    return here, listener.accept()[0]
held = [pair() for _ in range(n)]
print("ready", flush=True)
for line in sys.stdin:
    for here, there in held[-int(line):]:
        here.close()
        there.close()
    held[-int(line):] = [pair() for _ in range(int(line))]
    print("ready", flush=True)
"""


@test
def owners_of_new_sockets():
    """of a process with 3,000 sockets new ones are its within two samples, also as many as it has closed"""
    holder = script(HOLDER, 1500)
    holder.stdout.readline()
    panetop = Panetop("traffic")

    def connections(rows):
        return next((row["connections"] for row in rows if row["pid"] == holder.pid), None)
    for _ in range(SAMPLES_MAX):
        if connections(panetop.sample()) == 3000:
            break
    for _ in range(5):
        holder.stdin.write("1\n")
        holder.stdin.flush()
        holder.stdout.readline()
        samples = [connections(panetop.after()), connections(panetop.sample())]
        same(3000 in samples, True, f"its connections, of 3000: {samples}")
    panetop.last()
    holder.kill()
    holder.wait()


@test
def limits():
    """a connection to whoever does not read is limited by its receiver, one with room is not; each has its control group"""
    stuck, talker = script(STUCK), Talker()
    port = stuck.stdout.readline().strip()
    talker.say(1000)

    def of_stuck(rows):
        return [row for row in rows if row["local"] == f"127.0.0.1:{port}" and row["remote"]]

    def is_held(row):
        return min(row["receiver_limited_ratio"] or 0, row["busy_ratio"] or 0) > 0.9

    def settled(rows):
        return [bool(row["pid"]) and is_held(row) for row in of_stuck(rows)] == [True] and any(
            row["pid"] == talker.pid for row in rows)
    rows = Panetop("connection").last(settled)
    talked = [row for row in rows if row["pid"] == talker.pid and row["sent_bytes"]]
    held = of_stuck(rows)
    with open(f"/proc/{stuck.pid}/cgroup", encoding="ascii") as file:
        groups = {line.rstrip("\n").split(":", 2)[2] for line in file}
    for process in stuck, talker.process:
        process.kill()
        process.wait()
    same([is_held(row) for row in held], [True], "held up by the receiver")
    same([(row["receiver_limited_seconds"], row["buffer_limited_seconds"]) for row in talked], [(0, 0)], "with room")
    same([row["group"] in groups for row in held], [True], "control group")
    for row in held + talked:
        parts = sum(row[f"{part}_limited_seconds"] for part in ("receiver", "buffer", "path"))
        same(round(parts, 6), round(row["busy_seconds"], 6), "parts of the busy time")


class Queue:
    """An interface whose queue drops all that is sent."""

    def __init__(self, name):
        self.name = name
        run("ip", "link", "add", name, "type", "veth", "peer", "name", f"{name}-peer")
        for end_of_pair in name, f"{name}-peer":
            run("ip", "link", "set", end_of_pair, "up")
        run("ip", "address", "add", "10.8.0.1/24", "dev", name)
        run("ip", "neighbour", "add", "10.8.0.2", "lladdr", "02:00:00:00:00:01", "dev", name)
        self.put()

    def put(self):
        run("tc", "qdisc", "replace", "dev", self.name, "root", "pfifo", "limit", "0")

    def send(self, datagrams):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for _ in range(datagrams):
                sender.sendto(bytes(100), ("10.8.0.2", 9))

    def drops(self):
        """By tc(8)."""
        text = subprocess.run(["tc", "-s", "-j", "qdisc", "show", "dev", self.name], capture_output=True, check=True).stdout
        return sum(row["drops"] for row in json.loads(text) if row["root"])

    def close(self):
        run("ip", "link", "delete", self.name)


@test
def queue_drops():
    """what a queue drops is counted, as tc says, and goes on when another queue takes its place"""
    if not shutil.which("tc"):
        raise Skip("tc is not installed")
    queue = Queue("queue0")
    queue.send(10)

    def drops_of(rows):
        return next(row["queue_drops"] for row in rows if row["name"] == queue.name)
    panetop = Panetop("interface")
    first = drops_of(panetop.first)
    same(10 <= first <= queue.drops(), True, f"drops {first}")
    queue.send(20)
    before = queue.drops()  # the kernel itself may send some, too
    grown = drops_of(panetop.after())
    same(before <= grown <= queue.drops(), True, f"{before} dropped, by panetop {grown}")
    run("tc", "qdisc", "delete", "dev", queue.name, "root")
    queue.put()
    queue.send(5)
    least = grown + 5
    last = drops_of(panetop.last())
    queue.close()
    same(least <= last <= least + 10, True, f"at least {least}, by panetop {last}")


# Takes no datagram out of a small buffer, and accepts no connection; says its ports.
FULL = """
import socket, sys
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
u.bind(("127.0.0.1", 0))
t = socket.create_server(("127.0.0.1", 0), backlog=2)
print(u.getsockname()[1], t.getsockname()[1], flush=True)
sys.stdin.read()
"""


@test
def dropped_by_sockets():
    """what sockets drop as their buffers and queues are full is counted, as the kernel counts it, and whose they are"""
    full = script(FULL)
    udp, tcp = map(int, full.stdout.readline().split())
    losses, sockets = Panetop("packet_loss"), Panetop("connection")

    def lost(rows, counters):
        return next(row["lost"] for row in rows if row["counters"].startswith(counters))

    def of(rows, port):
        return next(row for row in rows if row["local"] == f"127.0.0.1:{port}" and not row["remote"])
    names = "UdpRcvbufErrors", "TcpExtListenOverflows"
    before = [lost(losses.first, name) for name in names] + [lost(losses.first, "")]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(1000):
            sender.sendto(bytes(100), ("127.0.0.1", udp))
    waiting = [socket.socket() for _ in range(8)]
    for each in waiting:
        each.setblocking(False)
        each.connect_ex(("127.0.0.1", tcp))
    rows = sockets.last(lambda rows: of(rows, udp)["pid"] == full.pid)
    datagrams, connections = of(rows, udp), of(rows, tcp)
    rows = losses.last()
    grown = [lost(rows, name) - one for name, one in zip((*names, ""), before)]
    for each in waiting:
        each.close()
    full.kill()
    full.wait()
    same(datagrams["dropped"], grown[0], "dropped by the socket")
    same(900 < grown[0] < 1000, True, f"of 1,000 datagrams, in a buffer of 4 KiB: {grown[0]}")
    same([connections[key] for key in ("accept_queue", "accept_queue_max", "pid", "receive_queue_bytes")], [3, 2, full.pid, None],
         "queue of connections")
    same(connections["dropped"] >= 5 and grown[1] >= connections["dropped"], True,
         f"dropped connections {connections['dropped']}, by the kernel {grown[1]}")
    same(grown[2] >= grown[0] + grown[1], True, f"all of {grown}")


def loaded(pid):
    """Programs of it in the kernel."""
    files = f"/proc/{pid}/fd"
    return sum("bpf-prog" in os.readlink(f"{files}/{file}") for file in os.listdir(files))


def by_scope(table, talkers, options, settled):
    """The rows of both, of one, and of all, once the last are settled."""
    watches = [Panetop(table, f"--in=pid={scope}", *options)
               for scope in (",".join(str(talker.pid) for talker in talkers), talkers[0].pid)] + [Panetop(table, *options)]
    for number, talker in enumerate(talkers):
        talker.say((number + 1) * MIB)
    return [watch.last(lambda rows: settled(rows, talkers)) for watch in watches]


def check_scopes(options):
    talkers = [Talker(), Talker()]
    columns = ("tcp_received_bytes", "tcp_sent_bytes")

    def settled(rows, shown):
        sent = {row["pid"]: row["tcp_sent_bytes"] for row in rows}
        return all(sent.get(talker.pid, MIB) >= MIB for talker in shown) and sent
    both, one, whole = by_scope("traffic", talkers, options, settled)
    connections = by_scope("connection", talkers, options, lambda rows, shown: any(row["pid"] == shown[0].pid for row in rows))
    for talker in talkers:
        talker.close()
    parts = [[row for row in whole if (row["pid"] in [talker.pid for talker in talkers]) == inside] for inside in (True, False)]
    same({row["pid"] for row in both}, {talker.pid for talker in talkers}, "processes of the scope")
    same([[row["pid"], *(row[column] for column in columns)] for row in one], [[talkers[0].pid, MIB, MIB]], "of one")
    for column in columns:
        same(sum(row[column] or 0 for row in both), 3 * MIB, f"{column} of the scope")
        same(sum(row[column] or 0 for part in parts for row in part), sum(row[column] or 0 for row in whole), "with the rest")
        same(sum(row[column] or 0 for row in parts[0]), 3 * MIB, f"{column} of these in all")
    same([{row["pid"] for row in rows} for rows in connections[:2]], [{talker.pid for talker in talkers}, {talkers[0].pid}],
         "processes with connections")
    same([len(rows) for rows in connections[:2]], [6, 3], "connections: both ends, and who listens")


@test
def scopes():
    """a scope has its own processes and connections, and with the rest they are all"""
    if not BPF:
        raise Skip("BPF is not permitted")
    check_scopes([])


@test
def scopes_without_bpf():
    """without BPF the same, by TCP"""
    check_scopes(["--no-bpf"])


@test
def tcp_of_processes():
    """TCP of processes is that of their sockets, with nothing loaded into the kernel"""
    talker = Talker()
    panetop = Panetop("process", "-c", "pid,tcp_bytes,tcp_received_bytes,tcp_sent_bytes", "--idle", "cpu")
    plain = Panetop("process", "-c", "pid", "--idle", "cpu")  # many processes are walked over by a program, too
    talker.say(MIB)
    panetop.after()
    plain.after()
    programs = loaded(panetop.process.pid) - loaded(plain.process.pid)
    plain.last()
    rows = panetop.last(lambda rows: any(row["pid"] == talker.pid and row["tcp_bytes"] == 2 * MIB for row in rows))
    talker.close()
    same([[row["tcp_bytes"], row["tcp_received_bytes"], row["tcp_sent_bytes"]] for row in rows if row["pid"] == talker.pid],
         [[2 * MIB, MIB, MIB]], "TCP")
    same(sum(row["tcp_bytes"] or 0 for row in rows), 2 * MIB, "TCP of all")
    same(programs, 0, "more programs in the kernel")


@test
def as_an_ordinary_user():
    """an ordinary user sees interfaces, all TCP connections, own processes, and why the rest is missing"""
    with ordinary_copy(PANETOP) as copy:
        own, other = Talker(enter=NOBODY), Talker()
        watches = {table: Panetop(table, enter=NOBODY, program=copy) for table in ("traffic", "connection", "interface")}
        for talker in own, other:
            talker.say(MIB)
        rows = watches["traffic"].last(lambda rows: any(row["pid"] == own.pid and row["tcp_sent_bytes"] == MIB for row in rows))
        same([(row["pid"], row["tcp_received_bytes"], row["udp_sent_bytes"], row["how"]) for row in rows
              if row["pid"] in (own.pid, other.pid)], [(own.pid, MIB, None, "proc")], "own traffic")
        rows = watches["connection"].last(lambda rows: sum(row["sent_bytes"] == MIB for row in rows) == 2
                                          and any(row["pid"] == own.pid for row in rows))
        moved = [row for row in rows if row["sent_bytes"] == MIB]
        same({(row["pid"], row["user"]) for row in moved}, {(own.pid, "nobody"), (None, "root")}, "processes of connections")
        same({"lo", left.near} <= {row["name"] for row in watches["interface"].last()}, True, "interfaces")
        for table, remedy in ("traffic", "cap_bpf"), ("connection", "cap_sys_ptrace"):
            same(any(remedy in (notice["remedy"] or "") for notice in watches[table].notices), True,
                 f"notices of {table}: {watches[table].notices}")
        for talker in own, other:
            talker.close()


def without_rates(samples):
    return [[{key: value for key, value in row.items() if not key.endswith(("_per_second", "_ratio"))} for row in rows]
            for rows in samples]


def replayed(file, table, *options):
    done = subprocess.run([PANETOP, "-b", "-o", "json", "-t", table, f"--replay={file.name}", *options], capture_output=True,
                          text=True, check=True)
    return [json.loads(line)["tables"][table] for line in done.stdout.splitlines()]


def record(file, talkers, table, *words):
    """While they talk; again and longer until it has rows of all, since owners are found over several samples."""
    for samples in 4, 8, 16, 32, 64:
        command = [PANETOP, "-b", "-n", str(samples), "-d", "0.3", f"--record={file.name}", *words]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as recorder:
            while recorder.poll() is None:
                for talker in talkers:
                    talker.say(1 << 16)
        if {talker.pid for talker in talkers} <= {row["pid"] for rows in replayed(file, table) for row in rows}:
            break


@test
def recorded_scopes():
    """of a recording it is the same: a scope and the rest are all rows"""
    talkers = [Talker(), Talker()]
    with tempfile.NamedTemporaryFile() as file:
        for table in "traffic", "connection":
            record(file, talkers, table, "-t", table, "network", "cpu")

            def rows(*options):
                return [sorted(sample, key=str) for sample in replayed(file, table, *options)]
            whole = rows()
            for talker in talkers:
                own = [[row for row in sample if row["pid"] == talker.pid] for sample in whole]
                scoped = rows(f"--in=pid={talker.pid}")
                same(without_rates(scoped), without_rates(own), f"{table} of a scope")
                same(any(own), True, f"{table} has rows of it")
                if len(own[-1]) == len(own[-2]):  # else an owner was found in between: its rate is known without the scope alone
                    same(scoped[-1], own[-1], f"{table} of a scope, with its rates")
    for talker in talkers:
        talker.close()


@test
def recorded():
    """a recording of the pane has all its views: who, and with whom, too"""
    talker = Talker()
    with tempfile.NamedTemporaryFile() as file:
        record(file, [talker], "connection", "network")
        found = {table: [row for rows in replayed(file, table) for row in rows]
                 for table in ("traffic", "connection", "network_account", "packet_loss")}
    talker.close()
    for table in "traffic", "connection":
        same(any(row["pid"] == talker.pid for row in found[table]), True, f"{table} has rows of it")
    for table in "network_account", "packet_loss":
        same(len(found[table]) > 0, True, f"rows of {table}")


left.close()
right.close()
end()
sys.exit(0)
