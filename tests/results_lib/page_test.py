"""Tables of comparisons: digits, intervals, what is missing, and before beside after."""
import unittest

from results_lib import page


def row(settings, **figures):
    return {"settings": settings.split(), "figures": {name: value if value is None or isinstance(value, dict)
            else {"mean": value, "count": 1, "runs": 1} for name, value in figures.items()}}


class PageTest(unittest.TestCase):
    def test_three_digits(self):
        for value, text in ((0, "0"), (1234.5, "1,234"), (123.4, "123"), (12.34, "12.3"), (1.234, "1.23"),
                            (1.0, "1.00"), (12.0, "12.0"), (0.5, ".5"), (0.01234, ".0123"),
                            (-0.25, "-.25"), (-1234.5, "-1,234"), (0.0000123, "1.23e-05")):
            self.assertEqual(page.number(value), text)

    def test_a_figure_says_of_how_many_runs_it_is(self):
        self.assertEqual(page.cell(None), page.NOTHING)
        self.assertEqual(page.cell({"mean": None, "count": 0, "runs": 3}), page.NOTHING)
        self.assertEqual(page.cell({"mean": 12.3, "ci95": 0.4, "count": 3, "runs": 3}), "12.3 ± .4")
        self.assertEqual(page.cell({"mean": 12.3, "ci95": 0.4, "count": 2, "runs": 3}), "12.3 ± .4 (2 of 3)")
        self.assertEqual(page.cell({"mean": 12.3, "ci95": 0, "count": 1, "runs": 1}), "12.3")

    def test_a_row_for_each_combination(self):
        after = {"rows": [row("load=0.5 who=a", delay=1.5), row("load=0.5 who=b", delay=None)]}
        self.assertEqual(page.table(["delay"], after).splitlines(), [
            "| load | who | delay |", "| --- | --- | --- |", "| 0.5 | a | 1.50 |", "| 0.5 | b | – |"])

    def test_axes_of_a_star_that_a_row_does_not_set_are_empty(self):
        after = {"rows": [row("load=0.5", delay=1.5), row("load=0.5 hops=2", delay=3)]}
        self.assertEqual(page.table(["delay"], after).splitlines()[2:],
                         ["| 0.5 |  | 1.50 |", "| 0.5 | 2 | 3.00 |"])

    def test_before_beside_after(self):
        before = {"rows": [row("who=a", delay=2.0), row("who=gone", delay=9.0)]}
        after = {"rows": [row("who=a", delay=1.0), row("who=new", delay=4.0)]}
        self.assertEqual(page.table(["delay"], after, before).splitlines(), [
            "| who | delay, before | after | × |", "| --- | --- | --- | --- |",
            "| a | 2.00 | 1.00 | .5 |", "| new | – | 4.00 | – |"])

    def test_no_multiple_of_nothing(self):
        self.assertEqual(page.change({"mean": 0}, {"mean": 2}), page.NOTHING)
        self.assertEqual(page.change({"mean": 0}, {"mean": 0}), "1")
        self.assertEqual(page.change(None, {"mean": 2}), page.NOTHING)
        self.assertEqual(page.change({"mean": None}, {"mean": 2}), page.NOTHING)

    def entry(self, name, section, **more):
        return {"name": name, "section": section, "command": "dunlin-sim sweep x", "columns": ["delay"],
                "program": "abc", "seconds": 12.0, "after": {"rows": [row("who=a", delay=1.0)]},
                "before": None, "before_name": "", "why": ""} | more

    def test_the_page_names_commit_command_machine_and_what_is_not_there(self):
        text = page.page("1234abcd", "A machine.", [
            self.entry("one", "Traces"), self.entry("two", ""),
            self.entry("three", "Traces", after=None, why="there is no NGO")])
        for words in ("Commit 1234abcd. A machine.", "dunlin-sim sweep x", "12.0 s of processor time",
                      "Not run: there is no NGO.", "## What to set"):
            self.assertIn(words, text)
        self.assertEqual(text.count("## Traces"), 1)
        self.assertLess(text.index("### three"), text.index("### two"))
        self.assertNotIn("more than one program", text)

    def test_tables_of_two_programs_are_no_one_build(self):
        text = page.page("1234abcd", "", [self.entry("one", "A"), self.entry("two", "A", program="def")])
        self.assertIn("Of more than one program** (abc, def)", text)


if __name__ == "__main__":
    unittest.main()
