"""A client of an agent's control protocol (docs/design/control-protocol.md): blocking, one request a
connection, never longer than its patience."""
import base64
import json
import socket
import struct
import time


class Refused(Exception):
    """The agent answered with an error."""

    def __init__(self, error):
        super().__init__(f"{error.get('kind')}: {error.get('text')}")
        self.kind = error.get("kind", "")


class Silent(Exception):
    """No answer: the agent is away, stuck, or its connection ended. A submit may have been recorded."""


class Unreachable(Silent):
    """The request was never sent."""


def replies(path, verb, patience=5.0, **members):
    """Yields all replies to a request. Raises Refused, Silent or Unreachable."""
    until = time.monotonic() + patience
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(patience)
        try:
            connection.connect(str(path))
        except OSError as error:
            raise Unreachable(f"{path}: {error}") from error
        try:
            text = json.dumps({"verb": verb, "id": 1, **members}).encode()
            connection.sendall(struct.pack("<I", len(text)) + text)
            while True:
                size, = struct.unpack("<I", read(connection, 4, until))
                reply = json.loads(read(connection, size, until))
                if "error" in reply:
                    raise Refused(reply["error"])
                yield reply["ok"]
                if reply.get("end"):
                    return
        except (OSError, EOFError) as error:
            raise Silent(f"{verb} at {path}: {error or type(error).__name__}") from error


def ask(path, verb, patience=5.0, **members):
    """The last reply to a request."""
    return list(replies(path, verb, patience, **members))[-1]


def read(connection, size, until):
    data = b""
    while len(data) < size:
        left = until - time.monotonic()
        if left <= 0:
            raise EOFError("it took too long")
        connection.settimeout(left)
        got = connection.recv(min(size - len(data), 1 << 20))
        if not got:
            raise EOFError("the connection ended")
        data += got
    return data


def name_of(summary):
    """The job of a Summary as every node knows it: this node may drive another's that has replicas."""
    return f"{summary['origin_name']}.{summary['number']}"


def output(path, job, task, attempt, patience=8.0):
    """What the cluster gives of what an attempt wrote to stdout, and what it says of the rest: empty if
    it says that this is all."""
    data = b""
    try:
        for part in replies(path, "output", patience, job=job, task=task, attempt=attempt):
            data += base64.b64decode(part["data"])
    except (Silent, Refused) as error:
        return data, str(error)
    return data, ""
