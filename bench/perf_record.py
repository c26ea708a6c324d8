# SPDX-License-Identifier: GPL-2.0-or-later
"""A second reference for what panetop counts at the kernel's tracepoints: the events themselves, as perf(1) records them."""
import os
import re
import signal
import subprocess
import tempfile

LINE = re.compile(r"\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\S+):\s(.*)")
REQUEST = re.compile(r"(\d+),(\d+) \S+ .*?\) (\d+) \+ ")
AROUND = {"irq:softirq_entry": "irq:softirq_exit", "irq:irq_handler_entry": "irq:irq_handler_exit",
          "timer:hrtimer_expire_entry": "timer:hrtimer_expire_exit"}
ENDS = {end: begin for begin, end in AROUND.items()}


def record(events, work):
    """(CPU, nanoseconds, event, its fields) of what happens during work(), in the order of time; None: perf cannot."""
    control, ack = os.pipe(), os.pipe()
    with tempfile.NamedTemporaryFile() as data:
        command = ["perf", "record", "-a", "-q", "-m", "4M", "-D", "-1", f"--control=fd:{control[0]},{ack[1]}", "-o", data.name]
        try:
            perf = subprocess.Popen([*command, *(word for event in events for word in ("-e", event))],
                                    pass_fds=(control[0], ack[1]), stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            return None
        os.close(ack[1])
        os.write(control[1], b"enable\n")
        if not os.read(ack[0], 16):  # it has ended
            perf.wait()
            return None
        work()
        perf.send_signal(signal.SIGINT)
        perf.wait()
        said = subprocess.run(["perf", "script", "--ns", "-i", data.name], capture_output=True, text=True, check=False)
    for fd in control[0], control[1], ack[0]:
        os.close(fd)
    if "LOST" in said.stdout or "lost" in said.stderr:
        return None
    return [(int(cpu), int(seconds) * 10**9 + int(nanoseconds), event, fields)
            for cpu, seconds, nanoseconds, event, fields in LINE.findall(said.stdout)]


def request_times(events, device):
    """Nanoseconds from the issue of each request of this device (major, minor) to its completion, shortest first."""
    issued, times = {}, []
    for _, now, event, fields in events:
        major, minor, sector = (int(number) for number in REQUEST.match(fields).groups())
        if (major, minor) != device:
            continue
        if event == "block:block_rq_issue":
            issued[sector] = now
        elif sector in issued:
            times.append(now - issued.pop(sector))
    return sorted(times)


def wakeups_of(events, pids):
    """Of each process: its wake-ups, and how many of them came from soft interrupts of the network."""
    inside = {}  # of each CPU, the innermost last
    count = {pid: [0, 0] for pid in pids}
    for cpu, _, event, fields in events:
        stack = inside.setdefault(cpu, [])
        if event in AROUND:
            stack.append((event, "NET_" in fields))
        elif event in ENDS:
            while stack and stack.pop()[0] != ENDS[event]:
                pass
        else:
            pid = int(re.search(r" pid=(\d+)", fields).group(1))
            if pid in count:
                count[pid][0] += 1
                count[pid][1] += bool(stack and stack[-1][1])
    return count
