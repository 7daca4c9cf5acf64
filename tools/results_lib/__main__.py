"""Runs the comparisons of docs/lab/results.md again, all on one commit.

Each is a sweep of the simulator, whose results go to OUT/COMMIT/NAME: what is done there is not run again,
so that a run which was broken off goes on. The tables, before and after side by side, are
OUT/COMMIT/results.md; results of another commit in OUT are what was before.
"""
import argparse
import difflib
import os
import platform
import re
import sys
import time
from pathlib import Path

from bench_lib import builds, processes
from bench_lib.builds import Wrong
from bench_lib.processes import Failed
from results_lib import page
from results_lib.comparisons import COMPARISONS, choose
from results_lib.sweeps import ROOT, Sweep, program_of, read_summary

PROGRAM = "dunlin-sim"
# What the simulator is made of: a change elsewhere does not change a figure.
SOURCES = ["cmake", "config", "overlay", "sched", "sim", "CMakeLists.txt", "CMakePresets.json"]
AT_ONCE_MAX = 1000


def names(text):
    try:
        return choose(text.split(","))
    except KeyError as wrong:
        name = wrong.args[0]
        near = difflib.get_close_matches(name, [each.name for each in COMPARISONS], 3)
        hint = f": do you mean {' or '.join(near)}?" if near else ": --list has all"
        raise argparse.ArgumentTypeError(f"no comparison '{name}'{hint}") from None


def count(text):
    if not re.fullmatch("[0-9]{1,4}", text) or not 1 <= int(text) <= AT_ONCE_MAX:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 1 to {AT_ONCE_MAX:,}")
    return int(text)


def folder(text):
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"no folder '{text}'")
    return Path(text).resolve()


def options_of(words):
    parser = argparse.ArgumentParser(prog="tools/results", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=names, default=COMPARISONS, metavar="NAME,...", help="only these")
    parser.add_argument("--list", action="store_true", help="the names, with where their tables stand")
    parser.add_argument("--dry-run", action="store_true", help="say what would run, and run nothing")
    parser.add_argument("--page", action="store_true",
                        help="only make the tables of what has been run already")
    parser.add_argument("--build", metavar="FOLDER", help=f"with bin/{PROGRAM} (default: the release build "
                        "here, brought up to date)")
    parser.add_argument("--commit", metavar="NAME", help="with --build: the commit that was built "
                        "there (default: that of this tree)")
    parser.add_argument("--before", type=folder, metavar="FOLDER",
                        help="the results of a commit (default: those run last, of another commit)")
    parser.add_argument("--data", default=ROOT.parent / "shared/data", metavar="DIR", help="the folder of "
                        "traces (default ../shared/data)")
    parser.add_argument("--out", type=Path, default=ROOT / "results/lab", help="(default results/lab)")
    parser.add_argument("-j", "--at-once", type=count, default=1, metavar="N",
                        help="runs at a time (default 1: figures of processor time want a quiet machine)")
    options = parser.parse_args(words)
    if options.commit is not None and options.build is None:
        parser.error("--commit says what --build is of: without one this tree is built")
    if options.commit is not None and not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]*", options.commit):
        parser.error(f"--commit {options.commit}: it names a folder, of letters, digits, dots and dashes")
    options.out, options.data = options.out.resolve(), Path(options.data).resolve()
    return options


def commit_here():
    """The commit whose sources these are; marked where they have been changed since."""
    name = builds.git("rev-parse", "--short=8", "HEAD")
    return name + ("-changed" if builds.git("status", "--porcelain", "--", *SOURCES) else "")


def machine():
    """The processor, cores and memory, for the head of the page."""
    model = platform.machine()
    cpus = Path("/proc/cpuinfo")
    if cpus.exists() and (found := re.search(r"^model name\s*:\s*(.*)$", cpus.read_text(), re.M)):
        model = found[1]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.release()}, "
            f"{time.strftime('%Y-%m-%d')}.")


