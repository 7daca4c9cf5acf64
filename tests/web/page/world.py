# SPDX-License-Identifier: MIT
"""A cluster that is not there: answers of /v1 as docs/design/http.md has them, made up from a seed.

Names and outputs are hostile on purpose: a page must show them as text.
"""
import random
import time

kSecond = 10**9
kHostile = "<img src=x onerror=alert(1)>"
kStates = ["waiting", "running", "cancelling", "done", "failed", "cancelled"]


def now_ns():
    return time.time_ns()


def resources(cpu_milli, memory_mib, **custom):
    return {"cpu_milli": cpu_milli, "memory_mib": memory_mib, "custom": custom}


class World:
    """`nodes` nodes, and jobs of which one has `tasks` tasks. The same seed makes the same cluster.

    `hostile`: some names are such that a careless page would run them.
    """

    def __init__(self, nodes=24, jobs=130, tasks=1_000_000, seed=7, hostile=True):
        self.hostile = hostile
        self.random = random.Random(seed)
        self.sums = None
        self.living = None
        self.silent = set()  # Ids of nodes that answer no question ...
        self.old = set()     # ... of those that do not know the question for the overlay ...
        self.busy = set()    # ... and of those that do not answer the first of them.
        self.changed = []  # (method, path, body) of all that was asked to change.
        self.nodes = [self._node(number) for number in range(nodes)]
        self.me = self.nodes[0]
        self.jobs = [self._job(number, tasks) for number in range(1, jobs + 1)]

    def _node(self, number):
        draw = self.random
        name = f"b{kHostile}" if number == 5 and self.hostile else f"wader{number + 1:02}"
        # One of each trouble, at fixed places.
        state = {3: "draining", 7: "sick", 11: "down", 14: "suspect"}.get(number, "up")
        cpus = draw.choice([16, 32, 32, 64])
        busy = min(cpus, int(cpus * draw.random() * 1.3)) if state == "up" else 0
        memory = cpus * 4096
        free = resources((cpus - busy) * 1000, int(memory * (1 - 0.8 * draw.random() * busy / cpus)))
        return {
            "node": f"{draw.getrandbits(64):016x}", "name": name, "address": f"10.0.{number // 250}.{number % 250}:7700",
            "state": state, "unreachable": None, "age_ns": draw.randrange(3 * kSecond),
            "total": resources(cpus * 1000, memory, **({"gpu": 4} if number % 6 == 0 else {})),
            "free": None if state in ("down", "suspect") else free,
            "slots": {"all": cpus, "available": cpus - busy, "occupied": 0, "busy": busy, "down": 0},
            "attributes": {"arch": "x86_64", "cpus": str(cpus), "distro": "debian", "kernel": "6.1.0", "os": "linux"},
            "limits": "v2+disk+net", "enforced": {"cpu": "cpu.weight", "memory": "memory.max", "disk": "io.max",
                                                  "network": None},
            "version": "0.8.0" if number % 9 else "0.7.2", "running": busy, "queued": draw.randrange(5),
            "jobs": draw.randrange(4), "capabilities": 7, "trouble": "", "facts": True,
            "sick": "three tasks in a row could not start: no space left in /var/lib" if state == "sick" else "",
            "drain": {"reason": "new memory", "by": "anna@wader01", "since_ns": now_ns() - 3600 * kSecond,
                      "until_ns": 0} if state == "draining" else None,
        }

    def _job(self, number, many):
        draw = self.random
        state = draw.choices(["running", "waiting", "held", "done", "failed", "cancelled"],
                             [20, 12, 2, 50, 12, 4])[0]
        tasks = draw.choice([1, 12, 40, 400, 5000])
        name = draw.choice(["align", "render", "train-lm", "nightly-build", "sweep", "extract", "assemble"])
        owner = draw.choice(["anna", "bela", "chen", "dita"])
        if number == 3:  # What the tests look at.
            state, tasks, name, owner = "running", many, "genome-map", "anna"
        elif number == 4:
            state, tasks, name, owner = "waiting", 8, "large-memory", "anna"
        elif number == 5:
            state, tasks, name, owner = "failed", 40, kHostile if self.hostile else "assemble", "chen"
        ended = state in ("done", "failed", "cancelled")
        counts = self._counts(state, tasks)
        submitted = now_ns() - draw.randrange(60, 7200) * kSecond
        started = 0 if state in ("waiting", "held") else submitted + draw.randrange(1, 20) * kSecond
        home = self.nodes[draw.randrange(min(3, len(self.nodes)))]
        return {
            "number": number, "job": f"{home['node']}.{number}", "lineage": f"{draw.getrandbits(64):016x}",
            "name": name, "owner": owner, "state": state, "tasks": tasks, "counts": counts,
            "demand": resources(1000, 2048), "groups": 1, "class": draw.choice(["gold", "silver", "default"]),
            "deadline_ns": 7200 * kSecond if number == 3 else 0, "past_deadline": "run", "cancelled_by": "",
            "preemptions": 0, "suspended": 0, "on_preempt": "requeue", "priority": 50,
            "submitted_at_ns": submitted, "started_at_ns": started,
            "ended_at_ns": started + 50 * kSecond if ended else 0, "exit": (1 if state == "failed" else 0) if ended else None,
            "worst_outcome": "exited" if ended else None, "pruned": False,
            "age_ns": now_ns() - submitted, "finished": ended, "reason": self._reason(state),
            "known_as": f"{home['name']}.{number}", "home": home["node"], "home_name": home["name"],
            "origin": home["node"], "origin_name": home["name"], "replicas": 0, "replicas_required": 0,
        }

    def _counts(self, state, tasks):
        counts = dict.fromkeys(kStates, 0)
        if state == "running":
            counts["running"] = min(tasks, 640)
            counts["done"] = (tasks - counts["running"]) * 6 // 10
            counts["failed"] = min(tasks - counts["running"] - counts["done"], tasks // 200)
            counts["waiting"] = tasks - sum(counts.values())
        elif state in ("waiting", "held"):
            counts["waiting"] = tasks
        elif state == "failed":
            counts["failed"] = max(tasks // 20, 1)
            counts["done"] = tasks - counts["failed"]
        else:
            counts["done" if state == "done" else "cancelled"] = tasks
        return counts

    def _reason(self, state):
        if state == "waiting":
            return f"no node of {len(self.nodes)} has room now: 18 lack memory, 4 lack CPU"
        return "task 3: exit 1 on wader02" if state == "failed" else ""

    # What the gateway reckons.

    def node(self, word):
        return next((each for each in self.nodes if word in (each["node"], each["name"])), None)

    def utility(self, node):
        return (node["free"]["cpu_milli"] / node["total"]["cpu_milli"]) * (
            node["free"]["memory_mib"] / node["total"]["memory_mib"])

    def alive(self):
        """The nodes that others know, by utility; kept likewise."""
        if self.living is None:
            there = [each for each in self.nodes if each["state"] not in ("down", "suspect")]
            self.living = sorted(there, key=self.utility)
        return self.living

    def job(self, word):
        return next((each for each in self.jobs if word in (each["job"], each["known_as"], str(each["number"]))), None)

    def totals(self):
        """Of all nodes; kept, since ten thousand take their time here."""
        if self.sums is None:
            self.sums = self._totals()
        return self.sums

    def _totals(self):
        totals, versions = {}, {}
        for each in self.nodes:
            totals[each["state"]] = totals.get(each["state"], 0) + 1
            versions[each["version"]] = versions.get(each["version"], 0) + 1
        up = [each for each in self.nodes if each["state"] == "up"]
        capacity = {
            "cpu_milli": sum(each["total"]["cpu_milli"] for each in up),
            "cpu_free_milli": sum(each["free"]["cpu_milli"] for each in up),
            "memory_mib": sum(each["total"]["memory_mib"] for each in up),
            "memory_free_mib": sum(each["free"]["memory_mib"] for each in up),
            "slots": {key: sum(each["slots"][key] for each in up) for key in self.me["slots"]},
            "running": sum(each["running"] for each in up), "queued": sum(each["queued"] for each in up),
        }
        return {"totals": totals, "versions": versions, "capacity": capacity, "total": len(self.nodes)}

    def job_totals(self, jobs):
        totals = dict.fromkeys(["running", "waiting", "held", "failed", "done", "cancelled"], 0)
        for each in jobs:
            totals[each["state"]] += 1
        return totals

    def task(self, job, index):
        """The task of that index. States come in runs: first those that are done."""
        order = ["done", "failed", "cancelled", "cancelling", "running", "waiting"]
        left = index
        state = next(each for each in order if (left := left - job["counts"][each]) < 0)
        task = {"index": index, "state": state}
        if state == "waiting":
            return task
        worker = self.nodes[index % len(self.nodes)]
        task |= {"attempt": 2, "worker": worker["node"], "worker_name": worker["name"],
                 "started_at_ns": job["started_at_ns"] + index % 50 * kSecond}
        if state in ("done", "failed", "cancelled"):
            task |= {"outcome": "killed" if state == "cancelled" else "exited", "status": int(state == "failed"),
                     "shell_status": int(state == "failed"), "wall_ns": 41 * kSecond + index * 1000,
                     "cpu_ns": 39 * kSecond, "memory_peak_bytes": 1_700_000_000, "out_bytes": 48213,
                     "err_bytes": 120 if state == "failed" else 0, "use": {"cpu_peak_milli": 1020}}
        if state == "failed":
            task["detail"] = "input part 17 is missing"
        return task

    def output(self):
        lines = [f"step {step:5}  loss {3 / (step + 1):.4f}" for step in range(1500)]
        if not self.hostile:
            return ("\n".join(lines) + "\n").encode()
        lines[20] = "\x1b[31mwarning:\x1b[0m a colour, \x07a bell, and <b>no</b> HTML"
        lines[30] = "x" * 1_000_000
        lines[40] = "10 %\r50 %\r100 % done"
        return ("\n".join(lines) + "\n").encode()
