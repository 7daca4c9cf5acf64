"""Asks the agents, reads the marks and /proc, and hands all of it to the invariants."""
import os
import time
from pathlib import Path

from chaos_lib import control, invariants
from chaos_lib.control import Refused, Silent
from chaos_lib.book import is_load
from chaos_lib.observation import forget_marks, read_marks, read_tasks
from chaos_lib.report import TOLD

VERBS_WITHIN = 60.0
VIEWS_WITHIN = 60.0  # s after the last fault was healed.
TAKEN_OVER_WITHIN = 60.0  # s: a home that is up and has lost its database is given some eight.
STORED_WITHIN = 10.0  # s, of the end of a job.
JOBS_WITHIN = 150.0
AUDIT_WITHIN = 90.0
SLOW = 15.0
TOLD_MAX = 8  # Of one kind of violation at one moment: the rest would say the same.


def until_empty(look, until, slow=None):
    """Repeats `look` until it finds nothing or time is over; returns what it found last. What it found
    after a while is told to `slow`: it held no longer than allowed, and is worth a look all the same."""
    began, told = time.monotonic(), slow is None
    while True:
        found = look()
        if not found or time.monotonic() > until:
            return found
        if not told and time.monotonic() - began > SLOW:
            told = True
            slow(found[0])
        time.sleep(0.25)


def every_job(node):
    """The Summaries of all jobs that a node drives, finished or not: of those there may be many pages."""
    jobs, after = [], {}
    while True:
        answer = node.ask("jobs", 10.0, all=True, **after)
        jobs += answer["jobs"]
        if not answer.get("next"):
            return jobs
        after = {"after": answer["next"]}


