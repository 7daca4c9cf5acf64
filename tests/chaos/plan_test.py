"""Faults are drawn from a seed, alike on every machine, and only such as can be undone by themselves."""
import random
import unittest

from chaos_lib import plan
from chaos_lib.plan import Fault, Plan, together

NODES = 5


def rounds(seed, number, kinds=plan.KINDS):
    drawn = Plan(random.Random(seed), kinds, NODES)
    return [drawn.next_round() for _ in range(number)]


class PlanTest(unittest.TestCase):
    def test_same_seed_same_plan(self):
        self.assertEqual(rounds(7, 50), rounds(7, 50))
        self.assertNotEqual(rounds(7, 50), rounds(8, 50))

    def test_order_in_which_kinds_are_named_does_not_matter(self):
        self.assertEqual(rounds(7, 50, list(plan.KINDS)), rounds(7, 50, list(reversed(plan.KINDS))))

    def test_no_kind_is_forgotten(self):
        drawn = [fault.kind for each in rounds(1, 60) for fault in each]
        self.assertEqual(set(drawn), set(plan.KINDS))
        # Dealt from a deck: none comes much more often than another one.
        counts = [drawn.count(kind) for kind in plan.KINDS]
        self.assertLessEqual(max(counts), 2 * min(counts) + 2, dict(zip(plan.KINDS, counts)))

    def test_faults_of_a_round_go_together(self):
        for each in rounds(2, 300):
            self.assertTrue(1 <= len(each) <= 3)
            for one in each:
                for other in each:
                    self.assertTrue(one is other or together(one, other), each)

    def test_databases_are_destroyed_one_at_a_time(self):
        since = plan.DATABASE_ROUNDS
        for each in rounds(3, 300):
            destroys = sum(plan.KINDS[fault.kind].scope == "database" for fault in each)
            self.assertLessEqual(destroys, 1)
            if destroys:
                self.assertGreaterEqual(since, plan.DATABASE_ROUNDS)
            since = 1 if destroys else since + 1

    def test_nodes_exist_and_neither_half_is_empty(self):
        for each in rounds(4, 300):
            for fault in each:
                self.assertTrue(all(0 <= node < NODES for node in fault.nodes), fault)
                if fault.kind == "halves":
                    self.assertTrue(0 < len(fault.nodes) < NODES, fault)
                if fault.kind == "one-way":
                    self.assertNotEqual(*fault.nodes)

    def test_one_kind_alone_still_gives_rounds(self):
        for kind in plan.KINDS:
            drawn = rounds(5, 5, [kind])
            self.assertEqual({fault.kind for each in drawn for fault in each}, {kind})

    def test_a_node_has_one_fault_of_its_own_at_a_time(self):
        self.assertFalse(together(Fault("kill-agent", (1,)), Fault("disk-full", (1,))))
        self.assertTrue(together(Fault("kill-agent", (1,)), Fault("disk-full", (2,))))
        self.assertFalse(together(Fault("lose-database", (1,)), Fault("disk-full", (1,))))

    def test_what_is_undone_for_all_is_done_once(self):
        self.assertFalse(together(Fault("halves", (1,)), Fault("loss", (2,))))
        self.assertTrue(together(Fault("halves", (1,)), Fault("kill-agent", (1,))))

    def test_keys_change_while_nodes_can_be_reached(self):
        self.assertFalse(together(Fault("rotate-keys", (0, 1)), Fault("halves", (1,))))
        self.assertFalse(together(Fault("stop-agent", (1,)), Fault("rotate-keys", (0, 1))))
        self.assertTrue(together(Fault("rotate-keys", (0, 1)), Fault("flood")))

    def test_restarts_in_turn_are_alone(self):
        for kind in plan.KINDS:
            self.assertFalse(together(Fault("restart-all", (0,)), Fault(kind, (1,))))

    def test_short_campaigns_have_short_faults(self):
        drawn = Plan(random.Random(1), plan.KINDS, NODES, hold_max=6)
        holds = {fault.hold for _ in range(100) for fault in drawn.next_round()}
        self.assertEqual(holds, {2, 4, 6})

    def test_a_fault_reads_well(self):
        fault = Fault("loss", (0, 2), 8, {"percent": 20})
        self.assertEqual(str(fault), "loss node1 node3 percent=20 for 8 s")


if __name__ == "__main__":
    unittest.main()
