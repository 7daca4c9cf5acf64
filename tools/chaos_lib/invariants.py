"""What must hold once every fault is healed. Pure: what the agents, tasks and kernel said comes in, texts
that say what is wrong come out."""
from collections import Counter

DONE_STATES = {"done": 0, "failed": 3}
CLONE = "clone"  # The name of the machine that runs copies of nodes.


def by_submit(book, listings):
    """`listings` are the Summaries that each node tells. Returns those of the jobs that were submitted at
    each: with replicas they may be told by another one. A job that is not in the book is where it is told."""
    found = {}
    for node, summaries in listings.items():
        for summary in summaries:
            job = book.jobs.get(summary["name"])
            found.setdefault(job.node if job else node, []).append(summary)
    return found


def told_twice(book, listings):
    """The names of jobs of the book that more than one node tells. A home that was cut off tells its jobs until it hears
    that another one goes on with them, which takes it a moment once it is back."""
    tellers = Counter(name for summaries in listings.values() for name in {each["name"] for each in summaries})
    return sorted(name for name, count in tellers.items() if count > 1 and name in book.jobs)


def check_jobs(book_jobs, listed):
    """`book_jobs` is what was submitted at one node, `listed` the Summaries of those jobs. Each acknowledged
    job is there once, under its number and lineage, unless it is excused; and no other is there. It is at
    that node, or has replicas."""
    wrong = []
    by_name = {}
    for summary in listed:
        by_name.setdefault(summary["name"], []).append(summary)
    for job in book_jobs:
        found = by_name.pop(job.token, [])
        if not found and job.acknowledged and not job.excused:
            wrong.append(f"{job.token}, acknowledged by {job.node} as {job.number}, is gone")
        if len(found) > 1:
            wrong.append(f"{job.token}, submitted once, is there {len(found)} times at {job.node}")
        for summary in found[:1]:
            if summary["home_name"] != job.node and not job.replicas:
                wrong.append(f"{job.token} was submitted at {job.node} without replicas, and is at "
                             f"{summary['home_name']}")
            if job.refused and summary["state"] != "cancelled":
                wrong.append(f"{job.token} was refused by {job.node}, and is there: {summary['state']}")
            if not job.acknowledged:  # The answer was lost on the way, the job was not.
                job.number, job.lineage = summary["number"], summary["lineage"]
            if (summary["number"], summary["lineage"]) != (job.number, job.lineage):
                wrong.append(f"{job.token} was acknowledged as {job.number} of lineage {job.lineage}, and is "
                             f"{summary['number']} of {summary['lineage']}")
            if summary["tasks"] != job.tasks:
                wrong.append(f"{job.token} has {summary['tasks']} tasks; {job.tasks} were submitted")
    wrong += [f"job {name} is at {each[0]['home_name']}, where it was not submitted"
              for name, each in by_name.items()]
    return wrong


def check_results(job, rows):
    """`rows` are the job's tasks as its node lists them. Each has one result, its own, for good."""
    wrong = []
    counts = Counter(row["index"] for row in rows)
    for index in range(job.tasks):
        if counts[index] != 1:
            wrong.append(f"{job.token} task {index} is listed {counts[index]} times")
    for row in rows:
        index = row["index"]
        name = f"{job.token} task {index}"
        expected = job.status_of(index)
        if DONE_STATES.get(row["state"]) != expected or (row.get("outcome"), row.get("status")) != (
                "exited", expected):
            wrong.append(f"{name} should have ended with {expected} and is {row['state']}: "
                         f"{row.get('outcome')} {row.get('status')} {row.get('detail', '')}".rstrip())
            continue
        result = (row.get("attempt"), row.get("worker"))
        if job.results.setdefault(index, result) != result:
            wrong.append(f"{name} had the result of {job.results[index]} and now has that of {result}")
    return wrong


def check_cancelled(job, rows, marks):
    """Of a job that comes after one that fails, and needs that it does not."""
    wrong = [f"{job.token} task {row['index']} comes after {job.after.token}, which fails, and is "
             f"{row['state']}" for row in rows if row["state"] != "cancelled"]
    return wrong + [f"{job.token} task {mark.index} began, though {job.after.token} fails"
                    for mark in marks if mark.kind == "begun"]


def check_after(job):
    """Of a job that comes after another one, when both were found to be right: nothing of it began before
    the attempts that count of that other one had ended."""
    before = job.after
    if before is None or job.never_runs or job.replayed or job.may_be_cancelled or not before.results:
        return []
    ends = []
    for index, (attempt, _) in before.results.items():
        ended = [mark.at for mark in before.marks
                 if (mark.index, mark.attempt, mark.kind) == (index, attempt, "ended")]
        if ended:
            ends.append(min(ended))
    if not ends:
        return []
    return [f"{job.token} task {mark.index} attempt {mark.attempt} began on {mark.node} "
            f"{max(ends) - mark.at:.2f} s before the end of {before.token}, which it comes after"
            for mark in job.marks if mark.kind == "begun" and mark.at < max(ends)]


