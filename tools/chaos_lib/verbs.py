"""Verbs that are said at the moment of their agent's death, and what must come out of them."""
import time

from chaos_lib import control

PREFIX = "verb-"  # Jobs of these names are none of the load's.
READY_WITHIN = 5.0

SLEEP = {"command": ["/bin/sleep", "300"], "count": 2, "demand": {"cpu_milli": 10}}
SHORT = {"command": ["/bin/sleep", "2"], "count": 40, "at_once": 1, "demand": {"cpu_milli": 10}}
QUICK = {"command": ["/bin/true"], "count": 2, "demand": {"cpu_milli": 10}}
ONCE_MORE = {"command": ["/bin/sh", "-c", '[ "$DUNLIN_ATTEMPT" -gt 1 ]'], "demand": {"cpu_milli": 10}}
AGAIN = {"command": ["/bin/sleep", "4"], "demand": {"cpu_milli": 10}}


def all_are(state):
    return lambda summary, rows: all(row["state"] == state for row in rows)


def waits_on(summary, rows):
    return summary["counts"]["waiting"] > 0 and summary["counts"]["running"] == 0


def first_alone(summary, rows):
    return [row["state"] == "cancelled" for row in rows] == [True, False]


def ran_again(summary, rows):
    return rows[0]["state"] == "done" and rows[0]["attempt"] > 1


# The job, the counts of it at which the verb is said, the request, and what must be true in the end: of
# the job and its tasks, or, where there is none, of the state of the node.
VERBS = {
    "cancel": (SLEEP, {}, {"running": 2}, ("cancel", {}), all_are("cancelled")),
    "cancel-task": (SLEEP, {}, {"running": 2}, ("cancel", {"tasks": [0]}), first_alone),
    "hold": (SHORT, {}, {"running": 1}, ("hold", {}), waits_on),
    "release": (QUICK, {"hold": True}, {"waiting": 2}, ("release", {}), all_are("done")),
    "set": (SLEEP, {}, {}, ("set", {"priority": 41}), lambda summary, rows: summary["priority"] == 41),
    "retry": (ONCE_MORE, {}, {"failed": 1}, ("retry", {}), all_are("done")),
    "requeue": (AGAIN, {}, {"running": 1}, ("requeue", {}), ran_again),
    "drain": (None, {}, {}, ("drain", {"on": True}), lambda state: state == "draining"),
    "drain-off": (None, {}, {}, ("drain", {"on": False}), lambda state: state != "draining"),
}


class Told:
    """A verb, and whether its user was told that it is done."""

    def __init__(self, node, verb, number):
        self.node = node
        self.verb = verb
        self.name = f"{PREFIX}{number}"
        self.group, self.terms, self.ready, self.request, self.holds = VERBS[verb]
        self.number = None
        self.acknowledged = False

    def prepare(self):
        """Submits the job; True when the verb can be said."""
        try:
            if self.group is None:
                if not self.request[1]["on"]:
                    self.node.ask("drain", 5.0, on=True)
                return True
            self.number = self.node.ask("submit", 5.0, name=self.name, groups=[self.group],
                                        allow_unsatisfiable=True, **self.terms)["number"]
            until = time.monotonic() + READY_WITHIN
            while time.monotonic() < until:
                counts = self.node.ask("job", 3.0, number=self.number)["counts"]
                if all(counts[state] >= least for state, least in self.ready.items()):
                    return True
                time.sleep(0.05)
        except (control.Silent, control.Refused):
            pass
        return False

    def say(self):
        verb, members = self.request
        if self.number is not None:
            members = {"number": self.number, **members}
        try:
            self.node.ask(verb, 5.0, **members)
            self.acknowledged = True
        except (control.Silent, control.Refused):
            pass

    def wrong(self):
        """What does not hold, as far as it can be told now; empty: nothing."""
        if not self.acknowledged:
            return []
        try:
            if self.group is None:
                state = self.node.ask("status", 5.0)["state"]
                return [] if self.holds(state) else [
                    f"{self.verb} of {self.node.name} was answered; now it is {state}"]
            summary = self.node.ask("job", 5.0, number=self.number)
            rows = self.node.ask("tasks", 5.0, number=self.number)["tasks"]
        except (control.Silent, control.Refused) as error:
            return [f"{self.name} of {self.node.name}: {error}"]
        if self.holds(summary, rows):
            return []
        states = [(row["state"], row.get("attempt")) for row in rows]
        return [f"{self.verb} of {self.name}, job {self.number} of {self.node.name}, was answered; now "
                f"{summary['state']}, priority {summary['priority']}, {states}"]

    def clear(self):
        """Leaves nothing of it. False if the agent did not take that."""
        try:
            if self.group is None:
                self.node.ask("drain", 5.0, on=False)
            else:
                for job in self.node.ask("jobs", 5.0)["jobs"]:
                    if job["name"] == self.name:
                        self.node.ask("cancel", 10.0, number=job["number"])
            return True
        except (control.Silent, control.Refused):
            return False
