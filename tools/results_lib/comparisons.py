"""The comparisons whose tables stand in docs/lab/results.md: each is a sweep of a scenario."""
import tomllib
from dataclasses import dataclass
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parents[2] / "sim/experiments"

DELAY = "job_delay_mean_ms job_delay_p50_ms job_delay_p99_ms queueing_mean_ms"
CLASSES = ("short_completion_p50_ms short_completion_p95_ms short_completion_p99_ms "
           "long_completion_p50_ms long_completion_p95_ms long_completion_p99_ms")
FINDING = "finding_p99_ms finding_mean_ms"
WHOLE = "whole_mean_ms whole_p95_ms makespan_ms"
PLANS = "miss_penalty violation_plan violation_running jobs_missed_1s lateness_max_s"
WHO = "--axis baseline.scheduler=dunlin,omniscient"
# As the published run: two global and three local masters of twenty machines each per partition.
PUBLISHED_MEGHA = ("--set baseline.scheduler=megha --set workload.frontends=2 --set cluster.cells=3 "
                   "--set baseline.heartbeat=30s")
LARGER = "--set cluster.scale=20 --replications 1"  # ID2210 with 1,000 nodes.


@dataclass(frozen=True)
class Comparison:
    """A sweep. `section` is the heading in results.md under which its table stands (empty: the guide to
    tuning has it), `words` what the command says besides the scenario; figures are the columns, by default
    what the scenario draws."""
    name: str
    section: str
    scenario: str = ""
    words: str = ""
    figures: str = ""

    @property
    def file(self):
        return EXPERIMENTS / f"{self.scenario or self.name}.toml"

    def content(self):
        return tomllib.loads(self.file.read_text(encoding="utf-8"))

    def columns(self):
        if self.figures:
            return self.figures.split()
        sweep = self.content().get("sweep", {})
        return [sweep["measure"], *sweep.get("also", [])]

    def trace(self):
        """The file that it needs in the folder of traces; empty if it needs none."""
        return self.content().get("trace", {}).get("file", "")

    def command(self, out, data, at_once):
        """The words behind the name of the simulator."""
        words = ["sweep", f"sim/experiments/{self.file.name}", *self.words.split()]
        if self.trace():
            words += ["--set", f"trace.data={data}"]
        return [*words, "--out", str(out), "-j", str(at_once)]


def traces(name, words):
    """The same sweep of each trace in the format of Hawk."""
    return [Comparison(f"{name}-{trace}", "Traces", f"peers-{trace}", words, CLASSES)
            for trace in ("ngo80", "nyh80", "ngo90", "nyh90", "yh1")]


