"""Each invariant holds of what should be, and names what should not."""
import random
import unittest
from pathlib import Path

from chaos_lib import invariants, load, plan, verbs
from chaos_lib.book import Book, Job
from chaos_lib.observation import Mark, Task, parse_mark

ROOT = Path(__file__).resolve().parents[2]


def job(**more):
    return Job(**{"token": "job-1", "node": "node1", "tasks": 2, "lines": 2, "acknowledged": True,
                  "number": 7, "lineage": "ab", **more})


def summary(**more):
    return {"name": "job-1", "number": 7, "lineage": "ab", "tasks": 2, "home_name": "node1", **more}


def kept(**more):
    """A job with replicas."""
    return job(features={"replicas": 1}, **more)


def row(index, **more):
    return {"index": index, "state": "done", "attempt": 1, "worker": "id2", "worker_name": "node2",
            "outcome": "exited", "status": 0, "out_bytes": 0, **more}


def mark(index, kind, **more):
    return Mark(**{"token": "job-1", "index": index, "attempt": 1, "pid": 10 + index, "kind": kind,
                   "node": "node2", "number": 7, **more})


def ran(index, **more):
    return [mark(index, "begun", **more), mark(index, "ended", **more)]


def task(**more):
    return Task(**{"pid": 5, "started": "1", "node": "node1", "token": "job-1", "what": "job-1 task 0",
                   "cpu_milli": 1000, "memory_mib": 100, "licences": 0, "main": True, **more})


