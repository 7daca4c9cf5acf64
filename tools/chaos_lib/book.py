"""The campaign's own book of what it submitted: the yardstick for what the agents say later."""
from dataclasses import dataclass, field

FAILED_STATUS = 3
PREFIX = "job-"  # Of the names of jobs that the load submits; others are of faults.


def is_load(name):
    return name.startswith(PREFIX)


@dataclass
class Job:
    token: str  # Its name, unlike any other's.
    node: str  # Where it was submitted.
    tasks: int
    cpu_milli: int = 500
    memory_mib: int = 0
    licences: int = 0
    lines: int = 0  # That each task prints, beside its first and its last.
    pause: float = 0.1  # That each task sleeps, in s.
    fails: int = 0  # Every so many-th task ends with FAILED_STATUS; 0: none.
    features: dict = field(default_factory=dict)  # Members of its submit beside its group ...
    traits: dict = field(default_factory=dict)  # ... and of the group.
    stages: int = 1  # Groups of equal tasks, each of which waits for the one before it.
    ends: bool = False  # A command runs when it has ended.
    after: "Job | None" = field(default=None, repr=False)  # The one that must have ended before it begins ...
    needs: bool = False  # ... and, if so, without a failure; else it is cancelled.
    ordered: bool = False  # It was found to have begun after that one.
    asked_again: bool = False  # A user had tasks of it run again.
    said: dict = field(default_factory=dict, repr=False)  # Its submit, with its key.
    acknowledged: bool = False  # False: the submit was not answered, so it may be there or not.
    refused: bool = False  # Its node said that it could not be stored: it may not run.
    number: int = 0
    lineage: str = ""
    submitted_at: float = 0.0  # By the monotonic clock.
    excused: str = ""  # Why it may be gone; empty: it may not.
    replayed: bool = False  # Its record was set back: attempts count anew, and tasks may run again.
    verified: bool = False  # Its results were found to be right.
    marks: list = field(default_factory=list)  # That its tasks had left when it was verified.
    results: dict = field(default_factory=dict)  # Index to (attempt, worker), as seen first.

    @property
    def replicas(self):
        """The nodes that go on with it if its home dies; 0: it waits for its home."""
        return self.features.get("replicas", 0)

    @property
    def named(self):
        """It as a member of a request, to whichever node: any may drive a job with replicas by now."""
        return {"job": f"{self.node}.{self.number}"}

    @property
    def never_runs(self):
        """What it needs fails: the first task of a job that has failures at all is one of them."""
        return self.after is not None and self.needs and bool(self.after.fails)

    @property
    def may_be_cancelled(self):
        """The record of what it waits for was taken away, and perhaps all that was known of it."""
        return self.after is not None and (bool(self.after.excused) or self.after.replayed)

    def status_of(self, index):
        return FAILED_STATUS if self.fails and index % self.fails == 0 else 0

    def output_of(self, index, attempt, node):
        """What that task prints on that node."""
        lines = [f"begin {self.token} {self.number} {index} {attempt} {node}"]
        lines += [f"{self.token} {index} line {line}" for line in range(1, self.lines + 1)]
        lines.append(f"end {self.token} {index}")
        return ("\n".join(lines) + "\n").encode()

    def groups(self, script, marks):
        """The groups of a submit."""
        each = self.group(script, marks)
        counts = [self.tasks // self.stages] * self.stages
        counts[0] += self.tasks - sum(counts)
        return [{**each, "name": f"stage{index}", "count": count,
                 **({"after": [f"stage{index - 1}"]} if index else {})}
                for index, count in enumerate(counts)]

    def group(self, script, marks):
        """What its groups have in common."""
        demand = {"cpu_milli": self.cpu_milli, "memory_mib": self.memory_mib}
        if self.licences:
            demand["custom"] = {"licence": self.licences}
        environment = {
            "CHAOS_TOKEN": self.token, "CHAOS_MARKS": str(marks), "CHAOS_LINES": str(self.lines),
            "CHAOS_PAUSE": f"{self.pause:.2f}", "CHAOS_FAILS": str(self.fails),
            "CHAOS_LICENCES": str(self.licences), "CHAOS_CPU": str(self.cpu_milli),
            "CHAOS_MEMORY": str(self.memory_mib)}
        return {"command": ["/bin/sh", str(script)], "demand": demand, "environment": environment,
                **self.traits}


class Book:
    """Jobs by token. Only the campaign's own thread removes or excuses; the submitter adds."""

    def __init__(self):
        self.jobs = {}

    def add(self, job):
        self.jobs[job.token] = job

    def of(self, node):
        return [job for job in list(self.jobs.values()) if job.node == node]

    def acknowledged(self):
        return [job for job in list(self.jobs.values()) if job.acknowledged]

    def lose(self, node, reason, since=0.0, until=float("inf")):
        """This campaign took away the only record of the jobs of `node` submitted in that time: they
        may be gone. What other jobs of it said so far may be said otherwise now; and so may what jobs with
        replicas did, of whichever node: it drove them, or had the records from which another goes on."""
        lost = 0
        for job in list(self.jobs.values()):
            if job.node != node and not job.replicas:
                continue
            job.results.clear()
            job.verified = False
            job.replayed = True
            if job.node == node and since <= job.submitted_at <= until and not job.excused:
                job.excused = reason
                lost += 1
        return lost
