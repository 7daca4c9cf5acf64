"""Users of the cluster: a thread that submits jobs to whatever node answers."""
import shutil
import signal
import threading
import time
from pathlib import Path

from chaos_lib import control
from chaos_lib.book import PREFIX, Book, Job, is_load

CLASSES = ["default", "gold", "silver", "bronze"]
JOBS_A_SECOND = 1.0
AFTER_SHARE = 0.15  # Of jobs that come after another one.
VERB_SHARE = 0.25  # Of the moments in which a job is submitted.
BACKLOG_MAX = 150  # Tasks that wait or run at a node: more would only make checks take longer.


def draw_job(random, token, node):
    """A job of a few tasks, most of them short, some long enough to meet every fault."""
    job = Job(token, node, tasks=random.randint(1, 10), cpu_milli=random.choice([250, 500, 1000]))
    job.memory_mib = random.choice([0, 0, 64, 128])
    job.lines = random.choice([0, 3, 40, 400])
    job.pause = random.choice([0.05, 0.3, 1.0, 2.0, 4.0])
    kind = random.random()
    if kind < 0.1:
        job.tasks, job.pause = random.randint(1, 3), random.uniform(8.0, 12.0)
    elif kind < 0.2:
        job.tasks, job.pause, job.cpu_milli = random.randint(20, 40), 0.05, 100
    elif kind < 0.3:
        job.licences, job.pause = 1, random.choice([0.05, 0.5])
    elif kind < 0.4:
        job.fails = random.randint(1, 4)
    draw_features(random, job)
    return job


HOUR = 3_600_000_000_000  # ns
# What a job may have besides, none of which changes what must come out of it: whether it is a member of the
# job or of its groups, and how it is drawn.
FEATURES = {
    "hold": ("job", lambda random: True),
    "deadline_ns": ("job", lambda random: HOUR),
    "replicas": ("job", lambda random: random.randint(1, 2)),
    "on_preempt": ("job", lambda random: random.choice(["never", "requeue", "checkpoint", "suspend"])),
    "priority": ("group", lambda random: random.choice([0, 20, 49, 50, 51, 90])),
    "retries": ("group", lambda random: random.randint(1, 3)),
    "at_once": ("group", lambda random: random.randint(1, 4)),
    "time_limit_ns": ("group", lambda random: HOUR),
    "duration_ns": ("group", lambda random: random.choice([10_000_000, 1_000_000_000, 60_000_000_000])),
    "umask": ("group", lambda random: random.choice([0, 0o22, 0o77])),
    "limits": ("group", lambda random: {"nofile": random.choice([64, 256])}),
}


def draw_after(random, job, others):
    """Perhaps a job that this one comes after. None of a chain: it would end long after the last fault."""
    fit = [each for each in others if each.after is None and not each.excused and not each.verified]
    if not fit or random.random() >= AFTER_SHARE:
        return
    job.after = random.choice(fit)
    job.needs = random.random() < 0.5


def draw_features(random, job):
    """A random set of them, as the swarm of tests draws options."""
    for name in random.sample(sorted(FEATURES), random.choice([0, 0, 1, 2, 3, 5])):
        of, draw = FEATURES[name]
        (job.features if of == "job" else job.traits)[name] = draw(random)
    # One that programs ignore, soon after each start.
    if "time_limit_ns" in job.traits and random.random() < 0.5:
        job.traits["limit_signal"] = int(signal.SIGURG)
        job.traits["limit_signal_time_ns"] = HOUR - random.choice([1_000_000, 200_000_000])
    # Tasks of a later stage are cancelled where one before fails, and a stage needs a task.
    if not job.fails and job.tasks >= 3 and random.random() < 0.2:
        job.stages = random.randint(2, 3)
    job.ends = random.random() < 0.2
    # A task that has failed for good took each of its tries, so let these be short.
    if job.fails and "retries" in job.traits:
        job.pause = min(job.pause, 0.3)


