"""A client of an agent's control protocol (docs/design/control-protocol.md), with many requests under way."""
import json
import socket
import struct
import time

from bench_lib.processes import Failed

UNDER_WAY_MAX = 200  # An agent takes 256 of a connection.
BUSY_PAUSE = 0.02  # Seconds, where the agent does not say when another try is worth it.


class Connection:
    """Blocks for at most `patience` seconds in all, counted from its making. Raises Failed."""

    def __init__(self, path, patience):
        self.until = time.monotonic() + patience
        self.socket = socket.socket(socket.AF_UNIX)
        self.next = 0
        try:
            self.socket.connect(str(path))
        except OSError as error:
            self.socket.close()
            raise Failed(f"{path}: {error}") from error
        self.stream = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *failed):
        self.stream.close()
        self.socket.close()

    def send(self, verb, members):
        """Returns the id of the request."""
        self.next += 1
        text = json.dumps({"verb": verb, "id": self.next, **members}).encode()
        self.guard(lambda: self.socket.sendall(struct.pack("<I", len(text)) + text))
        return self.next

    def reply(self):
        def read():
            head = self.stream.read(4)
            if len(head) < 4:
                raise OSError("the agent ended the connection")
            return json.loads(self.stream.read(struct.unpack("<I", head)[0]))
        return self.guard(read)

    def guard(self, act):
        left = self.until - time.monotonic()
        if left <= 0:
            raise Failed("it took too long")
        self.socket.settimeout(left)
        try:
            return act()
        except TimeoutError as error:
            raise Failed("it took too long") from error
        except (OSError, ValueError) as error:
            raise Failed(f"no answer: {error}") from error

    def ask(self, verb, **members):
        """The last reply. Nothing else may be under way."""
        return self.ask_all(verb, [members])[0]

    def ask_all(self, verb, requests):
        """The last replies to many requests of one verb, in the order of the requests. One that is told
        `busy` is said again."""
        left = list(enumerate(requests))[::-1]
        under_way, answers = {}, [None] * len(left)
        while left or under_way:
            while left and len(under_way) < UNDER_WAY_MAX:
                index, members = left.pop()
                under_way[self.send(verb, members)] = (index, members)
            answer = self.reply()
            error = answer.get("error")
            if error is None and not answer.get("end"):
                continue
            request = under_way.pop(answer["id"], None)
            if error is not None and error.get("kind") == "busy" and request is not None:
                time.sleep(error.get("retry_ns", BUSY_PAUSE * 1e9) / 1e9)
                left.append(request)
            elif error is not None:
                raise Failed(f"{verb}: {error.get('kind')}: {error.get('text')}")
            else:
                answers[request[0]] = answer["ok"]
        return answers
