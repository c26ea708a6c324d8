# SPDX-License-Identifier: GPL-2.0-or-later
"""The files of a machine that is made of files."""
import os

CPU = "sys/devices/system/cpu"
POWERCAP = "sys/class/powercap"
HWMON = "sys/class/hwmon"
THERMAL = "sys/class/thermal"
SUPPLY = "sys/class/power_supply"
RANGE = 262143328850  # of a counter of energy, in microjoules


class Tree:
    """Files below root, without those that are the same in before, a dictionary by path that it brings up to date."""

    def __init__(self, root, before):
        self.root = root
        self.before = before

    def put(self, name, text):
        data = text if isinstance(text, bytes) else f"{text}\n".encode()
        if self.before.get(name) == data:
            return
        self.before[name] = data
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        os.pwrite(fd, data, 0)  # in one piece, and never shorter than before where the length stays: it may be read meanwhile
        os.ftruncate(fd, len(data))
        os.close(fd)

    def put_all(self, folder, **files):
        for name, text in files.items():
            self.put(f"{folder}/{name}", text)

    def link(self, name, target):
        path = os.path.join(self.root, name)
        if self.before.get(name) == target:
            return
        self.before[name] = target
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(target, path)

    def stat(self, cpus, rest, width=1):
        """Of each CPU its ticks: user, system and idle."""
        def line(name, ticks):
            user, system, idle = (f"{part:0{width}.0f}" for part in ticks)
            return f"{name} {user} 0 {system} {idle} 0 0 0 0 0 0"
        lines = [line("cpu ", map(sum, zip(*cpus))), *(line(f"cpu{i}", one) for i, one in enumerate(cpus)), *rest]
        self.put("proc/stat", "\n".join(lines))

    def proc(self, cpus, t):
        self.stat([(1000 + 120 * t, 500 + 20 * t, 9000 + 60 * t)] * cpus,
                  [f"intr {5000 + 400 * t}", f"ctxt {9000 + 900 * t}", "btime 1700000000", f"processes {300 + 4 * t}",
                   "procs_running 1", "procs_blocked 0"])
        self.put("proc/loadavg", "0.42 0.31 0.20 1/214 4321")
        self.put("proc/uptime", f"{9000 + 2 * t}.00 100.00")
        self.put("proc/sys/kernel/hostname", "vbox")

    def zone(self, name, title, energy_uj, range_uj, max_power_uw=0):
        self.put_all(f"{POWERCAP}/{name}", name=title, energy_uj=energy_uj, max_energy_range_uj=range_uj, enabled=0,
                     constraint_0_max_power_uw=max_power_uw)

    def chip(self, number, name, device, **files):
        folder = f"{HWMON}/hwmon{number}"
        self.put_all(folder, name=name, **files)
        if device:
            self.link(f"{folder}/device", f"../../../devices/{device}")

    def thermal(self, number, kind, temp, trips=()):
        folder = f"{THERMAL}/thermal_zone{number}"
        self.put_all(folder, type=kind, temp=temp)
        for i, (does, at) in enumerate(trips):
            self.put_all(folder, **{f"trip_point_{i}_type": does, f"trip_point_{i}_temp": at, f"trip_point_{i}_hyst": 2000})

    def frequency(self, cpu, now, low, high, least, most, base=None):
        self.put_all(f"{CPU}/cpu{cpu}/cpufreq", scaling_cur_freq=now, scaling_min_freq=low, scaling_max_freq=high,
                     cpuinfo_min_freq=least, cpuinfo_max_freq=most)
        if base:
            self.put(f"{CPU}/cpu{cpu}/cpufreq/base_frequency", base)

    def idle(self, cpu, states):
        for i, (name, time_us, usage) in enumerate(states):
            self.put_all(f"{CPU}/cpu{cpu}/cpuidle/state{i}", name=name, time=time_us, usage=usage)

    def throttle(self, cpu, core, package):
        self.put_all(f"{CPU}/cpu{cpu}/thermal_throttle", core_throttle_count=core, package_throttle_count=package,
                     core_throttle_total_time_ms=core * 3, package_throttle_total_time_ms=package * 5)

    def supply(self, name, **fields):
        lines = [f"POWER_SUPPLY_NAME={name}"] + [f"POWER_SUPPLY_{key}={value}" for key, value in fields.items()]
        self.put(f"{SUPPLY}/{name}/uevent", "\n".join(lines))
