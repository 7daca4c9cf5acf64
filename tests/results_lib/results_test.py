"""tools/results with a made-up simulator: what is done is not run again, what fails does not stop the
rest, and the tables are of what was run."""
import contextlib
import io
import json
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from results_lib import __main__ as command
from results_lib.comparisons import COMPARISONS, EXPERIMENTS, Comparison

ROOT = EXPERIMENTS.parents[1]
# Two runs a sweep; notes what it was asked to do. A scenario of that name fails after the first.
FAKE = r"""#!/usr/bin/env python3
import json, sys
from pathlib import Path
words = sys.argv[1:]
folder = Path(words[words.index("--out") + 1])
trials = [folder / "trials" / f"MARK-{i}.json" for i in (1, 2)]
if "--print-commands" in words:
    for each in trials:
        print(f"dunlin-sim run {words[1]} --json '{each}'")
    sys.exit()
note = Path(__file__).parent / "asked"
note.open("a").write(words[1] + "\n")
(folder / "trials").mkdir(parents=True, exist_ok=True)
for i, each in enumerate(trials):
    if i == 1 and (Path(__file__).parent / "fails").exists() and "hello" in words[1]:
        sys.exit("no such luck")
    print(f"{i * 50} % after 1 s", file=sys.stderr)
    each.write_text(json.dumps({"cost": {"cpu_s": 2.5}}))
figure = {"mean": VALUE, "ci95": 0.5, "count": 2, "runs": 2}
(folder / "summary.json").write_text(json.dumps(
    {"rows": [{"settings": ["load=1"], "figures": {"delay": figure}}]}))
print("a table")
"""
MADE_UP = [Comparison("first", "Traces", "hello", "--axis load=1", "delay"),
           Comparison("second", "Sharing", "scale", "--axis load=1", "delay"),
           Comparison("traced", "Traces", "peers-ngo80", "--axis load=1", "delay")]


class ResultsTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.data = self.place / "data"
        (self.data / "tr").mkdir(parents=True)
        (self.data / "tr/NGO_trace80").write_text("")
        self.build("build", "cafe", 4.0)
        for name, value in (("results_lib.comparisons.COMPARISONS", MADE_UP),
                            ("results_lib.__main__.COMPARISONS", MADE_UP)):
            patch = mock.patch(name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def build(self, name, mark, value):
        file = self.place / name / "bin/dunlin-sim"
        file.parent.mkdir(parents=True)
        file.write_text(FAKE.replace("MARK", mark).replace("VALUE", str(value)))
        file.chmod(0o755)

    def results(self, *words, commit="1234abcd", build="build"):
        """Status, and what it printed for programs and for people."""
        out, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said), \
                mock.patch("bench_lib.processes.raise_on_signals"), \
                mock.patch("results_lib.__main__.commit_here", return_value=commit):
            try:
                status = command.main(["--build", str(self.place / build), "--data", str(self.data), "--out",
                                       str(self.place / "out"), *map(str, words)])
            except SystemExit as ended:
                status = ended.code
        return status, out.getvalue(), said.getvalue()

    def asked(self, build="build"):
        note = self.place / build / "bin/asked"
        return note.read_text().split() if note.exists() else []

    def page(self, commit="1234abcd"):
        return (self.place / "out" / commit / "results.md").read_text()

    def test_all_of_them_with_progress_and_tables(self):
        status, out, said = self.results()
        self.assertEqual(status, 0, said)
        self.assertEqual(len(self.asked()), 3)
        self.assertIn("3 of 3 comparisons", out)
        for words in ("[1 of 3] first: 2 runs, of which 0 are done", "[2 of 3] second: 50 % after 1 s"):
            self.assertIn(words, said)
        self.assertIn("| 1 | 4.00 ± .5 |", self.page())
        self.assertIn("Program cafe, 5.00 s of processor time; nothing from before.", self.page())
        self.assertEqual((self.place / "out/1234abcd/first/table.txt").read_text(), "a table\n")

    def test_what_is_done_is_not_run_again(self):
        self.results("--only", "first")
        status, _, said = self.results()
        self.assertEqual(status, 0)
        self.assertIn("first: done already", said)
        self.assertEqual(len(self.asked()), 3)
        # A run whose file is gone is left to do.
        (self.place / "out/1234abcd/second/trials/cafe-2.json").unlink()
        _, _, said = self.results()
        self.assertIn("second: 2 runs, of which 1 are done", said)
        self.assertEqual(len(self.asked()), 4)

    def test_another_program_begins_anew(self):
        self.results("--only", "first")
        self.build("other", "beef", 5.0)
        self.results("--only", "first", build="other")
        self.assertEqual(len(self.asked("other")), 1)
        self.assertIn("Program beef", self.page())

    def test_only_some(self):
        status, _, _ = self.results("--only", "second,first")
        self.assertEqual(status, 0)
        self.assertEqual(self.asked(), ["sim/experiments/hello.toml", "sim/experiments/scale.toml"])
        self.assertNotIn("### traced", self.page())

    def test_a_name_that_there_is_not(self):
        status, _, said = self.results("--only", "frist")
        self.assertEqual(status, 2)
        self.assertIn("no comparison 'frist': do you mean first?", said)
        self.assertEqual(self.results("--at-once", "0")[0], 2)
        self.assertEqual(self.results("--before", "nowhere")[0], 2)

    def test_dry_run_runs_nothing(self):
        status, out, _ = self.results("--dry-run", "--only", "first")
        self.assertEqual(status, 0)
        self.assertIn("first: 2 runs, of which 0 are done\n  dunlin-sim sweep sim/experiments/hello.", out)
        self.assertEqual(self.asked(), [])
        self.assertFalse((self.place / "out").exists())

    def test_a_missing_trace_leaves_one_out(self):
        (self.data / "tr/NGO_trace80").unlink()
        status, _, said = self.results()
        self.assertEqual(status, 1)
        self.assertIn("traced: left out, there is no", said)
        self.assertIn("Not run: there is no NGO_trace80.", self.page())
        self.assertEqual(len(self.asked()), 2)
        self.assertEqual(self.results("--dry-run")[0], 1)

    def test_one_that_fails_does_not_stop_the_rest(self):
        (self.place / "build/bin/fails").write_text("")
        status, _, said = self.results()
        self.assertEqual(status, 1)
        self.assertIn("first: failed: 0 % after 1 s\nno such luck", said)
        self.assertIn("results: not there: first", said)
        self.assertIn("Not run: it failed.", self.page())
        # It goes on where it stopped.
        (self.place / "build/bin/fails").unlink()
        status, _, said = self.results()
        self.assertEqual(status, 0)
        self.assertIn("first: 2 runs, of which 1 are done", said)

    def test_before_stands_beside_after(self):
        self.results(commit="0000aaaa")
        self.build("other", "beef", 5.0)
        self.results(build="other")
        self.assertIn("before: 0000aaaa.", self.page())
        self.assertIn("| 1 | 4.00 ± .5 | 5.00 ± .5 | 1.25 |", self.page())
        self.results("--page", "--before", self.place / "out/1234abcd", build="other")
        self.assertIn("| 1 | 5.00 ± .5 | 5.00 ± .5 | 1 |", self.page())

    def test_the_page_alone_runs_nothing(self):
        self.results("--only", "first")
        status, out, _ = self.results("--page")
        self.assertEqual(status, 1)
        self.assertIn("1 of 3 comparisons", out)
        self.assertIn("Not run: it has not been run.", self.page())
        self.assertEqual(len(self.asked()), 1)

    def test_a_build_of_another_commit(self):
        self.results("--only", "first", "--commit", "v1.0")
        self.assertIn("Commit v1.0.", self.page("v1.0"))
        self.assertEqual(self.results("--commit", "../elsewhere")[0], 2)

    def test_no_build(self):
        status, _, said = self.results(build="nowhere")
        self.assertEqual(status, 2)
        self.assertIn("no bin/dunlin-sim in", said)


class ComparisonsTest(unittest.TestCase):
    def test_names_are_different_and_good_for_folders(self):
        names = [each.name for each in COMPARISONS]
        self.assertEqual(len(names), len(set(names)))
        for name in names:
            self.assertRegex(name, "^[a-z0-9-]+$")

    def test_each_has_a_scenario_something_to_vary_and_figures_that_there_are(self):
        known = set(re.findall(r'"([a-z][a-z0-9_]*)"', (ROOT / "sim/study/figures.cc").read_text()))
        for each in COMPARISONS:
            self.assertTrue(each.file.exists(), each.name)
            self.assertTrue(each.content().get("sweep", {}).get("axes") or "--axis" in each.words, each.name)
            for column in each.columns():
                self.assertIn(column, known, each.name)

    def test_no_study_is_forgotten(self):
        used = {each.file for each in COMPARISONS}
        for file in EXPERIMENTS.glob("*.toml"):
            if "\n[sweep]" in file.read_text():
                self.assertTrue(file in used, file)

    def test_each_stands_in_a_section_and_in_the_table_of_what_is_of_which_commit(self):
        text = (ROOT / "docs/lab/results.md").read_text()
        for each in COMPARISONS:
            if each.section:
                self.assertTrue(f"\n## {each.section}\n" in text, each.section)
            self.assertTrue(f"`{each.name}`" in text, each.name)


if __name__ == "__main__":
    unittest.main()
