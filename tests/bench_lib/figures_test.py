"""What is reckoned from measurements: tests of signs, exponents, and which way a figure is better."""
import unittest

from bench_lib import figures


class SignTest(unittest.TestCase):
    def test_all_one_way(self):
        # 2 * (1/2)^6: the fewest pairs below .05.
        self.assertAlmostEqual(figures.sign_test([1] * 6), 0.03125)
        self.assertAlmostEqual(figures.sign_test([-1] * 5), 0.0625)
        self.assertEqual(figures.pairs_needed(), 6)

    def test_one_of_eight_the_other_way(self):
        # 2 * (1 + 8) / 256.
        self.assertAlmostEqual(figures.sign_test([1] * 7 + [-1]), 0.0703125)

    def test_even_and_equal_tell_nothing(self):
        self.assertEqual(figures.sign_test([1, -1, 1, -1]), 1.0)
        self.assertEqual(figures.sign_test([0, 0]), 1.0)
        self.assertEqual(figures.sign_test([1] * 6 + [0] * 10), figures.sign_test([1] * 6))


class ExponentTest(unittest.TestCase):
    def test_powers(self):
        sizes = [10, 100, 1000]
        for power in (0, 1, 1.5, 2):
            self.assertAlmostEqual(figures.exponent(sizes, [3 * size ** power for size in sizes]), power)

    def test_costs_of_nothing_have_no_logarithm(self):
        self.assertAlmostEqual(figures.exponent([10, 100, 1000], [0, 5, 50]), 1)
        self.assertIsNone(figures.exponent([10, 100], [0, 5]))
        self.assertIsNone(figures.exponent([], []))

    def test_marks(self):
        self.assertTrue(figures.grows_too_fast(1.2, 1.2, 1.0))
        self.assertFalse(figures.grows_too_fast(1.05, 1.2, 1.0))  # Noise of one decade.
        self.assertTrue(figures.grows_too_fast(0.8, 1.6, 1.0))  # Hidden by a fixed part at small sizes.
        self.assertFalse(figures.grows_too_fast(2.0, 2.0, 0.001))  # Too little to be told from noise.
        self.assertFalse(figures.grows_too_fast(None, None, 1.0))


class PercentileTest(unittest.TestCase):
    def test_between_closest_ranks(self):
        self.assertEqual(figures.percentile([4, 1, 3, 2], 50), 2.5)
        self.assertEqual(figures.percentile([1, 2, 3], 100), 3)
        self.assertAlmostEqual(figures.percentile(list(range(101)), 99), 99)
        self.assertEqual(figures.percentile([7], 99), 7)


class CompareTest(unittest.TestCase):
    def verdict(self, place, old, new):
        return figures.compare(place, old, new)["verdict"]

    def test_directions(self):
        up = ["tasks_per_s", "ratio", "one_node.ratio", "ratio_default", "peers_1m.events_per_s",
              "acknowledged_per_s"]
        down = ["start_ms.p50", "submit_us.p99", "rest.bytes_per_s", "rest.cpu_percent", "rest.rss_mib",
                "peers_1m.cpu_s", "peers_1m.rss_gb", "peers_100k.bytes_per_peer"]
        neither = ["shrink", "peers_1m.peers", "peers_1m.events", "kills.jobs", "plan"]
        for places, sign in ((up, 1), (down, -1), (neither, 0)):
            for place in places:
                self.assertEqual(figures.direction(place), sign, place)

    def test_words(self):
        low, high = [1.0, 1.1, 1.2, 1.0, 1.1, 1.2], [2.0, 2.1, 2.2, 2.0, 2.1, 2.2]
        self.assertEqual(self.verdict("tasks_per_s", low, high), "better")
        self.assertEqual(self.verdict("tasks_per_s", high, low), "worse")
        self.assertEqual(self.verdict("start_ms.p50", low, high), "worse")
        self.assertEqual(self.verdict("start_ms.p50", high, low), "better")
        self.assertEqual(self.verdict("one_node.xargs_tasks_per_s", low, high), "the machine moved")
        self.assertEqual(self.verdict("tasks_per_s", low[:5], high[:5]), "no difference seen")

    def test_ratio_is_of_pairs(self):
        # The machine became four times as fast: medians of sides alone would tell of a tie at best.
        row = figures.compare("tasks_per_s", [100, 200, 400], [110, 220, 440])
        self.assertAlmostEqual(row["ratio"], 1.1)
        self.assertEqual((row["old"], row["new"]), (200, 220))

    def test_nothing_before(self):
        self.assertIsNone(figures.compare("rest.cpu_percent", [0, 1], [1, 1])["ratio"])
        self.assertEqual(figures.compare("rest.cpu_percent", [0, 0], [0, 0])["ratio"], 1)

    def test_flatten(self):
        told = {"schema": "x/1", "a": {"p50": 1, "list": [2, {"b": 3.5}]}, "on": True, "none": None}
        self.assertEqual(figures.flatten(told), {"a.p50": 1.0, "a.list[0]": 2.0, "a.list[1].b": 3.5})


if __name__ == "__main__":
    unittest.main()
