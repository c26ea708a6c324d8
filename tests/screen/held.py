# SPDX-License-Identifier: GPL-2.0-or-later
"""held.py COMMAND...: what /proc says of the command while it shows its screen; it ends by the key q."""
import sys

from terminal import Terminal

terminal = Terminal(sys.argv[1:])
terminal.started()
with open(f"/proc/{terminal.pid}/status", encoding="ascii") as status:
    sys.stdout.write(status.read())
terminal.send("q")
terminal.end()
terminal.close()