class Load(threading.Thread):
    """Submits while it is not held. `random` decides what, and how often."""

    def __init__(self, nodes, work, random):
        super().__init__(daemon=True, name="load")
        self.nodes = nodes
        self.random = random
        self.book = Book()
        self.marks = work / "marks"
        self.marks.mkdir(mode=0o777)
        self.script = work / "task.sh"
        shutil.copy2(Path(__file__).parent / "task.sh", self.script)
        self.open = threading.Event()
        self.idle = threading.Event()
        self.submits = {"acknowledged": 0, "unanswered": 0, "refused": 0, "unreachable": 0}
        self.refusals = {}
        self.held = []  # Jobs that are on hold, as far as is known.
        self.verbs = {}  # Said to jobs, and answered.
        self.count = 0

    def run(self):
        while True:
            if not self.open.is_set():
                self.idle.set()
                self.open.wait()
                self.idle.clear()
            self.submit_one()
            self.say_something()
            time.sleep(self.random.expovariate(JOBS_A_SECOND))

    def resume(self):
        self.open.set()

    def hold(self):
        """No submit is under way afterwards."""
        self.open.clear()
        self.idle.wait(30.0)

    def say_something(self):
        """A verb to a job of some moments ago: it changes how its tasks run, and not what they do."""
        held = [job for job in self.held if self.random.random() < 0.5]
        for job in held:
            self.release(job)
        young = [job for job in self.book.acknowledged()
                 if not job.verified and time.monotonic() - job.submitted_at < 10.0]
        if not young or self.random.random() > VERB_SHARE:
            return
        job = self.random.choice(young)
        verb, members = self.random.choice([("set", {"priority": self.random.randint(0, 90)}),
                                            ("requeue", {}), ("hold", {}), ("submit", job.said)])
        if verb == "submit":
            return self.say_again(job)
        if verb == "requeue":
            job.asked_again = True
        if verb == "hold":
            self.held.append(job)
        try:
            self.node_of(job).ask(verb, 3.0, **job.named, **members)
            self.verbs[verb] = self.verbs.get(verb, 0) + 1
        except (control.Silent, control.Refused):
            pass  # The job has ended, its tasks wait, or its node is away: another time.

    def say_again(self, job):
        """Its submit, by its key: that is the same job. Were it another one, the checks would find two."""
        if job.excused or job.replayed:
            return  # Its key may be gone with its record.
        try:
            self.node_of(job).ask("submit", 5.0, **job.said)
            self.verbs["submit"] = self.verbs.get("submit", 0) + 1
        except (control.Silent, control.Refused):
            pass  # Its node is away, or does not know if the one that drives its jobs by now has it.

    def node_of(self, job):
        return next(node for node in self.nodes if node.name == job.node)

    def release(self, job):
        """True if it is not on hold any more."""
        try:
            self.node_of(job).ask("release", 3.0, **job.named)
        except control.Silent:
            return False
        except control.Refused:
            pass  # It has ended, or went with its record.
        if job in self.held:
            self.held.remove(job)
        return True

    def release_all(self, patience=30.0):
        """Before all jobs are to end. A job whose submit was not answered may be on hold, too."""
        until = time.monotonic() + patience
        for node in self.nodes:
            while time.monotonic() < until:
                try:
                    for each in node.ask("jobs", 5.0)["jobs"]:
                        if is_load(each["name"]):  # One on hold whose tasks run is called running.
                            node.ask("release", 5.0, job=control.name_of(each))
                    break
                except (control.Silent, control.Refused):
                    time.sleep(0.5)
        self.held.clear()

    def end_runs(self, job):
        """How often the command for its end ran."""
        path = self.marks / f"end-{job.token}"
        return path.read_text().count("\n") if path.exists() else 0

    def submit_one(self):
        node = self.random.choice(self.nodes)
        self.count += 1
        job = draw_job(self.random, f"{PREFIX}{self.count}", node.name)
        draw_after(self.random, job, [each for each in self.book.acknowledged()
                                      if time.monotonic() - each.submitted_at < 20.0])
        try:
            waiting = sum(each["counts"]["waiting"] for each in node.ask("jobs", 3.0)["jobs"])
            if waiting <= BACKLOG_MAX:
                self.submit(node, job)
        except control.Silent:
            self.submits["unreachable"] += 1
        except control.Refused as refused:
            self.refusals[str(refused)] = self.refusals.get(str(refused), 0) + 1
            self.submits["refused"] += 1

    def submit(self, node, job):
        job.submitted_at = time.monotonic()
        job.said = {"name": job.token, "owner": "chaos", "groups": job.groups(self.script, self.marks),
                    "allow_unsatisfiable": True, "class": self.random.choice(CLASSES),
                    "key": f"{self.random.getrandbits(128):032x}", **self.features_of(job)}
        try:
            answer = node.ask("submit", 5.0, **job.said)
        except control.Unreachable:
            raise
        except control.Silent:
            self.submits["unanswered"] += 1
            self.book.add(job)
            return
        except control.Refused:
            job.refused = True
            self.book.add(job)
            raise
        job.acknowledged, job.number, job.lineage = True, answer["number"], answer["lineage"]
        self.book.add(job)
        self.submits["acknowledged"] += 1
        if job.features.get("hold"):
            self.held.append(job)

    def features_of(self, job):
        features = dict(job.features)
        if job.ends:
            words = ["/bin/sh", "-c", f"echo ended >>'{self.marks}/end-{job.token}'"]
            features["on_end"] = {"command": words}
        if job.after is not None:
            name = f"{job.after.node}.{job.after.number}"
            features["after_jobs"] = [{"job": name, "when": "ok" if job.needs else "any"}]
        return features

    def cancel_orphans(self):
        """A job waits for as long as it takes to hear of another one that a fault took away. One that a
        fault took away itself is in no list: asked for by its number, agents would look for its home."""
        unfinished = set()
        for node in self.nodes:
            try:
                unfinished |= {each["name"] for each in node.ask("jobs", 5.0)["jobs"]}
            except (control.Silent, control.Refused):
                pass
        for job in self.book.acknowledged():
            if not job.verified and job.may_be_cancelled and job.token in unfinished:
                try:
                    self.node_of(job).ask("cancel", 3.0, **job.named)
                except (control.Silent, control.Refused):
                    pass  # It has ended, or went with its record; or another time.
