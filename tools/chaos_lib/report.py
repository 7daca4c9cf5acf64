"""What a campaign prints: a line for each round while it runs, then a summary, or one JSON object."""
import json
import sys
import time
from collections import Counter

SHOWN_MAX = 40
TOLD = "told as missing"  # In place of an excuse: once is enough.


class Report:
    def __init__(self, options, command):
        self.options = options
        self.command = command
        self.began = time.monotonic()
        self.rounds = []
        self.faults = Counter()
        self.counts = Counter()
        self.times = {}
        self.violations = []
        self.gone = {}
        self.neighbours = []  # (median, longest), as multiples of that alone.
        self.residents = []  # (before, most, budget), in MiB.
        self.missing_outputs = []
        self.interrupted = False

    def say(self, text):
        print(text, file=sys.stderr if self.options.json else sys.stdout, flush=True)

    def clock(self):
        seconds = int(time.monotonic() - self.began)
        return f"[{seconds // 60:02d}:{seconds % 60:02d}]"

    def begin(self, campaign):
        self.say(f"chaos: {self.options.nodes} agents, {self.options.minutes:g} minutes, seed "
                 f"{self.options.seed}; repeat with: {self.command}")
        self.without = campaign.without
        for kind in campaign.without:
            self.say(f"chaos: SKIPPED, this machine cannot do it: {kind}")

    def begin_round(self, faults):
        self.rounds.append({"faults": [str(fault) for fault in faults], "began": time.monotonic()})
        self.say(f"{self.clock()} round {len(self.rounds)}: " + "; ".join(map(str, faults)))

    def injected(self, fault):
        self.faults[fault.kind] += 1

    def faults_lasted(self, seconds):
        self.rounds[-1]["lasted"] = seconds

    def end_round(self, campaign):
        this = self.rounds[-1]
        this["took"] = time.monotonic() - this["began"]
        times = ", ".join(f"{what} after {seconds:.1f} s" for what, seconds in this.get("times", {}).items())
        self.say(f"{self.clock()}   {times}; {self.counts['tasks verified']} tasks verified, "
                 f"{len(self.violations)} violations")

    def round_mean(self):
        took = [each["took"] for each in self.rounds if "took" in each]
        return sum(took) / max(len(took), 1)

    def time(self, what, seconds):
        self.rounds[-1].setdefault("times", {})[what] = seconds
        self.times.setdefault(what, []).append(seconds)

    def slow(self, text):
        self.say(f"{self.clock()}   waits: {text}")

    def count(self, what, number=1):
        self.counts[what] += number

    def most(self, what, number):
        self.counts[what] = max(self.counts[what], number)

    def missing(self, text):
        self.missing_outputs.append(text)

    def neighbour(self, median, longest):
        """How much longer another user's `run -- true` took beside a greedy member than alone."""
        self.neighbours.append((median, longest))
        self.say(f"{self.clock()}   another user's run -- true: {median:.1f} times as long as alone, "
                 f"{longest:.1f} at most")

    def resident(self, before, most, budget):
        self.residents.append((before, most, budget))
        self.say(f"{self.clock()}   its agent: {before:.0f} MiB before, {most:.0f} MiB at most; a member may "
                 f"have {budget:.0f} MiB")

    def job_gone(self, job):
        if job.acknowledged and job.excused and job.excused != TOLD:
            self.gone[job.token] = f"{job.token}, job {job.number} of {job.node}: {job.excused}"

    def violate(self, invariant, text):
        faults = self.rounds[-1]["faults"] if self.rounds else []
        self.violations.append({"round": len(self.rounds), "invariant": invariant, "text": text,
                                "faults": faults})
        if len(self.violations) <= SHOWN_MAX:
            self.say(f"{self.clock()}   VIOLATION ({invariant}): {text}")

    def end(self, campaign, kept):
        submits = campaign.load.submits if campaign else {}
        if self.options.json:
            print(json.dumps({
                "schema": "dunlin.chaos/1", "seed": self.options.seed, "command": self.command,
                "nodes": self.options.nodes, "seconds": round(time.monotonic() - self.began, 1),
                "interrupted": self.interrupted, "rounds": [each["faults"] for each in self.rounds],
                "faults": dict(self.faults), "skipped": campaign.without if campaign else [],
                "submits": submits, "counts": dict(self.counts),
                "times": {what: {"mean": sum(each) / len(each), "max": max(each)}
                          for what, each in self.times.items()},
                "neighbours": self.neighbours, "residents": self.residents,
                "jobs_gone": sorted(self.gone.values()), "outputs_missing": self.missing_outputs,
                "violations": self.violations, "evidence": kept}, indent=1))
            return
        self.table("faults injected", self.faults)
        self.table("submits", submits)
        self.table("checked", self.counts)
        print("\nafter healing, mean and longest")
        for what, each in self.times.items():
            print(f"  {what:<44} {sum(each) / len(each):8.1f} s {max(each):8.1f} s")
        if self.neighbours:
            print("\nbeside a greedy member")
            print(f"  {'another run -- true, in times of that alone':<44} "
                  f"{max(each[0] for each in self.neighbours):8.1f} at most, "
                  f"{max(each[1] for each in self.neighbours):.1f} the longest of all")
        if self.residents:
            grown = max(most - before for before, most, _ in self.residents)
            print(f"  {'an agent grew by':<44} {grown:8.0f} MiB at most; a member may have "
                  f"{max(each[2] for each in self.residents):.0f} MiB")
        if self.gone:
            print(f"\n{len(self.gone)} jobs are gone with what this campaign destroyed")
            for text in sorted(self.gone.values())[:SHOWN_MAX]:
                print(f"  {text}")
        if self.missing_outputs:
            print(f"\n{len(self.missing_outputs)} outputs are missing, and said to be")
            for text in self.missing_outputs[:SHOWN_MAX]:
                print(f"  {text}")
        self.table("violations", Counter(each["invariant"] for each in self.violations))
        state = " (interrupted)" if self.interrupted else ""
        print(f"\nchaos: {len(self.rounds)} rounds, {sum(self.faults.values())} faults, "
              f"{len(self.violations)} violations{state}; seed {self.options.seed}")
        print(f"repeat with: {self.command}")
        if kept:
            print(f"evidence: {kept}")

    @staticmethod
    def table(title, counts):
        print(f"\n{title}")
        for what, number in sorted(counts.items()):
            print(f"  {what:<44} {number:8}")
        if not counts:
            print("  none")
