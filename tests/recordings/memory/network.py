# SPDX-License-Identifier: GPL-2.0-or-later
"""Network interfaces."""
from clock import STEP

INTERFACES = {"lo": (4000, 4000, 40), "eth0": (1.5e6, 120e3, 1400), "docker0": (9000, 7000, 60)}  # bytes/s, packets/s


def interface_rows(seconds):
    return [{"name": name, "received_bytes": int(received * seconds), "sent_bytes": int(sent * seconds),
             "received_packets": int(packets * seconds), "sent_packets": int(packets * seconds) // 3, "errors": 0, "drops": 0}
            for name, (received, sent, packets) in [("all", INTERFACES["eth0"]), *INTERFACES.items()]]


def tables(step):
    return {"interface": interface_rows(step * STEP)}
