# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys of the power pane: sensors in the graph, what is kept, and what asks first."""
import os

from common import POWER_RECORDING, expect, fixture, replay, screen

LAST = ["g", "+", "3", "5", "6", "Enter"]


def power(*arguments, **rest):
    return replay("power", *arguments, recording=POWER_RECORDING, **rest)


def the_graph_tells_the_lag(_scratch):
    """The recording has the package follow by 10 to 12 seconds, the case by half a minute."""
    with power(width=100, height=30) as terminal:
        terminal.send(*LAST)
        return expect("Heat follows load: package after 10 s, acpitz after 32 s." in terminal.text() and
                      "Watts and clock follow load at once." in terminal.text(), terminal, "the lags are wrong")


def a_line_has_its_numbers(_scratch):
    """The current value and the range beside it are those of the table."""
    with power(width=100, height=30) as terminal:
        terminal.send(*LAST)
        lines = terminal.lines()
        at = next(y for y, line in enumerate(lines) if line.startswith(" watts "))
        return expect(lines[at].split()[1] == "19.0" and lines[at + 1].split()[:2] == ["9.1", "5.2"] and
                      "THROTTLED  4 CPUs were slowed down" in terminal.text(), terminal, "other numbers")


def lines_are_options(_scratch):
    with power(width=100, height=30) as terminal:
        terminal.send(*LAST, "o", "Down", "Enter", "Down", "Down", "Enter", "Esc")
        labels = [line.split()[0] for line in terminal.lines() if line[:1] == " " and line[1:6] in ("load ", "watts", "clock", "packa")]
        return expect(labels[1:] == ["watts", "package"] or labels == ["package-0", "watts", "package"], terminal, str(labels))


def sensors_are_kept(scratch):
    """Space shows or hides a temperature in the list; w keeps it."""
    env = {"XDG_CONFIG_HOME": scratch}
    with power(env=env) as terminal:
        terminal.send(*LAST, "Tab", "Tab", "Down", "Down", "Space", "Down", "Space", "w", "q")
        terminal.end()
    with open(os.path.join(scratch, "panetop", "config"), encoding="utf-8") as file:
        kept = [line for line in file.read().splitlines() if line.startswith("power.line.")]
    if kept != ["power.line.acpitz = hidden", "power.line.coretemp.0/temp2 = shown"]:
        return f"not kept: {kept}"
    with power(env=env) as terminal:
        terminal.send(*LAST, "Tab", "Tab")
        rows = [line.split()[1] for line in terminal.lines() if line.startswith("* ")]
        if rows != ["x86_pkg_temp", "coretemp.0/temp2"]:
            return f"not read: {rows}\n" + terminal.text()
        terminal.send("8")
        return expect("Core 0" in terminal.text() and "acpitz °C" not in terminal.text(), terminal, "other lines")


def a_recording_is_not_changed(_scratch):
    with power() as terminal:
        terminal.send("F9")
        return expect("a recording is neither calibrated nor reset" in terminal.text(), terminal, "it would")


def statistics_restart(_scratch):
    with screen(fixture("power-laptop"), "power", width=100) as terminal:
        terminal.send("F9", "Down", "Enter")
        return expect("reset means, minima and maxima" in terminal.text(), terminal, "they do not")


def calibration_asks(_scratch):
    """It is asked before the CPUs are loaded, and stopped from the same menu."""
    with screen(fixture("power-laptop"), "-d", "0.2", "power", width=100) as terminal:
        terminal.until("8.20 W")
        terminal.send("F9", "Enter")
        if "Load all CPUs in steps for 66 s" not in terminal.text():
            return "it does not ask\n" + terminal.text()
        terminal.send("n")
        if "step 1 of 11" in terminal.text():
            return "no means no\n" + terminal.text()
        terminal.send("F9", "Enter", "y")
        problem = expect(terminal.wait_for("step 1 of 11"), terminal, "it does not begin")
        terminal.send("F9", "Enter")
        return problem or expect(terminal.told("calibration stopped"), terminal, "it does not stop")


def the_calibration_in_use_is_shown(scratch):
    os.makedirs(os.path.join(scratch, "panetop"), exist_ok=True)
    with open(os.path.join(scratch, "panetop", "config"), "w", encoding="utf-8") as file:
        file.write('cpu.calibration = [{"cpus":2,"measure":"load","slope":10.5,"intercept_watts":5,"r_squared":0.66}]\n')
    with screen(fixture("power-laptop"), "power", width=100, env={"XDG_CONFIG_HOME": scratch}) as terminal:
        terminal.send("[")
        return expect("10.50 watts per busy CPU" in terminal.text() and "The line fits poorly" in terminal.text() and
                      "[y/n]" not in terminal.text(), terminal, "it is not shown")


