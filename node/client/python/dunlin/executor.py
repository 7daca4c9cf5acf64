# SPDX-License-Identifier: MIT
"""concurrent.futures on a cluster."""

from __future__ import annotations

import concurrent.futures
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import _library as c
from . import _remote
from ._call import Call
from ._crew import Crew
from ._library import library
from .client import Client, Job
from .errors import TaskFailed, check


#: Seconds.
_SETTLE = 5.0


class _Future(concurrent.futures.Future[Any]):
    """Of a job or a call. It counts as waiting until its answer comes, so that it can be cancelled until then."""

    def __init__(self, executor: Executor) -> None:
        super().__init__()
        self._executor = executor
        self._ending = threading.Lock()

    def stop(self) -> None:
        """It was cancelled: has the cluster hear of it."""
        raise NotImplementedError

    def place(self) -> str:
        """The job that it runs in, for people."""
        raise NotImplementedError

    def cancel(self) -> bool:
        """Takes back what waits, and stops what runs. False if it has ended."""
        with self._ending:
            if self.cancelled():
                return True
            if not super().cancel():
                return False
            self.set_running_or_notify_cancel()
        self.stop()
        return True

    def _begin_end(self) -> bool:
        """False if it was cancelled. If not, it cannot be any more."""
        with self._ending:
            return not self.cancelled() and self.set_running_or_notify_cancel()

    def finish(self, answer: Callable[[], Any] | None) -> None:
        """Its answer is what `answer()` returns or raises; None: it was cancelled."""
        try:
            if answer is None or self.cancelled():
                return
            try:
                value, error = answer(), None
            except BaseException as raised:  # It belongs to the one that asks for the result.
                value, error = None, raised
            if not self._begin_end():
                return
            if error is None:
                self.set_result(value)
            else:
                self.set_exception(error)
        finally:
            self._executor._ended(self)


class _CommandFuture(_Future):
    job: Job | None = None

    def running(self) -> bool:
        """True while its task runs."""
        return not self.done() and self.job is not None and self.job.info().running > 0

    def stop(self) -> None:
        if self.job is not None:
            # Without waiting for it: the library goes on until the agent has done it.
            library.dunlin_job_cancel(self.job._handle, 0, None)

    def place(self) -> str:
        return self.job.info().id if self.job is not None else ""


class _CallFuture(_Future):
    call: Call | None = None

    def running(self) -> bool:
        """True while a worker has it."""
        return not self.done() and self.call is not None and self.call.runs()

    def stop(self) -> None:
        if self.call is not None:
            self._executor._workers().cancel(self.call)

    def place(self) -> str:
        return self.call.place() if self.call is not None else ""


class Executor(concurrent.futures.Executor):
    """Runs functions and commands as jobs of a cluster.

    A function is told by cloudpickle, if that is installed here and where it runs: then it may be any, also of the
    script that runs, or of a notebook. Without it, a function is found by the name of its module, which must be
    importable where it runs, or be the script. Functions are called by workers, tasks that stay for the next call.
    A command, given as a list, is a job of its own, and answers with the bytes that it wrote.
    """

    def __init__(
        self, client: Client | None = None, *, max_workers: int = 64, max_tasks_per_child: int | None = None,
        idle_seconds: float = 2.0, **group: Any,
    ) -> None:
        """`group`: members of the group of each job, such as demand={"cpu_milli": 2000}.

        A worker that has had nothing to do for `idle_seconds` gives its place in the cluster back, and one that did
        `max_tasks_per_child` calls makes way for another one.
        """
        if max_workers < 1 or (max_tasks_per_child is not None and max_tasks_per_child < 1):
            raise ValueError("max_workers and max_tasks_per_child must be at least 1")
        self._client = client or Client()
        self._owns_client = client is None
        self._group = group
        # A limit of time is one of each call.
        calls_each = 1 if "time_limit_ns" in group else max_tasks_per_child
        self._terms = (max_workers, calls_each, idle_seconds)
        self._crew: Crew | None = None
        self._under_way: set[_Future] = set()
        self._lock = threading.Condition()
        self._readers = concurrent.futures.ThreadPoolExecutor(16, thread_name_prefix="dunlin-answers")
        self._closed = False
        self._process = os.getpid()

    def submit(self, task: Any, /, *arguments: Any, **named: Any) -> concurrent.futures.Future[Any]:
        """A function and its arguments, or a command as a list."""
        if callable(task):
            return self._call(_remote.Called.of(task), [(arguments, named)], many=False)
        return self._run(task)

    def map(
        self, function: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None,
        chunksize: int | None = None,
    ) -> Iterator[Any]:
        """As map(), in parallel. A worker gets `chunksize` calls at a time, or as many as are measured to be right."""
        if chunksize is not None and chunksize < 1:
            raise ValueError("chunksize must be at least 1")
        limit = None if timeout is None else time.monotonic() + timeout
        calls = ((arguments, {}) for arguments in zip(*iterables))
        called = _remote.Called.of(function)
        futures = []
        while chunk := list(itertools.islice(calls, chunksize or 1)):
            futures.append(self._call(called, chunk, many=True))
        return self._answers(futures, limit)

    @staticmethod
    def _answers(futures: list[_CallFuture], limit: float | None) -> Iterator[Any]:
        futures.reverse()
        try:
            while futures:
                yield from futures.pop().result(None if limit is None else max(0.0, limit - time.monotonic()))
        finally:
            for future in futures:
                future.cancel()

    def _workers(self) -> Crew:
        with self._lock:
            if self._crew is None:
                self._crew = Crew(self._client._addresses, self._group, *self._terms)
            return self._crew

    def _begin(self, future: _Future) -> None:
        if os.getpid() != self._process:
            check(c.FORKED, "")
        self._client._given()
        with self._lock:
            if self._closed:
                raise RuntimeError("the executor was shut down")
            self._under_way.add(future)

    def _call(self, called: _remote.Called, calls: list[_remote.Arguments], many: bool) -> _CallFuture:
        future = _CallFuture(self)
        self._begin(future)
        try:
            future.call = self._workers().submit(future, called, calls, many)
        except BaseException:
            self._ended(future)
            raise
        return future

    def _run(self, command: Any) -> _CommandFuture:
        future = _CommandFuture(self)
        self._begin(future)
        try:
            future.job = self._client.submit(command, results=True, **self._group)
        except BaseException:
            self._ended(future)
            raise
        future.job.on_end(lambda each: self._hand_over(future, each))
        return future

    def _hand_over(self, future: _Future, job: Job) -> None:
        try:
            self._readers.submit(future.finish, lambda: self._answer(job))
        except RuntimeError:  # The readers were shut down: it was cancelled, or the program ends.
            future.cancel()

    def _ended(self, future: _Future) -> None:
        with self._lock:
            self._under_way.discard(future)
            self._lock.notify_all()
            last = self._closed and not self._under_way
        if last:
            self._end(wait=False)

    @staticmethod
    def _answer(job: Job) -> bytes:
        info = job.wait(0)
        if info.done:
            return b"".join(job.output())
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
            places = ", ".join(dict.fromkeys(future.place() for future in runs))
            functions = any(isinstance(future, _CallFuture) for future in runs)
            until = ", functions as long as this program" if functions else ""
            print(f"dunlin: {len(runs)} run on{until}: {places}", file=sys.stderr)
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
        with self._lock:
            crew, self._crew = self._crew, None
        if crew is not None:
            crew.close(wait)
        if self._owns_client:
            self._client.close()
