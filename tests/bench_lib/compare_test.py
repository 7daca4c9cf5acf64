"""Two builds are found or made, run in turns, and told apart by what both tell."""
import contextlib
import io
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

from bench_lib import __main__ as command
from bench_lib import builds, compare
from bench_lib.processes import Failed

PROGRAMS = ["dunlin", "dunlin-bench"]
# Notes that it ran, and writes figures.
FAKE = """#!/bin/sh
here=$(dirname "$0")
echo "$here" >>"$here/../../ran"
while [ $# -gt 1 ]; do
  [ "$1" = --json ] && file=$2
  [ "$1" = --fail ] && { echo "no such luck"; exit "$2"; }
  shift
done
[ -z "$file" ] || echo '{"tasks_per_s": SPEED, "xargs_tasks_per_s": 50, "plan": ""}' >"$file"
"""


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class CompareTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        for name, speed in (("old", "100"), ("new", "110")):
            for each in compare.AGENTS:
                program(self.place / name / "bin" / each, FAKE.replace("SPEED", speed))

    def bench(self, *words):
        """Status and what was printed."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), \
                mock.patch("bench_lib.processes.raise_on_signals"):
            try:
                status = command.main(["compare", *map(str, words)])
            except SystemExit as ended:
                status = ended.code
        return status, out.getvalue()

    def test_in_turns(self):
        file = self.place / "figures.json"
        status, said = self.bench(self.place / "old", self.place / "new", "--pairs", "6", "--json", file)
        self.assertEqual(status, 0, said)
        ran = [Path(line).parent.name for line in (self.place / "ran").read_text().split()]
        self.assertEqual(ran, ["old", "new", "new", "old"] * 3)
        self.assertRegex(said, r"tasks_per_s +100 +110 +1\.100 +0\.031 +better")
        self.assertRegex(said, r"xargs_tasks_per_s +50 +50 +1\.000 +1\.000 +no difference seen")
        self.assertEqual(ElementTree.parse(file.with_suffix(".svg")).getroot().tag,
                         "{http://www.w3.org/2000/svg}svg")

    def test_words_behind_the_bar_are_the_measurements(self):
        status, said = self.bench(self.place / "old", self.place / "new", "--", "--fail", "1", "x")
        self.assertEqual(status, 1)
        self.assertIn("no such luck", said)
        status, said = self.bench(self.place / "old", self.place / "new", "--", "--fail", "2", "x")
        self.assertEqual(status, 2, said)

    def test_wrong_words(self):
        wrong = [(["--pairs", "0", "a", "b"], "whole number"), ([self.place / "old"], "needs OLD and NEW"),
                 ([self.place, self.place / "new"], "build it with"),
                 ([self.place / "old", "no-such-revision"], "neither a folder of a build nor a git revision"),
                 (["--json", self.place / "none/x", "a", "b"], "folder must exist")]
        for words, why in wrong:
            status, said = self.bench(*words)
            self.assertEqual(status, 2, said)
            self.assertIn(why, said)

    def test_only_what_both_tell_is_compared(self):
        runs = {"old": [{"tasks_per_s": 1.0, "ratio": 1.0}],
                "new": [{"tasks_per_s": 2.0, "start_ms.p50": 3.0}]}
        rows, lost = compare.rows_of(runs)
        self.assertEqual([row["figure"] for row in rows], ["tasks_per_s"])
        self.assertEqual(lost, ["ratio", "start_ms.p50"])


@unittest.skipUnless(shutil.which("git"), "no git")
class BuildsTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = Path(place.name) / "source"
        self.root.mkdir()
        tools = Path(place.name) / "tools"
        # In place of a build: the words, and the programs that it was asked for.
        program(tools / "cmake", '#!/bin/sh\necho "$*" >>"$PWD/said"\n[ "$1" = --preset ] && exit\n'
                                 'mkdir -p "$2/bin"\ntouch "$2/bin/dunlin" "$2/build.ninja"\n')
        for patch in (mock.patch.object(builds, "ROOT", self.root),
                      mock.patch.dict(os.environ, {"PATH": f"{tools}:{os.environ['PATH']}"})):
            patch.start()
            self.addCleanup(patch.stop)
        self.git("init", "--quiet")
        self.commit('{"configurePresets": [{"name": "base"}, {"name": "package"}]}')
        self.commit('{"configurePresets": [{"name": "package"}, {"name": "release"}]}')

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=x", "-c", "user.email=x@x", *words],
                       check=True, capture_output=True)

    def commit(self, presets):
        (self.root / "CMakePresets.json").write_text(presets)
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "more")

    def get(self, text):
        with contextlib.redirect_stdout(io.StringIO()):
            return builds.get(text, PROGRAMS)

    def test_a_revision_is_built_by_its_own_preset(self):
        for revision, preset in (("HEAD", "release"), ("HEAD~1", "package")):
            build = self.get(revision)
            commit = builds.git("rev-parse", revision)[:12]
            source = self.root / "build/compare" / commit
            self.assertEqual(build, builds.Build(commit, source / "build" / preset / "bin"))
            said = (source / "said").read_text()
            self.assertIn(f"--preset {preset} -DDUNLIN_TESTS=OFF", said)
            self.assertIn("--target dunlin dunlin-bench", said)

    def test_a_second_time_it_is_there(self):
        first, second = self.get("HEAD"), self.get("HEAD")
        self.assertEqual(first, second)
        said = (first.folder.parents[2] / "said").read_text()
        self.assertEqual((said.count("--preset"), said.count("--build")), (1, 2))

    def test_the_release_build_here_is_brought_up_to_date(self):
        program(self.root / "tools/install-packages", '#!/bin/sh\necho "$1" >packages\n')
        with contextlib.redirect_stdout(io.StringIO()), contextlib.chdir(self.root):
            self.assertEqual(builds.release(PROGRAMS), self.root / "build/release/bin")
        self.assertEqual((self.root / "packages").read_text(), "build\n")
        self.assertIn("--target dunlin dunlin-bench", (self.root / "said").read_text())

    def test_one_without_presets_is_for_people(self):
        self.commit('{"configurePresets": [{"name": "dev"}]}')
        with self.assertRaisesRegex(Failed, "no preset release or package"):
            self.get("HEAD")


if __name__ == "__main__":
    unittest.main()
