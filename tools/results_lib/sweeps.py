"""One sweep of the simulator: which runs it consists of, which are done, and running what is left."""
import json
import shlex
import subprocess
import sys
from pathlib import Path

from bench_lib.processes import Failed, begin, stop

ROOT = Path(__file__).resolve().parents[2]
TOLD_MAX = 3000  # Characters of what a simulator said that failed.


class Sweep:
    """A comparison, its folder of results, and the program that makes them."""

    def __init__(self, comparison, program, out, data, at_once):
        self.comparison, self.program = comparison, program
        self.folder = out / comparison.name
        self.data, self.at_once = data, at_once

    def command(self):
        return [str(self.program), *self.comparison.command(self.folder, self.data, self.at_once)]

    def told(self):
        """The command for people: with the program's name alone."""
        return shlex.join(["dunlin-sim", *self.command()[1:]])

    def lacks(self):
        """The trace that it needs and that is not there; empty if it can run."""
        trace = self.comparison.trace()
        return "" if not trace or (Path(self.data) / trace).exists() else str(Path(self.data) / trace)

    def trials(self):
        """The files that its runs leave, one each. A run whose file is there is done."""
        done = subprocess.run([*self.command(), "--print-commands"], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{self.told()} --print-commands: {done.stderr.strip()[-TOLD_MAX:]}")
        files = []
        for line in done.stdout.splitlines():
            words = shlex.split(line)
            files.append(Path(words[words.index("--json") + 1]))
        return files

    def run(self, say):
        """Runs what is left, and has the tables made of all. `say` gets each line of progress."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "table.txt", "w", encoding="utf-8") as table:
            child = begin(self.command(), cwd=ROOT, stdout=table, stderr=subprocess.PIPE, text=True)
            lines = []
            try:
                for line in child.stderr:
                    lines.append(line)
                    if line.strip():
                        say(line.rstrip())
                status = child.wait()
            finally:
                stop(child)
        if status != 0:
            raise Failed("".join(lines)[-TOLD_MAX:].strip() or f"status {status}")

    def summary(self):
        """What came of it; None if it has not ended yet."""
        return read_summary(self.folder)

    def costs(self, trials):
        """Processor seconds of all its runs, whenever they ran."""
        total = 0.0
        for file in trials:
            cost = json.loads(file.read_text(encoding="utf-8")).get("cost", {})
            total += cost.get("cpu_s") or 0.0
        return total


def read_summary(folder):
    file = folder / "summary.json"
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        print(f"results: {file} is no JSON, and is taken for missing", file=sys.stderr)
        return None


def program_of(trials):
    """The mark of the program's bytes, with which the names of its results begin."""
    return trials[0].name.partition("-")[0] if trials else ""
