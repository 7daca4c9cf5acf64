"""The nodes' network: a namespace each, joined by a bridge in the campaign's own namespace."""
import os
import random
import subprocess

PREFIX = "10.77.0."
OWN = PREFIX + "254"  # The campaign's own address: floods come from there.


def run(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


def address_of(index):
    return f"{PREFIX}{index + 1}"


class Network:
    """Hosts are numbered from 0. What reaches a host is dropped by rules in its own namespace, so each
    direction is cut by itself."""

    def __init__(self):
        self.count = 0
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "hub", "type", "bridge")
        run("ip", "address", "add", f"{OWN}/24", "dev", "hub")
        run("ip", "link", "set", "hub", "up")

    def add_host(self):
        """A host more; returns its number."""
        index = self.count
        self.count += 1
        name, port = self.namespace(index), f"port{index}"
        run("ip", "netns", "add", name)
        run("ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", port, "master", "hub", "up")
        inside = ("ip", "-n", name)
        run(*inside, "link", "set", "lo", "up")
        run(*inside, "address", "add", f"{address_of(index)}/24", "dev", "eth0")
        run(*inside, "link", "set", "eth0", "up")
        run(*inside, "route", "add", "default", "via", OWN)
        return index

    @staticmethod
    def namespace(index):
        return f"node{index + 1}"

    def link(self, index, up):
        """Pulls the host's cable, or plugs it in again."""
        inside = ("ip", "-n", self.namespace(index))
        run(*inside, "link", "set", "eth0", "up" if up else "down")
        if up:
            run(*inside, "route", "replace", "default", "via", OWN)  # It went with the link.

    def command(self, index, words):
        """`words`, run on that host: the process is that of the words themselves."""
        return ["nsenter", f"--net=/run/netns/{self.namespace(index)}", "--", *map(str, words)]

    def rule(self, index, *words):
        run(*self.command(index, ["iptables", "-w", *words]))

    def cut(self, at, sources):
        """What `sources` send does not reach `at` any more."""
        for source in sources:
            self.rule(at, "-A", "INPUT", "-s", address_of(source), "-j", "DROP")

    def lose(self, at, probability):
        """Of what reaches `at` from others, that share is lost."""
        self.rule(at, "-A", "INPUT", "-i", "eth0", "-m", "statistic", "--mode", "random",
                  "--probability", f"{probability:.3f}", "-j", "DROP")

    def heal(self):
        for index in range(self.count):
            self.rule(index, "-F", "INPUT")
