# SPDX-License-Identifier: GPL-2.0-or-later
"""Network interfaces, and what processes send and receive."""
from clock import STEP
from process import PAYLOAD, PROCESSES

# bytes/s received and sent, packets/s, state, Mbit/s, duplex, MTU
INTERFACES = {"lo": (4000, 4000, 40, None, None, None, 65536), "eth0": (1.5e6, 120e3, 1400, "up", 1000, "full", 1500),
              "docker0": (9000, 7000, 60, "up", None, None, 1500)}


def link(seconds, received, packets, state, megabits, duplex, mtu):
    known = {"state": state, "duplex": duplex, "mtu": mtu, "payload_ratio": (mtu - 40) / (mtu + 38) if mtu == 1500 else None}
    if not megabits:
        return known
    return {**known, "speed_bits": megabits * 1_000_000, "used_bits": 8 * (received + 24 * packets) * seconds,
            "capacity_bits": megabits * 1e6 * seconds}


def interface_rows(seconds):
    rows = []
    for name, (received, sent, packets, *of_link) in [("all", INTERFACES["eth0"]), *INTERFACES.items()]:
        drops = int(seconds) // 4 if received > 1e6 else 0
        rows.append({"name": name, "received_bytes": int(received * seconds), "sent_bytes": int(sent * seconds),
                     "received_packets": int(packets * seconds), "sent_packets": int(packets * seconds) // 3,
                     "errors": 0, "drops": drops, "received_drops": drops, "sent_drops": 0, "received_errors": 0, "sent_errors": 0,
                     "fifo_errors": 0, "frame_errors": 0, "carrier_errors": 0, "collisions": 0,
                     **(link(seconds, received, packets, *of_link) if name != "all" else {})})
    return rows


def traffic_rows(seconds):
    rows = []
    for pid, _, name, command, *_ in PROCESSES:
        if name not in PAYLOAD:
            continue
        received, sent = (bytes * seconds for bytes in PAYLOAD[name])
        local = 1 if name == "postgres" else 0
        rows.append({"pid": pid, "start_seconds": pid / 10, "name": name, "command": command, "how": "bpf",
                     "connections": 1 + pid % 3, "retransmitted_bytes": sent // 900,
                     "received_bytes": received, "sent_bytes": sent, "tcp_received_bytes": received * (1 - local),
                     "tcp_sent_bytes": sent * (1 - local), "udp_received_bytes": 0, "udp_sent_bytes": 0,
                     "unix_received_bytes": received * local, "unix_sent_bytes": sent * local})
    return rows


CONNECTIONS = [
    # protocol, state, local, remote, service, pid, bytes/s received and sent, rtt in ms, retransmits
    ("tcp", "established", "10.0.0.5:50112", "203.0.113.7:443", "https", 15400, 1_300_000, 20_000, 21.4, 7),
    ("tcp", "established", "[2001:db8::5]:50344", "[2001:db8::42]:443", "https", 15400, 40_000, 2_000, 8.1, 0),
    ("tcp", "established", "10.0.0.5:22", "198.51.100.23:61022", "ssh", None, 300, 900, 33.0, 0),
    ("tcp", "close-wait", "10.0.0.5:50200", "203.0.113.9:80", "http", 15999, 0, 0, 120.0, 2),
    ("udp", "connected", "10.0.0.5:40001", "10.0.0.1:53", "domain", 1, None, None, None, None),
    ("tcp", "listening", "0.0.0.0:22", "", "ssh", None, None, None, None, None),
    ("tcp", "listening", "127.0.0.1:5432", "", "postgresql", 2001, None, None, None, None),
    ("udp", "open", "0.0.0.0:5353", "", "mdns", 1, None, None, None, None),
]


def connection_rows(seconds):
    known = {process[0]: process for process in PROCESSES}
    rows = []
    for number, (protocol, state, local, remote, service, pid, received, sent, rtt, again) in enumerate(CONNECTIONS):
        owner = {"pid": pid, "start_seconds": pid / 10, "name": known[pid][2], "command": known[pid][3]} if pid else {}
        rows.append({"protocol": protocol, "state": state, "local": local, "remote": remote, "service": service, **owner,
                     "received_bytes": received and received * seconds, "sent_bytes": sent and sent * seconds, "retransmits": again,
                     "retransmitted_bytes": again and again * 1448, "rtt_seconds": rtt and rtt / 1e3, "window": rtt and 10,
                     **({"accept_queue": 0, "accept_queue_max": 128} if state == "listening" else
                        {"receive_queue_bytes": 0, "send_queue_bytes": 0}),
                     **({"dropped": 4 * int(seconds) if service == "mdns" else 0} if protocol == "udp" or not remote else {}),
                     "inode": 30_000 + number, "user": known[pid][4] if pid else "root"})
    return rows


# protocol, cause, lost at the beginning and per second, counters
LOSSES = [
    ("all", "dropped by sockets", 132, 4, ""),
    ("udp", "receive buffer full", 120, 4, "UdpRcvbufErrors + Udp6RcvbufErrors"),
    ("udp", "no socket has the port", 31, 0, "UdpNoPorts + Udp6NoPorts"),
    ("tcp", "connection requests dropped", 12, 0, "TcpExtListenDrops"),
    ("tcp", "of them: accept queue full", 9, 0, "TcpExtListenOverflows"),
    ("tcp", "sent again", 5_104, 0.5, "TcpRetransSegs"),
    ("ip", "no route", 14, 0, "IpOutNoRoutes + Ip6OutNoRoutes"),
]


def loss_rows(seconds):
    return [{"protocol": protocol, "cause": cause, "lost": int(lost + rate * seconds), "counters": counters}
            for protocol, cause, lost, rate, counters in LOSSES]


def account_rows(seconds):
    programs = tuple(sum(of[i] for name, of in PAYLOAD.items() if name != "postgres") * seconds for i in range(2))
    wire = tuple(int((INTERFACES["lo"][i] + INTERFACES["eth0"][i]) * seconds) for i in range(2))
    headers = int(1400 * 60 * seconds), int(1400 * 40 * seconds)
    again = None, int(700 * seconds)
    kernel = int(3000 * seconds), int(2000 * seconds)
    parts = [("programs", programs, "BPF at sockets"), ("headers", headers, "packets x headers"), ("retransmitted", again, "BPF at retransmissions"),
             ("kernel", kernel, "BPF at sockets, forwarded packets")]
    rest = tuple(wire[i] - sum(part[1][i] or 0 for part in parts) for i in range(2))
    return [{"interface": "all", "part": part, "received_bytes": bytes[0], "sent_bytes": bytes[1], "from": source}
            for part, bytes, source in [*parts, ("unexplained", rest, "the rest"), ("wire", wire, "/proc/net/dev")]]


def tables(step):
    return {"interface": interface_rows(step * STEP), "traffic": traffic_rows(step * STEP),
            "connection": connection_rows(step * STEP), "packet_loss": loss_rows(step * STEP), "network_account": account_rows(step * STEP)}