def check_marks(job, rows, marks):
    """The attempt that counts ran once, to its end, where its result says, and for this job; no attempt
    was started twice; licences did not meet. Until a clone is told from its original, it is that node, and
    what it has run to the end counts."""
    wrong = []
    seen = {}
    for mark in marks:
        seen.setdefault((mark.index, mark.attempt), []).append(mark)
        if mark.kind == "overlap":
            wrong.append(f"{job.token} task {mark.index} ran beside another task with its licence")
        if mark.number and mark.number != job.number:
            wrong.append(f"{job.token} task {mark.index} ran as job {mark.number}, not {job.number}")
    for (index, attempt), each in sorted(seen.items()):
        begun = sorted(mark.node for mark in each if mark.kind == "begun")
        # People count the attempts of each home of a job from 1.
        if len(begun) > 1 and not job.replayed and not job.replicas:
            wrong.append(f"{job.token} task {index} attempt {attempt} began {len(begun)} times: {begun}")
    for row in rows:
        if row["state"] not in DONE_STATES or "attempt" not in row:
            continue  # check_results() tells.
        each = seen.get((row["index"], row["attempt"]), [])
        for kind in ("begun", "ended"):
            where = {row["worker_name"], CLONE}
            if not any(mark.kind == kind and mark.node in where for mark in each):
                wrong.append(f"{job.token} task {row['index']} has the result of attempt {row['attempt']} on "
                             f"{row['worker_name']}, which never {kind}")
    return wrong


def check_output(job, row, marks, data, trouble):
    """`data` is what the cluster gave of the output, `trouble` what it said in its place. Returns what is
    wrong, and whether the output is missing and said to be."""
    name = f"{job.token} task {row['index']} attempt {row['attempt']}"
    expected = job.output_of(row["index"], row["attempt"], row["worker_name"])
    if data == expected:
        return [], False
    if trouble and expected.startswith(data):
        return [], True
    short = any(mark.kind == "short" and (mark.index, mark.attempt) == (row["index"], row["attempt"])
                for mark in marks)
    if short and expected.startswith(data):
        return [], True  # The task itself was told by its write.
    said = trouble or "that is all"
    return [f"{name} printed {len(expected)} bytes; the cluster has {len(data)}, of which "
            f"{common(data, expected)} are right, and says {said}"], False


def common(one, other):
    """How many bytes they begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def check_never_ran(job, marks):
    """Of a job that was refused."""
    return [f"{job.token} was refused by {job.node}, and task {mark.index} began on {mark.node}"
            for mark in marks if mark.kind == "begun"]


def check_ran_after(job, marks):
    """Of a job whose results stood already: nothing of it may start any more."""
    return [f"{job.token} task {mark.index} began attempt {mark.attempt} on {mark.node} after its result "
            f"stood" for mark in marks if mark.kind == "begun"]


def check_commitment(tasks, cpu_milli, memory_mib, licences):
    """`tasks` ran at one moment. No node gives away more than it has."""
    wrong = []
    for node in sorted({task.node for task in tasks}):
        there = [task for task in tasks if task.node == node]
        for what, used, has in (
                ("mCPU", sum(task.cpu_milli for task in there), cpu_milli),
                ("MiB", sum(task.memory_mib for task in there), memory_mib),
                ("licences", sum(task.licences for task in there), licences)):
            if used > has:
                wrong.append(f"{node} has {has} {what} and runs tasks of {used} at once: "
                             + ", ".join(task.what for task in there))
    return wrong


def check_left_behind(tasks):
    return [f"a process of {task.what} is left behind on {task.node}: pid {task.pid}" for task in tasks]


def check_audit(answer):
    """The answer of the verb `audit`."""
    if answer.get("conserved"):
        return []
    told = answer.get("off", []) + answer.get("undecided", [])
    told += [str(each) for each in answer.get("silent", [])]
    return ["the audit does not say conserved: " + ("; ".join(told) or str(answer))]


def check_end_runs(job, runs):
    """The command for the end of a job runs once at most, whatever dies: it may be lost, not repeated."""
    if runs <= 1 or job.replayed:
        return []
    return [f"the command for the end of {job.token} of {job.node} ran {runs} times"]


def check_no_attempt_lost(job, marks):
    """Restarts cost no attempt that began. (A task that was bound and not started yet may be bound anew.)"""
    wrong = []
    if job.asked_again or job.fails and job.traits.get("retries"):
        return wrong  # Its user wanted more than one.
    for index in sorted({mark.index for mark in marks}):
        begun = [f"{mark.attempt} on {mark.node}" for mark in marks
                 if (mark.index, mark.kind) == (index, "begun")]
        if len(begun) > 1:
            wrong.append(f"{job.token} task {index} began attempts {', '.join(sorted(begun))}, though agents "
                         f"were only restarted")
    return wrong