class InvariantsTest(unittest.TestCase):
    def assert_wrong(self, found, *words):
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_acknowledged_job_is_there(self):
        self.assertEqual(invariants.check_jobs([job()], [summary()]), [])
        self.assert_wrong(invariants.check_jobs([job()], []), "job-1", "gone")

    def test_a_home_that_was_cut_off_may_tell_its_jobs_for_a_moment_still(self):
        book = Book()
        book.jobs["job-1"] = kept()
        both = {"node1": [summary()], "node2": [summary()], "node3": []}
        self.assertEqual(invariants.told_twice(book, both), ["job-1"])
        self.assertEqual(invariants.told_twice(book, {**both, "node1": []}), [])
        others = {node: [summary(name="other")] for node in both}
        self.assertEqual(invariants.told_twice(book, others), [], "of no load, and many are called so")
        self.assert_wrong(invariants.check_jobs([kept()], [summary(), summary(home_name="node2")]), "2 times")

    def test_job_may_be_gone_if_it_was_never_acknowledged_or_its_database_destroyed(self):
        self.assertEqual(invariants.check_jobs([job(acknowledged=False)], []), [])
        self.assertEqual(invariants.check_jobs([job(excused="database lost")], []), [])

    def test_clone_counts_as_its_original_until_they_are_told_apart(self):
        self.assertEqual(invariants.check_marks(job(), [row(0)], ran(0, node="clone")), [])
        self.assertEqual(len(invariants.check_marks(job(), [row(0)], ran(0, node="node3"))), 2)

    def test_job_without_an_answer_may_be_there(self):
        asked = job(acknowledged=False, number=0, lineage="")
        self.assertEqual(invariants.check_jobs([asked], [summary()]), [])
        self.assertEqual((asked.number, asked.lineage), (7, "ab"))

    def test_job_that_was_refused_does_not_run(self):
        refused = job(acknowledged=False, refused=True)
        self.assertEqual(invariants.check_jobs([refused], []), [])
        self.assertEqual(invariants.check_jobs([refused], [summary(state="cancelled")]), [])
        self.assert_wrong(invariants.check_jobs([refused], [summary(state="done")]), "refused")
        self.assertEqual(invariants.check_never_ran(refused, []), [])
        self.assert_wrong(invariants.check_never_ran(refused, ran(0)), "began on node2")

    def test_job_is_there_once_as_it_was_and_no_other_is(self):
        self.assert_wrong(invariants.check_jobs([job()], [summary(), summary(number=8)]), "2 times")
        self.assert_wrong(invariants.check_jobs([job()], [summary(lineage="cd")]), "lineage")
        self.assert_wrong(invariants.check_jobs([job()], [summary(number=8)]), "is 8")
        self.assert_wrong(invariants.check_jobs([job()], [summary(tasks=3)]), "3 tasks")
        self.assert_wrong(invariants.check_jobs([], [summary()]), "not submitted")

    def test_job_with_replicas_may_be_at_another_node_and_no_other_job(self):
        moved = summary(home_name="node3")
        self.assert_wrong(invariants.check_jobs([job()], [moved]), "without replicas", "node3")
        self.assertEqual(invariants.check_jobs([kept()], [moved]), [])
        self.assertEqual(invariants.check_jobs([kept()], [summary()]), [])
        self.assert_wrong(invariants.check_jobs([kept()], [summary(), moved]), "2 times")
        self.assert_wrong(invariants.check_jobs([kept()], []), "gone")

    def test_jobs_are_told_by_whichever_node_drives_them(self):
        book = Book()
        book.add(kept())
        moved, strange = summary(home_name="node3"), summary(name="job-2", home_name="node3")
        self.assertEqual(invariants.by_submit(book, {"node1": [], "node3": [moved, strange]}),
                         {"node1": [moved], "node3": [strange]})
        self.assertEqual(kept().named, {"job": "node1.7"})

    def test_each_task_has_one_result(self):
        self.assertEqual(invariants.check_results(job(), [row(0), row(1)]), [])
        self.assert_wrong(invariants.check_results(job(), [row(0)]), "task 1", "0 times")
        self.assert_wrong(invariants.check_results(job(), [row(0), row(1), row(1)]), "2 times")

    def test_result_is_its_own(self):
        other = row(1, status=3, state="failed")
        self.assert_wrong(invariants.check_results(job(), [row(0), other]), "task 1")
        failing = job(fails=2)  # Task 0 does, task 1 does not.
        self.assertEqual(invariants.check_results(failing, [row(0, status=3, state="failed"), row(1)]), [])
        self.assert_wrong(invariants.check_results(failing, [row(0), row(1)]), "task 0", "with 3")
        wrong = [row(0), row(1, state="failed", outcome="spawn_failed", detail="no warden")]
        self.assert_wrong(invariants.check_results(job(), wrong), "no warden")

    def test_result_stays(self):
        seen = job()
        invariants.check_results(seen, [row(0), row(1)])
        self.assert_wrong(invariants.check_results(seen, [row(0), row(1, attempt=2)]), "task 1", "now has")

    def test_attempt_of_the_result_ran_there(self):
        marks = ran(0) + ran(1)
        self.assertEqual(invariants.check_marks(job(), [row(0), row(1)], marks), [])
        self.assert_wrong(invariants.check_marks(job(), [row(0), row(1)], marks[:-1]), "never ended")
        elsewhere = ran(0) + ran(1, node="node3")
        self.assertEqual(len(invariants.check_marks(job(), [row(0), row(1)], elsewhere)), 2)
        stranger = ran(0) + [mark(1, "begun", number=8), mark(1, "ended")]
        self.assert_wrong(invariants.check_marks(job(), [row(0), row(1)], stranger), "as job 8")

    def test_earlier_attempt_may_have_run_beside_it(self):
        marks = ran(0) + ran(1) + [mark(1, "begun", attempt=2, node="node3")]
        self.assertEqual(invariants.check_marks(job(), [row(0), row(1)], marks), [])

    def test_attempt_begins_once(self):
        twice = ran(0) + ran(1) + [mark(1, "begun", node="node3", pid=99)]
        self.assert_wrong(invariants.check_marks(job(), [row(0), row(1)], twice), "began 2 times", "node3")
        # The next home of a job counts attempts from 1, too.
        self.assertEqual(invariants.check_marks(kept(), [row(0), row(1)], twice), [])
        again = job(replayed=True)  # Of an older copy of its record, which counts attempts anew.
        self.assertEqual(invariants.check_marks(again, [row(0), row(1)], twice), [])

    def test_job_begins_after_the_one_it_comes_after(self):
        before = job(token="job-0", marks=ran(0, at=5.0) + ran(1, at=7.0))
        invariants.check_results(before, [row(0), row(1)])
        late = job(after=before, marks=ran(0, at=7.5) + ran(1, at=8.0))
        self.assertEqual(invariants.check_after(late), [])
        early = job(after=before, marks=ran(0, at=6.0) + ran(1, at=8.0))
        self.assert_wrong(invariants.check_after(early), "task 0", "1.00 s before the end of job-0")
        # An attempt in vain may end whenever it likes.
        before.marks += ran(1, attempt=2, at=9.0, node="node3")
        self.assertEqual(invariants.check_after(late), [])
        before.replayed = True
        self.assertEqual(invariants.check_after(early), [])
        self.assertEqual(invariants.check_after(job()), [])

    def test_job_that_needs_one_that_fails_is_cancelled(self):
        needs = job(after=job(token="job-0", fails=2), needs=True)
        self.assertTrue(needs.never_runs)
        self.assertFalse(job(after=job(fails=2)).never_runs)
        self.assertFalse(job(after=job(), needs=True).never_runs)
        cancelled = [row(0, state="cancelled"), row(1, state="cancelled")]
        self.assertEqual(invariants.check_cancelled(needs, cancelled, []), [])
        self.assert_wrong(invariants.check_cancelled(needs, [row(0), cancelled[1]], []), "task 0", "is done")
        self.assert_wrong(invariants.check_cancelled(needs, cancelled, [mark(1, "begun")]), "task 1 began")

    def test_job_may_be_cancelled_once_the_one_it_waits_for_was_taken_away(self):
        before = job(token="job-0")
        self.assertFalse(job(after=before).may_be_cancelled)
        book = Book()
        book.add(before)
        book.lose("node1", "database lost")
        self.assertTrue(job(after=before).may_be_cancelled)

    def test_jobs_come_after_young_ones_that_come_after_none(self):
        others = [job(token=f"job-{index}") for index in range(5)]
        others[0].excused, others[1].verified, others[2].after = "gone", True, others[3]
        drawn = set()
        for seed in range(300):
            new = job(token="job-9")
            load.draw_after(random.Random(seed), new, others)
            drawn.add((new.after.token if new.after else "", new.needs))
        self.assertEqual({token for token, _ in drawn}, {"", "job-3", "job-4"})
        self.assertIn(("job-3", True), drawn)

    def test_licences_do_not_meet(self):
        marks = ran(0) + ran(1) + [mark(1, "overlap", node="", number=0)]
        self.assert_wrong(invariants.check_marks(job(), [row(0), row(1)], marks), "licence")

    def test_output_is_complete_or_said_to_be_missing(self):
        whole = job().output_of(0, 1, "node2")
        ends = row(0, out_bytes=len(whole))
        self.assertEqual(invariants.check_output(job(), ends, [], whole, ""), ([], False))
        self.assertEqual(invariants.check_output(job(), ends, [], b"", "node2 does not answer"), ([], True))
        wrong, missing = invariants.check_output(job(), ends, [], whole[:-5], "")
        self.assertFalse(missing)
        self.assert_wrong(wrong, "says that")

    def test_output_of_another_is_wrong_whatever_is_said(self):
        other = job(token="job-2").output_of(0, 1, "node2")
        ends = row(0, out_bytes=len(other) + 100)
        self.assertEqual(len(invariants.check_output(job(), ends, [], other, "")[0]), 1)
        self.assertEqual(len(invariants.check_output(job(), ends, [], other, "it is gone")[0]), 1)

    def test_task_that_was_told_may_have_printed_less(self):
        whole = job().output_of(0, 1, "node2")
        told = [mark(0, "short", node="", number=0)]
        self.assertEqual(invariants.check_output(job(), row(0), told, whole[:30], ""), ([], True))
        later = [mark(0, "short", node="", number=0, attempt=2)]
        self.assertEqual(len(invariants.check_output(job(), row(0), later, whole[:30], "")[0]), 1)

    def test_no_node_gives_away_more_than_it_has(self):
        two = [task(pid=5), task(pid=6)]
        self.assertEqual(invariants.check_commitment(two, 2000, 200, 1), [])
        three = [*two, task(pid=7, memory_mib=0)]
        self.assert_wrong(invariants.check_commitment(three, 2000, 200, 1), "mCPU")
        self.assert_wrong(invariants.check_commitment(two, 2000, 199, 1), "MiB")
        licensed = [task(licences=1), task(pid=6, licences=1)]
        self.assert_wrong(invariants.check_commitment(licensed, 2000, 200, 1), "licences")
        apart = [task(licences=1), task(pid=6, licences=1, node="node2")]
        self.assertEqual(invariants.check_commitment(apart, 2000, 200, 1), [])

    def test_nothing_runs_after_its_result(self):
        self.assertEqual(invariants.check_ran_after(job(), [mark(0, "ended")]), [])
        self.assert_wrong(invariants.check_ran_after(job(), [mark(0, "begun")]), "after its result")

    def test_restarts_cost_no_attempt(self):
        self.assertEqual(invariants.check_no_attempt_lost(job(), ran(0, attempt=2) + ran(1)), [])
        again = ran(0) + ran(1) + ran(1, attempt=2, node="node3", pid=99)
        self.assert_wrong(invariants.check_no_attempt_lost(job(), again), "task 1", "2 on node3")

    def test_tickets_are_conserved(self):
        self.assertEqual(invariants.check_audit({"conserved": True}), [])
        answer = {"conserved": False, "off": ["5 tickets too many"], "undecided": [], "silent": []}
        self.assert_wrong(invariants.check_audit(answer), "5 tickets too many")
        self.assertEqual(len(invariants.check_audit({})), 1)

    def test_processes_left_behind_are_named(self):
        self.assert_wrong(invariants.check_left_behind([task()]), "job-1 task 0", "pid 5")


