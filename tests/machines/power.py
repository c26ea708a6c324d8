# SPDX-License-Identifier: GPL-2.0-or-later
"""Machines with what measures power and heat, or without."""
from tree import CPU, POWERCAP, RANGE, THERMAL


def laptop(tree, t):
    """psys, a package with a twin on mmio, a battery, two thermal zones that are chips, too, and a sleeping card."""
    tree.proc(4, t)
    tree.zone("intel-rapl:0", "package-0", 5000000000 + 10240000 * t, RANGE, 28000000)
    tree.zone("intel-rapl:0:0", "core", 3000000000 + 6800000 * t, RANGE)
    tree.zone("intel-rapl:0:1", "uncore", 700000000 + 1220000 * t, RANGE)
    tree.zone("intel-rapl:1", "psys", 9000000000 + 15940000 * t, RANGE)
    tree.zone("intel-rapl-mmio:0", "package-0", 5000000000 + 10240000 * t, RANGE, 28000000)
    tree.put(f"{POWERCAP}/intel-rapl/enabled", 1)
    trips = (("critical", 100000), ("passive", 95000), ("active", 71000))
    tree.thermal(0, "acpitz", 63000 + 500 * t, trips)
    tree.thermal(1, "x86_pkg_temp", 62000 + 1000 * t, (("passive", 0), ("critical", 100000)))
    tree.put_all(f"{THERMAL}/cooling_device0", type="Processor", cur_state=0, max_state=10)
    tree.put_all(f"{THERMAL}/cooling_device1", type="Fan", cur_state=1, max_state=1)
    tree.chip(0, "acpitz", "thermal_zone0", temp1_input=63000 + 500 * t)
    tree.chip(1, "coretemp", "coretemp.0", temp1_input=62000 + 1000 * t, temp1_label="Package id 0", temp1_max=100000,
              temp1_crit=105000, temp2_input=60000, temp2_label="Core 0", temp3_input=61000, temp3_label="Core 1")
    tree.chip(2, "nvme", "0000:01:00.0", temp1_input=41850, temp1_label="Composite", temp1_max=81850, temp1_crit=84850)
    tree.chip(3, "thinkpad", "thinkpad_hwmon", fan1_input=3210 + 10 * t, fan1_label="CPU fan", fan2_input=0)
    tree.chip(4, "BAT0", None, in0_input=12100, power1_input=7900000)
    tree.chip(5, "amdgpu", "0000:03:00.0", temp1_input=40000, temp1_label="edge", power1_average=9000000)
    tree.put("sys/devices/0000:03:00.0/power/runtime_status", "suspended")
    tree.supply("AC", TYPE="Mains", ONLINE=0)
    tree.supply("BAT0", TYPE="Battery", STATUS="Discharging", PRESENT=1, CYCLE_COUNT=212, VOLTAGE_NOW=12100000,
                POWER_NOW=8200000, ENERGY_FULL_DESIGN=57000000, ENERGY_FULL=50000000, ENERGY_NOW=30500000 - 4555 * t,
                CAPACITY=61, MODEL_NAME="45N1023")
    tree.supply("hidpp_battery_0", TYPE="Battery", SCOPE="Device", STATUS="Discharging", CAPACITY=50)
    for cpu in range(4):
        tree.frequency(cpu, 1800000 + 200000 * cpu, 400000, 4200000, 400000, 4200000, 1900000)
        tree.idle(cpu, (("POLL", 1000 * t, 10 + t), ("C1E", 500000 * t, 4000 + 300 * t), ("C10", 900000 * t, 700 + 90 * t)))
        tree.throttle(cpu, 3 + t, 40 + 2 * t)
    tree.put(f"{CPU}/intel_pstate/no_turbo", 0)
    tree.put_all("sys/class/drm/card0", gt_act_freq_mhz=350 + 10 * t, gt_min_freq_mhz=100, gt_max_freq_mhz=1300)
    tree.put("sys/class/drm/card0/device/power/runtime_status", "active")
    tree.put("sys/class/drm/card0-eDP-1/status", "connected")


SERVER_RANGE = 65532610987


def server(tree, t):
    """Two sockets with psys, twins on mmio and DRAM; the counters of socket 1 wrap, the DRAM of socket 0 is reset."""
    tree.proc(8, t)
    steps = (0, 2, 4, 6)
    for socket in (0, 1):
        watts = 120 + 7.5 * socket
        start = 1000000000 if socket == 0 else SERVER_RANGE - 400000000
        energy = int((start + watts * 1000000 * steps[t]) % SERVER_RANGE)
        dram = (9000000 if socket else 30000000000) + 18250000 * steps[t]
        if socket == 0 and t >= 2:
            dram = 5000000 + 18250000 * (steps[t] - 4)
        tree.zone(f"intel-rapl:{socket}", f"package-{socket}", energy, SERVER_RANGE, 250000000)
        tree.zone(f"intel-rapl:{socket}:0", "dram", dram, SERVER_RANGE, 40000000)
        tree.zone(f"intel-rapl-mmio:{socket}", f"package-{socket}", energy, SERVER_RANGE, 250000000)
    tree.zone("intel-rapl:2", "psys", 40000000 + 361125000 * steps[t], SERVER_RANGE)
    for socket in (0, 1):
        files = {f"temp{i + 1}_input": 50000 + 1000 * i + 500 * t for i in range(5)}
        files.update({f"temp{i + 1}_label": f"Core {i - 1}" if i else f"Package id {socket}" for i in range(5)})
        tree.chip(socket, "coretemp", f"coretemp.{socket}", **files)
        tree.thermal(socket, "x86_pkg_temp", 50000 + 500 * t)


