"""From the submit of one task to its first instruction, hand-over by hand-over, beside fork and exec in the
same run. What is told is told already: the events of the agents, the start that the warden notes, and the
clock that the task reads first of all. Nothing is asked of the agents for it but their events, which costs
them a little; and all are on one machine, so that their clocks are one."""
import json
import os
import threading
import time
from pathlib import Path

from bench_lib import figures, svg
from bench_lib.agents import Cluster
from bench_lib.processes import Failed
from chaos_lib import control

EVENTS = ["job_accepted", "probe_sent", "task_bound", "task_started", "task_ended", "job_finished"]
PATIENCE = 3600.0  # Of all starts together. A follower ends with its agent.
START_PATIENCE = 20.0
PAUSE = 0.01  # Between two starts: it is a start that is measured, not a queue.

# The hand-overs in their order: a name, and what has happened then.
HAND_OVERS = [
    ("sent", "the client sends the job"),
    ("job_accepted", "the agent has read it, and it is a job"),
    ("probe_sent", "the frontend has chosen the first node to ask"),
    ("task_bound", "a worker had room and asked; the frontend gives it the task"),
    ("task_started", "that is on disk; the worker has it, and tells its warden"),
    ("forks", "the warden is about to fork"),
    ("first", "the task's first instruction"),
    ("task_ended", "the worker has reported the end"),
    ("job_finished", "the frontend has it, and the job has ended"),
    ("told", "that is on disk, and the client knows"),
]
LEFT_OUT = """\
Not told by anything, so left out: when the worker reads the reservation, when the warden reads the order,
and when the child executes its program: the last is within the step to the first instruction."""


class Follower(threading.Thread):
    """Collects the events of one agent."""

    def __init__(self, socket, begun):
        super().__init__(daemon=True)
        self.socket = socket
        self.begun = begun  # A semaphore: none is missed from then on.
        self.events = []

    def run(self):
        try:
            for reply in control.replies(self.socket, "events", PATIENCE, follow=True, level="debug",
                                         names=EVENTS):
                self.events += reply["events"]
                self.begun.release()
        except (control.Silent, control.Refused):
            pass  # Its agent has ended; what is missing is noticed where it is looked for.


def follow(cluster):
    begun = threading.Semaphore(0)
    followers = [Follower(cluster.socket(node), begun) for node in range(1, cluster.nodes + 1)]
    for follower in followers:
        follower.start()
        if not begun.acquire(timeout=START_PATIENCE):
            raise Failed("an agent does not tell its events")
    return followers


def by_job(events):
    """{job: {event: when}}; of several of one name the first. Pure."""
    found = {}
    for event in events:
        times = found.setdefault(event["fields"]["job"], {})
        times[event["event"]] = min(event["at_ns"], times.get(event["event"], event["at_ns"]))
    return found


def steps_of(trace):
    """Milliseconds of each hand-over after the one before, and since the beginning. Pure."""
    begin = before = trace["sent"]
    steps = []
    for name, _ in HAND_OVERS:
        steps.append(((trace[name] - before) / 1e6, (trace[name] - begin) / 1e6))
        before = trace[name]
    return steps


def first_instruction(stamps, number):
    """When the task numbered so, from 0, began."""
    until = time.monotonic() + START_PATIENCE
    while time.monotonic() < until:
        lines = stamps.read_text().splitlines(keepends=True) if stamps.exists() else []
        if len(lines) > number and lines[number].endswith("\n"):
            return int(lines[number])
        time.sleep(0.0005)
    raise Failed(f"a task did not start within {START_PATIENCE:g} s")


def trace_one(connection, stamp, stamps, number):
    """A job by the control protocol: its name, and what the client and the task know of it."""
    trace = {"sent": time.time_ns()}
    answer = connection.ask("submit", groups=[{"command": [str(stamp), str(stamps)]}])
    trace["acknowledged"] = time.time_ns()
    connection.ask("wait", numbers=[answer["number"]])
    trace["told"] = time.time_ns()
    trace["first"] = first_instruction(stamps, number)
    task, = connection.ask("tasks", number=answer["number"])["tasks"]
    if task.get("outcome") != "exited" or task.get("status") != 0:
        raise Failed(f"a task ended badly: {task.get('outcome')} {task.get('status')}: "
                     f"{task.get('detail', '')}")
    trace["forks"] = task["started_at_ns"]
    return answer["job"], trace


def spawned(words):
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    begin = time.time_ns()
    child = os.posix_spawn(words[0], words, os.environ, file_actions=silent)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != 0:
        raise Failed(f"{words[0]} ended with status {status}")
    return begin


def command_one(cluster, stamp, stamps, number):
    """Milliseconds from before `dunlin submit` is started to the first instruction."""
    begin = spawned([str(cluster.programs / "dunlin"), "submit", "--quiet", "--address",
                     str(cluster.socket()), str(stamp), str(stamps)])
    return (first_instruction(stamps, number) - begin) / 1e6


