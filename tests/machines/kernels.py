# SPDX-License-Identifier: GPL-2.0-or-later
"""What kernels say of memory and CPUs: of several releases, in containers, beside ZFS, and of clocks that go back."""
KERNELS = ("3.2", "4.4", "5.15", "6.1", "6.18")

# Of each line of /proc/meminfo: which of KERNELS have it, from 1 on, its KiB, and how many more for each number.
MEMINFO = """
MemTotal 12345 777 4194304, MemFree 12345 0 716813, MemAvailable 2345 99 2099200, Buffers 12345 56320 0,
Cached 12345 -56312 1417216, SwapCached 12345 0 0, Active 12345 36 1740800, Inactive 12345 3 849920,
Active(anon) 12345 31 921600, Inactive(anon) 12345 0 317440, Active(file) 12345 5 819200,
Inactive(file) 12345 3 532480, Unevictable 12345 20480 1, Mlocked 12345 20480 1, SwapTotal 12345 2097152 0,
SwapFree 12345 2048000 -5, Zswap 45 0 0, Zswapped 45 0 0, Dirty 12345 412 0, Writeback 12345 0 0,
AnonPages 12345 20511 1173505, Mapped 12345 1.4 273066.67, Shmem 12345 0 65536, KReclaimable 345 1 92160,
Slab 12345 3 154624, SReclaimable 12345 1 92160, SUnreclaim 12345 2 62464, KernelStack 12345 7171 0,
PageTables 12345 19456 1, SecPageTables 45 0 0, NFS_Unstable 12345 0 0, Bounce 12345 0 0,
WritebackTmp 12345 0 0, CommitLimit 12345 2097540 2097152, Committed_AS 12345 258.8 1398101.33,
VmallocTotal 12345 34359738367 0, VmallocUsed 12345 21504 0, VmallocChunk 12345 0 0, Percpu 345 3264 0,
HardwareCorrupted 12345 0 0, AnonHugePages 12345 0 460800, CmaTotal 2 0 0, CmaFree 2 0 0,
ShmemHugePages 345 0 0, ShmemPmdMapped 345 0 0, FileHugePages 345 0 0, FilePmdMapped 345 0 0,
Unaccepted 5 0 0, Balloon 5 0 0, HugePages_Total 12345 0 0, HugePages_Free 12345 0 0,
HugePages_Rsvd 12345 0 0, HugePages_Surp 12345 0 0, Hugepagesize 12345 2048 0, Hugetlb 345 0 0,
DirectMap4k 12345 180160 0, DirectMap2M 12345 0 4194304, DirectMap1G 345 0 0"""


def numbers(text):
    return {name: int(number) for name, number in (part.split() for part in text.split(","))}


# A machine whose parts add up, in MiB (it runs 6.1), and one that is like it: what differs from the others.
ARTICLE = numbers("""
MemTotal 2547712, MemFree 1290240, MemAvailable 1884160, Buffers 20480, Cached 563200, Active 665584,
Inactive 509968, Active(anon) 409584, Inactive(anon) 213008, Active(file) 256000, Inactive(file) 296960,
Unevictable 12000, Mlocked 12000, SwapTotal 1602560, SwapFree 1602560, AnonPages 603872, Mapped 85333,
Shmem 30720, KReclaimable 40960, Slab 57328, SReclaimable 40960, SUnreclaim 16368, KernelStack 4103,
PageTables 4105, CommitLimit 2876416, Committed_AS 849237, VmallocUsed 6000, Percpu 1500,
AnonHugePages 202752, DirectMap2M 2547712""")
SMALL = ARTICLE | numbers("""
MemAvailable 1884237, Cached 563300, Active 665700, Inactive 510252, Active(anon) 409700,
Inactive(anon) 213192, Inactive(file) 297060, SwapFree 1536000, AnonPages 604172, KReclaimable 41460,
Slab 57967, SReclaimable 41460, SUnreclaim 16507, VmallocUsed 21504, Percpu 3264, AnonHugePages 204800""")