def amd(tree, t):
    """One package, no psys, no DRAM; the power of a graphics card, which is in no total."""
    tree.proc(2, t)
    tree.zone("intel-rapl:0", "package-0", 80000000 + 42000000 * t, 65532610987)
    tree.zone("intel-rapl:0:0", "core", 20000000 + 11000000 * t, 65532610987)
    tree.chip(0, "k10temp", "0000:00:18.3", temp1_input=51375 + 125 * t, temp1_label="Tctl", temp3_input=48000,
              temp3_label="Tccd1")
    tree.chip(1, "amdgpu", "0000:0b:00.0", temp1_input=44000, temp1_label="edge", power1_average=31000000 + 1000000 * t,
              power1_label="PPT", freq1_input=500000000, fan1_input=812, in0_input=868)
    tree.put("sys/devices/0000:0b:00.0/power/runtime_status", "active")
    tree.put("sys/class/drm/card1/device/hwmon/hwmon1/freq1_input", 500000000)
    tree.put("sys/class/drm/card1/device/power/runtime_status", "active")
    tree.put(f"{CPU}/cpufreq/boost", 1)


def batteries(tree, t):
    """No counters at all; one battery tells a current, below 0, the other only what it holds."""
    tree.proc(2, t)
    tree.supply("ADP1", TYPE="Mains", ONLINE=0)
    tree.supply("BAT0", TYPE="Battery", STATUS="Discharging", PRESENT=1, VOLTAGE_NOW=11000000,
                CURRENT_NOW=-500000 - 100000 * t, CHARGE_FULL=4000000, CHARGE_NOW=2000000, CAPACITY=50)
    # a step of 1 mAh at 12 V is 43.2 J: 10.8 W over 4 s
    tree.supply("BAT1", TYPE="Battery", STATUS="Discharging", PRESENT=1, VOLTAGE_NOW=12000000, CHARGE_FULL=4000000,
                CHARGE_FULL_DESIGN=5000000, CHARGE_NOW=3000000 - 1000 * ((t + 1) // 2), CAPACITY=75)


def raspberry_pi(tree, t):
    tree.proc(4, t)
    tree.thermal(0, "cpu-thermal", 48312 + 500 * t, (("critical", 110000),))
    tree.chip(0, "cpu_thermal", "thermal_zone0", temp1_input=48312 + 500 * t, temp1_crit=110000)
    tree.chip(1, "rpi_volt", "soc:firmware", in0_lcrit_alarm=0)
    tree.put_all(f"{THERMAL}/cooling_device0", type="pwm-fan", cur_state=1, max_state=4)
    for cpu in range(4):
        tree.frequency(cpu, 1500000, 600000, 1800000, 600000, 1800000)


def nothing(tree, t):
    tree.proc(2, t)


def hostile(tree, t):
    """What broken or evil firmware says."""
    tree.proc(2, t)
    tree.zone("intel-rapl:0", b"package-\x1b[31m0\xff\n", "not a number", 100)
    tree.zone("intel-rapl:1", "package-1", 18446744073709551615, 0)
    tree.zone("intel-rapl:x", "package-2", 5, 100)
    tree.zone("dtpm:0", "soc", 5 + t, 100)
    tree.chip(0, b"evil\x1b]0;name\x07\n", "0-0048", temp1_input=21500, temp1_label="\x1b[2Jlabel\u202e \u00e9",
              temp2_input=0, temp2_fault=1, temp3_input=-128000, temp4_input="12 34", temp5_input="", temp6_input=-12500,
              temp99999_input=1000, tempx_input=1, temp7_input=20000, temp7_crit=999999999)
    tree.chip(1, "same", "0-0048", temp1_input=33000)
    tree.chip(2, "same", "0-0048", temp1_input=34000)
    tree.thermal(0, "acpitz", "-274000")
    tree.thermal(1, "acpitz", 40000, (("critical", "hot"), ("\x1b[31mpassive", 1)))
    tree.chip(3, "vanishing", "1-0049", temp1_input=25000 + 1000 * t, fan1_input=700)
    tree.supply("BAT-evil", TYPE="Battery", STATUS="\x1b[31mUnknown", POWER_NOW="many", CAPACITY=-1)
    tree.supply("empty", TYPE="")


MACHINES = {
    "power-laptop": (laptop, 3), "power-server": (server, 4), "power-amd": (amd, 2), "power-batteries": (batteries, 5),
    "power-pi": (raspberry_pi, 2), "power-nothing": (nothing, 2), "power-hostile": (hostile, 3),
}
