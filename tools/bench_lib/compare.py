"""Two builds in turns, so that what else the machine does meets both alike: medians, and a test of signs."""
import json
import math
import subprocess
import tempfile
from pathlib import Path

from bench_lib import builds, figures, processes, svg
from bench_lib.processes import Failed

AGENTS = ["dunlin", "dunlin-warden", "dunlin-bench", "dunlin-stamp"]
# What is measured: programs that it takes, the words that begin it, and those of its smallest form.
MEASUREMENTS = {
    "live": (AGENTS, ["dunlin-bench", "live"],
             ["--tasks", "100", "--repeat", "1", "--starts", "5", "--rest-seconds", "1"]),
    "client": (AGENTS, ["dunlin-bench", "client"], ["--submits", "50", "--jobs", "50", "--loop", "5"]),
    "sim": (["dunlin-sim-bench"], ["dunlin-sim-bench"], ["--shrink", "1000"]),
}


def order(pair):
    """Which runs first: A B, B A, A B, ... A machine that slows down steadily then favours neither. Pure."""
    return ("old", "new") if pair % 2 == 0 else ("new", "old")


def run(build, begin, words):
    """The figures of one run."""
    with tempfile.TemporaryDirectory(prefix="dunlin-compare-") as folder:
        file = Path(folder) / "figures.json"
        command = [build.folder / begin[0], *begin[1:], *words, "--json", file]
        with open(Path(folder) / "log", "w+b") as log:
            child = processes.begin(command, stdout=log, stderr=subprocess.STDOUT)
            try:
                status = child.wait()
            finally:
                processes.stop(child)
            log.seek(0)
            said = log.read().decode(errors="replace")[-2000:].strip()
        if status == 2:
            raise builds.Wrong(f"{build.name} does not take these words:\n{said}")
        if status != 0 or not file.exists():
            raise Failed(f"{build.name}: {' '.join(map(str, command))} ended with status {status}:\n{said}")
        return figures.flatten(json.loads(file.read_text()))


def rows_of(runs):
    """A row for each figure that both builds tell in each run, and the names of those that only some do.
    `runs` has lists of figures for `old` and `new`. Pure."""
    every = [set(one) for side in runs.values() for one in side]
    shared = set.intersection(*every)
    meant = [place for place in runs["new"][0] if place in shared and figures.direction(place)]
    rows = [figures.compare(place, [one[place] for one in runs["old"]], [one[place] for one in runs["new"]])
            for place in meant]
    lost = sorted(place for place in set.union(*every) - shared if figures.direction(place))
    return rows, lost


def both(options, programs):
    if options.old is None:  # The smallest form: the release build with itself.
        build = builds.Build("release", builds.release(programs))
        options.old = options.new = build.name
        return {"old": build, "new": build}
    # Both are looked at before one is built: a wrong word is told at once.
    for text in (options.old, options.new):
        builds.find(text, programs)
    return {"old": builds.get(options.old, programs), "new": builds.get(options.new, programs)}


def measure(options):
    programs, begin, smoke = MEASUREMENTS[options.what]
    words = [*(smoke if options.smoke else []), *options.words]
    pair_of = both(options, programs)
    if options.pairs < figures.pairs_needed() and not options.smoke:
        print(f"bench: no difference can be seen in fewer than {figures.pairs_needed()} pairs", flush=True)
    runs = {"old": [], "new": []}
    for pair in range(options.pairs):
        for side in order(pair):
            print(f"bench: pair {pair + 1} of {options.pairs}, {side} ({pair_of[side].name}) ...", flush=True)
            runs[side].append(run(pair_of[side], begin, words))
    rows, lost = rows_of(runs)
    print(table(rows, lost))
    if options.json:
        options.json.write_text(json.dumps(
            {"schema": "dunlin.bench.compare/1", "what": options.what, "words": words, "pairs": options.pairs,
             "old": options.old, "new": options.new, "p_seen": figures.P_SEEN, "figures": rows,
             "not_compared": lost, "runs": runs}, indent=2) + "\n")
    if options.picture:
        draw(rows, options).write(options.picture)
    return 0


def table(rows, lost):
    lines = ["", f"{'figure':<34} {'old':>12} {'new':>12} {'new/old':>8} {'p':>6}"]
    for row in rows:
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.3f}"
        lines.append(f"{row['figure']:<34} {row['old']:12.5g} {row['new']:12.5g} {ratio:>8} {row['p']:6.3f}  "
                     f"{row['verdict']}")
    lines += ["", "Medians; the ratio is the median of those of the pairs. p: that signs as unequal come by chance",
              f"(sign test, two-sided); above {figures.P_SEEN:g} no difference is seen. Of {len(rows)} figures "
              f"{len(rows) * figures.P_SEEN:.1f} are expected",
              "to seem different where nothing is."]
    if lost:
        lines.append(f"Told by one build alone, so not compared: {', '.join(lost)}")
    return "\n".join(lines)


def draw(rows, options):
    """The ratio of each pair as a ring, their median as a dot, on a scale of logarithms."""
    rows = [row for row in rows if row["ratio"]]
    picture = svg.Picture(840, 24 * len(rows) + 70)
    title = f"{options.what}: {options.new} ÷ {options.old}, {options.pairs} pairs"
    picture.words(10, 18, title, weight="bold")
    ratios = [ratio for row in rows for ratio in row["ratios"] if ratio]
    reach = max([abs(math.log10(ratio)) for ratio in ratios] + [math.log10(1.1)])
    bottom = 34 + 24 * len(rows)

    def at(ratio):
        return 450 + 220 * math.log10(ratio) / reach
    for mark in (10 ** -reach, 1.0, 10 ** reach):
        picture.line(at(mark), 30, at(mark), bottom, "#999" if mark == 1.0 else "#ddd")
        picture.words(at(mark), bottom + 16, f"{mark:.2f}", "middle", "#555")
    for number, row in enumerate(rows):
        y = 46 + 24 * number
        colour = {"better": svg.COLOURS[2], "worse": svg.COLOURS[1]}.get(row["verdict"], "#777")
        picture.words(10, y + 4, row["figure"])
        for ratio in row["ratios"]:
            if ratio:
                picture.dot(at(ratio), y, colour, open=True)
        picture.dot(at(row["ratio"]), y, colour, radius=4.5)
        picture.words(690, y + 4, row["verdict"], colour=colour)
    return picture