# Of /proc/vmstat: what each counts at first, and in a second.
VMSTAT = {
    1: """nr_free_pages 322560 0, pgpgin 749137 1200, pgpgout 347096 88, pswpin 0 4, pswpout 10 0,
        pgfault 1088906 500, pgmajfault 631 1, pgsteal_dma 0 0, pgsteal_dma32 600 10, pgsteal_normal 100 10,
        pgsteal_movable 0 0, pgscan_kswapd_dma 0 0, pgscan_kswapd_dma32 800 15, pgscan_kswapd_normal 100 10,
        pgscan_kswapd_movable 0 0, pgscan_direct_dma 0 0, pgscan_direct_dma32 30 1, pgscan_direct_normal 10 1,
        pgscan_direct_movable 0 0, pgscan_direct_throttle 5 0, allocstall 7 2, compact_stall 6 0""",
    2: """nr_free_pages 322560 0, pgpgin 749137 1200, pgpgout 347096 88, pswpin 0 4, pswpout 10 0,
        pgfault 1088906 500, pgmajfault 631 1, pgsteal_kswapd_dma 0 0, pgsteal_direct_dma 0 0,
        pgsteal_kswapd_dma32 600 10, pgsteal_direct_dma32 30 .5, pgsteal_kswapd_normal 100 10,
        pgsteal_direct_normal 5 .5, pgsteal_kswapd_movable 0 0, pgsteal_direct_movable 0 0,
        pgscan_kswapd_dma 0 0, pgscan_kswapd_dma32 800 15, pgscan_kswapd_normal 100 10,
        pgscan_kswapd_movable 0 0, pgscan_direct_dma 0 0, pgscan_direct_dma32 30 1, pgscan_direct_normal 10 1,
        pgscan_direct_movable 0 0, pgscan_direct_throttle 5 0, workingset_refault 210 8,
        workingset_activate 60 3, workingset_nodereclaim 0 0, drop_pagecache 1 0, drop_slab 2 0,
        allocstall 7 2, compact_stall 6 0""",
    3: """nr_free_pages 322560 0, nr_zone_inactive_anon 100 0, workingset_nodes 12 0,
        workingset_refault_anon 0 0, workingset_refault_file 200 8, workingset_activate_anon 0 0,
        workingset_activate_file 50 3, workingset_restore_anon 0 0, pgpgin 749137 1200, pgpgout 347096 88,
        pswpin 0 4, pswpout 10 0, pgalloc_dma 0 0, pgalloc_normal 1006127 1, allocstall_dma 0 0,
        allocstall_dma32 0 0, allocstall_normal 3 1, allocstall_movable 4 1, pgfault 1088906 500,
        pgmajfault 631 1, pgsteal_kswapd 700 20, pgsteal_direct 30 1, pgscan_kswapd 900 25,
        pgscan_direct 40 2, pgscan_direct_throttle 5 0, oom_kill 1 0, drop_pagecache 1 0, drop_slab 2 0,
        compact_stall 6 0""",
}

ZONES = (("DMA", 3976, (64, 80, 96), 4093, 3997, 3840, (0, 1900, 2400, 2400)),
         ("DMA32", 200000, (8000, 10000, 12000), 480096, 480000, 470000, (0, 0, 500, 500)),
         ("Normal", 110000, (3000, 3750, 4500), 160096, 160000, 155000, (0, 0, 0, 0)))


def put_meminfo(tree, kernel, change, grown):
    lines, values = [], {}
    for key, kernels, base, each in map(str.split, MEMINFO.split(",")):
        if str(kernel) in kernels:
            value = change.get(key, round(float(base) + float(each) * kernel)) + grown.get(key, 0)
            values[key] = value
            lines.append(f"{key + ':':<16}{value:>7}" if key.startswith("HugePages") else f"{key + ':':<15}{value:>9} kB")
    tree.put("proc/meminfo", "\n".join(lines))
    put_swaps(tree, kernel, values["SwapTotal"], values["SwapTotal"] - values["SwapFree"])


def put_swaps(tree, kernel, total, used):
    """What is used is on the first one; the newest kernel has it compressed."""
    zram = total // 4 if kernel == len(KERNELS) else 0
    lines = [("/dev/zram0", "partition", zram, used, 100), ("/swap\\040file", "file\t", zram, 0, -3)] if zram else []
    lines += [("/dev/vda2", "partition", total - 2 * zram, 0 if zram else used, -2)]
    tree.put("proc/swaps", "\n".join(["Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority", *(
        f"{name:<39} {kind}\t{size}\t\t{full}\t\t{priority}" for name, kind, size, full, priority in lines)]))
    if zram:
        tree.put("sys/block/zram0/mm_stat", f"{used * 1024} {used * 240} {used * 256} 0 {used * 256} 5 0 7 7")


def put_vmstat(tree, kernel, seconds):
    found = (part.split() for part in VMSTAT[min(kernel, 3)].split(","))
    tree.put("proc/vmstat", "\n".join(f"{name} {int(start) + float(each) * seconds:.0f}" for name, start, each in found))


