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
        terminal.send(*LAST, "v")
        text = " ".join(terminal.text().split())
        return expect("W follows L at once (r 1.00)" in text and "T follows L by 10 s (r 0.99)" in text and
                      "U follows L by 32 s (r 0.99)" in text, terminal, "the lags are wrong")


def series_are_switched(_scratch):
    with power(width=100, height=30) as terminal:
        terminal.send(*LAST, "v", "L", "F")
        text = terminal.text()
        if "load of the CPUs 3" in text or "T follows W by" not in " ".join(text.split()):
            return "load is still there, or watts are not compared with\n" + text
        terminal.send("L", "W")
        return expect("W watts" not in terminal.text() and "L load" in terminal.text(), terminal, "watts are still there")


def sensors_are_kept(scratch):
    """Space shows or hides only in the list; colour and letter are chosen there; w keeps all."""
    env = {"XDG_CONFIG_HOME": scratch}
    with power(env=env) as terminal:
        terminal.send(*LAST, "s", "Down", "Down", "Space", "k", "y", "w", "q")
        terminal.end()
    with open(os.path.join(scratch, "panetop", "config"), encoding="utf-8") as file:
        kept = [line for line in file.read().splitlines() if line.startswith("power.line.")]
    if kept != ["power.line.acpitz = Z 2 hidden"]:
        return f"not kept: {kept}"
    with power(env=env) as terminal:
        terminal.send(*LAST, "s")
        rows = {line.split()[1]: line[0] for line in terminal.lines()[3:8]}
        return expect(rows == {"x86_pkg_temp": "T", "acpitz": "-", "coretemp.0/temp2": "V", "nvme@0000:01:00.0/temp1": "-",
                               "amdgpu@0000:03:00.0/temp1": "-"}, terminal, f"not read: {rows}")


def space_freezes_elsewhere(_scratch):
    with screen(fixture("power-laptop"), "power", width=100) as terminal:
        terminal.send("Space")
        if "frozen" not in terminal.lines()[0]:
            return "it does not freeze\n" + terminal.text()
        terminal.send("Space", "s", "Down", "Space")
        return expect("frozen" not in terminal.lines()[0] and "in the graph" in terminal.text(), terminal,
                      "in the list of sensors it should not freeze")


def a_recording_is_not_changed(_scratch):
    with power() as terminal:
        terminal.send("R")
        if "the means, minima and maxima of a recording" not in terminal.text():
            return terminal.text()
        terminal.send("K")
        return expect("a recording cannot be calibrated" in terminal.text(), terminal, "it would calibrate a recording")


def statistics_restart(_scratch):
    with screen(fixture("power-laptop"), "power", width=100) as terminal:
        terminal.send("R")
        return expect("reset means, minima and maxima" in terminal.text(), terminal, "they do not")


def calibration_asks(_scratch):
    """It is asked before the CPUs are loaded, and ends by the same key."""
    with screen(fixture("power-laptop"), "power", width=100) as terminal:
        terminal.send("K")
        if "Load all CPUs in steps for 66 s" not in terminal.text():
            return "it does not ask\n" + terminal.text()
        terminal.send("n")
        if "step 1 of 11" in terminal.text():
            return "no means no\n" + terminal.text()
        terminal.send("K", "y")
        problem = expect(terminal.wait_for("step 1 of 11"), terminal, "it does not begin")
        terminal.send("K")
        return problem or expect("calibration stopped" in terminal.text(), terminal, "it does not stop")


def the_calibration_in_use_is_shown(scratch):
    """K shows it first, and asks for another one when it is pressed again."""
    os.makedirs(os.path.join(scratch, "panetop"), exist_ok=True)
    with open(os.path.join(scratch, "panetop", "config"), "w", encoding="utf-8") as file:
        file.write('cpu.calibration = [{"cpus":2,"measure":"load","slope":10.5,"intercept_watts":5,"r_squared":0.66}]\n')
    with screen(fixture("power-laptop"), "power", width=100, env={"XDG_CONFIG_HOME": scratch}) as terminal:
        terminal.send("K")
        text = terminal.text()
        if "10.50 watts per busy CPU" not in text or "The line fits poorly" not in text or "[y/n]" in text:
            return "it is not shown\n" + text
        terminal.send("K")
        return expect("Load all CPUs in steps" in terminal.text(), terminal, "it does not ask")


def nothing_is_calibrated(_scratch):
    with screen(fixture("power-nothing"), "power", width=100) as terminal:
        terminal.send("K")
        return expect("no power measurement available" in terminal.text() and "[y/n]" not in terminal.text(), terminal,
                      "it asks before it says that nothing can come of it")


def nothing_is_helpful(_scratch):
    with screen(fixture("power-nothing"), "power", width=100) as terminal:
        return expect("No sensor here reports power or heat" in " ".join(terminal.text().split()) and
                      "no power meter of the whole machine found" in terminal.text(), terminal, "it does not say so")


def a_filter_is_no_lack_of_sensors(_scratch):
    """Why there is nothing is told where nothing is, not where nothing is looked for."""
    with power() as terminal:
        terminal.send("p", "\\", "z", "z", "z", "Enter")
        return expect("no row matches the filter" in terminal.text() and "--probe" not in terminal.text(), terminal,
                      "it is told to look for sensors")


def tests():
    return [
        ("a filter is no lack of sensors", a_filter_is_no_lack_of_sensors),
        ("the graph of power tells what follows what, and by how much", the_graph_tells_the_lag),
        ("series of the power graph are switched on and off", series_are_switched),
        ("what was chosen of sensors is kept", sensors_are_kept),
        ("Space freezes but in the list of sensors", space_freezes_elsewhere),
        ("a recording is neither reset nor calibrated", a_recording_is_not_changed),
        ("the statistics of power restart", statistics_restart),
        ("a calibration asks first, and stops", calibration_asks),
        ("the calibration in use is shown", the_calibration_in_use_is_shown),
        ("a machine without watts is not calibrated", nothing_is_calibrated),
        ("a machine without sensors is told of", nothing_is_helpful),
    ]
