"""Faults of the network, and of strangers on it."""
from chaos_lib.flood import Flood


class NetworkFault:
    lasts = True

    def __init__(self, world, fault):
        self.world = world
        self.fault = fault
        self.network = world.cluster.network
        self.every = range(len(world.cluster.nodes))

    def tick(self):
        pass

    def heal(self):
        self.network.heal()


class Halves(NetworkFault):
    """Two parts that do not hear each other."""

    def inject(self):
        ones = set(self.fault.nodes)
        others = set(self.every) - ones
        for node in self.every:
            self.network.cut(node, others if node in ones else ones)


class OneWay(NetworkFault):
    """A node hears nothing of another one, or of all others, which hear it."""

    def inject(self):
        deaf, other = self.fault.nodes
        others = [node for node in self.every if node != deaf]
        sources = [other] if self.fault.details["from"] == "one" else others
        self.network.cut(deaf, sources)


class Loss(NetworkFault):
    def inject(self):
        for node in self.fault.nodes:
            self.network.lose(node, self.fault.details["percent"] / 100)


class LinkDown(NetworkFault):
    """A cable is pulled: the node's addresses stay, its routes go."""

    def inject(self):
        self.network.link(self.fault.nodes[0], up=False)

    def heal(self):
        self.network.link(self.fault.nodes[0], up=True)


class Garbage:
    """A stranger on the same network: see Flood."""

    lasts = True

    def __init__(self, world, fault):
        self.world = world
        self.flood = Flood([node.address for node in world.cluster.nodes], fault.details["seed"])

    def inject(self):
        self.flood.start()

    def tick(self):
        pass

    def heal(self):
        self.flood.stop()
        for key, value in self.flood.counts.items():
            self.world.count(f"flood: {key}", value)


KINDS = {"halves": Halves, "isolate": Halves, "one-way": OneWay, "loss": Loss, "link-down": LinkDown,
         "flood": Garbage}
