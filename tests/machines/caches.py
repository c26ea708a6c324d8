# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines whose caches and memory bandwidth resctrl divides and measures."""
ROOT = "sys/fs/resctrl"


def machine(tree, caches, vendor=None, rest="", options="rw"):
    """caches: of each its level, its KiB and its number on each CPU."""
    if vendor:
        tree.put("proc/cpuinfo", f"processor\t: 0\nvendor_id\t: {vendor}{rest}")
    tree.put("proc/self/mountinfo", "24 1 0:22 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw\n"
             f"65 24 0:41 / /{ROOT} rw,relatime shared:30 - resctrl resctrl {options}")
    for level, kib, numbers in caches:
        for cpu, number in enumerate(numbers):
            tree.put_all(f"sys/devices/system/cpu/cpu{cpu}/cache/index{level}", id=number, level=level, size=f"{kib}K")


def group(tree, name, tasks, mode="shareable", **files):
    folder = f"{ROOT}{name}"
    tree.put(f"{folder}/tasks", "\n".join(map(str, tasks)))
    if mode:
        tree.put(f"{folder}/mode", mode)
    for file, text in files.items():
        tree.put(f"{folder}/{file}", text)


def measured(tree, name, domain, occupancy, total=None, local=None):
    folder = f"{ROOT}{name}/mon_data/mon_L3_{domain}"
    tree.put(f"{folder}/llc_occupancy", occupancy)
    if total is not None:
        tree.put_all(folder, mbm_total_bytes=total, mbm_local_bytes=local)


def info(tree, **folders):
    for folder, files in folders.items():
        tree.put_all(f"{ROOT}/info/{folder}", **files)


