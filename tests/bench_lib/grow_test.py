"""What is told of axes and starts, from made-up measurements; and a client beside a made-up agent."""
import json
import socket
import struct
import tempfile
import threading
import unittest
from pathlib import Path
from xml.etree import ElementTree

from bench_lib import axes, grow, start
from bench_lib.connection import Connection
from bench_lib.processes import Failed


class GrowTest(unittest.TestCase):
    SQUARE = {10: {"submit": 0.01, "rest": 1e-4}, 100: {"submit": 0.1, "rest": 1e-2},
              1000: {"submit": 1.0, "rest": 1.0}}

    def test_more_than_linear_is_marked(self):
        rows = {row["figure"]: row for row in grow.rows_of(self.SQUARE)}
        self.assertAlmostEqual(rows["submit"]["exponent"], 1)
        self.assertFalse(rows["submit"]["too_fast"])
        self.assertAlmostEqual(rows["rest"]["exponent"], 2)
        self.assertTrue(rows["rest"]["too_fast"])
        self.assertFalse(any(row["too_fast"] for row in grow.rows_of(self.SQUARE, judged=False)))

    def test_what_failed_is_told_with_what_was_measured(self):
        results = [{"axis": "held", "meaning": "jobs on hold", "figures": grow.rows_of(self.SQUARE),
                    "failed": None},
                   {"axis": "fan", "meaning": "jobs after one", "figures": grow.rows_of({}),
                    "failed": "at 30: x"}]
        text = grow.table(results)
        self.assertRegex(text, r"rest .* 2\.00 +2\.00 +<-- more than linear")
        self.assertIn("FAILED at 30: x", text)
        ElementTree.fromstring(grow.draw(results).text())

    def test_each_axis_has_sizes_that_a_client_may_have(self):
        for name, axis in axes.AXES.items():
            self.assertGreaterEqual(axis.least, 1, name)
        # An agent serves 128 clients; a job has 256 groups.
        self.assertLess(axes.AXES["connections"].least * grow.STEPS[-1], 120)
        self.assertLessEqual(axes.AXES["stages"].least * grow.STEPS[-1], 256)


class StartTest(unittest.TestCase):
    def test_events_are_told_apart_by_job_and_the_first_counts(self):
        events = [{"event": "probe_sent", "at_ns": 30, "fields": {"job": "a.1"}},
                  {"event": "probe_sent", "at_ns": 20, "fields": {"job": "a.1"}},
                  {"event": "probe_sent", "at_ns": 10, "fields": {"job": "a.2"}}]
        self.assertEqual(start.by_job(events), {"a.1": {"probe_sent": 20}, "a.2": {"probe_sent": 10}})

    def test_steps_add_up(self):
        trace = {name: 1_000_000 * index ** 2 for index, (name, _) in enumerate(start.HAND_OVERS)}
        steps = start.steps_of(trace)
        self.assertEqual(steps[0], (0, 0))
        self.assertEqual(steps[3], (5, 9))
        self.assertAlmostEqual(sum(step for step, _ in steps), steps[-1][1])


class Agent(threading.Thread):
    """Answers each request of one client with the replies of `answer(request)`."""

    def __init__(self, path, answer):
        super().__init__(daemon=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.answer = answer

    def run(self):
        client, _ = self.listener.accept()
        stream = client.makefile("rb")
        while head := stream.read(4):
            request = json.loads(stream.read(struct.unpack("<I", head)[0]))
            for reply in self.answer(request):
                text = json.dumps({"id": request["id"], **reply}).encode()
                client.sendall(struct.pack("<I", len(text)) + text)
        client.close()


class ConnectionTest(unittest.TestCase):
    def connect(self, answer, patience=10.0):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        path = Path(place.name) / "agent.sock"
        agent = Agent(path, answer)
        agent.start()
        connection = Connection(path, patience)
        self.addCleanup(connection.__exit__)
        self.addCleanup(agent.listener.close)
        return connection

    def test_many_under_way_and_busy_ones_again(self):
        refused = set()

        def answer(request):
            if request["number"] % 7 == 0 and request["number"] not in refused:
                refused.add(request["number"])
                return [{"error": {"kind": "busy", "text": "", "retry_ns": 1000}}]
            return [{"ok": {}}, {"ok": {"number": request["number"]}, "end": True}]
        connection = self.connect(answer)
        answers = connection.ask_all("job", [{"number": number} for number in range(600)])
        self.assertEqual([each["number"] for each in answers], list(range(600)))
        self.assertEqual(len(refused), 86)

    def test_what_is_refused_or_late_fails(self):
        connection = self.connect(lambda request: [{"error": {"kind": "usage", "text": "no"}}])
        with self.assertRaisesRegex(Failed, "submit: usage: no"):
            connection.ask("submit")
        connection = self.connect(lambda request: [], patience=0.1)
        with self.assertRaisesRegex(Failed, "it took too long"):
            connection.ask("status")


if __name__ == "__main__":
    unittest.main()
