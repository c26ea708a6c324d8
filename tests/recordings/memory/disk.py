# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices, the file systems on them, and whose bytes they are: the processes of process.py read and write them."""
from clock import STEP
from process import PROCESSES, STORED

GIB, MIB = 1 << 30, 1 << 20
READ, WRITTEN = (sum(stored[i] for stored in STORED.values()) for i in range(2))
JOURNAL = 120_000  # bytes a second of the kernel's own
DISKS = [
    # device, kind, model, shares of what is read and written, size of a request, milliseconds of a read and a write
    ("nvme0n1", "nvme", "FAST SSD 1TB", 0.9, 0.75, 16384, 0.12, 0.05),
    ("sda", "hdd", "WDC WD40EFRX-68N32N0", 0.1, 0.25, 65536, 6.1, 9.4),
    ("dm-0", "dm", "vg-root", 0.9, 0.75, 8192, 0.13, 0.06),
]
HEALTH = {
    "nvme0n1": {"state": "good", "wear_ratio": 0.12, "spare_ratio": 1, "media_errors": 0, "unsafe_shutdowns": 23,
                "power_on_seconds": 9_412 * 3600, "celsius": 41.85},
    "sda": {"state": "good", "media_errors": 8, "power_on_seconds": 41_207 * 3600, "celsius": 34},
}
FILESYSTEMS = [
    # mount, device, type, GiB, of these used, thousands of inodes, of these used, growth per second
    ("/", "/dev/mapper/vg-root", "ext4", 220, 91, 14_680, 1_210, 3_600_000),
    ("/boot", "/dev/nvme0n1p2", "ext4", 1, 0.97, 65, 1, 0),
    ("/tmp", "tmpfs", "tmpfs", 4, 0.2, 1_000, 3, 0),
    ("/srv/mail", "/dev/sda1", "xfs", 3_600, 1_500, 9_000, 8_970, 200_000),
    ("/srv/photos with a long name", "server:/export/photos", "nfs4", 8_000, 6_700, None, None, None),
]


def pulse(step):
    """How much of the usual load there is, since it is never even."""
    return 0.4 + (step * 7 % 12) / 10


def grown(per_second, step):
    return int(sum(per_second * pulse(at) * STEP for at in range(1, step + 1)))


def disk_row(device, kind, model, read_bytes, write_bytes, size, read_ms, write_ms):
    reads, writes = read_bytes // size, write_bytes // size
    merges = writes // 3
    seconds = reads * read_ms / 1e3, writes * write_ms / 1e3
    return {"device": device, "kind": kind, "model": model, "health": HEALTH.get(device, {}).get("state"), "block_bytes": 4096 if kind else None, "reads": reads,
            "writes": writes, "read_bytes": read_bytes, "write_bytes": write_bytes, "merges": merges,
            "submissions": reads + writes + merges, "read_seconds": seconds[0], "write_seconds": seconds[1],
            "busy_seconds": sum(seconds) * 0.8, "queue_seconds": sum(seconds), "discards": 0, "discard_bytes": 0,
            "flushes": writes // 40, "flush_seconds": writes // 40 * 0.002}


def disks(step):
    device = grown(READ, step), grown(WRITTEN + JOURNAL, step)
    rows = [disk_row(name, kind, model, int(device[0] * read), int(device[1] * write), size, read_ms, write_ms)
            for name, kind, model, read, write, size, read_ms, write_ms in DISKS]
    summed = {key: value + rows[1][key] for key, value in rows[0].items() if isinstance(value, (int, float)) and key != "block_bytes"}
    return [{**summed, "device": "all", "kind": None, "model": None, "health": None, "block_bytes": None}, *rows]


def filesystem(mount, device, kind, size, used, inodes, inodes_used, growth, step):
    used_bytes = int(used * GIB) + int((growth or 0) * step * STEP)
    left = max(int(size * GIB * 0.95) - used_bytes, 0) if kind == "ext4" else int(size * GIB) - used_bytes
    steady = growth and step > 12
    return {"mount": mount, "device": device, "type": kind, "mode": "rw", "total_bytes": int(size * GIB), "used_bytes": used_bytes,
            "available_bytes": left, "used_ratio": used_bytes / (used_bytes + left),
            "inodes_total": inodes and inodes * 1000, "inodes_used": inodes_used and inodes_used * 1000,
            "inodes_used_ratio": inodes_used / inodes if inodes else None,
            "growth_bytes_per_second": growth if step > 12 else None,
            "full_in_seconds": left / growth if steady and left / growth < 86400 else None,
            "age_seconds": 0.4 if growth is not None else 75.0 + step * STEP}


def account(step):
    programs, device = (grown(READ, step), grown(WRITTEN, step)), (grown(READ, step), grown(WRITTEN + JOURNAL, step))
    back = -int(MIB * 20 * (pulse(step) - 1))
    parts = [("programs", *programs, "/proc/PID/io"), ("written back", 0, back, "nr_written - nr_dirtied of /proc/vmstat"),
             ("kernel", 0, device[1] - programs[1] - back, "the rest"), ("device", *device, "/proc/diskstats")]
    return [{"device": "all", "part": part, "read_bytes": read, "write_bytes": write, "from": source}
            for part, read, write, source in parts]


def users(step):
    """By device: what is read comes from the fast one, what is written goes to both."""
    rows = []
    for pid, _, name, command, *_ in PROCESSES:
        read, written = (grown(each, step) for each in STORED.get(name, (0, 0)))
        for device, of_read, of_written in ("nvme0n1", 1, 0.75), ("sda", 0, 0.25):
            bytes_read, bytes_written = int(read * of_read), int(written * of_written)
            if bytes_read + bytes_written:
                rows.append({"device": device, "pid": pid, "start_seconds": 1.0 + pid / 1e4, "how": "bpf", "read_bytes": bytes_read,
                             "write_bytes": bytes_written, "bytes": bytes_read + bytes_written,
                             "requests": (bytes_read + bytes_written) // 16384, "name": name, "command": command})
    kernel = grown(JOURNAL, step)
    return [*rows, {"device": "nvme0n1", "pid": 0, "how": "bpf", "read_bytes": 0, "write_bytes": kernel, "bytes": kernel,
                    "requests": kernel // 16384, "name": "(written back)", "command": "(written back)"}]


def latencies(step):
    rows = []
    for device, _, _, read, written, size, *waits in DISKS[:2]:
        for operation, moved, wait_ms in ("read", READ * read, waits[0]), ("write", WRITTEN * written, waits[1]):
            requests = grown(moved, step) // size
            for phase, share in ("queued", 0.1), ("device", 0.9):
                mean = wait_ms * share / 1e3
                rows.append({"device": device, "operation": operation, "phase": phase, "how": "bpf", "requests": requests,
                             "seconds": requests * mean, "p50_seconds": mean * 0.8, "p90_seconds": mean * 2,
                             "p99_seconds": mean * 7, "p99_9_seconds": mean * 12, "max_seconds": mean * 20})
    return rows


def tables(step):
    return {"disk": disks(step), "filesystem": [filesystem(*one, step) for one in FILESYSTEMS], "disk_account": account(step),
            "disk_health": [{"device": device, **health} for device, health in HEALTH.items()], "disk_user": users(step), "disk_latency": latencies(step)}
