# SPDX-License-Identifier: GPL-2.0-or-later
"""network_truth.py PANETOP, in a network namespace of its own: payload by panetop beside what iperf3 says that it moved."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests"))
from network_namespace import Namespace, run  # pylint: disable=wrong-import-position

PANETOP = sys.argv[1]
LIMIT = 0.005
MIB = 1 << 20


class Watch:
    """Payload by process since the first sample, by a panetop in the namespace that enter leads to."""

    def __init__(self, enter, *options):
        command = [*enter, PANETOP, "-b", "-o", "json", "-d", "0.5", "-t", "traffic", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.process.stdout.readline()

    def bytes_of(self, pid, kind):
        """Received and sent; a process that exited is in one more sample."""
        time.sleep(1.2)
        self.process.terminate()
        samples = [json.loads(line)["tables"]["traffic"] for line in self.process.communicate()[0].splitlines()]
        rows = [row for sample in samples for row in sample if row["pid"] == pid]
        return [max((row[f"{kind}_{direction}_bytes"] or 0 for row in rows), default=0) for direction in ("received", "sent")]


def is_listening(enter, port):
    return subprocess.run([*enter, "ss", "-Htln", f"sport = :{port}"], capture_output=True, text=True, check=True).stdout


def compare(far, what, kind, *options, watch=()):
    """iperf3 from here to the far namespace, beside panetop, with these options, at both ends."""
    server = subprocess.Popen([*far.enter, "iperf3", "-s", "-1"], stdout=subprocess.DEVNULL)
    while not is_listening(far.enter, 5201):
        time.sleep(0.01)
    watches = Watch([], *watch), Watch(far.enter, *watch)
    client = subprocess.Popen(["iperf3", "-J", "-c", far.host, *options], stdout=subprocess.PIPE, text=True)
    report = json.loads(client.communicate()[0])["end"]
    sent = report["sum_sent" if "sum_sent" in report else "sum"]["bytes"]
    received = report["sum_received"]["bytes"]
    seen = watches[0].bytes_of(client.pid, kind)[1], watches[1].bytes_of(server.pid, kind)[0]
    server.wait()
    off = [100 * (number - own) / own for number, own in zip(seen, (sent, received))]
    holds = all(abs(one) <= 100 * LIMIT for one in off)
    print(f"iperf3 {what}: sent {sent}, by panetop {seen[0]} ({off[0]:+.4f} %); received {received}, by panetop {seen[1]} "
          f"({off[1]:+.4f} %); within {100 * LIMIT} %: {'holds' if holds else 'MISSED'}", flush=True)


def main():
    run("ip", "link", "set", "lo", "up")
    far = Namespace(1)
    compare(far, "TCP", "tcp", "-n", str(512 * MIB))
    compare(far, "UDP, 1,000 bytes each", "udp", "-u", "-l", "1000", "-b", "200M", "-n", str(40 * MIB))
    compare(far, "TCP, by sockets (--no-bpf)", "tcp", "-n", str(512 * MIB), "-b", "1G", watch=["--no-bpf"])
    far.close()


if __name__ == "__main__":
    main()
