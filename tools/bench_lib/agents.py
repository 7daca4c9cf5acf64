"""A cluster of agents on this machine, as `dunlin dev` makes it: in a folder of its own, on loopback."""
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from bench_lib import processes
from bench_lib.connection import Connection
from bench_lib.processes import Failed
from chaos_lib import control

UP_PATIENCE = 20.0


class Cluster:
    """Use it by `with`: the agents end with the block, and so does their data."""

    def __init__(self, programs, nodes, cpus, settings=()):
        self.programs = Path(programs)
        self.nodes = nodes
        self.cpus = cpus
        self.folder = Path(tempfile.mkdtemp(prefix="dunlin-bench-"))
        self.log = self.folder / "dev.log"
        self.dev = None
        self.pids = []
        words = [self.programs / "dunlin", "dev", "--nodes", nodes, "--cpus", cpus, "--data",
                 self.folder / "data"]
        for setting in settings:
            words += ["--set", setting]
        # Nothing that is set for another agent may reach these.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("DUNLIN_")}
        try:
            with open(self.log, "wb") as log:
                self.dev = processes.begin(words, stdout=log, stderr=log, env=environment)
            self.await_up()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *failed):
        self.close()

    def close(self):
        if self.dev is not None:
            processes.stop(self.dev)
        shutil.rmtree(self.folder, ignore_errors=True)

    def socket(self, node=1):
        return self.folder / "data" / f"node{node}" / "agent.sock"

    def ask(self, verb, patience=30.0, **members):
        """The last reply of the first agent."""
        try:
            return control.ask(self.socket(), verb, patience, **members)
        except (control.Silent, control.Refused) as error:
            raise Failed(f"{verb}: {error}") from error

    def connect(self, patience):
        return Connection(self.socket(), patience)

    def await_up(self):
        until = time.monotonic() + UP_PATIENCE
        while time.monotonic() < until and self.dev.poll() is None:
            try:
                listed = control.ask(self.socket(), "nodes", 5.0)["nodes"]
                self.pids = self.read_pids()
                if sum(node["state"] == "up" for node in listed) == len(self.pids) == self.nodes:
                    return
            except (control.Silent, control.Refused):
                pass
            time.sleep(0.05)
        raise Failed(f"the agents did not find each other within {UP_PATIENCE:g} s:\n"
                     + self.log.read_text(errors="replace")[-2000:])

    def read_pids(self):
        """Of the agents, the first one first: those of which `dunlin dev` has told by now."""
        found = re.findall(r"^node(\d+)\s+pid (\d+)\s", self.log.read_text(errors="replace"), re.M)
        return [int(pid) for _, pid in sorted((int(node), pid) for node, pid in found)]

    def cpu(self, node=1):
        """Processor seconds of an agent so far, without its warden and tasks."""
        return processes.cpu_of(self.pids[node - 1])

    def cpu_of_all(self):
        return sum(processes.cpu_of(pid) for pid in self.pids)
