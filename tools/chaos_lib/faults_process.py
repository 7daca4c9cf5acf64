"""Faults of processes: killed, stopped, restarted; the warden's program gone; the clock set."""
import os
import signal
import struct
import time

from chaos_lib.node import alive

RESTART_WITHIN = 10.0  # s; two, by the guide, and this machine may be slow.


class NodeFault:
    """Of one node."""

    lasts = True  # Until it is healed; else inject() returns when it is over.

    def __init__(self, world, fault):
        self.world = world
        self.fault = fault
        self.node = world.cluster.nodes[fault.nodes[0]] if fault.nodes else None

    def inject(self):
        raise NotImplementedError

    def tick(self):
        pass

    def heal(self):
        pass


class KillAgent(NodeFault):
    def inject(self):
        self.node.kill_agent()

    def heal(self):
        self.world.revive(self.node)


class KillWarden(NodeFault):
    def inject(self):
        self.node.kill_warden()


class KillNode(KillAgent):
    """The machine is off: its agent, its warden and its tasks."""

    def inject(self):
        self.node.kill_all()


class Stop(NodeFault):
    """SIGSTOP, as a machine that is suspended or swaps itself to death."""

    def processes(self):
        return {"stop-agent": [self.node.process.pid], "stop-warden": [self.node.warden()],
                "stop-node": [self.node.process.pid, self.node.warden(), *self.node.tasks()],
                }[self.fault.kind]

    def inject(self):
        self.stopped = [pid for pid in self.processes() if pid > 0 and alive(pid)]
        self.send(signal.SIGSTOP)

    def heal(self):
        self.send(signal.SIGCONT)

    def send(self, number):
        for pid in self.stopped:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass


class NoWardenProgram(NodeFault):
    """An upgrade gone wrong: the warden has died, and there is no program to start another one."""

    def inject(self):
        self.node.warden_program.unlink()
        self.node.kill_warden()

    def heal(self):
        self.node.install_warden()


class Clock(NodeFault):
    """The wall clock of its agent is set by so much, and set right again. In between another agent may
    start, with an incarnation of that time, and has to find its way in; and so may one after it, whose
    clock is behind what its node last knew."""

    def inject(self):
        self.set(self.fault.details["step"])
        if self.fault.details["starts"] != "none":
            self.restart()

    def heal(self):
        self.set(0)
        if self.fault.details["starts"] == "both":
            self.restart()

    def restart(self):
        self.node.stop(signal.SIGUSR2)
        self.world.revive(self.node)

    def set(self, seconds):
        with open(self.node.shared, "r+b") as file:
            file.write(struct.pack("<q", seconds * 1_000_000_000))


class RestartAll(NodeFault):
    """Every agent in turn, as in an upgrade. Costs no attempt, and keeps the tasks' processes."""

    lasts = False

    def inject(self):
        for index in self.fault.nodes:
            node = self.world.cluster.nodes[index]
            began = time.monotonic()
            status = node.stop(signal.SIGUSR2)
            took = time.monotonic() - began
            if status != 0 or took > RESTART_WITHIN:
                self.world.violate("restart", f"{node.name} was told to restart and ended with {status} "
                                              f"after {took:.1f} s")
            self.world.revive(node)
            self.world.pause(1.0)


class RotateKeys(NodeFault):
    """The three steps of docs/guide/operators.md."""

    lasts = False

    def inject(self):
        cluster = self.world.cluster
        cluster.keys("--add", f"--output={cluster.key}")
        self.hand_out(cluster.key.read_text())
        head, keys = self.parts()
        self.hand_out("\n".join([*head, keys[-1], *keys[:-1]]) + "\n")
        self.hand_out("\n".join([*head, keys[-1]]) + "\n")

    def parts(self):
        """The lines before the keys, and the keys."""
        lines = self.world.cluster.key.read_text().splitlines()
        keys = [line for line in lines if line.startswith("key")]
        return [line for line in lines if not line.startswith("key")], keys

    def hand_out(self, text):
        cluster = self.world.cluster
        cluster.key.write_text(text)
        for index in self.fault.nodes:
            cluster.nodes[index].key.write_text(text)
            cluster.nodes[index].signal_agent(signal.SIGHUP)
            self.world.pause(0.2)
        self.world.pause(self.fault.hold / 3)


KINDS = {"kill-agent": KillAgent, "kill-warden": KillWarden, "kill-node": KillNode, "stop-agent": Stop,
         "stop-warden": Stop, "stop-node": Stop, "no-warden-program": NoWardenProgram, "clock": Clock,
         "restart-all": RestartAll, "rotate-keys": RotateKeys}
