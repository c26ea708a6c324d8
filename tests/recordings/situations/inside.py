# SPDX-License-Identifier: GPL-2.0-or-later
"""inside.py PANETOP OUT NAME: records a situation in the virtual machine, into OUT/NAME.recording."""
import inspect
import subprocess
import sys
import time

import situations


def calm_down(seconds=30):
    """Until little is left of the start of the machine in what the kernel has averaged."""
    def pressure(resource):
        with open(f"/proc/pressure/{resource}", encoding="ascii") as file:
            return float(file.readline().split()[1].removeprefix("avg10="))
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(pressure(resource) > 1 for resource in ("cpu", "io", "memory")):
        time.sleep(1)


def parts_of(situation):
    """Its load: what it makes ready, a yield, what happens, and where something has to be undone, a yield and that."""
    if inspect.isgeneratorfunction(situation.load):
        yield from situation.load()
    else:
        yield
        situation.load()


def main():
    panetop, out, name = sys.argv[1:]
    situation = situations.ALL[name]
    parts = parts_of(situation)
    next(parts)
    calm_down()
    if situation.before:
        next(parts, None)
    command = ["nice", "-n", "-10", panetop, "-b", "-o", "json", "-t", "finding", "-d", "1", "-n", str(situation.samples),
               f"--record=/run/{name}.recording"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as recorder:
        for number, line in enumerate(recorder.stdout, 1):
            print(line, end="", flush=True)
            if number == situations.AT and not situation.before:
                next(parts, None)
    if recorder.returncode:
        sys.exit(recorder.returncode)
    subprocess.run(["cp", f"/run/{name}.recording", out], check=True)
    next(parts, None)


main()