class Checks:
    def __init__(self, campaign):
        self.campaign = campaign

    def violate(self, invariant, texts):
        for text in texts[:TOLD_MAX]:
            self.campaign.violate(invariant, text)
        if len(texts) > TOLD_MAX:
            self.campaign.violate(invariant, f"... and {len(texts) - TOLD_MAX} more")

    def note_ends(self):
        for node in self.campaign.cluster.nodes:
            status = node.note_end()
            if status is not None:
                self.campaign.violate("agent", f"the agent of {node.name} ended by itself with {status}: "
                                               f"{node.log_since_start()[-1500:]}")

    def all_after(self, healed_at, faults):
        """Everything that must hold in a cluster that is left alone now."""
        report = self.campaign.report
        self.violate("views", until_empty(self.campaign.cluster.gaps, healed_at + VIEWS_WITHIN, report.slow))
        report.time("views whole", time.monotonic() - healed_at)
        # Whatever is away still is told below: by its name, and as what it is.
        until_empty(self.away, healed_at + TAKEN_OVER_WITHIN, report.slow)
        report.time("all jobs told", time.monotonic() - healed_at)
        self.violate("unfinished", until_empty(self.unfinished, healed_at + JOBS_WITHIN, report.slow))
        self.violate("left behind", until_empty(
            lambda: invariants.check_left_behind(read_tasks()), healed_at + JOBS_WITHIN, report.slow))
        report.time("all jobs ended", time.monotonic() - healed_at)
        self.jobs(faults)
        self.orders()
        self.violate("audit", until_empty(self.audit, time.monotonic() + AUDIT_WITHIN, report.slow))
        report.time("audit conserved", time.monotonic() - healed_at)
        sampler = self.campaign.sampler
        report.most("looks at all processes", sampler.samples)
        report.most("tasks running at once, at most", sampler.tasks_max)
        self.violate("over-commit", sorted(set(sampler.take())))
        self.note_ends()

    def orders(self):
        """Jobs that come after others, of whichever node."""
        for job in self.campaign.load.book.acknowledged():
            if job.after is None or job.ordered or not (job.verified and job.after.verified):
                continue
            self.violate("after", invariants.check_after(job))
            self.campaign.report.count("jobs after others verified")
            job.ordered = True

    def verbs_hold(self, healed_at):
        """What was answered when its agent died; then nothing of it stays."""
        for told in self.campaign.told:
            self.campaign.count("verbs at the moment of death, answered" if told.acknowledged
                                else "verbs at the moment of death, unanswered")
            self.violate("verbs", until_empty(told.wrong, healed_at + VERBS_WITHIN,
                                              self.campaign.report.slow))
            for _ in range(20):
                if told.clear():
                    break
                time.sleep(0.5)
        self.campaign.told.clear()

    def unfinished(self):
        found = []
        for node in self.campaign.cluster.nodes:
            try:
                untold = node.ask("status", 5.0)["store_error"]
                if untold:  # Its disk was full or read-only, and it tries again each second.
                    found.append(f"{node.name} has not stored all ends: {untold}")
                for job in node.ask("jobs", 5.0)["jobs"]:
                    why = self.campaign.explain(node, control.name_of(job))
                    found.append(f"{job['name']} of {node.name} has not ended: {job['counts']}: {why}")
            except (Silent, Refused) as error:
                found.append(f"{node.name} does not tell its jobs: {error}")
        return found

    def away(self):
        """Jobs with replicas that no node tells: their home has lost them, and none has taken them over yet.
        Until then they are in no list, so that none of them would be found unfinished."""
        listings, silent = self.listings()
        return silent or self.untold(listings)

    def listings(self):
        """The Summaries that each node tells, and what is to be said of those that tell none."""
        listings, silent = {}, []
        for node in self.campaign.cluster.nodes:
            try:
                listings[node.name] = every_job(node)
            except (Silent, Refused) as error:
                silent.append(f"{node.name} does not tell its jobs: {error}")
        return listings, silent

    def untold(self, listings):
        listed = {each["name"] for every in listings.values() for each in every}
        return [f"no node tells {job.token} of {job.node}" for job in self.campaign.load.book.acknowledged()
                if job.replicas and not job.excused and job.token not in listed]

    def audit(self):
        node = self.campaign.cluster.nodes[int(time.monotonic()) % len(self.campaign.cluster.nodes)]
        try:
            answer = node.ask("audit", 20.0, patience_ns=10_000_000_000)
            self.campaign.report.most("cells, at most", answer.get("cells", 0))
            return invariants.check_audit(answer)
        except (Silent, Refused) as error:
            return [f"{node.name} cannot audit: {error}"]

    def jobs(self, faults):
        """All jobs. Those with replicas are at whichever node drives them. A home that came back told them,
        and may have lost them to another one since; or it has lost them, and did not hear of it yet."""
        until = time.monotonic() + TAKEN_OVER_WITHIN
        listings, silent = self.listings()
        while time.monotonic() < until and (
                self.untold(listings) or invariants.told_twice(self.campaign.load.book, listings)):
            time.sleep(0.5)
            listings, silent = self.listings()
        self.violate("agent", silent)
        listings = {node: [each for each in every if is_load(each["name"])] for node, every in listings.items()}
        told = invariants.by_submit(self.campaign.load.book, listings)
        for node in self.campaign.cluster.nodes:
            if node.name not in listings:
                continue
            try:
                self.jobs_of(node, told.get(node.name, []), faults)
            except (Silent, Refused) as error:
                self.violate("agent", [f"{node.name}, or a node that drives its jobs, does not tell them: "
                                       f"{error}"])

    def jobs_of(self, node, every, faults):
        """The jobs that one node took, their results, marks and output. `every` are their Summaries."""
        book = self.campaign.load.book
        jobs = book.of(node.name)
        listed = {each["name"]: each for each in every}
        self.violate("jobs", invariants.check_jobs(jobs, every))
        for job in jobs:
            if job.acknowledged and job.token not in listed and not job.excused:
                job.excused = TOLD
        marks = read_marks(self.campaign.load.marks, {job.token for job in jobs})
        for job in jobs:
            if job.refused:
                self.violate("jobs", invariants.check_never_ran(job, marks.get(job.token, [])))
                continue
            summary = listed.get(job.token)
            if summary is None:
                self.campaign.report.job_gone(job)
                continue
            if not summary["finished"]:
                continue  # Told as unfinished.
            if node.name not in self.campaign.cloned:  # A clone may end its jobs, too.
                self.violate("on end", invariants.check_end_runs(job, self.campaign.load.end_runs(job)))
            if job.verified:
                self.violate("results", invariants.check_ran_after(job, marks.get(job.token, [])))
            else:
                job.marks += marks.get(job.token, [])
                home = next(each for each in self.campaign.cluster.nodes
                            if each.name == summary["home_name"])
                if home is not node:
                    self.campaign.report.count("jobs that another node went on with")
                self.one_job(home, job, job.marks, faults)
            forget_marks(self.campaign.load.marks, job.token)

    def rows_of(self, node, job):
        """Of a job that has ended. A node does not wait for a slow disk, and calls a task running whose
        end is not on it."""
        until = time.monotonic() + STORED_WITHIN
        while True:
            rows = node.ask("tasks", 10.0, **job.named)["tasks"]
            if time.monotonic() > until or all(row["state"] != "running" for row in rows):
                return rows
            time.sleep(0.2)

    def one_job(self, node, job, marks, faults):
        rows = self.rows_of(node, job)
        if job.never_runs or job.may_be_cancelled and any(row["state"] == "cancelled" for row in rows):
            self.violate("after", invariants.check_cancelled(job, rows, marks) if job.never_runs else [])
            job.verified = True
            self.campaign.report.count("jobs cancelled with what they needed")
            return
        self.violate("results", invariants.check_results(job, rows))
        self.violate("marks", invariants.check_marks(job, rows, marks))
        if [fault.kind for fault in faults] == ["restart-all"]:
            self.violate("restart", invariants.check_no_attempt_lost(job, marks))
        for row in rows:
            if row["state"] in invariants.DONE_STATES and row.get("outcome") == "exited":
                self.output(node, job, row, marks)
        job.verified = True
        self.campaign.report.count("jobs verified")
        self.campaign.report.count("tasks verified", len(rows))
        again = sum(row.get("attempt", 1) - 1 for row in rows)
        self.campaign.report.count("attempts lost and made again", again)

    def output(self, node, job, row, marks):
        data, trouble = control.output(node.socket, job.named["job"], row["index"], row["attempt"])
        wrong, missing = invariants.check_output(job, row, marks, data, trouble)
        self.violate("output", wrong)
        self.campaign.report.count("outputs verified" if not missing else "outputs missing, and said to be")
        if missing:
            self.campaign.report.missing(f"{job.token} task {row['index']} on {row['worker_name']}: "
                                         f"{trouble or 'its write was refused'}")

    def nothing_left(self):
        """When all agents have ended, there are the campaign's own processes, and wardens that go."""
        def others():
            found = []
            for name in filter(str.isdigit, os.listdir("/proc")):
                if int(name) in (1, os.getpid()):
                    continue
                try:
                    words = Path(f"/proc/{name}/cmdline").read_text().replace("\0", " ").strip()
                    state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
                except OSError:
                    continue
                if words and state not in "ZX":
                    found.append(f"process {name} is left behind: {words}")
            return found

        self.violate("left behind", until_empty(others, time.monotonic() + 15.0))
