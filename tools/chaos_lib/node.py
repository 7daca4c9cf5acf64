"""One machine of the cluster: a network namespace, a disk, an agent and its warden."""
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from chaos_lib import control
from chaos_lib.network import address_of

PORT = 7700
START_PATIENCE = 40.0
STOP_PATIENCE = 30.0


def alive(pid):
    """Whether the process runs: one that waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def await_end(pid, patience=10.0):
    until = time.monotonic() + patience
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.01)


class Node:
    """`settings` are words for the agent, `program` and `warden` the paths of the programs."""

    def __init__(self, index, name, work, disk, network, programs, settings):
        self.index = index
        self.name = name
        self.disk = disk
        self.network = network
        self.program, warden = programs
        self.settings = settings
        self.data = disk.place / "data"
        self.socket = work / f"{name}.sock"
        self.key = work / f"{name}.key"
        self.log = work / f"{name}.log"
        self.shared = work / f"{name}.clock"  # Read by the preloaded clock, if there is one.
        self.shared.write_bytes(bytes(16))
        self.warden_program = work / f"{name}.warden"
        self.warden_original = warden
        self.install_warden()
        self.environment = dict(os.environ, DUNLIN_WARDEN=str(self.warden_program),
                                DUNLIN_CHAOS_CLOCK=str(self.shared))
        self.process = None
        self.expected_down = True  # Whether this campaign ended its agent, and not the agent itself.
        self.ends = []  # Exit statuses of agents that were not told to end.

    def install_warden(self):
        shutil.copy2(self.warden_original, self.warden_program)

    @property
    def address(self):
        return address_of(self.index)

    def start(self, contacts):
        """Starts the agent. `contacts` are nodes to join by."""
        words = [self.program, "agent", f"--name={self.name}", f"--machine={self.name}",
                 f"--data-dir={self.data}",
                 f"--socket={self.socket}", f"--key-file={self.key}", f"--bind={self.address}:{PORT}",
                 *self.settings]
        others = [f"{node.address}:{PORT}" for node in contacts if node is not self]
        if others:
            words.append("--join=" + ",".join(others))
        self.socket.unlink(missing_ok=True)
        with open(self.log, "ab") as log:
            log.write(f"--- chaos: start at {time.strftime('%H:%M:%S')}\n".encode())
            log.flush()
            self.process = subprocess.Popen(self.network.command(self.index, words), stdout=log,
                                            stderr=log, env=self.environment, start_new_session=True)
        self.expected_down = False

    def wait_until_up(self, patience=START_PATIENCE):
        """True when it answers; False if it ended, or says nothing for so long."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if not self.running():
                return False
            try:
                control.ask(self.socket, "status", 2.0)
                return True
            except (control.Silent, control.Refused):
                time.sleep(0.05)
        return False

    def running(self):
        return self.process is not None and self.process.poll() is None

    def warden(self):
        """The warden of its data directory; 0: there is none."""
        try:
            pid = int((self.data / "warden/lock").read_text().split()[0])
            name = Path(f"/proc/{pid}/comm").read_text().strip()
        except (OSError, ValueError, IndexError):
            return 0
        return pid if name == "dunlin-warden" and alive(pid) else 0

    def tasks(self):
        """The main processes of its tasks, and all below them."""
        warden = self.warden()
        return descendants(warden) if warden else []

    def signal_agent(self, number):
        if self.running():
            os.kill(self.process.pid, number)

    def kill_agent(self):
        self.expected_down = True
        self.signal_agent(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()

    def kill_warden(self):
        warden = self.warden()
        if warden:
            os.kill(warden, signal.SIGKILL)
            await_end(warden)
        return bool(warden)

    def kill_all(self):
        """As if the machine had died."""
        tasks = self.tasks()
        self.kill_agent()
        self.kill_warden()
        for pid in tasks:
            if alive(pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def stop(self, number=signal.SIGTERM, patience=STOP_PATIENCE):
        """Tells the agent to stop and returns its exit status; None if it does not end, or was not
        there."""
        if not self.running():
            return None
        self.expected_down = True
        self.signal_agent(number)
        return self.await_stop(patience)

    def await_stop(self, patience=STOP_PATIENCE):
        """The exit status of an agent that was told to stop; None: it had to be killed."""
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill_agent()
            return None

    def note_end(self):
        """If the agent ended by itself, its status; told once."""
        if self.process is None or self.expected_down or self.process.poll() is None:
            return None
        self.expected_down = True
        self.ends.append(self.process.returncode)
        return self.process.returncode

    def log_since_start(self):
        """What its last agent wrote."""
        return self.log.read_text(errors="replace").rpartition("--- chaos: start")[2]

    def ask(self, verb, patience=5.0, **members):
        return control.ask(self.socket, verb, patience, **members)


def descendants(pid):
    """All processes below `pid`."""
    found, left = [], [pid]
    while left:
        parent = left.pop()
        try:
            children = [int(word) for task in Path(f"/proc/{parent}/task").iterdir()
                        for word in (task / "children").read_text().split()]
        except OSError:
            continue
        found += children
        left += children
    return found
