# SPDX-License-Identifier: GPL-2.0-or-later
"""begin_watching.py FIFO COMMAND...: runs a panetop. Writes its PID to FIFO when nothing is left for it to do but to
wait; hands SIGTERM on, and ends with its status."""
import os
import signal
import socket
import subprocess
import sys

fifo, *command = sys.argv[1:]


def panetop_of(pid):
    """What the command runs, in the end."""
    while open(f"/proc/{pid}/comm", encoding="ascii").read() != "panetop\n":
        pid = open(f"/proc/{pid}/task/{pid}/children", encoding="ascii").read().split()[0]
    return pid


ours, its = socket.socketpair()
with subprocess.Popen(command, pass_fds=[its.fileno()], env={**os.environ, "PANETOP_TEST_FD": str(its.fileno())}) as process:
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    its.close()
    begun = ours.recv(1) == b"\0" and ours.send(b"\1") and ours.recv(1)
    with open(fifo, "w", encoding="ascii") as file:
        file.write(f"{panetop_of(process.pid)}\n" if begun else "")
sys.exit(process.returncode if process.returncode >= 0 else 128 - process.returncode)
