# SPDX-License-Identifier: MIT
"""A gateway that is not there: serves web/page as dunlin-web does, and made-up answers of /v1.

    python3 tests/web/page/stub.py [--nodes N] [--port P]     and open the link that it prints
"""
import argparse
import base64
import contextlib
import hashlib
import http.server
import json
import pathlib
import queue
import re
import secrets
import socket
import threading
import urllib.parse

import answers
from world import World, now_ns

kRoot = pathlib.Path(__file__).resolve().parents[3] / "web"
kTypes = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript",
          ".css": "text/css", ".svg": "image/svg+xml"}


def policy():
    """The content security policy: everything from here, and the one import map by its hash."""
    inline = re.search(r"<script type=\"importmap\">(.*?)</script>", (kRoot / "page/index.html").read_text(), re.S)
    digest = base64.b64encode(hashlib.sha256(inline[1].encode()).digest()).decode()
    return (f"default-src 'self'; script-src 'self' 'sha256-{digest}'; object-src 'none'; base-uri 'none';"
            " form-action 'self'; frame-ancestors 'none'")


class Stub(http.server.ThreadingHTTPServer):
    """Serves in a thread of its own until close(). `away`: the agent behind it does not answer."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, world=None, port=0, administrator=True):
        super().__init__(("127.0.0.1", port), Handler)
        self.world = world or World()
        self.administrator = administrator
        self.codes = set()
        self.sessions = set()
        self.streams = {}     # id -> (queue, topics)
        self.asked = []       # Paths below /v1 that were asked for.
        self.sent = 0         # Bytes of bodies.
        self.connections = set()
        self.away = False
        self.ended = True     # Whether tasks write no more.
        self.keys = []        # Idempotency-Key of each submit.
        self.lose_answers = 0 # So many submits are done and not answered.
        self.policy = policy()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/"

    def link(self):
        """One that logs in, once."""
        code = secrets.token_urlsafe(16)
        self.codes.add(code)
        return f"{self.url}#{code}"

    def tell(self, topic, data, name=None):
        """Sends an event to all streams with the topic."""
        for waiting, topics in list(self.streams.values()):
            if topic == "" or topic in topics:
                waiting.put((name or topic.split(":")[0], {"topic": topic, **data} if name else
                             {"topic": topic, "data": data}))

    def topics(self):
        return {topic for _, topics in list(self.streams.values()) for topic in topics}

    def drop(self):
        """Ends all connections, as a gateway that is killed does."""
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.shutdown()
        self.server_close()
        self.drop()

    def process_request(self, request, client_address):
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request, client_address):
        pass  # A browser that went away.


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", **headers):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", self.server.policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.server.sent += len(body)
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, kind, detail, retry_s=0):
        headers = {"Retry_After": retry_s} if retry_s else {}
        self.answer(status, {"type": "about:blank", "title": kind, "status": status, "kind": kind,
                             "detail": detail}, "application/problem+json", **headers)

    def session(self):
        found = re.search(r"dunlin=([\w-]+)", self.headers.get("Cookie", ""))
        return found[1] if found and found[1] in self.server.sessions else None

    def whoami(self):
        me = self.server.world.me
        return {"user": "anna", "administrator": self.server.administrator, "read_only": False, "by": "session",
                "expires_at_ns": None, "node": me["node"], "node_name": me["name"], "version": "0.8.0",
                "gateway": "0.8.0"}

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        words = [urllib.parse.unquote(word) for word in parts.path.split("/")[1:]]
        if words[0] != "v1":
            return self.file(parts.path)
        self.server.asked.append(self.path)
        if not self.session():
            return self.refuse(401, "session", "log in first")
        query = dict(urllib.parse.parse_qsl(parts.query))
        if words[1] == "whoami":
            return self.answer(200, self.whoami())
        if self.server.away:
            return self.refuse(503, "away", "the agent does not answer")
        if words[1] == "stream":
            return self.stream(query["topics"].split(","))
        if words[-1] == "output":
            return self.output(self.server.world.output(), query)
        try:
            self.forbid_others(words)
            self.answer(200, {**answers.read(self.server.world, words[1:], query), "as_of_ns": now_ns()})
        except answers.Refused as refused:
            self.refuse(refused.status, refused.kind, str(refused), refused.retry_s)

    def forbid_others(self, words):
        """A job is its owner's and administrators'; that of others is seen in lists alone."""
        job = self.server.world.job(words[2]) if words[1] == "jobs" and len(words) > 2 else None
        if job and job["owner"] != "anna" and not self.server.administrator:
            raise answers.Refused(403, "forbidden", "this job is of another user")

    def file(self, path):
        name = "page/index.html" if path == "/" else path[1:]
        file = (kRoot / name).resolve()
        if not file.is_relative_to(kRoot) or not file.is_file() or file.suffix not in kTypes:
            return self.refuse(404, "not_found", "no such file")
        self.answer(200, file.read_bytes(), kTypes[file.suffix], Cache_Control="no-cache")

    def output(self, data, query):
        headers = {"Dunlin_Attempt": 1, "Dunlin_Total": len(data), "Dunlin_Ended": int(self.server.ended)}
        if query.get("stream") == "err":
            data = b"part 17: no such file\n"
        kind = "text/plain; charset=utf-8"
        if query.get("download"):
            headers["Content_Disposition"] = "attachment"
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return self.answer(200, data, kind, **headers)
        first = int(asked[1]) if asked[1] else max(len(data) - int(asked[2]), 0)
        last = min(int(asked[2]), len(data) - 1) if asked[1] and asked[2] else len(data) - 1
        if first >= len(data):
            return self.refuse(416, "range", "there are no such bytes")
        self.answer(206, data[first:last + 1], kind, Content_Range=f"bytes {first}-{last}/{len(data)}", **headers)

    def stream(self, topics):
        number, waiting = secrets.token_hex(8), queue.Queue()
        self.server.streams[number] = (waiting, topics)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            self.event("hello", {"stream": number, "epoch": "1"})
            while True:
                try:
                    self.event(*waiting.get(timeout=1))
                except queue.Empty:
                    self.wfile.write(b": still here\n\n")
        except OSError:
            pass
        finally:
            del self.server.streams[number]

    def event(self, name, data):
        self.wfile.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        words = [urllib.parse.unquote(word) for word in self.path.split("/")[2:]]
        same = self.headers.get("Sec-Fetch-Site") == "same-origin"
        if self.headers.get("X-Dunlin") != "1" or not same:
            return self.refuse(403, "forbidden", "not asked as a page asks")
        if words == ["session"] and self.command == "POST":
            return self.log_in(body)
        if not self.session():
            return self.refuse(401, "session", "log in first")
        if words == ["session"]:
            self.server.sessions.discard(self.session())
            return self.answer(204)
        if words[0] == "stream":
            if words[1] not in self.server.streams:
                return self.refuse(404, "not_found", "no such stream")
            self.server.streams[words[1]] = (self.server.streams[words[1]][0], body["topics"])
            return self.answer(204)
        self.server.world.changed.append((self.command, "/".join(words), body))
        if words == ["jobs"]:
            self.server.keys.append(self.headers.get("Idempotency-Key"))
            if self.server.lose_answers > 0:
                self.server.lose_answers -= 1
                self.close_connection = True
                return None
        try:
            self.answer(201 if words == ["jobs"] else 200, answers.change(self.server.world, words, body))
        except answers.Refused as refused:
            self.refuse(refused.status, refused.kind, str(refused))

    do_PATCH = do_POST
    do_DELETE = do_POST

    def log_in(self, body):
        if body.get("code") not in self.server.codes:
            return self.refuse(401, "session", "this code is wrong, old or used")
        self.server.codes.discard(body["code"])
        token = secrets.token_urlsafe(16)
        self.server.sessions.add(token)
        self.answer(200, self.whoami(), Set_Cookie=f"dunlin={token}; HttpOnly; SameSite=Strict; Path=/")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=24)
    parser.add_argument("--port", type=int, default=0)
    asked = parser.parse_args()
    stub = Stub(World(nodes=asked.nodes), port=asked.port)
    print(stub.link(), flush=True)
    stub.thread.join()


if __name__ == "__main__":
    main()