def before_of(out, here):
    """The results of another commit that were run last; None if there are none."""
    others = [each for each in out.glob("*") if each.is_dir() and each.name != here]
    return max(others, key=lambda each: each.stat().st_mtime, default=None)


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(sweep, place):
    """Why it could not be run; empty if it is done."""
    name = sweep.comparison.name
    if trace := sweep.lacks():
        say(f"{place} {name}: left out, there is no {trace}")
        return f"there is no {Path(trace).name}"
    try:
        trials = sweep.trials()
        done = sum(each.exists() for each in trials)
        if done == len(trials) and sweep.summary() is not None:
            say(f"{place} {name}: done already")
            return ""
        say(f"{place} {name}: {len(trials)} runs, of which {done} are done")
        sweep.run(lambda line: say(f"{place} {name}: {line}"))
        return ""
    except Failed as error:
        say(f"{place} {name}: failed: {error}")
        return "it failed"


def entry_of(sweep, why, before):
    comparison = sweep.comparison
    entry = {"name": comparison.name, "section": comparison.section, "columns": comparison.columns(),
             "command": sweep.told(), "why": why or "it has not been run", "before_name": "",
             "after": None, "before": None, "program": "", "seconds": 0.0}
    try:
        trials = [] if sweep.lacks() else sweep.trials()
    except Failed as error:
        return entry | {"why": str(error)}
    # Results of another program lie beside: they count only where this one's are all there.
    if trials and all(each.exists() for each in trials):
        entry |= {"after": sweep.summary(), "program": program_of(trials), "seconds": sweep.costs(trials)}
    if before is not None:
        entry |= {"before": read_summary(before / comparison.name), "before_name": before.name}
    return entry


def dry_run(sweeps):
    status = 0
    for sweep in sweeps:
        if trace := sweep.lacks():
            print(f"{sweep.comparison.name}: cannot run, there is no {trace}")
            status = 1
            continue
        try:
            trials = sweep.trials()
        except Failed as error:
            print(f"{sweep.comparison.name}: cannot run: {error}")
            status = 1
            continue
        print(f"{sweep.comparison.name}: {len(trials)} runs, of which {sum(e.exists() for e in trials)} are "
              f"done\n  {sweep.told()}")
    return status


def measure(options):
    programs = (builds.release([PROGRAM]) if options.build is None
                else builds.find_folder(options.build, [PROGRAM]).folder)
    commit = options.commit or commit_here()
    out = options.out / commit
    before = options.before or before_of(options.out, commit)
    sweeps = [Sweep(each, programs / PROGRAM, out, options.data, options.at_once) for each in options.only]
    if options.dry_run:
        return dry_run(sweeps)
    reasons = {}
    if not options.page:
        for index, sweep in enumerate(sweeps, 1):
            reasons[sweep.comparison.name] = run(sweep, f"[{index} of {len(sweeps)}]")
    out.mkdir(parents=True, exist_ok=True)
    entries = [entry_of(sweep, reasons.get(sweep.comparison.name, ""), before) for sweep in sweeps]
    file = out / "results.md"
    file.write_text(page.page(commit, machine(), entries), encoding="utf-8")
    missing = [entry["name"] for entry in entries if entry["after"] is None]
    print(f"{file}: {len(entries) - len(missing)} of {len(entries)} comparisons")
    if missing:
        say(f"results: not there: {' '.join(missing)}")
    return 1 if missing else 0


def main(words):
    options = options_of(words)
    if options.list:
        width = max(len(each.name) for each in options.only)
        for each in options.only:
            print(f"{each.name:{width}}  {each.section or 'docs/guide/tuning.md'}")
        return 0
    processes.raise_on_signals()
    try:
        return measure(options)
    except Wrong as error:
        print(f"results: {error}", file=sys.stderr)
        return 2
    except (Failed, OSError) as error:
        print(f"results: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        say("results: broken off; the same words go on where it stopped")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
