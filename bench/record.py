# SPDX-License-Identifier: GPL-2.0-or-later
"""record.py PANETOP CROWD [SECONDS]: what the recording service costs on a machine of 200 processes and on one of 10,000, in
PID namespaces, 20 of them busy: with its options and its capabilities, from its third sample on.

Limits: 0.3 % of a CPU at 200 processes, 1 % at 10,000."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

PANETOP, CROWD, SECONDS = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 60
BUSY = 20
WARM = 60  # at 10,000 processes it has found its pace then
UNIT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../debian/panetop.panetop-record.service")
RIGHTS = "-all,+net_admin,+sys_ptrace,+dac_read_search"


def command_of_unit(directory):
    with open(UNIT, encoding="utf-8") as unit:
        words = re.search(r"^ExecStart=\S+ (.*)", unit.read(), re.M)[1].split()
    return [PANETOP, *(word.replace("/var/lib/panetop", directory) for word in words)]


def ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(") ", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def inside(processes):
    """Runs in a namespace of its own; prints what was measured as JSON."""
    with tempfile.TemporaryDirectory() as directory, \
            subprocess.Popen([CROWD, str(processes - BUSY), str(BUSY)], stdout=subprocess.PIPE, text=True) as crowd:
        crowd.stdout.readline()
        os.chown(directory, 65534, 65534)
        os.chmod(directory, 0o750)
        drop = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=" + RIGHTS, "--ambient-caps=" + RIGHTS,
                "--bounding-set=" + RIGHTS]
        with subprocess.Popen([*drop, *command_of_unit(directory)], stderr=subprocess.DEVNULL) as service:
            time.sleep(WARM)
            before = ticks(service.pid)
            time.sleep(SECONDS)
            used = (ticks(service.pid) - before) / os.sysconf("SC_CLK_TCK")
            with open(f"/proc/{service.pid}/status", encoding="utf-8") as status:
                resident = int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])
            service.send_signal(signal.SIGTERM)
            service.wait()
        names = os.listdir(directory)
        size = sum(os.stat(os.path.join(directory, name)).st_size for name in names)
        crowd.terminate()
    print(json.dumps({"percent": 100 * used / SECONDS, "rss": resident / 1024, "bytes": size / ((WARM + SECONDS) / 10 + 1)}))


def main():
    print("| processes | % of a CPU | limit | RSS | bytes a sample |")
    print("| --- | --- | --- | --- | --- |")
    for processes, limit in ((200, 0.3), (10000, 1)):
        out = subprocess.run(["/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "/usr/bin/python3", __file__, PANETOP, CROWD,
                              str(SECONDS), str(processes)], stdout=subprocess.PIPE, check=True, text=True).stdout
        found = json.loads(out.splitlines()[-1])
        print(f"| {processes} | {found['percent']:.2f} | {limit} | {found['rss']:.1f} MiB | {found['bytes']:.0f} |", flush=True)


if len(sys.argv) > 4:
    inside(int(sys.argv[4]))
else:
    main()
