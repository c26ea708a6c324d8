# SPDX-License-Identifier: GPL-2.0-or-later
"""network.py PANETOP [ROUNDS]: what counting payload costs each send and receive, and what a sample of 10,000 TCP sockets and of
4,000 interfaces costs, beside ss, nethogs and iftop where they run. Printed are medians of CPU time; sockets are over loopback,
in one process."""
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time

PANETOP, ROUNDS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
SOCKETS, INTERFACES, CALLS, SAMPLES, FIRST = 10_000, 4000, 200_000, 20, 30
LIMIT_MS, LIMIT_NS = 20, 150
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def cpu_of(*words):
    """Seconds of CPU time that a command took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=False, **QUIET)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def call_ns(warm_seconds=0.0):
    """CPU time of a send or receive of one byte, by datagrams between two UNIX sockets: the cheapest there is."""
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    until = time.monotonic() + warm_seconds
    while time.monotonic() < until:
        one.send(b"x")
        other.recv(1)
    start = time.process_time()
    for _ in range(CALLS // 2):
        one.send(b"x")
        other.recv(1)
    used = time.process_time() - start
    one.close()
    other.close()
    return used / CALLS * 1e9


def price():
    """With panetop that counts, between two times without; counts of who calls often are cheaper from the next sample on."""
    cpus = os.sched_getaffinity(0)
    more = []
    for _ in range(ROUNDS):
        os.sched_setaffinity(0, {min(cpus)})
        before = call_ns()
        with subprocess.Popen([PANETOP, "-b", "-o", "json", "-d", "0.5", "-t", "traffic"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as panetop:
            os.sched_setaffinity(panetop.pid, {max(cpus)})
            panetop.stdout.readline()
            counted = call_ns(1.5)
            panetop.kill()
        more.append(counted - (before + call_ns()) / 2)
    os.sched_setaffinity(0, cpus)
    return statistics.median(more)


PUMP = """
import os, socket
listening = socket.create_server(("127.0.0.1", 0))
child = os.fork()
if child == 0:
    one = listening.accept()[0]
    while one.recv(1 << 16):
        pass
    os._exit(0)
one, block = socket.create_connection(listening.getsockname()), bytes(1 << 16)
while True:
    one.send(block)
"""


def busy_share(seconds=5.0):
    """What a pane takes of one CPU, and bytes a second of loopback, while two pairs of processes send as fast as they can."""
    def clock(pid):
        return time.clock_gettime(~pid << 3 | 2)  # the CPU time of a process

    def sent():
        with open("/proc/net/dev", encoding="ascii") as file:
            return next(int(line.split(":")[1].split()[8]) for line in file if line.strip().startswith("lo:"))
    pumps = [subprocess.Popen([sys.executable, "-c", PUMP], start_new_session=True) for _ in range(2)]
    with subprocess.Popen([PANETOP, "-b", "-d", "1", "network"], **QUIET) as panetop:
        time.sleep(3)
        before, used = sent(), clock(panetop.pid)
        time.sleep(seconds)
        found = (clock(panetop.pid) - used) / seconds, (sent() - before) / seconds
        panetop.kill()
    for pump in pumps:
        os.killpg(pump.pid, signal.SIGKILL)
        pump.wait()
    return found


def sockets():
    resource.setrlimit(resource.RLIMIT_NOFILE, (SOCKETS + 500,) * 2)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(1000)
    held = [listening]
    for _ in range(SOCKETS // 2):
        held.append(socket.create_connection(listening.getsockname()))
        held.append(listening.accept()[0])
    return held


def sample_ms(*options, enter=()):
    """A steady sample: after the first ones, in which owners are found; with its output."""
    words = [*enter, PANETOP, "-b", "-d", "0.1", "-t", *options]
    return statistics.median((cpu_of(*words, "-n", str(SAMPLES + FIRST)) - cpu_of(*words, "-n", str(FIRST))) / SAMPLES * 1e3
                             for _ in range(ROUNDS))


def interfaces():
    """A process that keeps a network namespace with thousands of them; the kernel takes a minute to remove them afterwards."""
    pairs = "\n".join(f"link add near{i} type veth peer name far{i}" for i in range(INTERFACES // 2))
    keeper = subprocess.Popen(["unshare", "-n", "-m", "sh", "-c", "mount -t sysfs none /sys && ip -batch - && echo && exec sleep 1000"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    keeper.stdin.write(pairs + "\n")
    keeper.stdin.close()
    keeper.stdout.readline()
    return keeper


def main():
    print(f"a send or receive: {price():.0f} ns more (limit {LIMIT_NS})")
    shares, rates = zip(*(busy_share() for _ in range(ROUNDS)))
    print(f"beside {statistics.median(rates) / 1e9:.1f} GB/s over loopback: {100 * statistics.median(shares):.2f} % of a CPU (limit 5 %)")
    held = sockets()
    print(f"{SOCKETS} TCP sockets, CPU time of a sample (limit {LIMIT_MS} ms):")
    print(f"  panetop, payload by process    {sample_ms('traffic'):6.1f} ms")
    print(f"  panetop, the same by sockets   {sample_ms('traffic', '--no-bpf'):6.1f} ms")
    print(f"  panetop, account               {sample_ms('network_account'):6.1f} ms")
    print(f"  panetop, connections           {sample_ms('connection', '-l', '20'):6.1f} ms")
    if shutil.which("ss"):
        print(f"  ss -tni                        {cpu_of('ss', '-tniH') * 1e3:6.1f} ms")
        print(f"  ss -tnip (with processes)      {cpu_of('ss', '-tnipH') * 1e3:6.1f} ms")
    for name, words in ("nethogs", ["nethogs", "-t", "-c", "5"]), ("iftop", ["timeout", "5", "iftop", "-t", "-i", "lo"]):
        if shutil.which(name):
            print(f"  {name}, a second               {cpu_of(*words) / 5 * 1e3:6.1f} ms")
    for one in held:
        one.close()
    keeper = interfaces()
    enter = ["nsenter", f"--net=/proc/{keeper.pid}/ns/net", f"--mount=/proc/{keeper.pid}/ns/mnt"]
    print(f"{INTERFACES} interfaces, CPU time of a sample:")
    print(f"  panetop, all columns           {sample_ms('interface', enter=enter):6.1f} ms")
    print(f"  panetop, one rate              {sample_ms('interface', '-c', 'name,received_bits_per_second', enter=enter):6.1f} ms")
    print(f"  panetop, account               {sample_ms('network_account', enter=enter):6.1f} ms")
    keeper.kill()
    keeper.wait()


if __name__ == "__main__":
    main()
