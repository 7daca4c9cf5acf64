"""compare, grow and start of tools/bench."""
import argparse
import subprocess
import sys
from pathlib import Path

from bench_lib import builds, compare, grow, processes, start
from bench_lib.axes import AXES
from bench_lib.builds import Wrong
from bench_lib.processes import Failed

BUILD_HELP = "with bin/dunlin (default: the release build here, brought up to date)"
NUMBER_MAX = 100_000


def number(text):
    """A whole number above 0."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if not 1 <= value <= NUMBER_MAX:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 1 to {NUMBER_MAX:,}")
    return value


def seconds(text):
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= NUMBER_MAX:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds above 0")
    return value


def axes(text):
    names = text.split(",")
    for name in names:
        if name not in AXES:
            raise argparse.ArgumentTypeError(f"no axis '{name}' (there are: {' '.join(AXES)})")
    return names


def file(text):
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"'{text}' is no file that can be written: its folder must exist")
    return path.resolve()


def parser_of():
    parser = argparse.ArgumentParser(prog="tools/bench", allow_abbrev=False)
    parts = parser.add_subparsers(dest="command", required=True)

    def part(name, help, smoke):
        made = parts.add_parser(name, help=help, description=help, allow_abbrev=False)
        made.add_argument("--json", type=file, metavar="FILE", help="figures for a script")
        made.add_argument("--picture", type=file, metavar="FILE",
                          help="an SVG (with --json: beside that file)")
        made.add_argument("--smoke", action="store_true", help=smoke)
        return made

    made = part("compare", "two builds in turns", "one pair, in the smallest form there is")
    made.add_argument("old", nargs="?", metavar="OLD", help="a folder of a build, or a git revision")
    made.add_argument("new", nargs="?", metavar="NEW")
    made.add_argument("--what", choices=list(compare.MEASUREMENTS), default="live")
    made.add_argument("--pairs", type=number, help="runs of each (default 8)")

    made = part("grow", "how cost grows with work", "each axis in its smallest form; no figure to quote")
    made.add_argument("--axis", dest="axes", type=axes, default=list(AXES), metavar="NAME,...",
                      help=f"only these (default all: {' '.join(AXES)})")
    made.add_argument("--repeat", type=number, default=1, help="runs of each size; their medians count")
    made.add_argument("--patience", type=seconds, default=90.0, metavar="S",
                      help="what takes longer is told as failed (default 90)")
    made.add_argument("--build", metavar="FOLDER", help=BUILD_HELP)

    made = part("start", "from submit to first instruction", "few starts, at two agents")
    made.add_argument("--trace", action="store_true", help="the time at each hand-over")
    made.add_argument("--starts", type=number, help="default 200")
    made.add_argument("--nodes", type=number, help="agents of one CPU (default 8)")
    made.add_argument("--build", metavar="FOLDER", help=BUILD_HELP)
    return parser


def options_of(words):
    parser = parser_of()
    at = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:at])
    options.words = words[at + 1:]
    if options.words and options.command != "compare":
        parser.error("words behind -- are for compare")
    if options.json and not options.picture:
        options.picture = options.json.with_suffix(".svg")
    if options.command == "compare":
        options.pairs = options.pairs or (1 if options.smoke else 8)
        if options.new is None and not (options.smoke and options.old is None):
            parser.error("compare needs OLD and NEW: folders of a build, or git revisions")
        if "--json" in options.words:
            parser.error("--json is said before --: it has the figures of all runs")
        return options
    options.needed = ["dunlin", "dunlin-warden"] + (["dunlin-stamp"] if options.command == "start" else [])
    if options.build is not None:
        try:
            options.programs = builds.find_folder(options.build, options.needed).folder
        except Wrong as error:
            parser.error(str(error))
    if options.command == "start":
        options.starts = options.starts or (5 if options.smoke else 200)
        options.nodes = options.nodes or (2 if options.smoke else 8)
    return options


def main(words):
    options = options_of(words)
    processes.raise_on_signals()
    try:
        if options.command != "compare" and options.build is None:
            options.programs = builds.release(options.needed)
        return {"compare": compare, "grow": grow, "start": start}[options.command].measure(options)
    except Wrong as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    except (Failed, OSError, subprocess.CalledProcessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
