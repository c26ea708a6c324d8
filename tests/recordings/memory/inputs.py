# SPDX-License-Identifier: GPL-2.0-or-later
"""Disks and network interfaces."""
from clock import STEP

MIB = 1 << 20
DISKS = {"nvme0n1": (3.5 * MIB, 12 * MIB, 120, 340, 0.22), "sda": (0, 0.25 * MIB, 0, 6, 0.04)}  # bytes/s, requests/s, busy
INTERFACES = {"lo": (4000, 4000, 40), "eth0": (1.5e6, 120e3, 1400), "docker0": (9000, 7000, 60)}  # bytes/s, packets/s


def disk_rows(seconds):
    listed, sums = [], [0.0] * 5
    for device, rates in DISKS.items():
        sums = [a + b for a, b in zip(sums, rates)]
        listed.append((device, rates))
    return [{"device": device, "read_bytes": int(read * seconds), "write_bytes": int(write * seconds),
             "reads": int(reads * seconds), "writes": int(writes * seconds), "merges": int(writes * seconds) // 5,
             "submissions": int((reads + writes) * seconds) + int(writes * seconds) // 5,
             "read_seconds": reads * seconds * 0.0004, "write_seconds": writes * seconds * 0.002,
             "busy_seconds": busy * seconds, "queue_seconds": 2 * busy * seconds}
            for device, (read, write, reads, writes, busy) in [("all", sums), *listed]]


def interface_rows(seconds):
    return [{"name": name, "received_bytes": int(received * seconds), "sent_bytes": int(sent * seconds),
             "received_packets": int(packets * seconds), "sent_packets": int(packets * seconds) // 3, "errors": 0, "drops": 0}
            for name, (received, sent, packets) in [("all", INTERFACES["eth0"]), *INTERFACES.items()]]


def tables(step):
    return {"disk": disk_rows(step * STEP), "interface": interface_rows(step * STEP)}