def nothing_is_calibrated(_scratch):
    with screen(fixture("power-nothing"), "power", width=100) as terminal:
        terminal.send("F9", "Enter")
        return expect("no power measurement available" in terminal.text() and "[y/n]" not in terminal.text(), terminal,
                      "it asks before it says that nothing can come of it")


def nothing_is_told_once(_scratch):
    """One line, and no notice that repeats it; an empty view says why."""
    with screen(fixture("power-nothing"), "power", width=100) as terminal:
        text = terminal.text()
        problem = expect("No power or temperature sensors (usual in a VM). Load and clock speed below." in text and
                         "no power meter" not in text and "nothing here" not in text, terminal, "it is not told once")
        for view, why in (("Sensors", "no sensors found"), ("Idle", "no driver"), ("Battery", "this machine has no battery"),
                          ("Programs", "no watts of programs: nothing measures the power of the machine"),
                          ("Fans", "no sensors found"), ("Trip points", "no thermal zone has a trip point"),
                          ("Throttling", "only Intel processors count this"), ("Histogram", "no sample has the power")):
            while f"[{view}]" not in terminal.text():
                terminal.send("Tab")
            problem = problem or expect(terminal.wait_for(why), terminal, f"{view} does not say why it is empty")
        return problem


def unknown_watts_say_why(_scratch):
    """There were earlier samples: what is missing is a meter."""
    with screen(fixture("power-nothing"), "-d", "0.2", "power", width=100, height=30) as terminal:
        terminal.send("Tab", "Down", "Right", "i")
        return expect("unknown: no power meter of the whole machine found" in terminal.text() and
                      "no earlier sample" not in terminal.text(), terminal, "another reason")


def a_counter_that_stands_still_is_doubted(_scratch):
    with screen(fixture("power-laptop"), "-d", "0.2", "power", width=120) as terminal:
        return expect(terminal.wait_for("(batteries)") and terminal.wait_for("OK  8.20 W") and
                      terminal.wait_for("the counter of psys stands still while a battery delivers 8.20 W"), terminal, "0 W")


def programs_go_on(_scratch):
    """What was fitted stays while another view is shown."""
    with screen(fixture("power-amd"), "-d", "0.2", "power", width=100) as terminal:
        while "[Programs]" not in terminal.text():
            terminal.send("Tab")
        problem = expect(terminal.wait_for("(idle)"), terminal, "nothing is fitted")
        terminal.send("Tab")
        problem = problem or expect("[Programs]" not in terminal.text(), terminal, "no other view")
        terminal.send("[")
        return problem or expect("[Programs]" in terminal.text() and "(idle)" in terminal.text(), terminal, "it begins again")


def a_filter_is_no_lack_of_sensors(_scratch):
    """Why there is nothing is told where nothing is, not where nothing is looked for."""
    with power() as terminal:
        terminal.send("Tab", "\\", "z", "z", "z", "Enter")
        return expect("no row matches the filter" in terminal.text() and "--probe" not in terminal.text(), terminal,
                      "it is told to look for sensors")


def tests():
    return [
        ("a filter is no lack of sensors", a_filter_is_no_lack_of_sensors),
        ("the graph of power tells what follows the load, and by how much", the_graph_tells_the_lag),
        ("a line of power has its numbers", a_line_has_its_numbers),
        ("lines of the power graph are options", lines_are_options),
        ("what was chosen of sensors is kept", sensors_are_kept),
        ("power: a recording is neither reset nor calibrated", a_recording_is_not_changed),
        ("the statistics of power restart", statistics_restart),
        ("power: a calibration asks first, and stops", calibration_asks),
        ("power: the calibration in use is shown", the_calibration_in_use_is_shown),
        ("power: a machine without watts is not calibrated", nothing_is_calibrated),
        ("power: a machine without sensors says so once", nothing_is_told_once),
        ("power: unknown watts say why", unknown_watts_say_why),
        ("power: watts of programs go on while another view is shown", programs_go_on),
        ("power: a counter that stands still is doubted", a_counter_that_stands_still_is_doubted),
    ]
