"""An ordinary user who means harm to all others of an agent. A program of its own, without imports from
here, because it runs as a user who may not read this folder: greedy_member.py SOCKET WAY SEED, until it is
killed. What the agent answers does not matter; that it goes on serving others does."""
import fcntl
import json
import os
import random
import signal
import socket
import struct
import sys
import tempfile
import time

VERBS = ["hello", "status", "params", "nodes", "drain", "top", "submit", "submit_begin", "submit_lines",
         "submit_end", "submitted", "find", "cancel", "hold", "release", "retry", "requeue", "set", "jobs",
         "job", "tasks", "explain", "wait", "watch", "subscribe", "subscribe_more", "output", "attach",
         "input", "share_set", "share_list", "plan_set", "plan", "masters", "cells", "shares", "audit",
         "take_over", "audit_log", "profiles", "profile_forget", "usage", "events", "node", "node_tasks",
         "past", "overlay", "timeline", "task_bins", "node_bins", "node_forget", "cells_write_off", "whoami"]
MEMBERS = ["job", "number", "numbers", "name", "told", "tasks", "task", "groups", "key", "at", "priority",
           "deadline_ns", "node", "on", "set", "stream", "offset", "attempt", "upload", "lines", "limit",
           "jobs", "subscription", "state", "running", "owner", "class", "on_end", "after_jobs", "after", "ids",
           "ended_since_at_ns", "since_at_ns", "until_at_ns", "by", "bins", "bars", "step", "figures", "cluster",
           "parts", "origin", "lineage"]
HELD_MAX = 60
SLEEP = {"name": "greedy", "groups": [{"command": ["/bin/sleep", "1"], "demand": {"cpu_milli": 10}}],
         "on_end": {"command": ["/bin/sleep", "5"]}}


def frame(message):
    text = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack("<I", len(text)) + text


