"""Faults of users: one who takes all that can be had of an agent, and one whose word meets its death."""
import os
import shutil
import signal
import statistics
import subprocess
import threading
import time
from pathlib import Path

from chaos_lib import control
from chaos_lib.faults_process import NodeFault
from chaos_lib.verbs import Told

MEMBER, OTHER = 65534, 1  # Users that every Linux has: nobody and daemon.
PYTHON = Path("/usr/bin/python3")  # One that they may run.
FRAME_MIB, QUEUE_MIB = 16, 32  # A frame at most, and what may wait for a client: by the protocol's page.
ALONE_RUNS = 5
IDLE_WITHIN = 20.0
RATIO_MAX = 4.0
QUICK = 0.15  # s. What is below is noise of this machine: a process more or less.


def can_be_others():
    """Whether this campaign can start processes of other users."""
    if os.getuid() != 0 or not PYTHON.exists():
        return False
    try:
        return subprocess.run([PYTHON, "-c", ""], user=MEMBER, group=MEMBER, extra_groups=[], cwd="/",
                              check=False, capture_output=True).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def resident_mib(pid):
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    except (OSError, ValueError):
        pass
    return 0.0


class Greedy(NodeFault):
    """A member of the group who takes what can be had, in several ways at once. Another user's `dunlin run
    -- true` must be quick all the same, and the agent must not grow beyond what members may have."""

    def inject(self):
        self.world.load.hold()
        self.await_idle()
        self.program = self.readable(self.node.program, "dunlin-of-users", 0o755)
        member = self.readable(Path(__file__).parent / "greedy_member.py", "greedy_member.py", 0o644)
        self.node.socket.chmod(0o666)
        self.alone = [self.run_true() for _ in range(ALONE_RUNS)]
        self.before = self.most = resident_mib(self.node.process.pid)
        self.beside = []
        self.over = threading.Event()
        self.members = [
            subprocess.Popen(["nice", "-n", "19", PYTHON, member, self.node.socket, way, str(each)],
                             user=MEMBER, group=MEMBER, extra_groups=[], cwd="/",
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for each, way in enumerate(self.fault.details["ways"].split("+"))]
        self.other = threading.Thread(target=self.run_on, daemon=True)
        self.other.start()

    def tick(self):
        self.most = max(self.most, resident_mib(self.node.process.pid))

    def heal(self):
        self.over.set()
        self.other.join(90.0)
        for member in self.members:
            member.send_signal(signal.SIGKILL)
            member.wait()
        self.judge()
        self.cancel_all()

    def readable(self, path, name, mode):
        copy = self.world.work / name
        if not copy.exists():
            shutil.copy2(path, copy)
            copy.chmod(mode)
        return copy

    def await_idle(self):
        """Jobs of this campaign end first: their tasks would be what the other user waits for."""
        until = time.monotonic() + IDLE_WITHIN
        while time.monotonic() < until:
            try:
                if not any(node.ask("jobs", 2.0)["jobs"] for node in self.world.cluster.nodes):
                    return
            except (control.Silent, control.Refused):
                pass
            time.sleep(0.2)

    def run_true(self):
        """How long it took; None: it failed."""
        began = time.monotonic()
        try:
            done = subprocess.run(
                [self.program, "run", "--name=other", "--cpus=0.1", "--", "true"], user=OTHER, group=OTHER,
                extra_groups=[], cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=60, check=False,
                env={"DUNLIN_ADDRESS": str(self.node.socket), "PATH": "/usr/bin:/bin"})
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0:
            self.world.violate("greedy", f"another user's run -- true ended with {done.returncode}: "
                                         f"{done.stderr.strip()}")
            return None
        return time.monotonic() - began

    def run_on(self):
        while not self.over.is_set():
            self.beside.append(self.run_true())
            self.over.wait(0.1)

    def budget_mib(self):
        """What one member may have the agent hold, by its settings and shares."""
        params = {each["key"]: each["value"] for each in self.node.ask("params")["params"]}
        jobs = params.get("agent.job_mebibytes_per_user")
        clients = self.node.ask("status", users=True)["shares"]["clients"]["user"]
        # As much again of jobs that come in pieces.
        return 2 * float(jobs or 0) + clients * (FRAME_MIB + QUEUE_MIB)

    def judge(self):
        alone = [each for each in self.alone if each is not None]
        beside = [each for each in self.beside if each is not None]
        if len(beside) < len(self.beside):
            self.world.violate("greedy", f"{len(self.beside) - len(beside)} of {len(self.beside)} of another "
                                         f"user's run -- true failed, or took over a minute")
        if alone and beside:
            self.compare(statistics.median(alone), beside)
        try:
            budget = self.budget_mib()
        except (control.Silent, control.Refused) as error:
            return self.world.violate("greedy", f"{self.node.name} does not tell its shares: {error}")
        self.world.report.resident(self.before, self.most, budget)
        if self.most > self.before + budget:
            self.world.violate("greedy", f"{self.node.name} grew from {self.before:.0f} to {self.most:.0f} "
                                         f"MiB; a member may have {budget:.0f}")

    def compare(self, alone, beside):
        usual = statistics.median(beside)
        self.world.report.neighbour(usual / alone, max(beside) / alone)
        if usual > RATIO_MAX * max(alone, QUICK):
            self.world.violate("greedy", f"another user's run -- true took {alone:.3f} s alone, and "
                                         f"{usual:.3f} s beside {self.fault}")

    def cancel_all(self):
        for _ in range(20):
            try:
                left = [each for each in self.node.ask("jobs", 10.0)["jobs"] if each["name"] == "greedy"]
                for job in left:
                    self.node.ask("cancel", 10.0, number=job["number"])
                if not left:
                    return
            except (control.Silent, control.Refused):
                time.sleep(0.5)


class VerbAtDeath(NodeFault):
    """A user says a verb, and the agent is killed about when it answers. What was answered must hold."""

    def inject(self):
        told = Told(self.node, self.fault.details["verb"], self.world.next_verb())
        self.world.told.append(told)
        if told.prepare():
            saying = threading.Thread(target=told.say, daemon=True)
            saying.start()
            time.sleep(self.fault.details["after_ms"] / 1000)
            self.node.kill_agent()
            saying.join(10.0)
        else:
            self.node.kill_agent()

    def heal(self):
        self.world.revive(self.node)


KINDS = {"greedy": Greedy, "verb-at-death": VerbAtDeath}
