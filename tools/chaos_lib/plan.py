"""Which faults, when and where: drawn from a seed. Pure, so the same seed and the same options give the same
plan on every machine; how far a campaign gets in its time is up to the machine."""
from dataclasses import dataclass, field

HOLDS = [2, 4, 6, 8, 12, 20, 40]  # Seconds that a fault lasts, and how often each.
HOLD_WEIGHTS = [3, 3, 3, 3, 2, 1, 0.3]
# What a greedy member does: see greedy_member.py. Some of them at once.
WAYS = ["deep", "wide", "nulls", "repeat", "pipeline", "idle", "slow", "held", "drains", "ends", "followers",
        "variables", "nodes", "uploads", "sleeps", "history", "output", "leases"]
WAYS_AT_ONCE = 3
# Said about when the agent dies: see verbs.py. It dies so long after the request began.
VERBS = ["cancel", "cancel-task", "hold", "release", "set", "retry", "requeue", "drain",
         "drain-off"]
DEATHS_AFTER = [0, 2, 5, 10, 20, 50, 100]  # ms
STEPS = [-259_200, -21_600, -3_600, -60, -1, 1, 60, 3_600, 21_600, 259_200]  # Of a clock, in s.
DATABASE_ROUNDS = 3  # Of that many rounds in a row, one at most destroys a database.


@dataclass(frozen=True)
class Fault:
    kind: str
    nodes: tuple = ()  # Numbers of the nodes that it is done to, from 0.
    hold: float = 4.0  # s
    details: dict = field(default_factory=dict)

    def __str__(self):
        where = " ".join(f"node{node + 1}" for node in self.nodes)
        details = " ".join(f"{key}={value}" for key, value in self.details.items())
        return " ".join(word for word in (self.kind, where, details, f"for {self.hold:g} s") if word)


def one_node(random, count):
    return (random.randrange(count),)


def some_nodes(random, count):
    return tuple(sorted(random.sample(range(count), random.randint(1, count))))


