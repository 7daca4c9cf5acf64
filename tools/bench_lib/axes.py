"""What a cluster can have more of, and what that costs it. Each axis makes `n` of something at a fresh
cluster and tells the processor seconds of the home for it, or the wall time of an operation beside it."""
import time
from dataclasses import dataclass, field
from statistics import median

from bench_lib.processes import Failed

TRUE = {"command": ["/bin/true"], "stdout": "none", "stderr": "none"}
FALSE = {**TRUE, "command": ["/bin/false"]}
SLEEP = {**TRUE, "command": ["/bin/sleep", "600"]}
SOME = 5  # Times that an operation beside others is measured; their median counts.
POLL = 0.05


@dataclass
class Bench:
    """A cluster, and what an axis needs to measure it. `hurry`: everything as short as can be."""
    cluster: object
    patience: float
    hurry: bool = False
    until: float = field(init=False)

    def __post_init__(self):
        self.until = time.monotonic() + self.patience

    def left(self):
        seconds = self.until - time.monotonic()
        if seconds <= 0:
            raise Failed(f"not done within {self.patience:g} s")
        return seconds

    def connect(self):
        return self.cluster.connect(self.left())

    def ask(self, verb, **members):
        return self.cluster.ask(verb, self.left(), **members)

    def submit(self, jobs):
        """Submits all, and returns their numbers."""
        with self.connect() as connection:
            return [answer["number"] for answer in connection.ask_all("submit", jobs)]

    def cancel(self, numbers):
        with self.connect() as connection:
            connection.ask_all("cancel", [{"number": number} for number in numbers])

    def wait(self, numbers):
        """Until these jobs have ended."""
        with self.connect() as connection:
            connection.ask("wait", numbers=numbers)

    def await_jobs(self, number, pause=POLL):
        """Until so many jobs at most have not ended."""
        while self.ask("status")["jobs"] > number:
            self.left()
            time.sleep(pause)

    def cost(self, act, cpu=None):
        """Processor seconds of the home that an act takes, and what it returns."""
        cpu = cpu or self.cluster.cpu
        before = cpu()
        result = act()
        return cpu() - before, result

    def at_rest(self, seconds, cpu=None):
        """Cores that are in use while nobody asks for anything."""
        seconds = 0.1 if self.hurry else seconds
        cost, _ = self.cost(lambda: time.sleep(seconds), cpu)
        return cost / seconds

    def latency(self, act):
        """Seconds that an act takes: the median of some."""
        times = []
        for _ in range(SOME):
            begin = time.monotonic()
            act()
            times.append(time.monotonic() - begin)
        return median(times)

    def keep_busy(self):
        """Fills every slot with a task that sleeps."""
        slots = self.cluster.nodes * self.cluster.cpus
        number, = self.submit([{"groups": [{**SLEEP, "count": slots}]}])
        while self.ask("job", number=number)["counts"]["running"] < slots:
            self.left()
            time.sleep(POLL)

    def clear(self):
        """Cancels all jobs that have not ended."""
        self.cancel([job["number"] for job in self.ask("jobs")["jobs"]])
        self.await_jobs(0)


def one(group, **more):
    return {"groups": [group], **more}


def held(bench, n):
    submit, numbers = bench.cost(lambda: bench.submit([one(TRUE, hold=True)] * n))
    rest = bench.at_rest(4)
    listing = bench.latency(lambda: bench.ask("jobs", limit=50))
    cancel, _ = bench.cost(lambda: bench.cancel(numbers))
    return {"submit, CPU s": submit, "at rest, cores": rest, "`jobs` of 50 lines, s": listing,
            "cancel, CPU s": cancel}


def waiting(bench, n):
    bench.keep_busy()
    submit, _ = bench.cost(lambda: bench.submit([one(TRUE)] * n))
    rest = bench.at_rest(6)
    worker = bench.at_rest(2, lambda: bench.cluster.cpu(bench.cluster.nodes))
    more = bench.latency(lambda: bench.submit([one(TRUE)]))
    return {"submit, CPU s": submit, "home at rest, cores": rest, "worker at rest, cores": worker,
            "one more submit, s": more}


def backlog(bench, n):
    begin = time.monotonic()
    cost, _ = bench.cost(lambda: bench.wait(bench.submit([one(TRUE)] * n)))
    return {"all run, CPU s": cost, "all run, s": time.monotonic() - begin}


def retries(bench, n):
    cost, _ = bench.cost(lambda: bench.wait(bench.submit([one({**FALSE, "retries": 3})] * n)))
    return {"all run, CPU s": cost}


def after(bench, n):
    heads = bench.submit([one(TRUE, hold=True)] * n)
    behind = [one(TRUE, after_jobs=[{"job": str(number)}]) for number in heads]
    submit, _ = bench.cost(lambda: bench.submit(behind))
    rest = bench.at_rest(9)  # A job of another node is asked about every 8 s.
    more = bench.latency(lambda: bench.submit([one(TRUE, hold=True)]))

    def end():
        bench.cancel(heads)
        bench.await_jobs(SOME, 0.2)  # Those that were one more.
    cancel, _ = bench.cost(end)
    return {"submit, CPU s": submit, "at rest, cores": rest, "one more submit, s": more,
            "heads cancelled, CPU s": cancel}


