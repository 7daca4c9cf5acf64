# SPDX-License-Identifier: MIT
"""What is to be called when jobs end.

The library is given one function, which is never freed, and a number for each job. So no call of it can go to what
is gone, and a job whose end is waited for needs no other reference.
"""

from __future__ import annotations

import itertools
import threading
import traceback
from typing import Any

from . import _library as c
from ._library import library
from .errors import check

_numbers = itertools.count(1)
_lock = threading.RLock()  # A client that is collected meanwhile forgets its jobs.
_waiting: dict[int, Any] = {}


class Calls:
    """Those of one job."""

    def __init__(self) -> None:
        self.number = next(_numbers)
        self.due: list[Any] = []

    def add(self, job: Any, call: Any) -> None:
        with _lock:
            self.due.append(call)
            _waiting[self.number] = (job, self)
        status = library.dunlin_job_on_end(job._handle, _CALLBACK, self.number)
        if status != c.OK:
            forget([self.number])
        check(status)


def forget(numbers: list[int]) -> None:
    """They are called no more."""
    with _lock:
        gone = [_waiting.pop(number, None) for number in numbers]
    del gone  # Outside the lock: what goes may be the last of a job.


def of_client(client: Any) -> list[int]:
    """The numbers of the jobs of a client that something waits for."""
    with _lock:
        return [number for number, (job, _) in _waiting.items() if job._client is client]


def _call(handle: int | None, number: int) -> None:
    with _lock:
        job, calls = _waiting.pop(number, (None, None))
        due = []
        if calls is not None:
            due, calls.due = calls.due, due
    for each in due:
        try:
            each(job)
        except Exception:  # The others are not to suffer; nobody is there to catch it.
            traceback.print_exc()


_CALLBACK = c.CALLBACK(_call)