def put_zoneinfo(tree, kernel):
    lines, others = [], ("boost", "managed", "cma") if kernel == 1 else ("scanned",)
    for name, free, (least, low, high), spanned, present, managed, protection in ZONES:
        pages = {"boost": 0, "min": least, "low": low, "high": high, "scanned": 0, "spanned": spanned, "present": present,
                 "managed": managed, "cma": 0}
        rest = [f"        protection: {protection}", f"    nr_free_pages {free}"]
        lines += [f"Node 0, zone {name:>8}", f"  pages free     {free}",
                  *(f"        {key:<9}{value}" for key, value in pages.items() if key not in others),
                  *(reversed(rest) if kernel == 1 else rest), "  pagesets", "    cpu: 0", "              count: 153",
                  "              high:  186", "              batch: 31", "  vm stats threshold: 24"]
    tree.put("proc/zoneinfo", "\n".join(lines))


def put_cpus(tree, seconds, t):
    def line(name, cpus, softirq):
        times = (500 + 45 * seconds, 10, 250 + 15 * seconds, 45000 + 40 * seconds, 20)
        return f"{name} {' '.join(str(cpus * time) for time in times)} 0 {softirq} 0 0 0"
    tree.put("proc/stat", "\n".join([
        line("cpu ", 2, 12 + seconds), line("cpu0", 1, 6), line("cpu1", 1, 6), f"intr {123456 + 800 * seconds} 0 9 0 0",
        f"ctxt {654321 + 2400 * seconds}", "btime 1700000000", f"processes {4321 + 17 * seconds}", "procs_running 2",
        "procs_blocked 1", "softirq 1000 1 2 3 4 5 6 7 8 9 10"]))
    tree.put("proc/loadavg", f"0.{42 + t} 0.31 0.20 2/214 {9000 + 17 * t}")
    tree.put("proc/uptime", f"{273120 + 2 * t}.25 540000.10")
    tree.put("proc/sys/kernel/hostname", "vbox")


def pressure(tree, t):
    for name, some, full in (("cpu", 5000000 + 100000 * t, 0), ("io", 900000 + 5000 * t, 450000 + 2500 * t), ("memory", 0, 0)):
        now = 1.25 if name == "cpu" else 0
        tree.put(f"proc/pressure/{name}", f"some avg10={now:.2f} avg60=0.50 avg300=0.10 total={some}\n"
                 f"full avg10=0.00 avg60=0.00 avg300=0.00 total={full}")


def release(kernel):
    def make(tree, t):
        grown = "MemFree -999, Inactive 7, Inactive(anon) 7, AnonPages 7"
        if kernel == 4:
            grown = "MemFree -512, Cached 100, Inactive 400, Inactive(anon) 300, Inactive(file) 100, AnonPages 300"
        put_meminfo(tree, kernel, ARTICLE if kernel == 4 else {}, numbers(grown) if t else {})
        put_vmstat(tree, kernel, 2 * t)
        put_cpus(tree, 2 * t, t)
        if kernel != 2:
            put_zoneinfo(tree, kernel)
        if kernel > 2:
            pressure(tree, t)
    return make


def small(seconds=lambda t: 2 * t, counted=lambda t: 2 * t, **change):
    def make(tree, t):
        put_meminfo(tree, 4, SMALL | change, {})
        put_vmstat(tree, 4, counted(t))
        put_cpus(tree, seconds(t), t)
    return make


def zfs(tree, t):
    small()(tree, t)
    tree.put("proc/spl/kstat/zfs/arcstats", "\n".join([
        "13 1 0x01 123 33456 8893450394 1099520983098", f"{'name':<32}type data",
        *(f"{name:<32}4    {number}" for name, number in (("hits", 1234), ("c_min", 4194304), ("c_max", 99999999),
                                                          ("size", 12582912)))]))


def readers(tree, t):
    """Processes that read, of which one has an evil name and is another one at the second moment."""
    small()(tree, t)
    for pid, name, faults, start, read_bytes in (
            (1, "systemd", 4 + t, 10, 1000), (42, "cc1\n\x1b[31m", 2 + t, 9000 + t, 4096 + 409600 * t),
            (7, "a) R (b", 9 + t, 500, 20480 + 1024000 * t), (99, "xxxxxxxxxxxxxxx", 0, 77, 0)):
        tree.put(f"proc/{pid}/stat", f"{pid} ({name}) S 1 1 1 0 -1 4194560 100 200 {faults} 5 6 7 8 9 20 0 1 0 {start} "
                 "1000000 300 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0")
        tree.put(f"proc/{pid}/io", "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\n"
                 f"read_bytes: {read_bytes}\nwrite_bytes: 5\ncancelled_write_bytes: 0")


MACHINES = {f"linux-{name}": (release(1 + i), 2) for i, name in enumerate(KERNELS)} | {
    "cgroup-v1": (small(), 1), "cgroup-v2": (small(), 1), "lxc": (small(MemAvailable=10238976), 1), "zfs": (zfs, 1),
    "readers": (readers, 2), "backwards": (small(lambda t: 2 if t else 10, lambda t: 3 if t else 10), 2)}
