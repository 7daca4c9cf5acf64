"""A campaign: rounds of faults under load, each followed by a check of everything that must hold."""
import random
import shutil
import time

from chaos_lib import (control, faults_database, faults_disk, faults_network, faults_process, faults_users,
                       invariants, plan)
from chaos_lib.checks import Checks, every_job
from chaos_lib.cluster import CPUS, LICENCES, MEMORY_MIB, Cluster
from chaos_lib.load import Load
from chaos_lib.observation import Sampler

FAULTS = {**faults_network.KINDS, **faults_process.KINDS, **faults_disk.KINDS, **faults_database.KINDS,
          **faults_users.KINDS}
WARM_UP = 2.0  # s of load before the faults of a round, so that they meet running tasks.
HOLD_SHARE = 1 / 15  # Of the whole campaign, that one fault may last.
COPIES_MAX = 10


def commitment(tasks):
    return invariants.check_commitment(tasks, CPUS * 1000, MEMORY_MIB, LICENCES)


class Interrupted(Exception):
    """A signal asked for the end: what was found so far is reported."""


class Campaign:
    def __init__(self, options, work, programs, clock, report):
        self.options = options
        self.work = work
        self.report = report
        self.cluster = Cluster(work, options.nodes, programs, clock, [
            f"--limits={options.limits}", f"--cell.cell_size={options.cell_size}"])
        able = {"": True, "loss": options.can_lose, "disk": self.cluster.real_disks, "clock": bool(clock),
                "member": faults_users.can_be_others()}
        self.kinds = [kind for kind in options.faults if able[plan.KINDS[kind].needs]]
        self.without = sorted(set(options.faults) - set(self.kinds))
        # A short campaign has short faults, so that it has many and ends in time.
        hold_max = max(options.minutes * 60 * HOLD_SHARE, 2)
        self.plan = plan.Plan(random.Random(options.seed), self.kinds, options.nodes, hold_max)
        self.load = Load(self.cluster.nodes, work, random.Random(f"load {options.seed}"))
        self.sampler = Sampler(commitment)
        self.checks = Checks(self)
        self.copies = {}  # By node: [(path, when it was taken)], the oldest first.
        self.active = []
        self.spare_node = None
        self.told = []  # Verbs of this round that were said at the moment of death.
        self.verbs = 0
        self.cloned = set()  # Names of nodes of which copies ran.
        self.books_destroyed_at = None
        self.healed_at = time.monotonic()

    # What faults may ask of the campaign.

    def violate(self, invariant, text):
        self.report.violate(invariant, text)

    def count(self, what, number=1):
        self.report.count(what, number)

    def pause(self, seconds):
        """Waits while other faults go on, and notes agents that end by themselves."""
        until = time.monotonic() + seconds
        while True:
            for fault in self.active:
                fault.tick()
            self.checks.note_ends()
            left = until - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, 0.1))

    def revive(self, node):
        if not self.cluster.start(node):
            status = node.process.poll()
            self.violate("start", f"{node.name} does not come up again (status {status}): "
                                  f"{node.log_since_start()[-1500:]}")

    def lose(self, node, reason, since):
        self.books_destroyed_at = time.monotonic()
        self.count("jobs whose record this campaign destroyed", self.load.book.lose(node.name, reason, since))

    def excuse_bare(self, node):
        """Jobs of other nodes that `node` took over moments ago, of which no standby has all yet, as it says
        itself: with its database they are gone, however many standbys they wanted."""
        try:
            for summary in every_job(node):
                job = self.load.book.jobs.get(summary["name"])
                driven = job and job.replicas and not job.excused and summary["home_name"] == node.name
                if driven and not node.ask("job", 5.0, **job.named)["standbys"]:
                    job.excused = f"no standby of {node.name} had all of it"
                    self.count("jobs without a whole standby whose record was destroyed")
        except (control.Silent, control.Refused):
            pass  # It does not answer: then none is known to be bare.

    def await_books(self, between):
        """One destroyed database is healed by its cell. Several at once are a lost cell, which only an
        operator can write off."""
        while self.books_destroyed_at and time.monotonic() - self.books_destroyed_at < between:
            self.pause(0.5)

    def next_verb(self):
        self.verbs += 1
        return self.verbs

    def spare(self):
        """A machine that is no member: for clones."""
        if self.spare_node is None:
            self.spare_node = self.cluster.add(invariants.CLONE)
        return self.spare_node

    # The campaign itself.

    def run(self):
        self.cluster.start_all()
        if not self.cluster.share():
            self.violate("start", "no cell took the shares of classes within a minute")
        for thread in (self.load, self.sampler):
            thread.start()
        self.report.begin(self)
        ends = self.report.began + self.options.minutes * 60
        while True:
            self.one_round()
            if time.monotonic() + self.report.round_mean() > ends:
                break
        self.end()

    def one_round(self):
        faults = self.plan.next_round()
        self.report.begin_round(faults)
        self.load.resume()
        self.pause(WARM_UP)
        self.inject(faults)
        self.load.hold()
        self.settle(faults)
        self.report.end_round(self)

    def inject(self, faults):
        """All of them at once; each is healed when its time is over."""
        began = time.monotonic()
        waiting = []
        self.active = []
        for fault in faults:
            done = FAULTS[fault.kind](self, fault)
            self.report.injected(fault)
            if fault.kind == "clone":
                self.cloned.update(self.cluster.nodes[index].name for index in fault.nodes)
            done.inject()
            self.active.append(done)
            waiting.append((time.monotonic() + (fault.hold if done.lasts else 0), done, fault.kind))
        # What keeps a clone and its original apart ends first: until then neither can know of the other.
        waiting.sort(key=lambda each: (each[2] == "clone", each[0]))
        try:
            for until, done, _ in waiting:
                self.pause(until - time.monotonic())
                self.active.remove(done)
                done.heal()
        finally:
            for done in self.active:  # Only if something went wrong: leave no disk frozen.
                done.heal()
            self.active = []
        self.healed_at = time.monotonic()
        self.report.faults_lasted(self.healed_at - began)

    def settle(self, faults):
        for node in self.cluster.nodes:
            if not node.running():
                self.checks.note_ends()
                self.revive(node)
        self.checks.verbs_hold(self.healed_at)
        self.load.release_all()
        self.load.cancel_orphans()
        self.checks.all_after(self.healed_at, faults)
        self.copy_databases()

    def copy_databases(self):
        """For later rounds to restore."""
        for node in self.cluster.nodes:
            copies = self.copies.setdefault(node.name, [])
            taken = time.monotonic()
            path = self.work / f"{node.name}-{taken:.0f}.sqlite"
            faults_database.copy_database(node, path)
            copies.append((path, taken))
            if len(copies) > COPIES_MAX:
                copies.pop(1)[0].unlink()  # The oldest stays: it is what an hour makes of a backup.

    def end(self):
        """Stops all agents as operators do; then no process of theirs may be left."""
        self.load.hold()
        for node in self.cluster.nodes:
            node.expected_down = True
            node.signal_agent(15)
        for node in self.cluster.nodes:
            status = node.await_stop()
            if status != 0:
                self.violate("stop", f"{node.name} was told to stop and ended with {status}")
        self.checks.nothing_left()

    def keep_evidence(self, where):
        """Logs and marks of a campaign that found something."""
        shutil.copytree(self.load.marks, where / "marks", dirs_exist_ok=True)
        for node in [*self.cluster.nodes, *filter(None, [self.spare_node])]:
            if node.log.exists():  # None of a node that was to start after one that did not.
                shutil.copy2(node.log, where)
            try:
                faults_database.copy_database(node, where / f"{node.name}.sqlite")
            except Exception as error:  # Evidence must not hide the finding.
                (where / f"{node.name}.sqlite.missing").write_text(str(error))

    def explain(self, node, job):
        try:
            groups = node.ask("explain", job=job)["groups"]
            return "; ".join(group["verdict"] for group in groups)
        except (control.Silent, control.Refused) as error:
            return str(error)
