"""Faults of disks: full, read-only, slow, broken."""
import time

from chaos_lib.faults_process import NodeFault

THAWED = 0.3  # s between two freezes of a slow disk.


class Full(NodeFault):
    def inject(self):
        self.node.disk.fill()

    def heal(self):
        self.node.disk.empty()


class ReadOnly(NodeFault):
    """What is open goes on; nothing new can be written."""

    def inject(self):
        self.node.disk.close()

    def heal(self):
        self.node.disk.reopen()


class Slow(NodeFault):
    """Every write and every fsync waits for up to `freeze` seconds, again and again."""

    def inject(self):
        self.frozen = False
        self.change_at = 0.0

    def tick(self):
        now = time.monotonic()
        if now < self.change_at:
            return
        self.frozen = not self.frozen
        self.change_at = now + (self.fault.details["freeze"] if self.frozen else THAWED)
        self.node.disk.freeze() if self.frozen else self.node.disk.thaw()

    def heal(self):
        if self.frozen:
            self.node.disk.thaw()


class Error(NodeFault):
    """The disk refuses every write. An operator switches the machine off, replaces the cable and starts
    it again: what was acknowledged is on the disk."""

    def inject(self):
        self.node.disk.fail()

    def heal(self):
        self.node.kill_all()
        self.node.disk.replace()
        self.world.revive(self.node)


KINDS = {"disk-full": Full, "read-only": ReadOnly, "slow-disk": Slow, "disk-error": Error}
