# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines of several memory nodes, and where processes have their memory there."""
NODE = "sys/devices/system/node"


def node(tree, number, cpus, distances, kib, counts):
    """kib: its memory, what is free, file and anonymous; counts: hits, misses, foreign, interleaved, local, other."""
    total, free, file, anonymous = kib
    folder = f"{NODE}/node{number}"
    sizes = {"MemTotal": total, "MemFree": free, "MemUsed": total - free, "FilePages": file, "AnonPages": anonymous}
    names = ("numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node", "other_node")
    tree.put_all(folder, cpulist=cpus, distance=distances,
                 meminfo="\n".join(f"Node {number} {key + ':':<15}{size:>9} kB" for key, size in sizes.items()),
                 numastat="\n".join(map("{} {}".format, names, counts)))


def process(tree, pid, name, start, pages, threads, maps=None):
    """threads: of each its name, its ticks of CPU time and the CPU that it ran on last; the first one is that of the process."""
    def stat(thread, called, ticks, cpu):
        user = ticks * 3 // 4
        return (f"{thread} ({called}) S 1 {thread} {thread} 0 -1 4194304 5000 0 3 0 {user} {ticks - user} 0 0 20 0 {len(threads)} "
                f"0 {start} {pages * 8192} {pages} 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 {cpu}" + " 0" * 13)
    tree.put(f"proc/{pid}/stat", stat(pid, name, sum(thread[1] for thread in threads), threads[0][2]))
    tree.put(f"proc/{pid}/statm", f"{2 * pages} {pages} 500 10 0 900 0")
    for i, thread in enumerate(threads):
        tree.put(f"proc/{pid}/task/{pid + i}/stat", stat(pid + i, *thread))
    if maps:
        lines = (f"{line} kernelpagesize_kB={2048 if ' huge ' in line else 4}" for line in maps)
        tree.put(f"proc/{pid}/numa_maps", "\n".join(lines))


def machine(tree, online, cpus):
    tree.stat(cpus, ["intr 1", "ctxt 100", "btime 1700000000", "processes 9999", "procs_running 2", "procs_blocked 0"])
    tree.put("proc/loadavg", "1.00 1.00 1.00 2/300 9999")
    tree.put("proc/uptime", "7200.00 10000.00")
    tree.put(f"{NODE}/online", online)


def two(tree, t):
    """A database over both nodes, a program bound to one whose threads move, and one whose memory may not be looked at."""
    machine(tree, "0-1", [(1000 + 150 * t, 500 + 75 * t, 5000 + 25 * t), (1000 + 30 * t, 500 + 15 * t, 5000 + 155 * t),
                          (500 + 100 * t, 250 + 50 * t, 6000 + 60 * t), (500, 250, 6000 + 200 * t)])
    node(tree, 0, "0-1", "10 21", (67108864, 1048576, 20971520, 41943040),
         (1000000 + 2000 * t, 100, 50 + 400 * t, 7, 999000 + 1990 * t, 1000 + 10 * t))
    node(tree, 1, "2-3", "21 10", (67108864, 31457280 - 4096 * t, 10485760, 20971520),
         (500000 + 1000 * t, 50 + 400 * t, 100, 8, 480000 + 500 * t, 20000 + 900 * t))
    process(tree, 4711, "postgres", 120000, 1678746, [("postgres", 50000 + 12 * t, 0), ("walwriter", 3000 + 88 * t, 2)],
            ["7f0000000000 default anon=1677722 dirty=1677722 active=0 N0=1191182 N1=486540",
             "7f8000000000 default file=/usr/lib/postgresql/15/bin/postgres mapped=1024 N0=727 N1=297"])
    process(tree, 5001, "java", 130000, 262144,
            [("java", 100, 2), ("GC Thread#0", 4000 + 60 * t, 3 - 2 * t), ("C2 Compiler", 2000 + 20 * t, 3)],
            ["700000000000 bind:1 anon=262144 dirty=262144 N1=262144",
             r"710000000000 default file=/anon_hugepage\040(deleted) huge anon=4 dirty=4 N1=4"])
    process(tree, 812, "sshd", 5000, 103, [("sshd", 10, 1)],
            ["560000000000 default file=/usr/sbin/sshd mapped=100 N0=100", "7fff00000000 default stack anon=3 dirty=3 N0=3"])
    process(tree, 900, "secret", 6000, 400000, [("secret", 10 + 5 * t, 2)])


def four(tree, t):
    """Node 4 has no CPUs; there is no node 3."""
    machine(tree, "0-2,4", [(100 + 10 * t, 50 + 5 * t, 900 + 190 * t)] * 9)
    for number, cpus, distances, kib, hits, local in (
            (0, "0-1,8", "10 21 31 40", (33554432, 8388608, 9437184, 10485760), 5000 + 100 * t, 5000),
            (1, "2-3", "21 10 31 40", (33554432, 16777216, 4194304, 8388608), 4000 + 50 * t, 4000),
            (2, "4-7", "31 31 10 24", (33554432, 32505856, 0, 0), 100, 100),
            (4, "", "40 40 24 10", (134217728, 104857600, 0, 29360128), 900 + 20 * t, 0)):
        node(tree, number, cpus, distances, kib, (hits, 0, 0, 0, local, 900 + 20 * t if number == 4 else 0))
    process(tree, 3000, "redis", 9000, 1000, [("redis", 100 + 40 * t, 2), ("bio", 10 + 10 * t, 5)],
            ["7e0000000000 default anon=1000 N0=100 N1=300 N2=100 N4=500"])


def eight(tree, t):
    """In a ring."""
    machine(tree, "0-7", [(100 + (1 + i) * t, 50 + (1 + i) // 2 * t, 1000 + (199 - i) * t) for i in range(32)])
    for i in range(8):
        distances = [10, 18, 20, 22, 24, 22, 20, 18]
        node(tree, i, f"{4 * i}-{4 * i + 3}", " ".join(str(distances[i - other]) for other in range(8)),
             (16777216, 1048576 * (1 + i), 3145728, 2097152), (1000 * (1 + i) + 10 * i * t, 0, 0, 0, 1000, 0))
    process(tree, 6000, "solver", 7000, 8000, [(f"worker{i}", 100 + 25 * t, 4 * max(i, t)) for i in range(8)],
            ["7e0000000000 interleave:0-7 anon=8000" + "".join(f" N{i}=1000" for i in range(8))])
    process(tree, 6100, "cache", 8000, 900, [("cache", 500 + 100 * t, 31)], ["7e0000000000 default anon=900 N7=900"])


MACHINES = {"nodes-2": (two, 2), "nodes-4": (four, 2), "nodes-8": (eight, 2)}