class BookTest(unittest.TestCase):
    def test_only_jobs_after_the_copy_are_excused(self):
        book = Book()
        for token, node, at in (("old", "node1", 1.0), ("new", "node1", 3.0), ("other", "node2", 3.0)):
            book.add(job(token=token, node=node, submitted_at=at, verified=True, results={0: (1, "id2")}))
        self.assertEqual(book.lose("node1", "older database", since=2.0), 1)
        self.assertEqual([each.excused for each in book.jobs.values()], ["", "older database", ""])
        # What the old one said may be said otherwise; what another node said stands.
        self.assertEqual([each.verified for each in book.jobs.values()], [False, False, True])
        self.assertEqual([len(each.results) for each in book.jobs.values()], [0, 0, 1])

    def test_node_may_have_had_the_records_of_jobs_of_others(self):
        book = Book()
        for token, features in (("alone", {}), ("kept", {"replicas": 2})):
            book.add(job(token=token, node="node2", features=features, verified=True,
                         results={0: (1, "id2")}))
        self.assertEqual(book.lose("node1", "database lost"), 0)
        self.assertEqual([each.replayed for each in book.jobs.values()], [False, True])
        self.assertEqual([len(each.results) for each in book.jobs.values()], [1, 0])
        self.assertEqual([each.excused for each in book.jobs.values()], ["", ""])

    def test_output_of_a_task_can_be_foretold(self):
        self.assertEqual(job(lines=1).output_of(1, 3, "node2"),
                         b"begin job-1 7 1 3 node2\njob-1 1 line 1\nend job-1 1\n")


