# SPDX-License-Identifier: GPL-2.0-or-later
"""simulated_machine.py ROOT IDLE_WATTS WATTS_PER_CPU COMMAND...: runs COMMAND on a machine below ROOT that does nothing
else: its CPUs are busy as long as COMMAND uses CPU time, and its energy counter grows by so much. So it does not matter
what else the real machine does. Ends with COMMAND, and with its status."""
import os
import subprocess
import sys
import time

ROOT, IDLE, PER_CPU = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
ENERGY = ROOT + "/sys/class/powercap/intel-rapl:0/energy_uj"
STAT = ROOT + "/proc/stat"
HZ, CPUS = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_NPROCESSORS_ONLN")


def write(path, text):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    os.pwrite(fd, text.encode(), 0)  # in one piece, and never shorter than before
    os.close(fd)


def tell(busy, elapsed):
    ticks, idle = 1_000_000 + busy * HZ, 1_000_000 + (elapsed * CPUS - busy) * HZ
    lines = [f"cpu  {ticks:09.0f} 0 0 {idle:09.0f} 0 0 0 0 0 0"]
    lines += [f"cpu{cpu} {ticks / CPUS:09.0f} 0 0 {idle / CPUS:09.0f} 0 0 0 0 0 0" for cpu in range(CPUS)]
    write(STAT, "\n".join(lines + ["ctxt 1", "btime 1700000000", "processes 1", "procs_running 1", "procs_blocked 0", ""]))
    write(ENERGY, f"{(1000 + IDLE * elapsed + PER_CPU * busy) * 1e6:015.0f}\n")


def main():
    for path in (STAT, ENERGY):
        os.truncate(path, 0)
    tell(0, 0)
    start = time.monotonic()
    with subprocess.Popen(sys.argv[4:]) as command:
        while command.poll() is None:
            try:
                tell(time.clock_gettime((~command.pid << 3) | 2), time.monotonic() - start)
            except OSError:
                pass  # it has just ended
            time.sleep(0.02)
        return command.returncode


sys.exit(main())
