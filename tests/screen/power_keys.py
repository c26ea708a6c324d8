# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys of the power pane: sensors in the graph, what is kept, and what asks first."""
from common import POWER_RECORDING, configuration, configured, expect, fixture, replay, screen

LAST = [*"g+356", "Enter"]


def power(*arguments, **rest):
    return replay("power", *arguments, recording=POWER_RECORDING, **rest)


def the_graph_tells_the_lag(_scratch):
    """The recording has the package follow by 10 to 12 seconds, the case by half a minute."""
    with power(width=100, height=30) as terminal:
        terminal.send(*LAST)
        terminal.shows("Heat follows load: package after 10 s, acpitz after 32 s.", "Watts and clock follow load at once.")


def a_line_has_its_numbers(_scratch):
    """The current value and the range beside it are those of the table."""
    with power(width=100, height=30) as terminal:
        terminal.send(*LAST)
        lines = terminal.lines()
        at = next(y for y, line in enumerate(lines) if line.startswith(" watts "))
        expect(lines[at].split()[1] == "19.0" and lines[at + 1].split()[:2] == ["9.1", "5.2"] and
               "THROTTLED  4 CPUs were slowed down" in terminal.text(), terminal, "other numbers")


def lines_are_options(_scratch):
    with power(width=100, height=30) as terminal:
        terminal.send(*LAST, "o", "Down", "Enter", "Down", "Down", "Enter", "Esc")
        labels = [line.split()[0] for line in terminal.lines() if line[:1] == " " and line[1:6] in ("load ", "watts", "clock", "packa")]
        expect(labels[1:] == ["watts", "package"] or labels == ["package-0", "watts", "package"], terminal, str(labels))


def sensors_are_kept(scratch):
    """Space shows or hides a temperature in the list; w keeps it."""
    env = configured(scratch)
    with power(env=env) as terminal:
        terminal.send(*LAST, "Tab", "Tab", "Down", "Down", "Space", "Down", "Space", "w", "q")
        terminal.end()
    kept = [line for line in configuration(scratch).splitlines() if line.startswith("power.line.")]
    assert kept == ["power.line.acpitz = hidden", "power.line.coretemp.0/temp2 = shown"], f"not kept: {kept}"
    with power(env=env) as terminal:
        terminal.send(*LAST, "Tab", "Tab")
        rows = [line.split()[1] for line in terminal.lines() if line.startswith("* ")]
        assert rows == ["x86_pkg_temp", "coretemp.0/temp2"], f"not read: {rows}\n" + terminal.text()
        terminal.send("8").shows("Core 0").hides("acpitz °C")


def a_recording_is_not_changed(_scratch):
    with power() as terminal:
        terminal.send("F9").shows("a recording is neither calibrated nor reset")


def statistics_restart(_scratch):
    with screen(fixture("power-laptop"), "power", width=100) as terminal:
        terminal.send("F9", "Down", "Enter").shows("reset means, minima and maxima")


def calibration_asks(_scratch):
    """It is asked before the CPUs are loaded, and stopped from the same menu."""
    with screen(fixture("power-laptop"), "-d", "0.2", "power", width=100) as terminal:
        terminal.until("8.20 W")
        terminal.send("F9", "Enter")
        assert "Load all CPUs in steps for 66 s" in terminal.text(), "it does not ask\n" + terminal.text()
        terminal.send("n")
        assert "step 1 of 11" not in terminal.text(), "no means no\n" + terminal.text()
        terminal.send("F9", "Enter", "y").comes("step 1 of 11")
        terminal.send("F9", "Enter").tells("calibration stopped")


def the_calibration_in_use_is_shown(scratch):
    env = configured(scratch, 'cpu.calibration = [{"cpus":2,"measure":"load","slope":10.5,"intercept_watts":5,"r_squared":0.66}]\n')
    with screen(fixture("power-laptop"), "power", width=100, env=env) as terminal:
        terminal.send("[").shows("10.50 watts per busy CPU", "The line fits poorly").hides("[y/n]")


def nothing_is_calibrated(_scratch):
    with screen(fixture("power-nothing"), "power", width=100) as terminal:
        terminal.send("F9", "Enter").shows("no power measurement available").hides("[y/n]")


def nothing_is_told_once(_scratch):
    """One line, and no notice that repeats it; an empty view says why."""
    with screen(fixture("power-nothing"), "power", width=100) as terminal:
        text = terminal.text()
        expect("No power or temperature sensors (usual in a VM). Load and clock speed below." in text and
               "no power meter" not in text and "nothing here" not in text, terminal, "it is not told once")
        for view, why in (("Sensors", "no sensors found"), ("Idle", "no driver"), ("Battery", "this machine has no battery"),
                          ("Programs", "no watts of programs: nothing measures the power of the machine"),
                          ("Fans", "no sensors found"), ("Trip points", "no thermal zone has a trip point"),
                          ("Throttling", "only Intel processors count this"), ("Histogram", "no sample has the power")):
            while f"[{view}]" not in terminal.text():
                terminal.send("Tab")
            terminal.comes(why)


def unknown_watts_say_why(_scratch):
    """There were earlier samples: what is missing is a meter."""
    with screen(fixture("power-nothing"), "-d", "0.2", "power", width=100, height=30) as terminal:
        terminal.send("Tab", "Down", "Right", "i").shows("unknown: no power meter of the whole machine found")
        terminal.hides("no earlier sample")


def a_counter_that_stands_still_is_doubted(_scratch):
    with screen(fixture("power-laptop"), "-d", "0.2", "power", width=120) as terminal:
        terminal.comes("(batteries)", "OK  8.20 W", "the counter of psys stands still while a battery delivers 8.20 W")


def programs_go_on(_scratch):
    """What was fitted stays while another view is shown."""
    with screen(fixture("power-amd"), "-d", "0.2", "power", width=100) as terminal:
        while "[Programs]" not in terminal.text():
            terminal.send("Tab")
        terminal.comes("(idle)")
        terminal.send("Tab").hides("[Programs]")
        terminal.send("[").shows("[Programs]", "(idle)")


def a_filter_is_no_lack_of_sensors(_scratch):
    """Why there is nothing is told where nothing is, not where nothing is looked for."""
    with power() as terminal:
        terminal.send("Tab", *"\\zzz", "Enter").shows("no row matches the filter").hides("--probe")
