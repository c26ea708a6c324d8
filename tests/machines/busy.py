# SPDX-License-Identifier: GPL-2.0-or-later
"""busy.py ROOT IDLE_WATTS WATTS_PER_CPU COMMAND...: runs COMMAND on the machine below ROOT, which does nothing else.

Its CPUs are busy as long as COMMAND uses CPU time, and its energy counter grows by so much. So it does not matter what else
the real machine does. Ends with COMMAND, and with its status.
"""
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True

from tree import POWERCAP, Tree  # noqa: E402

HZ, CPUS = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_NPROCESSORS_ONLN")
REST = ["ctxt 1", "btime 1700000000", "processes 1", "procs_running 1", "procs_blocked 0"]


def run(root, idle_watts, watts_per_cpu, *command):
    tree = Tree(root, {})

    def advance(busy, elapsed):
        tree.stat([(1_000_000 + busy * HZ / CPUS, 0, 1_000_000 + (elapsed - busy / CPUS) * HZ)] * CPUS, REST, 9)
        tree.put(f"{POWERCAP}/intel-rapl:0/energy_uj",
                 f"{(1000 + float(idle_watts) * elapsed + float(watts_per_cpu) * busy) * 1e6:015.0f}")

    advance(0, 0)
    start = time.monotonic()
    with subprocess.Popen(command) as child:
        try:
            os.setpriority(os.PRIO_PROCESS, 0, -20)  # in time, whatever else runs
        except PermissionError:
            pass
        while child.poll() is None:
            try:
                advance(time.clock_gettime((~child.pid << 3) | 2), time.monotonic() - start)
            except OSError:
                pass  # it has just ended
            time.sleep(0.02)
        return child.returncode


sys.exit(run(*sys.argv[1:]))