COMPARISONS = [
    Comparison("sparrow", "Sparrow's workload", "peers-synthetic",
               "--axis workload.load=0.5,0.8,0.9,0.95 --axis baseline.scheduler=dunlin,omniscient,sparrow "
               "--replications 5", DELAY),
    Comparison("sparrow-latency", "Sparrow's workload", "peers-synthetic",
               f"--axis network.latency=500us,100us,5us {WHO}", DELAY),
    *traces("trace", "--axis baseline.scheduler=dunlin,omniscient,sparrow --replications 3"),
    *traces("one-share", "--axis worker.express_share=0.1,0.05,0.02"),
    *traces("hidden", "--axis workload.estimates=true,false"),
    Comparison("patience", "How patient a worker is", "peers-synthetic",
               "--set cluster.peers=200 --set workload.load=0.95 --axis worker.patience=8,2,1 "
               "--replications 3", DELAY),
    Comparison("power-ngo80", "What a worker ranks by", "peers-ngo80",
               "--axis worker.length_weight=1,0.8,0.7,0.6,0.5,0.3,0", CLASSES),
    Comparison("power-nyh90", "What a worker ranks by", "peers-nyh90",
               "--axis worker.length_weight=1,0.8,0.7,0.6,0.5,0.3,0", CLASSES),
    Comparison("scale", "Scale"),
    Comparison("id2210-figure3", "ID2210", figures=FINDING),
    Comparison("id2210-figure4", "ID2210", figures=FINDING),
    Comparison("id2210-figure5", "ID2210", figures=FINDING),
    Comparison("id2210-figure6", "ID2210", figures=FINDING),
    Comparison("id2210-figure3-1000", "ID2210", "id2210-figure3", LARGER, FINDING),
    Comparison("id2210-figure4-1000", "ID2210", "id2210-figure4", LARGER, FINDING),
    Comparison("healing-kill", "Self-healing"),
    Comparison("healing-churn", "Self-healing"),
    Comparison("healing-loss", "Self-healing"),
    Comparison("healing-partition", "Self-healing"),
    Comparison("constraints", "Placement constraints"),
    Comparison("constraints-schedulers", "Placement constraints", "constraints",
               "--set workload.load=0.8 --axis cluster.constraints=a,b,c "
               "--axis baseline.scheduler=omniscient,central,dunlin,sparrow,sampling",
               "constrained_delay_mean_ms free_delay_mean_ms job_delay_mean_ms"),
    Comparison("calibration", "Calibration"),
    Comparison("listing", "Listing all jobs"),
    Comparison("replicas", "Standbys of jobs"),
    Comparison("replicas-lost", "Standbys of jobs"),
    Comparison("ntu-figure61", "Plans: the NTU thesis"),
    Comparison("ntu-figure62", "Plans: the NTU thesis", figures=PLANS),
    Comparison("ntu-figure63", "Plans: the NTU thesis", figures=PLANS),
    Comparison("ntu-figure64", "Plans: the NTU thesis", figures=PLANS),
    Comparison("ntu-figure65", "Plans: the NTU thesis", figures=PLANS),
    Comparison("ntu-kth", "Plans: the NTU thesis", figures=PLANS),
    Comparison("ntu-preempt", "Plans: the NTU thesis"),
    Comparison("ntu-peers", "Plans: the NTU thesis"),
    Comparison("ntu-scale", "Plans: the NTU thesis", words="--axis cluster.peers=20,100,1000 "
               "--axis baseline.plan=false,true"),
    Comparison("ntu-scale-10000", "Plans: the NTU thesis", "ntu-scale", "--axis cluster.peers=10000 "
               "--axis baseline.plan=false,true --replications 1"),
    Comparison("megha-figure3", "Federated placement: Megha"),
    Comparison("megha-figure6", "Federated placement: Megha"),
    Comparison("megha-figure6-peers", "Federated placement: Megha"),
    Comparison("megha-figure7", "Federated placement: Megha"),
    Comparison("megha-figure8", "Federated placement: Megha"),
    Comparison("megha-figure9", "Federated placement: Megha"),
    Comparison("megha-figure9-peers", "Federated placement: Megha"),
    Comparison("megha-figure10", "Federated placement: Megha"),
    Comparison("megha-figure12", "Federated placement: Megha"),
    Comparison("megha-heartbeat", "Federated placement: Megha"),
    Comparison("megha-park", "Federated placement: Megha"),
    Comparison("megha-sparrow", "Federated placement: Megha"),
    *traces("megha", "--axis baseline.scheduler=dunlin,megha --set workload.frontends=3 "
            "--set cluster.cells=3 --replications 3"),
    Comparison("tetris-comparison", "Packing: Tetris"),
    Comparison("tetris-comparison-40", "Packing: Tetris", "tetris-comparison",
               "--set cluster.peers=40 --set workload.jobs_max=100"),
    Comparison("tetris-losses", "Packing: Tetris"),
    Comparison("tetris-scores", "Packing: Tetris"),
    Comparison("tetris-fairness", "Packing: Tetris"),
    Comparison("tetris-epsilon", "Packing: Tetris"),
    Comparison("tetris-barrier", "Packing: Tetris"),
    Comparison("tetris-estimates", "Packing: Tetris"),
    Comparison("tetris-heartbeat", "Packing: Tetris"),
    Comparison("tetris-load", "Packing: Tetris", figures=WHOLE),
    Comparison("tetris-bound", "Packing: Tetris"),
    Comparison("tetris-remote", "Packing: Tetris"),
    Comparison("tetris-placement", "Packing: Tetris"),
    Comparison("tetris-ingestion", "Packing: Tetris"),
    Comparison("tetris-alibaba", "Packing: Tetris", figures=WHOLE),
    Comparison("tetris-cloudera", "Packing: Tetris", figures=WHOLE),
    Comparison("tetris-scale", "Packing: Tetris"),
    Comparison("sharing", "Sharing"),
    Comparison("sharing-shift", "Sharing"),
    Comparison("sharing-options", "Sharing", words="--replications 2"),
    Comparison("sharing-requests", "Sharing"),
    Comparison("sharing-kill", "Sharing"),
    Comparison("sharing-scale", "Sharing"),
    # The published figures of opponents, by our baselines: docs/lab/baselines.md. Sparrow's are of 20,000
    # jobs, which take 62.5 s.
    Comparison("published-sparrow", "Sparrow's workload", "peers-synthetic",
               "--set baseline.scheduler=sparrow --set simulation.duration=78500ms "
               "--axis workload.load=0.8,0.9 --replications 10",
               "job_delay_mean_ms job_delay_p50_ms job_delay_p95_ms job_delay_p99_ms"),
    Comparison("published-megha", "Traces", "peers-ngo80",
               f"{PUBLISHED_MEGHA} --axis baseline.dispatch=frontend,tasks --axis baseline.news=own,all "
               "--replications 10", CLASSES),
    Comparison("heavy-tail", "Sparrow's workload"),
    Comparison("tuning-slots", ""),
    Comparison("tuning-mixed", ""),
]


def choose(names):
    """Those of these names, in the order of the list. Raises KeyError with a name that is none of them."""
    known = {each.name for each in COMPARISONS}
    for name in names:
        if name not in known:
            raise KeyError(name)
    return [each for each in COMPARISONS if each.name in names]