def half_the_nodes(random, count):
    """One of two parts, neither of them empty."""
    return tuple(sorted(random.sample(range(count), random.randint(1, max(count // 2, 1)))))


def two_nodes(random, count):
    return tuple(random.sample(range(count), min(2, count)))


def every_node(random, count):
    order = list(range(count))
    random.shuffle(order)
    return tuple(order)


def no_node(random, count):
    return ()


@dataclass(frozen=True)
class Kind:
    """`scope` says what meets what: two faults of `network` do not go together, nor two of `database`,
    and a node has one fault of its own at a time. `alone` goes with none."""
    scope: str
    nodes: object
    details: object = None
    needs: str = ""  # What the machine must have: "loss", "disk", "clock" or "member".


KINDS = {
    "halves": Kind("network", half_the_nodes),
    "one-way": Kind("network", two_nodes, lambda random: {"from": random.choice(["one", "all"])}),
    "isolate": Kind("network", one_node),
    "loss": Kind("network", some_nodes,
                 lambda random: {"percent": random.choice([1, 2, 5, 10, 20, 30])}, "loss"),
    "link-down": Kind("node", one_node),
    "kill-agent": Kind("node", one_node),
    "kill-warden": Kind("node", one_node),
    "kill-node": Kind("node", one_node),
    "stop-agent": Kind("node", one_node),
    "stop-warden": Kind("node", one_node),
    "stop-node": Kind("node", one_node),
    "disk-full": Kind("node", one_node),
    "read-only": Kind("node", one_node),
    "disk-error": Kind("node", one_node, None, "disk"),
    "slow-disk": Kind("node", one_node, lambda random: {"freeze": random.choice([0.3, 1.0, 3.0])}, "disk"),
    "no-warden-program": Kind("node", one_node),
    "clock": Kind("node", one_node, lambda random: {
        "step": random.choice(STEPS), "starts": random.choice(["none", "wrong", "both"])}, "clock"),
    "clone": Kind("node", one_node, lambda random: {"machine": random.choice(["same", "other"])}),
    "lose-database": Kind("database", one_node),
    "damage-database": Kind("database", one_node, lambda random: {
        "bytes": random.choice([1, 10, 100]), "seed": random.randrange(1 << 16)}),
    "restore-database": Kind("database", one_node, lambda random: {
        "copy": random.choice(["oldest", "newest"])}),
    "flood": Kind("stranger", no_node, lambda random: {"seed": random.randrange(1 << 16)}),
    "rotate-keys": Kind("keys", every_node),
    "verb-at-death": Kind("node", one_node, lambda random: {
        "verb": random.choice(VERBS), "after_ms": random.choice(DEATHS_AFTER)}),
    "greedy": Kind("alone", one_node, lambda random: {
        "ways": "+".join(sorted(random.sample(WAYS, WAYS_AT_ONCE)))}, "member"),
    "restart-all": Kind("alone", every_node),
}
# Between two steps of a change of keys operators wait for longer than any partition, so they would not
# begin one during these.
NOT_WITH_KEYS = {"network", "node", "database"}


def draw_fault(random, kind, count, hold_max):
    """`kind` on some of `count` nodes, for `hold_max` seconds at most."""
    entry = KINDS[kind]
    details = entry.details(random) if entry.details else {}
    hold = min(random.choices(HOLDS, HOLD_WEIGHTS)[0], hold_max)
    return Fault(kind, entry.nodes(random, count), hold, details)


def together(one, other):
    """Whether two faults can be done at the same time, so that each can be undone by itself."""
    scopes = {KINDS[one.kind].scope, KINDS[other.kind].scope}
    if "alone" in scopes or one.kind == other.kind:
        return False
    if len(scopes) == 1:
        return scopes == {"node"} and not set(one.nodes) & set(other.nodes)
    if "keys" in scopes:
        return not scopes & NOT_WITH_KEYS
    if scopes == {"node", "database"}:
        return not set(one.nodes) & set(other.nodes)
    return True


class Plan:
    """Rounds of one to three faults. Kinds are dealt from a shuffled deck: each comes once before any
    comes again, so short campaigns are not all of one kind."""

    def __init__(self, random, kinds, count, hold_max=HOLDS[-1]):
        self.random = random
        self.hold_max = hold_max
        self.kinds = sorted(kinds)
        self.count = count
        self.deck = []
        self.since_database = DATABASE_ROUNDS

    def next_kind(self, fits):
        """The next of the deck that fits; None: none does."""
        if not self.deck:
            self.deck = list(self.kinds)
            self.random.shuffle(self.deck)
        for kind in self.deck:
            if fits(kind):
                self.deck.remove(kind)
                return kind
        return None

    def may_destroy(self, kind):
        return KINDS[kind].scope != "database" or self.since_database >= DATABASE_ROUNDS

    def next_round(self):
        """The faults of the next round, the first of which is there in any case."""
        size = self.random.choices([1, 2, 3], [5, 4, 2])[0]
        first = self.next_kind(self.may_destroy)
        if first is None:  # The rest of the deck are databases: a round of any other kind first.
            first = self.random.choice([kind for kind in self.kinds if self.may_destroy(kind)] or self.kinds)
        faults = [draw_fault(self.random, first, self.count, self.hold_max)]
        for _ in range(size - 1):
            drawn = {}

            def fits(kind):
                drawn[kind] = draw_fault(self.random, kind, self.count, self.hold_max)
                return self.may_destroy(kind) and all(together(drawn[kind], fault) for fault in faults)

            kind = self.next_kind(fits)
            if kind is not None:
                faults.append(drawn[kind])
        destroys = any(KINDS[fault.kind].scope == "database" for fault in faults)
        self.since_database = 1 if destroys else self.since_database + 1
        return faults
