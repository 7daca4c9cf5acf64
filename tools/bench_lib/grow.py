"""How the cost of each axis grows: measured at n, 10 n and 100 n, an exponent fitted, and marked where it is
more than linear. It judges nothing: a person reads the marks."""
import json
import math
from statistics import median

from bench_lib import figures, svg
from bench_lib.agents import Cluster
from bench_lib.axes import AXES, Bench
from bench_lib.processes import Failed

STEPS = (1, 10, 100)
SMOKE_SIZES = (1, 2, 4)
PANEL = (400, 300)
COLUMNS = 3


def measure_axis(axis, sizes, options, say):
    """Figures by size, and why it ended before the last size; None if it did not."""
    found = {}
    for size in sizes:
        runs = []
        try:
            for _ in range(options.repeat):
                with Cluster(options.programs, axis.nodes, axis.cpus, axis.settings) as cluster:
                    runs.append(axis.measure(Bench(cluster, options.patience), size))
        except Failed as error:
            return found, f"at {size}: {error}"
        found[size] = {name: median(run[name] for run in runs) for name in runs[0]}
        say(size, found[size])
    return found, None


def smoke_axis(cluster, axis, options, say):
    """The same in the smallest form, at a cluster that is there."""
    found = {}
    for size in SMOKE_SIZES:
        bench = Bench(cluster, options.patience, hurry=True)
        try:
            found[size] = axis.measure(bench, size)
            bench.clear()
        except Failed as error:
            return found, f"at {size}: {error}"
        say(size, found[size])
    return found, None


def rows_of(found, judged=True):
    """A row for each figure of an axis: its costs by size and how they grow. Pure."""
    rows = []
    sizes = sorted(found)
    for name in found[sizes[0]] if sizes else []:
        costs = [found[size][name] for size in sizes]
        overall = figures.exponent(sizes, costs)
        last = figures.exponent(sizes[-2:], costs[-2:]) if len(sizes) > 1 else None
        rows.append({"figure": name, "sizes": sizes, "costs": costs, "exponent": overall, "last": last,
                     "too_fast": judged and figures.grows_too_fast(overall, last, costs[-1])})
    return rows


def measure(options):
    """Returns the exit status: 1 if an axis could not be measured to its end."""
    results = []

    def one(name, measured):
        axis = AXES[name]
        found, failed = measured(axis, lambda size, costs: print(
            f"  {name} {size:,}: " + "; ".join(f"{figure} {cost:.4g}" for figure, cost in costs.items()),
            flush=True))
        if failed:
            print(f"  {name}: FAILED {failed}", flush=True)
        results.append({"axis": name, "meaning": axis.meaning, "failed": failed,
                        "figures": rows_of(found, judged=not options.smoke)})

    if options.smoke:
        with Cluster(options.programs, 1, 2) as cluster:
            for name in options.axes:
                one(name, lambda axis, say: smoke_axis(cluster, axis, options, say))
    else:
        for name in options.axes:
            sizes = [AXES[name].least * step for step in STEPS]
            one(name, lambda axis, say: measure_axis(axis, sizes, options, say))
    print(table(results))
    if options.json:
        options.json.write_text(json.dumps(
            {"schema": "dunlin.bench.grow/1", "smoke": options.smoke, "repeat": options.repeat,
             "exponent_max": figures.EXPONENT_MAX, "axes": results}, indent=2) + "\n")
    if options.picture:
        draw(results).write(options.picture)
    return 1 if any(each["failed"] for each in results) else 0


def shown(number):
    return "-" if number is None else f"{number:.2f}"


def table(results):
    lines = ["", f"{'axis':<12} {'figure':<42} {'costs by size':<30} {'exponent':>8} {'last':>6}"]
    for each in results:
        sizes = each["figures"][0]["sizes"] if each["figures"] else []
        lines.append(f"{each['axis']}: {', '.join(f'{size:,}' for size in sizes)} {each['meaning']}"
                     + (f"; FAILED {each['failed']}" if each["failed"] else ""))
        for row in each["figures"]:
            costs = "  ".join(f"{cost:<8.3g}" for cost in row["costs"])
            lines.append(f"{'':<12} {row['figure']:<42} {costs:<30} {shown(row['exponent']):>8} "
                         f"{shown(row['last']):>6}{'  <-- more than linear' if row['too_fast'] else ''}")
    marked = sum(row["too_fast"] for each in results for row in each["figures"])
    lines += ["", f"{marked} marked: an exponent above {figures.EXPONENT_MAX:g}, or above "
              f"{figures.DECADE_MAX:g} of the last two sizes alone, and a cost of {figures.COST_MIN:g} or more.",
              "CPU s are processor seconds, and cores processor seconds a second, of the agent that is the",
              "jobs' home, without its warden and tasks."]
    return "\n".join(lines)


def draw(results):
    """A panel for each axis."""
    width, height = PANEL
    rows = math.ceil(len(results) / COLUMNS)
    picture = svg.Picture(width * min(COLUMNS, len(results)) + 10, height * rows + 10)
    for number, each in enumerate(results):
        place = (10 + width * (number % COLUMNS), 5 + height * (number // COLUMNS), width - 15, height - 10)
        series = {f"{row['figure']} ({shown(row['exponent'])})": list(zip(row["sizes"], row["costs"]))
                  for row in each["figures"]}
        svg.lines(picture, place, f"{each['axis']}: {each['meaning']}", series)
    return picture
