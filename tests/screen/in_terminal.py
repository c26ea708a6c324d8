# SPDX-License-Identifier: GPL-2.0-or-later
"""in_terminal.py WIDTH HEIGHT COMMAND...: runs it in a terminal to its end, with its status."""
import sys

from terminal import Terminal

terminal = Terminal(sys.argv[3:], int(sys.argv[1]), int(sys.argv[2]))
status = terminal.end()
terminal.close()
sys.exit(1 if status is None else abs(status))