def bare_one(stamp, stamps, number):
    """The same of fork and exec alone."""
    begin = spawned([str(stamp), str(stamps)])
    return (first_instruction(stamps, number) - begin) / 1e6


def take(options):
    """Traces, starts by the command, and bare ones, in turns."""
    traces, command, bare = [], [], []
    with Cluster(options.programs, options.nodes, 1) as cluster, cluster.connect(PATIENCE) as connection:
        stamp = Path(options.programs) / "dunlin-stamp"
        stamps = {kind: cluster.folder / kind for kind in ("traced", "command", "bare")}
        followers = follow(cluster) if options.trace else []
        for number in range(options.starts):
            bare.append(bare_one(stamp, stamps["bare"], number))
            command.append(command_one(cluster, stamp, stamps["command"], number))
            time.sleep(PAUSE)
            if options.trace:
                traces.append(trace_one(connection, stamp, stamps["traced"], number))
                time.sleep(PAUSE)
        time.sleep(0.5 if options.trace else 0)  # Events come in bundles.
        events = by_job(event for follower in followers for event in list(follower.events))
    whole = []
    for job, trace in traces:
        trace.update(events.get(job, {}))
        if all(name in trace for name, _ in HAND_OVERS):
            whole.append(trace)
    if options.trace and not whole:
        raise Failed("no start of which all hand-overs were told")
    return whole, len(traces) - len(whole), command, bare


def both(values):
    return {"p50": figures.percentile(values, 50), "p99": figures.percentile(values, 99)}


def measure(options):
    traces, missing, command, bare = take(options)
    result = {"schema": "dunlin.bench.start/1", "starts": options.starts, "nodes": options.nodes,
              "command_ms": both(command), "fork_exec_ms": both(bare),
              "ratio": figures.percentile(command, 50) / figures.percentile(bare, 50)}
    if traces:
        steps = [steps_of(trace) for trace in traces]
        result["hand_overs"] = [
            {"name": name, "meaning": meaning, "step_ms": both([each[index][0] for each in steps]),
             "since_ms": both([each[index][1] for each in steps])}
            for index, (name, meaning) in enumerate(HAND_OVERS)]
        result["acknowledged_ms"] = both([(trace["acknowledged"] - trace["sent"]) / 1e6 for trace in traces])
        result["traced"] = len(traces)
        result["left_out"] = missing
    print(text(result))
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n")
    if options.picture and traces:
        draw(result).write(options.picture)
    return 0


def text(result):
    lines = [f"{'':<64} {'p50':>8} {'p99':>8}  ms"]
    for name, key in (("fork and exec alone, to the first instruction", "fork_exec_ms"),
                      ("`dunlin submit`, from its start to the task's first instruction", "command_ms")):
        lines.append(f"{name:<64} {result[key]['p50']:8.2f} {result[key]['p99']:8.2f}")
    lines.append(f"{'times fork and exec':<64} {result['ratio']:8.2f}")
    if "hand_overs" not in result:
        return "\n".join(lines)
    lines += ["", f"{'':<64} {'this step':^17} {'since the send':^17}",
              f"{'a client that is there already':<64} {'p50':>8} {'p99':>8} {'p50':>8} {'p99':>8}  ms"]
    for each in result["hand_overs"]:
        lines.append(f"{each['meaning']:<64} {each['step_ms']['p50']:8.2f} {each['step_ms']['p99']:8.2f} "
                     f"{each['since_ms']['p50']:8.2f} {each['since_ms']['p99']:8.2f}")
    lines.append(f"{'(beside these: the submit is on disk, and answered)':<64} {'':>17} "
                 f"{result['acknowledged_ms']['p50']:8.2f} {result['acknowledged_ms']['p99']:8.2f}")
    if result["left_out"]:
        lines.append(f"{result['left_out']} starts are left out: not all of their events came.")
    lines += ["", LEFT_OUT]
    return "\n".join(lines)


def draw(result):
    """The medians of the steps as bars, one after the other in time."""
    rows = result["hand_overs"]
    picture = svg.Picture(860, 24 * len(rows) + 60)
    picture.words(10, 18, f"A start, medians of {result['traced']}: where its time goes", weight="bold")
    whole = sum(max(each["step_ms"]["p50"], 0) for each in rows) or 1
    at = 0
    for number, each in enumerate(rows):
        y = 34 + 24 * number
        step = max(each["step_ms"]["p50"], 0)
        picture.words(10, y + 13, each["meaning"])
        picture.bar(430 + 350 * at / whole, y, 350 * step / whole + 1, 16,
                    svg.COLOURS[number % len(svg.COLOURS)])
        picture.words(850, y + 13, f"{step:.2f} ms", "end")
        at += step
    picture.words(10, 34 + 24 * len(rows) + 14,
                  f"fork and exec alone: {result['fork_exec_ms']['p50']:.2f} ms", colour="#555")
    return picture