class FeatureTest(unittest.TestCase):
    def test_stages_share_all_tasks(self):
        groups = job(tasks=7, stages=3, traits={"priority": 20}).groups("task.sh", "marks")
        self.assertEqual([each["count"] for each in groups], [3, 2, 2])
        self.assertEqual([each.get("after") for each in groups], [None, ["stage0"], ["stage1"]])
        self.assertEqual({each["priority"] for each in groups}, {20})
        self.assertEqual([each["count"] for each in job(tasks=2).groups("task.sh", "marks")], [2])

    def test_the_same_seed_draws_the_same_features(self):
        def drawn(seed):
            numbers = random.Random(seed)
            jobs = [load.draw_job(numbers, f"job-{each}", "node1") for each in range(400)]
            return [(each.features, each.traits, each.stages, each.ends) for each in jobs]
        self.assertEqual(drawn(5), drawn(5))
        self.assertNotEqual(drawn(5), drawn(6))
        seen = {name for features, traits, _, _ in drawn(5) for name in [*features, *traits]}
        self.assertEqual(seen, {*load.FEATURES, "limit_signal", "limit_signal_time_ns"})

    def test_no_stage_waits_for_tasks_that_fail(self):
        numbers = random.Random(1)
        for each in range(400):
            drawn = load.draw_job(numbers, f"job-{each}", "node1")
            self.assertFalse(drawn.fails and drawn.stages > 1)
            self.assertLessEqual(drawn.stages, drawn.tasks)

    def test_commands_for_the_end_run_once(self):
        self.assertEqual(invariants.check_end_runs(job(), 1), [])
        self.assertEqual(invariants.check_end_runs(job(), 0), [], "it may be lost")
        self.assertEqual(invariants.check_end_runs(job(replayed=True), 2), [])
        self.assertEqual(len(invariants.check_end_runs(job(), 2)), 1)

    def test_attempts_that_a_user_wanted_are_not_lost(self):
        again = ran(0) + ran(1) + ran(1, attempt=2, node="node3", pid=99)
        self.assertEqual(invariants.check_no_attempt_lost(job(asked_again=True), again), [])
        retried = job(fails=1, traits={"retries": 2})
        self.assertEqual(invariants.check_no_attempt_lost(retried, again), [])


