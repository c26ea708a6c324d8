# SPDX-License-Identifier: GPL-2.0-or-later
"""The recording behind the golden screens of the pane power.

A laptop of four CPUs for six minutes, a sample each two seconds: it works in bursts, of which a compiler has the most.
It was calibrated: the watts of its processes are known. Watts follow the load at once, the
processor's temperature twelve seconds later, the case's half a minute later.
"""
import math

from recording import Recording

STEP = 2
FRAMES = 180
WHOLE_FROM = 175  # before it what never changes is left out
CPUS = 4
START_WALL = 1_732_095_000  # 2024-11-20 09:30:00 UTC
START_MONO = 270_000
PACKAGE_LAG, CASE_LAG = 12, 30  # seconds
BASELINE, SLOPE, R_SQUARED = 4.9, 3.6, 0.9873  # watts; watts per busy CPU
RARE = ("process", "account", "exited", "power_account", "program_power", "battery", "fan", "voltage", "frequency", "idle_state", "trip_point", "cooling", "throttle", "self")


def noise(step, salt):
    """The same in every run, between -1 and 1."""
    return ((step * 7919 + salt * 104729) * 2654435761 % 2**32) / 2**31 - 1


def load(seconds):
    """Bursts of uneven length, with a slope on either side."""
    phase = seconds % 137
    level = 0.9 if 20 <= phase < 55 else 0.45 if 80 <= phase < 100 else 0.06
    return level


def smooth_load(step, lag=0, width=4):
    first = step * STEP - lag
    return sum(load(max(0, first - i * STEP)) for i in range(width)) / width


class Machine:
    """Counters that grow from step to step."""

    def __init__(self):
        self.busy = [50.0] * CPUS
        self.joules = {"package-0": 100.0, "package-0/core": 60.0, "package-0/uncore": 20.0, "psys": 300.0}
        self.idle = {"POLL": [0.0, 10], "C1E": [0.0, 4000], "C10": [0.0, 700]}
        self.watts = []
        self.drawn = {name: [] for name in self.joules}
        self.used = {"tasks": 0.0, "exited": 0.0, "others": 0.0}

    def go_on(self, step):
        busy = min(1, max(0.01, smooth_load(step) + 0.03 * noise(step, 1)))
        package = 2.1 + 15 * busy + 0.2 * noise(step, 2)
        for cpu in range(CPUS):
            self.busy[cpu] += busy * STEP
        for name, watts in (("package-0", package), ("package-0/core", package * 0.66), ("package-0/uncore", 0.61 + 0.02 * noise(step, 6)),
                            ("psys", package + 2.85 + 0.1 * noise(step, 3))):
            self.joules[name] += watts * STEP
            self.drawn[name].append(watts)
        for name, share, per_second in (("POLL", 0.001, 1), ("C1E", 0.3 * (1 - busy), 320), ("C10", 0.6 * (1 - busy), 90)):
            self.idle[name][0] += share * STEP
            self.idle[name][1] += per_second * STEP
        self.watts.append(self.drawn["psys"][-1])
        for part, share in (("tasks", 0.8), ("exited", 0.15), ("others", 0.05)):
            self.used[part] += share * busy * CPUS * STEP