def chain(bench, n):
    """A job after the other. The first is held: all are there before one runs."""
    with bench.connect() as connection:
        def submit():
            numbers = [connection.ask("submit", **one(TRUE, hold=True))["number"]]
            for _ in range(n - 1):
                numbers.append(connection.ask(
                    "submit", **one(TRUE, after_jobs=[{"job": str(numbers[-1])}]))["number"])
            return numbers
        made, numbers = bench.cost(submit)
    return {"submit, CPU s": made, "all run, CPU s": release_and_run(bench, numbers)}


def fan(bench, n):
    """All after the same job."""
    head, = bench.submit([one(TRUE, hold=True)])
    submit, numbers = bench.cost(
        lambda: bench.submit([one(TRUE, after_jobs=[{"job": str(head)}])] * n))
    return {"submit, CPU s": submit, "all run, CPU s": release_and_run(bench, [head, *numbers])}


def release_and_run(bench, numbers):
    def run():
        bench.ask("release", number=numbers[0])
        bench.wait(numbers)
    return bench.cost(run)[0]


def deadlines(bench, n):
    """Held jobs whose deadlines, all different, pass within some seconds."""
    spread, patience = (0.2, 0.5) if bench.hurry else (5.0, 2.0 + n / 2000)
    first = time.monotonic() + patience
    jobs = [first + spread * index / n for index in range(n)]
    begin = time.monotonic()
    bench.submit([one(TRUE, hold=True, past_deadline="cancel", deadline_ns=int((at - begin) * 1e9))
                  for at in jobs])
    time.sleep(max(0.0, first - time.monotonic()))
    cost, _ = bench.cost(lambda: (time.sleep(spread), bench.await_jobs(0, 0.2)))
    return {"all passed, CPU s": cost}


def history(bench, n):
    bench.cancel(bench.submit([one(TRUE, hold=True)] * n))
    bench.await_jobs(0)
    rest = bench.at_rest(4)
    listing = bench.latency(lambda: bench.ask("jobs", all=True, limit=50))
    more = bench.cost(lambda: bench.cancel(bench.submit([one(TRUE, hold=True)] * 200)))[0]
    return {"at rest, cores": rest, "`jobs -a` of 50 lines, s": listing,
            "200 more, submitted and cancelled, CPU s": more}


def tasks(bench, n):
    cost, _ = bench.cost(lambda: bench.wait(bench.submit([one({**TRUE, "count": n})])))
    return {"all run, CPU s": cost}


def array(bench, n):
    group = {**TRUE, "array": f"0-{n - 1}%2"}
    cost, _ = bench.cost(lambda: bench.wait(bench.submit([one(group)])))
    return {"all run, CPU s": cost}


def entries(bench, n):
    job = one({**TRUE, "entries": [f"line {index}" for index in range(n)]}, hold=True)
    submit, numbers = bench.cost(lambda: bench.submit([job]))
    cancel, _ = bench.cost(lambda: bench.cancel(numbers))
    return {"submit, CPU s": submit, "cancel, CPU s": cancel}


def stages(bench, n):
    """A job of groups, each after the one before."""
    groups = [{**TRUE, "name": f"stage{index}", "after": [f"stage{index - 1}"] if index else []}
              for index in range(n)]
    cost, _ = bench.cost(lambda: bench.wait(bench.submit([{"groups": groups}])))
    return {"all run, CPU s": cost}


def unfit(bench, n):
    """Jobs that ask for more than any node has."""
    job = one({**TRUE, "demand": {"cpu_milli": 999_000}}, allow_unsatisfiable=True)
    submit, _ = bench.cost(lambda: bench.submit([job] * n))
    return {"submit, CPU s": submit, "at rest, cores": bench.at_rest(6)}


def connections(bench, n):
    others = []
    try:
        for _ in range(n):
            others.append(bench.connect())
            others[-1].ask("whoami")
        rest = bench.at_rest(4)
        with bench.connect() as connection:
            asked = bench.cost(lambda: connection.ask_all("status", [{}] * 500))[0]
        others[0].ask("whoami")  # The agent ended none of them to make room.
    finally:
        for connection in others:
            connection.__exit__()
    return {"at rest, cores": rest, "500 `status` beside them, CPU s": asked}


@dataclass(frozen=True)
class Axis:
    """`least` is n; 10 n and 100 n are measured, too. `nodes` of `cpus` CPUs each."""
    meaning: str
    measure: object
    least: int
    nodes: int = 1
    cpus: int = 2
    settings: tuple = ()


# The largest takes less than a minute on two cores, where all else grows as it should.
AXES = {
    "held": Axis("jobs on hold", held, 100),
    "waiting": Axis("jobs of one task behind a busy cluster", waiting, 200, nodes=2),
    "backlog": Axis("jobs of one task, run", backlog, 50, nodes=2),
    "retries": Axis("jobs that fail, each tried four times", retries, 15, nodes=2),
    "after": Axis("jobs, each after another one on hold", after, 40),
    "chain": Axis("jobs, each after the one before", chain, 20),
    "fan": Axis("jobs after the same one", fan, 30),
    "deadlines": Axis("jobs on hold whose deadlines pass", deadlines, 100),
    "history": Axis("jobs that have ended", history, 100),
    "tasks": Axis("tasks of one job", tasks, 100),
    "array": Axis("indices of an array, two at once", array, 50),
    "entries": Axis("lines of a job on hold, a task each", entries, 1000),
    "stages": Axis("groups of a job, each after the one before", stages, 2),
    "unfit": Axis("jobs that fit no node", unfit, 100),
    "connections": Axis("clients that are connected and silent", connections, 1),
}
