# SPDX-License-Identifier: MIT
"""What goes wrong, and how it is told."""

from __future__ import annotations

import threading
import time
from typing import Any

from . import _library as c
from ._library import library


class Error(Exception):
    """What went wrong. `status` is one of dunlin.h's."""

    def __init__(self, status: int, text: str = "") -> None:
        super().__init__(text or library.dunlin_status_text(status).decode())
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, str(self.args[0])), self.__dict__


class Refused(Error):
    """The agent will not do it, or the job is wrong."""


class Forbidden(Refused):
    """Not for this user: the job is another's, or it takes an administrator."""


class Busy(Refused):
    """Too much is under way, for longer than the library asks again. Nothing was done."""


class Quota(Refused):
    """The user has, or has had, as much as a user may."""


class Conflict(Refused):
    """What it is about has ended, is held, or is in another state than it needs."""


class NotFound(Error, LookupError):
    """There is no such job or task."""


class Timeout(Error, TimeoutError):
    """It has not happened in the time given."""


class VersionMismatch(Error):
    """The library and the agent speak different versions of the protocol."""


class TaskFailed(RuntimeError):
    """The worker of a function ended without an answer, or a command ended otherwise than with 0."""


_KINDS = {
    c.USAGE: Refused, c.REFUSED: Refused, c.NOT_FOUND: NotFound, c.TIMEOUT: Timeout, c.MISMATCH: VersionMismatch,
    c.FORBIDDEN: Forbidden, c.BUSY: Busy, c.QUOTA: Quota, c.CONFLICT: Conflict,
}


#: What these say is the same for every call.
_TEXTS = {
    c.CLOSED: "the client was closed",
    c.FORKED: "a client belongs to the process that opened it: open one in the child of fork()",
}


def check(status: int, text: str = "") -> None:
    if status != c.OK:
        text = _TEXTS.get(status, text)
        raise _KINDS.get(status, Error)(status, text)


def milliseconds(timeout: float | None) -> int:
    return -1 if timeout is None else min(max(0, int(timeout * 1000)), 0x7FFF_FFFF)


def beside(call: Any) -> Any:
    """What `call()` returns, which must not be begun twice: in a thread, so that Python sees Ctrl-C meanwhile."""
    told: list[Any] = []
    thread = threading.Thread(target=lambda: told.append(call()), name="dunlin-call", daemon=True)
    thread.start()
    thread.join()
    return told[0] if told else c.CLOSED


def patiently(call: Any, timeout: float | None) -> int:
    """Waits by `call(ms)` in slices, so that Python sees Ctrl-C meanwhile. Its status."""
    limit = None if timeout is None else time.monotonic() + timeout
    while True:
        left = 0.2 if limit is None else max(0.0, min(0.2, limit - time.monotonic()))
        status: int = call(int(left * 1000))
        if status != c.TIMEOUT or (limit is not None and time.monotonic() >= limit):
            return status
