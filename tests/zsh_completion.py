# SPDX-License-Identifier: GPL-2.0-or-later
"""The completion of zsh in a terminal: what stands on the line after Tab. Argument: the directory of the completions."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TESTS_DIR"], "screen"))

from terminal import Terminal  # noqa: E402

TYPED = (  # and what it becomes; each is the only one of its kind
    ("panetop --cpu-d", "panetop --cpu-dma-latency"),
    ("panetop lat", "panetop latency"),
    ("panetop -o openm", "panetop -o openmetrics"),
    ("panetop --policy=dead", "panetop --policy=deadline"),
    ("panetop -t latency_b", "panetop -t latency_bucket"),
    ("panetop -t power -c domain,jou", "panetop -t power -c domain,joules"),
    ("panetop -t power -s +jou", "panetop -t power -s +joules"),
    ("panetop cpu -c minor_faults_p", "panetop cpu -c minor_faults_per_second"),
    ("panetop --events=fork,exitn", "panetop --events=fork,exitnonzero"),
    ("panetop --replay=nightl", "panetop --replay=nightly.rec"),
    ("panetop latency -- panetop --ver", "panetop latency -- panetop --version"),
)

TRACED = (  # the same, where tracepoints can be read
    ("panetop --trace=sched:sched_process_exe", "panetop --trace=sched:sched_process_exec"),
    ("panetop --trace 'sched:sched_process_exec by filen", "panetop --trace 'sched:sched_process_exec by filename"),
    ("panetop --trace 'sched:sched_process_exec su", "panetop --trace 'sched:sched_process_exec sum("),
    ("panetop --trace 'sched:sched_process_exec sum(old_", "panetop --trace 'sched:sched_process_exec sum(old_pid"),
)


def main():
    home = os.environ["HOME"]
    with open(os.path.join(home, "nightly.rec"), "w", encoding="ascii"):
        pass
    readable = subprocess.run(["panetop", "-n", "1", "-t", "tracepoint", "-o", "csv"], capture_output=True).stdout.count(b"\n") > 1
    terminal = Terminal(["zsh", "-f", "-i"], 100, 24)
    os.write(terminal.fd, f"cd {home}; PS1='%% '; fpath=({sys.argv[1]} $fpath); autoload -Uz compinit; "
                          "compinit -u -D; clear; print ready\n".encode())
    problem = None if terminal.wait_for("ready\n%") else "zsh does not start"
    for typed, wanted in TYPED + (TRACED if readable else ()):
        if problem:
            break
        os.write(terminal.fd, b"\x15" + typed.encode() + b"\t")
        if not terminal.wait_for("% " + wanted):
            problem = f"{typed} does not become {wanted}"
    print(problem or "", "\n" + terminal.text() if problem else "")
    terminal.close()
    return 1 if problem else 0


sys.exit(main())
