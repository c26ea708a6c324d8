# SPDX-License-Identifier: GPL-2.0-or-later
"""shell.py SIGNALS... -- COMMAND...: a shell with job control in small.

When COMMAND stops the terminal is taken back from it, and it is sent the SIGNALS, names with commas; when it then
stops again, the next ones. At last "ended STATUS" is printed, or "stopped".
"""
import os
import signal
import sys
import termios


def start(command):
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvp(command[0], command)
    return pid


def main(arguments):
    modes = termios.tcgetattr(0)
    rounds, command = arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:]
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # as shells do, to take the terminal back
    pid = start(command)
    _, status = os.waitpid(pid, os.WUNTRACED)
    os.tcsetpgrp(0, os.getpgrp())
    termios.tcsetattr(0, termios.TCSADRAIN, modes)
    for names in rounds:
        if not os.WIFSTOPPED(status):
            break
        print("sends", names, flush=True)
        for name in names.split(","):
            os.kill(pid, signal.Signals["SIG" + name])
        _, status = os.waitpid(pid, os.WUNTRACED)
    if os.WIFSTOPPED(status):
        print("stopped", flush=True)
        os.kill(pid, signal.SIGKILL)
    else:
        print("ended", os.waitstatus_to_exitcode(status), flush=True)


main(sys.argv[1:])