class Member:
    def __init__(self, path, seed):
        self.path = path
        self.random = random.Random(seed)
        self.kept = []  # Connections that stay open.
        self.left = HELD_MAX
        self.leased = ""  # The path of a program of its own.

    def connect(self, patience=2.0):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(patience)
        connection.connect(self.path)
        return connection

    def say(self, *frames, reads=True, keep=False):
        """Sends all of them on one connection, and reads for a moment."""
        connection = self.connect()
        try:
            connection.sendall(b"".join(frames))
            until = time.monotonic() + 2.0
            while reads and time.monotonic() < until:
                if not connection.recv(1 << 20):
                    break
                connection.settimeout(0.2)
        finally:
            if keep:
                self.kept.append(connection)
            else:
                connection.close()

    # The ways, each of which is one step that is repeated.

    def deep(self):
        nested = b"[" * 100_000 + b"]" * 100_000
        self.say(frame(b'{"verb":"job","id":1,"job":"99","x":' + nested + b"}"))

    def wide(self):
        count = self.random.choice([5_000, 50_000, 300_000])
        members = ",".join(f'"{each}":0' for each in range(count))
        self.say(frame(f'{{"verb":"hello","id":1,"newest":1,"x":{{{members}}}}}'.encode()))

    def nulls(self):
        frames = []
        for number in range(100):
            request = {"verb": self.random.choice(VERBS), "id": number, "job": "node2.1", "number": 1}
            wrong = self.random.choice([None, -1, 1 << 62, "", [], {}, [None], 1.5, True])
            for member in self.random.sample(MEMBERS, 3):
                request[member] = wrong
            frames.append(frame(request))
        self.say(*frames)

    def repeat(self):
        self.say(frame({"verb": "wait", "id": 1, "numbers": [1] * 100_000, "progress": True}))

    def pipeline(self):
        self.say(*[frame({"verb": "jobs", "id": each, "cluster": True, "limit": 1000})
                   for each in range(100)])

    def idle(self):
        """Connections that say nothing, or half of something large."""
        half = struct.pack("<I", 8 << 20) + b"{" * (1 << 20)
        for each in range(200):
            self.say(*([half] if each % 8 == 0 else []), reads=False, keep=True)
        time.sleep(1.0)
        self.let_go()

    def slow(self):
        """Answers that are not read."""
        for _ in range(8):
            self.say(*[frame({"verb": "jobs", "id": each, "all": True}) for each in range(50)],
                     reads=False, keep=True)
        time.sleep(0.5)
        self.let_go()

    def held(self):
        """Jobs of a million tasks each. An agent without bounds would take the machine along."""
        if self.left <= 0:
            return time.sleep(1.0)
        self.left -= 10
        group = {"command": ["/bin/true"], "count": 1_000_000}
        self.say(*[frame({"verb": "submit", "id": each, "name": "greedy", "hold": True, "groups": [group]})
                   for each in range(10)])
        time.sleep(0.2)

    def drains(self):
        self.say(*[frame({"verb": "drain", "id": each, "on": True}) for each in range(250)])

    def ends(self):
        self.say(*[frame({"verb": "submit", "id": each, "allow_unsatisfiable": True, **SLEEP})
                   for each in range(10)])
        time.sleep(2.0)

    def followers(self):
        for _ in range(40):
            self.say(frame({"verb": "events", "id": 1, "follow": True}), reads=False, keep=True)
        time.sleep(1.0)
        self.let_go()

    def variables(self):
        environment = {f"V{each}": "x" for each in range(30_000)}
        group = {"command": ["/bin/true"], "environment": environment}
        self.say(*[frame({"verb": "submit", "id": each, "name": "greedy", "groups": [group]})
                   for each in range(4)])

    def nodes(self):
        self.say(*[frame({"verb": "nodes", "id": each}) for each in range(1000)])

    def uploads(self):
        """Jobs that come in pieces, and never end."""
        lines = ["x" * 60_000] * 16
        group = {"command": ["/bin/echo"], "count": 0}
        begin = [frame({"verb": "submit_begin", "id": each, "name": "greedy", "groups": [group]})
                 for each in (1, 2)]
        more = [frame({"verb": "submit_lines", "id": 3 + each, "upload": 1 + each % 2, "lines": lines})
                for each in range(16)]
        # Some 360 MB, where a user may have 256 MiB of them.
        for _ in range(24):
            self.say(*begin, *more, keep=True)
        time.sleep(0.5)
        self.let_go()

    def submit(self, command, count, jobs=1):
        group = {"command": command, "count": count, "demand": {"cpu_milli": 1}}
        self.say(*[frame({"verb": "submit", "id": each, "name": "greedy", "groups": [group]})
                   for each in range(jobs)])

    def sleeps(self):
        """Tasks that take a place of the node each, and nothing else."""
        self.submit(["/bin/sleep", "20"], 3000)
        time.sleep(5.0)

    def history(self):
        """Jobs that end at once, and push those of others out of what is remembered."""
        self.submit(["/bin/true"], 1, jobs=100)
        time.sleep(0.5)

    def output(self):
        """Output that takes the room of what others have written, and of what agents must write."""
        self.submit(["/bin/sh", "-c", "head -c 20000000 /dev/zero"], 4)
        self.submit(["/bin/sh", "-c", "head -c 200000000 /dev/zero; sleep 3"], 1)
        self.submit(["/bin/sh", "-c", "head -c 60000 /dev/zero"], 50)
        time.sleep(1.0)

    def leases(self):
        """A program under a lease: the kernel has whoever executes it wait until the lease is given back."""
        if not self.leased:
            script, self.leased = tempfile.mkstemp(prefix="leased-")
            os.write(script, b"#!/bin/sh\n")
            os.fchmod(script, 0o755)
            os.close(script)
            signal.signal(signal.SIGIO, signal.SIG_IGN)
            lease = os.open(self.leased, os.O_RDWR)
            fcntl.fcntl(lease, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        self.submit([self.leased], 80)
        time.sleep(5.0)

    def let_go(self):
        for connection in self.kept:
            connection.close()
        self.kept.clear()


def main():
    path, way, seed = sys.argv[1:]
    member = Member(path, seed)
    step = getattr(member, way)
    while True:
        try:
            step()
        except OSError:  # It was refused, or the agent rests from it: that is what it is for.
            member.let_go()
            time.sleep(0.05)


main()