def intel(tree, t):
    """Two sockets. One group may use little of a cache, the other little bandwidth, and a part of it is measured by itself."""
    machine(tree, [(2, 2048, range(4)), (3, 36608, (0, 0, 1, 1))], "GenuineIntel", "\ncpu family\t: 6")
    info(tree, L3={"cbm_mask": "7ff", "min_cbm_bits": 1, "num_closids": 15}, L3_MON={
        "mon_features": "llc_occupancy\nmbm_total_bytes\nmbm_local_bytes", "num_rmids": 224}, MB={
            "bandwidth_gran": 10, "min_bandwidth": 10, "thread_throttle_mode": "per-thread"})
    tree.put(f"{ROOT}/info/last_cmd_status", "ok")
    group(tree, "", (1, 2, 3, 712, 812), schemata="    MB:0=100;1=100\n    L3:0=7ff;1=7ff",
          size="    MB:0=100;1=100\n    L3:0=37486592;1=37486592")
    group(tree, "/noisy", (4100, 4101), schemata="    MB:0=100;1=100\n    L3:0=001;1=7ff",
          size="    MB:0=100;1=100\n    L3:0=3407872;1=37486592")
    group(tree, "/web", (2001, 2002, 2003), schemata="    MB:0= 30;1=100\n    L3:0=7fe;1=7ff",
          size="    MB:0= 30;1=100\n    L3:0=34078720;1=37486592")
    group(tree, "/web/mon_groups/db", (2003,), None, cpus="0")
    mib = 1000000
    for name, occupancy, total, local, total_each, local_each in (
            ("", 19083264, 811000, 800000, 400, 380), ("/noisy", 3014656, 300000, 290000, 18000, 17800),
            ("/web", 9961472, 50000, 40000, 1600, 1200), ("/web/mon_groups/db", 4194304, 20000, 15000, 1000, 800)):
        measured(tree, name, "00", occupancy, (total + total_each * t) * mib, (local + local_each * t) * mib)
        measured(tree, name, "01", occupancy // 8, total * mib, local * mib)


def amd(tree, t):
    """Domains 0 and 4, bandwidth in parts of 2048, and counters that are not assigned, or fail."""
    machine(tree, [(3, 32768, (0, 0, 4, 4))], "AuthenticAMD", "\ncpu family\t: 26")
    info(tree, L3={"cbm_mask": "ffff"}, MB={"bandwidth_gran": 1, "min_bandwidth": 0}, L3_MON={
        "available_mbm_cntrs": "0=0;4=28", "mbm_assign_mode": "[mbm_event]\ndefault", "num_mbm_cntrs": "0=32;4=32"})
    group(tree, "", (1, 2), schemata="    MB:0=2048;4=2048\n  SMBA:0=2048;4=2048\n    L3:0=ffff;4=ffff",
          size="    MB:0=2048;4=2048\n    L3:0=33554432;4=33554432")
    group(tree, "/batch", (900,), schemata="    MB:0=2500;4=2048\n  SMBA:0=2048;4=2048\n    L3:0=000f;4=ffff",
          size="    MB:0=2500;4=2048\n    L3:0=8388608;4=33554432")
    measured(tree, "", "00", 20000000, 10000000000 + 4000000000 * t, 9000000000 + 3000000000 * t)
    measured(tree, "", "04", 1000000, 5000000000 + 4000 * t, 5000000000 + 2000 * t)
    measured(tree, "/batch", "00", 7000000, "Unassigned", "Unassigned")
    measured(tree, "/batch", "04", 0, *(1000000, 1000000) if t else ("Unavailable", "Error"))


def clustered(tree, t):
    """Each cache has two clusters of CPUs, whose numbers are parts of its own; bandwidth is limited in MB/s."""
    machine(tree, [(3, 107520, (0, 0, 1, 1))], "GenuineIntel", options="rw,mba_MBps")
    info(tree, L3={"cbm_mask": "7fff"})
    group(tree, "", (1,), schemata="    MB:0=4294967295;1=4294967295\n    L3:0=7fff;1=7fff",
          size="    MB:0=4294967295;1=4294967295\n    L3:0=55050240;1=55050240")
    group(tree, "/part", (70,), schemata="    MB:0=      1024;1=4294967295\n    L3:0=0007;1=7fff",
          size="    MB:0=      1024;1=4294967295\n    L3:0=11010048;1=55050240")
    for name, bytes_each, size, step in (("", 4000000000, 4000000, 4000), ("/part", 1000000000, 1000000, 1000)):
        for cache in (0, 1):
            parts = [2 * cache, 2 * cache + 1]
            grown = step * t * sum(1 + part for part in parts)
            measured(tree, name, f"0{cache}", size * sum(1 + part for part in parts), 2 * bytes_each + 2 * grown,
                     2 * bytes_each + grown)
            for part in parts:
                grown = step * t * (1 + part)
                measured(tree, name, f"0{cache}/mon_sub_L3_0{part}", size * (1 + part), bytes_each + 2 * grown,
                         bytes_each + grown)


def code_and_data(tree, _):
    """Parts of the caches are for code or for data."""
    machine(tree, [(2, 1024, range(2)), (3, 16384, (0, 0))], "GenuineIntel", options="rw,cdp,cdpl2")
    info(tree, **{f"L{level}{kind}": {"cbm_mask": mask} for level, mask in ((2, "ff"), (3, "fff")) for kind in ("CODE", "DATA")})
    group(tree, "", (1,), schemata="L3DATA:0=fff\nL3CODE:0=fff\nL2DATA:0=ff;1=ff\nL2CODE:0=ff;1=ff",
          size="L3DATA:0=16777216\nL3CODE:0=16777216\nL2DATA:0=1048576;1=1048576\nL2CODE:0=1048576;1=1048576")
    group(tree, "/real-time", (70,), "exclusive", schemata="L3DATA:0=f00\nL3CODE:0=c00\nL2DATA:0=0f;1=ff\nL2CODE:0=03;1=ff",
          size="L3DATA:0=5592405\nL3CODE:0=2796202\nL2DATA:0=524288;1=1048576\nL2CODE:0=262144;1=1048576")


def monitor(tree, _):
    """Measures, and divides nothing."""
    machine(tree, [(3, 20480, (0, 0))])
    info(tree, L3_MON={"mon_features": "llc_occupancy"})
    for name, tasks, occupancy in (("", (1, 2), 15000000), ("/mon_groups/job", (70,), 6000000)):
        group(tree, name, tasks, None)
        measured(tree, name, "00", occupancy)


MACHINES = {"resctrl-intel": (intel, 2), "resctrl-amd": (amd, 2), "resctrl-snc": (clustered, 2),
            "resctrl-cdp": (code_and_data, 1), "resctrl-monitor": (monitor, 1)}
