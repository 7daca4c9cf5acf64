# SPDX-License-Identifier: MIT
"""What an Executor gives to a worker."""

from __future__ import annotations

import time
from typing import Any

from . import _remote


class Call:
    """What a worker does at a time, and may be cancelled: a function, called once or several times."""

    def __init__(self, number: int, future: Any, called: _remote.Called, calls: list[_remote.Arguments],
                 many: bool) -> None:
        self.number = number
        self.future = future
        self.called = called
        self.calls = calls
        main, arguments = called.arguments(calls)
        self.head = (number, main, called.by_value, many)
        self.parts = (called.pickled, arguments)
        self.size = len(called.pickled) + len(arguments)
        self.key = called.name()
        self.since = time.monotonic()
        #: What does it, if it is given to one: a Worker of _crew.py.
        self.worker: Any = None
        self.failures = 0
        self.losses = 0

    def text(self) -> str:
        return self.called.text(self.calls)

    def runs(self) -> bool:
        worker = self.worker
        return worker is not None and len(worker.given) > 0 and worker.given[0] is self

    def place(self) -> str:
        """The job of its worker."""
        worker = self.worker
        return worker.job.job.info().id if worker is not None and worker.job is not None else ""
