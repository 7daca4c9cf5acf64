"""Databases lost, damaged and set back, and machines copied. What this campaign destroys no agent can bring
back: the book says which jobs may be gone, and the report counts those that are."""
import os
import random
import shutil
import sqlite3
import time

from chaos_lib.faults_process import NodeFault

DATABASE = "dunlin.sqlite"
SUFFIXES = ("", "-wal", "-shm")
BETWEEN = 45.0  # s from one destroyed database to the next: books need time to find a new keeper.
CLONE_ENDS_WITHIN = 45.0
CLONE_STATUS = 78
REFUSED_STATUS = 1


def copy_database(node, to):
    """A consistent copy, made as operators do while the agent runs."""
    source = sqlite3.connect(f"file:{node.data / DATABASE}?mode=ro", uri=True, timeout=5.0)
    target = sqlite3.connect(to)
    with target:
        source.backup(target)
    target.close()
    source.close()


class DatabaseFault(NodeFault):
    """The agent is killed, its database changed, and an agent started again."""

    def inject(self):
        self.world.await_books(BETWEEN)
        self.world.excuse_bare(self.node)
        self.node.kill_agent()
        self.destroy()

    def heal(self):
        self.world.revive(self.node)

    def move_away(self):
        for suffix in SUFFIXES:
            (self.node.data / (DATABASE + suffix)).unlink(missing_ok=True)

    def lose(self, reason, since=0.0):
        self.world.lose(self.node, f"{reason} at {self.node.name}", since)


class Lose(DatabaseFault):
    def destroy(self):
        self.move_away()
        self.lose("database lost")


class Restore(DatabaseFault):
    """An older copy comes back: what was acknowledged later is gone."""

    def destroy(self):
        copies = self.world.copies.get(self.node.name, [])
        if not copies:
            self.move_away()
            self.lose("database lost")
            return
        path, taken = copies[0 if self.fault.details["copy"] == "oldest" else -1]
        self.move_away()
        shutil.copyfile(path, self.node.data / DATABASE)
        (self.node.data / DATABASE).chmod(0o600)
        os.sync()  # A disk that fails in a later round must not take the copy itself.
        self.lose(f"older database ({time.monotonic() - taken:.0f} s)", since=taken)


class Damage(DatabaseFault):
    """Some bytes of it are others. If the agent refuses it, it is moved away, as the guide says."""

    def destroy(self):
        chance = random.Random(self.fault.details["seed"])
        paths = [self.node.data / (DATABASE + suffix) for suffix in SUFFIXES[:2]]
        paths = [path for path in paths if path.exists() and path.stat().st_size > 0]
        for _ in range(self.fault.details["bytes"]):
            path = chance.choice(paths)
            with open(path, "r+b") as file:
                at = chance.randrange(path.stat().st_size)
                file.seek(at)
                old = file.read(1)
                file.seek(at)
                file.write(bytes([old[0] ^ (1 << chance.randrange(8))]))
        self.lose("database damaged")

    def heal(self):
        cluster = self.world.cluster
        self.node.start(cluster.nodes)
        if self.node.wait_until_up():
            self.world.count("damaged databases that were taken on")
            return
        status = self.node.process.poll()
        log = self.node.log_since_start()
        if status != REFUSED_STATUS or DATABASE not in log:
            self.world.violate("start", f"{self.node.name} with a damaged database ended with {status} and "
                                        f"did not name it: {log[-600:]}")
        self.world.count("damaged databases that were refused by name")
        self.node.kill_agent()
        self.move_away()
        self.world.revive(self.node)


class Clone(NodeFault):
    """A copy of a running machine's disk, on another machine: the younger agent stops. There its elder's
    place is empty, so `place` is left out: on one machine the copy would not begin at all."""

    def inject(self):
        self.clone = self.world.spare()
        frozen = self.node.disk.real
        if frozen:
            self.node.disk.freeze()
        try:
            shutil.copytree(self.node.data, self.clone.data, ignore=lambda _, names: [
                name for name in names if name in ("socket", "trash", "place")])
        finally:
            if frozen:
                self.node.disk.thaw()
        self.clone.key.write_bytes(self.node.key.read_bytes())
        self.clone.key.chmod(0o600)
        machine = self.world.work / "other-machine-id"
        machine.write_text("0123456789abcdef0123456789abcdef\n")
        settings = list(self.clone.settings)
        if self.fault.details["machine"] == "other":
            self.clone.settings = [*settings, f"--machine-id={machine}"]
        self.clone.start(self.world.cluster.nodes)
        self.clone.settings = settings
        self.clone.expected_down = True  # It is to end by itself.

    def heal(self):
        """The network may have kept the two apart until now."""
        process = self.clone.process
        until = time.monotonic() + CLONE_ENDS_WITHIN
        while process.poll() is None and self.node.running() and time.monotonic() < until:
            self.world.pause(0.2)
        if process.poll() is None:
            which = "its original stopped" if not self.node.running() else "runs beside it"
            self.world.violate("clone", f"a clone of {self.node.name} was not told from it within "
                                        f"{CLONE_ENDS_WITHIN:.0f} s: {which}")
        else:
            allowed = (REFUSED_STATUS,) if self.fault.details["machine"] == "other" else (
                CLONE_STATUS, REFUSED_STATUS)
            if process.returncode not in allowed:
                self.world.violate("clone", f"a clone of {self.node.name} ended with {process.returncode}: "
                                            f"{self.clone.log_since_start()[-600:]}")
        self.clone.kill_all()
        shutil.rmtree(self.clone.data)


KINDS = {"lose-database": Lose, "restore-database": Restore, "damage-database": Damage, "clone": Clone}
