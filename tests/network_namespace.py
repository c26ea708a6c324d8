# SPDX-License-Identifier: GPL-2.0-or-later
"""Network namespaces with a pair of interfaces to this one, for tests and bench/."""
import subprocess


def run(*words):
    subprocess.run(words, check=True, capture_output=True)


class Namespace:
    """A network namespace that lives as long as its sleeper, with one end of a pair."""

    def __init__(self, number):
        self.sleeper = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo; exec sleep 1000"], stdout=subprocess.PIPE)
        self.sleeper.stdout.readline()
        self.enter = ["nsenter", f"--net=/proc/{self.sleeper.pid}/ns/net"]
        self.near, self.far, self.host = f"near{number}", f"far{number}", f"10.9.{number}.2"
        run("ip", "link", "add", self.near, "type", "veth", "peer", "name", self.far, "netns", str(self.sleeper.pid))
        run("ip", "address", "add", f"10.9.{number}.1/24", "dev", self.near)
        run("ip", "link", "set", self.near, "up")
        run(*self.enter, "ip", "link", "set", "lo", "up")
        run(*self.enter, "ip", "address", "add", f"{self.host}/24", "dev", self.far)
        run(*self.enter, "ip", "link", "set", self.far, "up")
        run(*self.enter, "ip", "route", "add", "default", "via", f"10.9.{number}.1")

    def close(self):
        self.sleeper.kill()
        self.sleeper.wait()