def statistics(values):
    mean = sum(values) / len(values)
    return {"mean_watts": mean, "min_watts": min(values), "max_watts": max(values),
            "stddev_watts": (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5,
            "geometric_mean_watts": math.exp(sum(math.log(value or 1) for value in values) / len(values)), "run_seconds": len(values) * STEP}


def temperatures(step):
    package = 44 + 38 * smooth_load(step, PACKAGE_LAG, 3) + 0.4 * noise(step, 4)
    case = 41 + 14 * smooth_load(step, CASE_LAG, 6) + 0.2 * noise(step, 5)
    return [("x86_pkg_temp", "x86_pkg_temp", package, 44, 83, None, 100, "x86_pkg_temp", "ok"),
            ("acpitz", "acpitz", case, 41, 56, 95, 100, "acpitz", "ok"),
            ("coretemp.0/temp2", "Core 0", package - 1, 43, 82, 100, 105, "coretemp", "ok"),
            ("nvme@0000:01:00.0/temp1", "Composite", 41.85, 41.85, 41.85, 81.85, 84.85, "nvme", "ok"),
            ("amdgpu@0000:03:00.0/temp1", "edge \x1b[31m\u202etxt", None, None, None, 90, 105, "amdgpu", "asleep")]


PROCESSES = (("cc1", 4242, 1000, 0.55), ("firefox", 2101, 1000, 0.3), ("Xorg", 900, 0, 0.1), ("kworker/u8:2", 61, 0, 0.05))


def processes(machine):
    rows = []
    for name, pid, uid, share in PROCESSES:
        used = share * machine.used["tasks"]
        rows.append({"pid": pid, "start_seconds": 100 + pid, "ppid": 1, "cpu_seconds": used, "user_seconds": 0.9 * used,
                     "system_seconds": 0.1 * used, "joules": SLOPE * used,
                     "user": "ada" if uid else "root", "uid": uid, "state": "S", "processor": pid % CPUS, "threads": 1, "nice": 0,
                     "resident_bytes": pid << 16, "minor_faults": 10, "major_faults": 0, "name": name, "program": name,
                     "program_base": name, "command": name, "command_base": name})
    return rows


def accounts(machine, seconds):
    used = machine.used
    busy = sum(used.values())
    account = [{"part": part, "cpu_seconds": value, "from": "clocks of the processes"} for part, value in
               (("tasks", used["tasks"]), ("exited", used["exited"]), ("irq", 0), ("softirq", used["others"]), ("steal", 0),
                ("unaccounted", 0), ("busy", busy))]
    total = machine.joules["psys"] - 300
    power = [(part, joules) for part, joules in
             (("baseline", BASELINE * seconds), ("tasks", SLOPE * used["tasks"]), ("exited", SLOPE * used["exited"]),
              ("others", SLOPE * used["others"]), ("unexplained", total - BASELINE * seconds - SLOPE * busy))]
    rows = [{"part": part, "joules": joules, "r_squared": R_SQUARED, "fit": "excellent", "from": "slope"} for part, joules in power]
    return account, rows + [{"part": "total", "joules": total, "fit": "measured", "from": "the row total of the table power"}]


# Watts and their error while the program keeps one CPU busy, CPUs that it does, and what it is not told from.
PROGRAMS = (("(idle)", 4.87, 0.06, None, ""), ("cc1", 4.12, 0.05, 1.52, ""), ("firefox", 2.61, 0.11, 0.83, ""),
            ("(kernel)", 3.4, 0.62, 0.14, ""), ("Xorg", None, 212.4, 0.05, "picom"), ("picom", None, 212.4, 0.05, "Xorg"),
            ("(others)", None, 5.9, 0.01, ""))


def program_power(step):
    rows = []
    for command, watts, error, cpus, like in PROGRAMS:
        rows.append({"command": command, "per_cpu_watts": watts, "per_cpu_error_watts": error, "along_with": like, "fitted_seconds": step * STEP,
                     "watts": None if watts is None else watts * (1 if cpus is None else cpus), "error_watts": error * (1 if cpus is None else cpus),
                     "cpu_ratio": cpus, "cpu_seconds": None if command in ("(idle)", "(others)") else cpus * step})
    return rows


CLIENTS = (("firefox", 2101, 84, {"render": 0.7, "video": 0.3}), ("Xorg", 900, 41, {"render": 0.25}))


def graphics(step):
    """A processor that says nothing itself, with its clients, and a card that sleeps."""
    load = sum(smooth_load(at) for at in range(step + 1)) * STEP
    rows = []
    for name, pid, mebibytes, engines in CLIENTS:
        key = {"pid": pid, "start_seconds": 100 + pid, "device": "0000:00:02.0", "driver": "i915", "name": name, "command": name}
        rows.append({**key, "engine": "all", "busiest": "render", "busy_seconds": engines["render"] * load, "clients": 1,
                     "memory_bytes": mebibytes << 20, "local_bytes": None, "shared_bytes": 6 << 20})
        rows += [{**key, "engine": engine, "busiest": "", "busy_seconds": share * load, "capacity": 2 if engine == "video" else 1}
                 for engine, share in engines.items()]
    busy = sum(engines["render"] for _, _, _, engines in CLIENTS) * smooth_load(step)
    return {"gpu": [{"device": "0000:00:02.0", "card": "card0", "driver": "i915", "state": "", "how": "clients", "busy_ratio": busy,
                     "processes": 2, "hidden_processes": 31},
                    {"device": "0000:03:00.0", "card": "card1", "driver": "amdgpu", "state": "asleep", "how": "driver",
                     "processes": 0, "hidden_processes": 31}],
            "gpu_process": rows}


def rows_of(machine, step):
    seconds = step * STEP
    hertz = 0.9e9 + 3.1e9 * smooth_load(step)
    watts = machine.watts or [0]
    total = {"domain": "total", "joules": machine.joules["psys"], "counted_in": "", "source": "psys", **statistics(watts)}
    domains = [total]
    for name, inside, place in (("package-0", "psys", "intel-rapl:0"), ("package-0/core", "package-0", "intel-rapl:0:0"),
                                ("package-0/uncore", "package-0", "intel-rapl:0:1"), ("psys", "total", "intel-rapl:1")):
        domains.append({"domain": name, "joules": machine.joules[name], "counted_in": inside,
                        "source": "powercap " + place, **statistics(machine.drawn[name] or [0])})
    keys = ("sensor", "label", "celsius", "min_celsius", "max_celsius", "high_celsius", "critical_celsius", "chip", "state")
    cpus = [{"cpu": str(cpu), "user_seconds": machine.busy[cpu], "idle_seconds": 100 + seconds - machine.busy[cpu],
             "iowait_seconds": 0, "busy_seconds": machine.busy[cpu], "total_seconds": 100 + seconds, "frequency_hertz": hertz} for cpu in range(CPUS)]
    everything = {key: sum(cpu[key] for cpu in cpus) for key in ("user_seconds", "idle_seconds", "busy_seconds", "total_seconds")}
    cpus.insert(0, {"cpu": "all", "iowait_seconds": 0, "frequency_hertz": hertz, **everything})
    account, power_account = accounts(machine, seconds)
    return {
        **graphics(step),
        "process": processes(machine),
        "account": account,
        "exited": [{"command": "as", "exits": 30 * step, "recent_exits": 30 * min(step, 30), "recent_seconds": 60, "cpu_seconds": machine.used["exited"],
                    "joules": SLOPE * machine.used["exited"]}],
        "power_account": power_account,
        "program_power": program_power(step),
        "power": domains,
        "battery": [{"battery": "BAT0", "status": "Discharging", "watts": watts[-1] + 0.4, "charge_ratio": 0.61 - step / 9000,
                     "remaining_seconds": 13390, "joules": 110_000, "health_ratio": 0.877, "volts": 12.1, "cycles": 212,
                     "from": "power_now", "model": "45N1023"}],
        "temperature": [dict(zip(keys, row)) for row in temperatures(step)],
        "fan": [{"fan": "thinkpad_hwmon/fan1", "label": "fan1", "rpm": 3210 + 10 * (step % 7), "min_rpm": 2900, "max_rpm": 4100,
                 "chip": "thinkpad", "state": "ok"}],
        "voltage": [{"input": "BAT0/in0", "label": "in0", "volts": 12.1, "chip": "BAT0", "state": "ok"}],
        "frequency": [{"cpu": name, "hertz": hertz, "min_hertz": 4e8, "max_hertz": 4.2e9, "least_hertz": 4e8,
                       "base_hertz": 1.9e9, "most_hertz": 4.2e9, "turbo": "allowed" if name == "all" else "used"}
                      for name in ("all", "0", "1", "2", "3")],
        "idle_state": [{"cpu": cpu, "state": state, "residency_seconds": time, "entries": entries}
                       for cpu in ("all", "0") for state, (time, entries) in machine.idle.items()],
        "trip_point": [{"zone": "acpitz", "trip": trip, "type": does, "celsius": at, "hysteresis_celsius": 2,
                        "headroom_celsius": at - 55} for trip, (does, at) in enumerate((("critical", 100), ("passive", 95)))],
        "cooling": [{"device": "cooling_device0", "type": "Processor", "level": 0, "max_level": 10}],
        "throttle": [{"cpu": str(cpu), "core_throttles": 3 + (step > 177) * step, "package_throttles": 40,
                      "core_throttled_seconds": 1.5, "package_throttled_seconds": 3} for cpu in range(CPUS)],
        "cpu": cpus,
        "system": [{"load1": 0.42, "load5": 0.31, "load15": 0.2, "cpus": CPUS, "tasks": 214, "threads": 700, "running": 2,
                    "blocked": 0, "context_switches": 654_321 + step * 2400, "interrupts": 123_456 + step * 800,
                    "forks": 4_321 + step * 3, "uptime_seconds": 273_120 + seconds}],
        "self": [{"topic": "all", "sample_seconds": 0.0002, "reads": 20 * step, "lost": 0, "cpu_seconds": 0.004 * step,
                  "resident_bytes": 5 << 20}],
    }


def write(panetop, out):
    recording, machine = Recording(panetop, out, START_WALL, START_MONO, digits=4), Machine()
    for step in range(FRAMES):
        machine.go_on(step)
        recording.frame(step * STEP, {topic: rows for topic, rows in rows_of(machine, step).items()
                                      if topic not in RARE or step == 0 or step >= WHOLE_FROM})
