# SPDX-License-Identifier: MIT
"""How an Executor speaks to its workers: by a socket to those of this machine, else through the agent."""

from __future__ import annotations

import contextlib
import hmac
import os
import pickle
import secrets
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .client import Job
from .errors import Error, Timeout
from .task_input import Input
from .task_output import Output

#: Bytes of the word by which a worker is known.
_WORD = 32
#: Seconds for a worker that has connected to say its word.
_SAY = 10.0
_PIECE = 1 << 20


class Gone(Exception):
    """Nothing more comes from the worker."""


@contextlib.contextmanager
def _gone() -> Iterator[None]:
    """What breaks the way to a worker ends it."""
    try:
        yield
    except (OSError, Error) as error:
        raise Gone from error


class Channel:
    """Messages to and from a worker, as _worker.py tells."""

    #: Bytes that came by the output of the task, which its node keeps.
    kept = 0

    def __init__(self) -> None:
        self._sending = threading.Lock()

    def _write(self, data: bytes) -> None:
        raise NotImplementedError

    def _read(self, size: int) -> bytes | bytearray:
        raise NotImplementedError

    def close(self) -> None:
        """A worker without a call ends then."""
        raise NotImplementedError

    def send(self, head: list[Any], parts: Sequence[bytes] = ()) -> None:
        text = pickle.dumps((head, [len(part) for part in parts]), 5)
        pieces = [len(text).to_bytes(8, "big"), text, *parts]
        with self._sending, _gone():
            if sum(map(len, pieces)) < _PIECE:
                self._write(b"".join(pieces))
                return
            for piece in pieces:
                self._write(piece)

    def receive(self) -> tuple[Any, list[bytes | bytearray]]:
        with _gone():
            head, sizes = pickle.loads(self._read(int.from_bytes(self._read(8), "big")))
            return head, [self._read(size) for size in sizes]


class Near(Channel):
    """By a socket."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self._connection = connection

    def _write(self, data: bytes) -> None:
        self._connection.sendall(data)

    def _read(self, size: int) -> bytes | bytearray:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            got = self._connection.recv_into(view, min(len(view), _PIECE))
            if got == 0:
                raise Gone
            view = view[got:]
        return data

    def hang_up(self) -> None:
        """Its task has ended: what it wrote can be read, and then comes the end, whoever else has the socket."""
        try:
            self._connection.shutdown(socket.SHUT_RD)
        except OSError:
            pass

    def close(self) -> None:
        self._connection.close()


class Far(Channel):
    """By the task's input and output."""

    def __init__(self, job: Job, given: Input, word: str) -> None:
        super().__init__()
        self._given = given
        self._output = Output(job, 0, stderr=False, follow=True)
        self._word = word.encode()
        self._rest = bytearray()

    def begins(self, patience: float) -> bool:
        """True if the worker has said its word; waits so many seconds. What was printed before that is left out."""
        try:
            while self._word not in self._rest:
                self._more(patience)
        except Timeout:
            return False
        del self._rest[:self._rest.index(self._word) + _WORD]
        return True

    def _more(self, timeout: float | None = None) -> None:
        piece = self._output.read(timeout)
        if not piece:
            raise Gone
        self._rest += piece
        self.kept += len(piece)

    def _write(self, data: bytes) -> None:
        if not self._given.write(data):
            raise Gone

    def _read(self, size: int) -> bytes | bytearray:
        while len(self._rest) < size:
            self._more()
        data = self._rest[:size]
        del self._rest[:size]
        return data

    def forget(self) -> None:
        """It came in by the door."""
        self._output.close()

    def close(self) -> None:
        try:
            self._given.end(0)
        except Error:
            pass
        self._output.close()


class Door:
    """Where workers of this machine come in: a socket that only this user's processes can open."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="dunlin-")
        self.path = os.path.join(self._folder, "door")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen(64)
        self._expected: dict[str, Callable[[Near], None]] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._serve, name="dunlin-door", daemon=True).start()

    def expect(self, call: Callable[[Near], None]) -> str:
        """The word of a worker, with which `call` is called when it has come: each time, until that is forgotten."""
        word = secrets.token_hex(_WORD // 2)
        with self._lock:
            self._expected[word] = call
        return word

    def forget(self, word: str) -> None:
        with self._lock:
            self._expected.pop(word, None)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._let_in, args=(connection,), daemon=True).start()

    def _let_in(self, connection: socket.socket) -> None:
        connection.settimeout(_SAY)
        said = b""
        try:
            while len(said) < _WORD:
                piece = connection.recv(_WORD - len(said))
                if not piece:
                    break
                said += piece
        except OSError:
            pass
        call = None
        with self._lock:
            for word in list(self._expected):
                if hmac.compare_digest(said, word.encode()):
                    call = self._expected[word]
        if call is None:
            connection.close()
            return
        connection.settimeout(None)
        call(Near(connection))

    def close(self) -> None:
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)
