"""All nodes of a campaign, their key and whether they see each other."""
import subprocess
import time

from chaos_lib import control
from chaos_lib.disk import Disk, loops_work
from chaos_lib.network import Network
from chaos_lib.node import Node

CPUS = 2
MEMORY_MIB = 1024
LICENCES = 1
SHARES = [{"name": "gold", "weight": 5}, {"name": "silver", "weight": 3}, {"name": "bronze", "weight": 2}]
# Shorter than the defaults where a check would otherwise wait for minutes.
SETTINGS = [f"--cpus={CPUS}", f"--memory={MEMORY_MIB}M", f"--resources=licence={LICENCES}",
            "--kill-grace=1s", "--drain-deadline=5s", "--leave-deadline=3s", "--worker.orphan_after=30s",
            "--uid-min=1"]  # A neighbour of a greedy member is one of the users that every Linux has.


class Cluster:
    def __init__(self, work, count, programs, clock, settings):
        self.work = work
        self.programs = programs
        self.network = Network()
        self.settings = [*SETTINGS, *settings]
        self.real_disks = loops_work(work)
        self.clock = clock
        self.key = work / "cluster.key"
        self.keys(f"--output={self.key}", "--cluster=chaos")
        self.nodes = [self.add(f"node{index + 1}") for index in range(count)]
        for node in self.nodes:
            node.key.write_bytes(self.key.read_bytes())
            node.key.chmod(0o600)

    def keys(self, *words):
        subprocess.run([self.programs[0], "keygen", *words], check=True, capture_output=True)

    def add(self, name):
        """A machine more, without an agent yet."""
        index = self.network.add_host()
        disk = Disk(self.work / f"disk-{name}", self.real_disks)
        node = Node(index, name, self.work, disk, self.network, self.programs, self.settings)
        if self.clock:
            node.environment["LD_PRELOAD"] = str(self.clock)
            # The clock stands before a sanitizer's own library, which would complain.
            options = node.environment.get("ASAN_OPTIONS", "")
            node.environment["ASAN_OPTIONS"] = f"verify_asan_link_order=0:{options}"
        return node

    def start(self, node):
        """Starts its agent; False if it does not come up."""
        node.start(self.nodes)
        return node.wait_until_up()

    def start_all(self):
        for node in self.nodes:
            if not self.start(node):
                raise RuntimeError(f"{node.name} does not start: {node.log.read_text()[-2000:]}")

    def share(self, patience=60.0):
        """Sets shares of classes, so that there are cells, books and tickets to lose."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            try:
                answer = self.nodes[0].ask("share_set", 20.0, set=SHARES)
                if answer.get("kept_by"):
                    return True
            except (control.Silent, control.Refused):
                pass
            time.sleep(0.5)
        return False

    def gaps(self):
        """What is missing in the nodes' views of each other; empty: they are whole."""
        found = []
        for node in self.nodes:
            try:
                states = {each["name"]: each["state"] if each["facts"] else "unknown"
                          for each in node.ask("nodes", 5.0)["nodes"]}
            except (control.Silent, control.Refused) as error:
                found.append(f"{node.name} does not answer: {error}")
                continue
            for other in self.nodes:
                state = states.get(other.name, "not listed")
                if state != "up":
                    found.append(f"{node.name} sees {other.name}: {state}")
        return found
