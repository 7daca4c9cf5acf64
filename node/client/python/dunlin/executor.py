# SPDX-License-Identifier: MIT
"""concurrent.futures on a cluster."""

from __future__ import annotations

import concurrent.futures
import itertools
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import _remote
from ._library import library
from .client import Client, Job


#: Seconds.
_SETTLE = 5.0


class TaskFailed(RuntimeError):
    """The task of a function ended without an answer, or a command ended otherwise than with 0."""


class _Future(concurrent.futures.Future[Any]):
    """Of a job. It counts as waiting until its answer comes, so that it can be cancelled until then."""

    def __init__(self) -> None:
        super().__init__()
        self.job: Job | None = None
        self._ending = threading.Lock()

    def running(self) -> bool:
        """True while its task runs."""
        return not self.done() and self.job is not None and self.job.info().running > 0

    def cancel(self) -> bool:
        """Takes back what waits, and stops what runs. False if it has ended."""
        with self._ending:
            if self.cancelled():
                return True
            if not super().cancel():
                return False
            self.set_running_or_notify_cancel()
        if self.job is not None:
            # Without waiting for it: the library goes on until the agent has done it.
            library.dunlin_job_cancel(self.job._handle, 0, None)
        return True

    def begin_end(self) -> bool:
        """False if it was cancelled. If not, it cannot be any more."""
        with self._ending:
            return not self.cancelled() and self.set_running_or_notify_cancel()


class Executor(concurrent.futures.Executor):
    """Runs functions and commands as jobs of a cluster.

    A function is told by cloudpickle, if that is installed here and where it runs: then it may be any, also of the
    script that runs, or of a notebook. Without it, a function is found by the name of its module, which must be
    importable where it runs, or be the script. What it prints goes to the job's stderr, because stdout carries the
    answer. A command, given as a list, answers with the bytes that it wrote.
    """

    def __init__(self, client: Client | None = None, **group: Any) -> None:
        """`group`: members of the group of each job, such as demand={"cpu_milli": 2000}."""
        self._client = client or Client()
        self._owns_client = client is None
        self._group = group
        self._under_way: set[_Future] = set()
        self._lock = threading.Condition()
        self._readers = concurrent.futures.ThreadPoolExecutor(16, thread_name_prefix="dunlin-answers")
        self._closed = False

    def submit(self, task: Any, /, *arguments: Any, **named: Any) -> concurrent.futures.Future[Any]:
        """A function and its arguments, or a command as a list."""
        if callable(task):
            return self._call(task, [(arguments, named)], many=False)
        return self._start(task, self._group, is_function=False)

    def map(
        self, function: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None,
        chunksize: int = 1,
    ) -> Iterator[Any]:
        """As map(), in parallel: one job for each `chunksize` calls."""
        if chunksize < 1:
            raise ValueError("chunksize must be at least 1")
        limit = None if timeout is None else time.monotonic() + timeout
        calls = ((arguments, {}) for arguments in zip(*iterables))
        futures = []
        while chunk := list(itertools.islice(calls, chunksize)):
            futures.append(self._call(function, chunk, many=True))
        return self._answers(futures, limit)

    @staticmethod
    def _answers(futures: list[_Future], limit: float | None) -> Iterator[Any]:
        futures.reverse()
        try:
            while futures:
                yield from futures.pop().result(None if limit is None else max(0.0, limit - time.monotonic()))
        finally:
            for future in futures:
                future.cancel()

    def _call(self, function: Any, calls: list[_remote.Call], many: bool) -> _Future:
        command = _remote.command_of(function, calls, many)
        variables = {**_remote.environment(), **self._group.get("environment", {})}
        return self._start(command, {**self._group, "environment": variables}, is_function=True)

    def _start(self, command: Any, group: dict[str, Any], is_function: bool) -> _Future:
        future = _Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("the executor was shut down")
            future.job = self._client.submit(command, results=True, **group)
            self._under_way.add(future)
        future.job.on_end(lambda each: self._hand_over(future, each, is_function))
        return future

    def _hand_over(self, future: _Future, job: Job, is_function: bool) -> None:
        try:
            self._readers.submit(self._finish, future, job, is_function)
        except RuntimeError:  # The readers were shut down: it was cancelled, or the program ends.
            future.cancel()

    def _finish(self, future: _Future, job: Job, is_function: bool) -> None:
        try:
            if future.cancelled():
                return
            try:
                answer, error = self._answer(job, is_function), None
            except BaseException as raised:  # It belongs to the one that asks for the result.
                answer, error = None, raised
            if not future.begin_end():
                return
            if error is None:
                future.set_result(answer)
            else:
                future.set_exception(error)
        finally:
            with self._lock:
                self._under_way.discard(future)
                self._lock.notify_all()
                last = self._closed and not self._under_way
            if last:
                self._end(wait=False)

    @staticmethod
    def _answer(job: Job, is_function: bool) -> Any:
        info = job.wait(0)
        if info.done:
            written = b"".join(job.output())
            return _remote.value_of(written) if is_function else written
        result = next(job.results(0), None)
        how = "" if result is None or result.state == "cancelled" else f" ({result.outcome}, {result.status})"
        errors = b"".join(job.output(stderr=True)) if info.failed else b""
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        more = last[0] if last else "" if result is None else result.detail
        raise TaskFailed(f"job {info.id} is {info.state}{how}" + (f": {more}" if more else ""))

    def __exit__(self, kind: type[BaseException] | None, *unused: object) -> None:
        if kind is None or issubclass(kind, Exception):
            self.shutdown(wait=True)
            return
        # Ctrl-C: what waits is taken back, and nothing is waited for.
        with self._lock:
            under_way = list(self._under_way)
        runs = [future for future in under_way if future.running()]
        for future in under_way:
            if future not in runs:
                future.cancel()
        if runs:
            names = ", ".join(future.job.info().id for future in runs if future.job is not None)
            print(f"dunlin: {len(runs)} jobs run on: {names}", file=sys.stderr)
        self._settle([future for future in under_way if future.cancelled()])
        self.shutdown(wait=False)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes nothing more. Waits for what is under way; or, with `cancel_futures`, has it stopped."""
        with self._lock:
            self._closed = True
            under_way = list(self._under_way)
        if cancel_futures:
            for future in under_way:
                future.cancel()
        if wait:
            concurrent.futures.wait(under_way)
            self._settle(under_way)
        with self._lock:
            last = wait or not self._under_way
        if last:
            self._end(wait)

    def _settle(self, futures: list[_Future]) -> None:
        """Waits a moment until the cluster has heard of what was cancelled."""
        with self._lock:
            self._lock.wait_for(lambda: self._under_way.isdisjoint(futures), _SETTLE)

    def _end(self, wait: bool) -> None:
        self._readers.shutdown(wait=wait)
        if self._owns_client:
            self._client.close()