class VerbTest(unittest.TestCase):
    """Each verb holds of what should be, and of nothing else."""

    def holds(self, verb, rows, **more):
        counts = {state: sum(each["state"] == state for each in rows)
                  for state in ("waiting", "running", "done", "failed", "cancelled")}
        return verbs.VERBS[verb][4](summary(counts=counts, priority=50, **more), rows)

    def test_verbs(self):
        cancelled, done, waiting = (row(0, state=state) for state in ("cancelled", "done", "waiting"))
        running = row(1, state="running")
        self.assertTrue(self.holds("cancel", [cancelled, cancelled]))
        self.assertFalse(self.holds("cancel", [cancelled, running]))
        self.assertTrue(self.holds("cancel-task", [cancelled, running]))
        self.assertFalse(self.holds("cancel-task", [row(0, state="running"), running]))
        self.assertTrue(self.holds("hold", [done, waiting]))
        self.assertFalse(self.holds("hold", [waiting, running]))
        self.assertTrue(self.holds("release", [done, done]))
        self.assertFalse(self.holds("release", [done, waiting]))
        self.assertFalse(self.holds("set", [done]))
        self.assertTrue(self.holds("retry", [done]))
        self.assertTrue(self.holds("requeue", [row(0, attempt=2)]))
        self.assertFalse(self.holds("requeue", [row(0)]))
        for verb, state, other in (("drain", "draining", "up"), ("drain-off", "up", "draining")):
            self.assertTrue(verbs.VERBS[verb][4](state))
            self.assertFalse(verbs.VERBS[verb][4](other))

    def test_each_of_the_plan_is_known(self):
        self.assertEqual(set(plan.VERBS), set(verbs.VERBS))
        program = (ROOT / "tools/chaos_lib/greedy_member.py").read_text()
        for way in plan.WAYS:
            self.assertIn(f"    def {way}(self):", program)


class MarkTest(unittest.TestCase):
    def test_marks_are_read_from_names(self):
        self.assertEqual(parse_mark("job-1.0.2.55.begun", "node2 7\n"),
                         mark(0, "begun", attempt=2, pid=55))
        self.assertEqual(parse_mark("job-1.0.2.55.short", "").kind, "short")
        self.assertIsNone(parse_mark("licence-node1", ""))


if __name__ == "__main__":
    unittest.main()
