"""Users of the cluster: a thread that submits jobs to whatever node answers."""
import shutil
import threading
import time
from pathlib import Path

from chaos_lib import control
from chaos_lib.book import Book, Job

CLASSES = ["default", "gold", "silver", "bronze"]
JOBS_A_SECOND = 1.0
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
    return job


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
        self.count = 0

    def run(self):
        while True:
            if not self.open.is_set():
                self.idle.set()
                self.open.wait()
                self.idle.clear()
            self.submit_one()
            time.sleep(self.random.expovariate(JOBS_A_SECOND))

    def resume(self):
        self.open.set()

    def hold(self):
        """No submit is under way afterwards."""
        self.open.clear()
        self.idle.wait(30.0)

    def submit_one(self):
        node = self.random.choice(self.nodes)
        self.count += 1
        job = draw_job(self.random, f"job-{self.count}", node.name)
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
        try:
            answer = node.ask("submit", 5.0, name=job.token, owner="chaos",
                              groups=[job.group(self.script, self.marks)],
                              allow_unsatisfiable=True, **{"class": self.random.choice(CLASSES)})
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
