# SPDX-License-Identifier: MIT
"""concurrent.futures on a cluster."""

from __future__ import annotations

import base64
import concurrent.futures
import os
import pickle
import sys
import threading
from typing import Any

from .client import Client, Job

#: The kernel takes no longer word of a command.
_PAYLOAD_MAX = 120_000

_RUNNER = """
import base64, os, pickle, sys
out = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
try:
    function, arguments, named = pickle.loads(base64.b64decode(sys.argv[1]))
    answer = (True, function(*arguments, **named))
except BaseException as error:
    answer = (False, error)
try:
    text = pickle.dumps(answer)
except Exception as error:
    text = pickle.dumps((False, TypeError(f"the task's answer cannot be pickled: {error}")))
out.write(text)
out.close()
"""


class TaskFailed(RuntimeError):
    """The task of a function ended without an answer, or a command ended otherwise than with 0."""


class Executor(concurrent.futures.Executor):
    """Runs functions and commands as jobs of a cluster.

    A function is pickled: its module must be importable where it runs. What it prints goes to the
    job's stderr, because stdout carries the answer. A command, given as a list, answers with the bytes
    that it wrote.
    """

    def __init__(self, client: Client | None = None, **group: Any) -> None:
        """`group`: members of the group of each job, such as demand={"cpu_milli": 2000}."""
        self._client = client or Client()
        self._owns_client = client is None
        self._group = group
        self._under_way: set[concurrent.futures.Future[Any]] = set()
        self._jobs: dict[concurrent.futures.Future[Any], Job] = {}
        self._lock = threading.Lock()
        self._readers = concurrent.futures.ThreadPoolExecutor(16, thread_name_prefix="dunlin-answers")
        self._closed = False

    def submit(self, task: Any, /, *arguments: Any, **named: Any) -> concurrent.futures.Future[Any]:
        """A function and its arguments, or a command as a list."""
        if self._closed:
            raise RuntimeError("the executor was shut down")
        is_function = callable(task)
        group = dict(self._group)
        command = task
        if is_function:
            payload = base64.b64encode(pickle.dumps((task, arguments, named))).decode()
            if len(payload) > _PAYLOAD_MAX:
                raise ValueError(f"function and arguments take {len(payload)} bytes, more than {_PAYLOAD_MAX}")
            command = [sys.executable, "-c", _RUNNER, payload]
            paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
            group["environment"] = {"PYTHONPATH": paths, **group.get("environment", {})}
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        future.set_running_or_notify_cancel()
        job = self._client.submit(command, **group)
        with self._lock:
            self._under_way.add(future)
            self._jobs[future] = job
        job.on_end(lambda each: self._readers.submit(self._finish, future, each, is_function))
        return future

    def _finish(self, future: concurrent.futures.Future[Any], job: Job, is_function: bool) -> None:
        try:
            future.set_result(self._answer(job, is_function))
        except BaseException as error:  # It belongs to the one that asks for the result.
            future.set_exception(error)
        finally:
            with self._lock:
                self._under_way.discard(future)
                self._jobs.pop(future, None)

    @staticmethod
    def _answer(job: Job, is_function: bool) -> Any:
        info = job.wait(0)
        written = b"".join(job.output()) if info.cancelled == 0 else b""
        if is_function and info.done:
            good, value = pickle.loads(written)
            if good:
                return value
            raise value
        if info.done:
            return written
        errors = b"".join(job.output(stderr=True)) if info.failed else b""
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        raise TaskFailed(f"job {info.id} is {info.state}" + (f": {last[0]}" if last else ""))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes nothing more. Waits for what is under way, or has it stopped."""
        self._closed = True
        with self._lock:
            under_way, jobs = list(self._under_way), list(self._jobs.values())
        if cancel_futures:
            for job in jobs:
                job.cancel(0)
        if wait:
            concurrent.futures.wait(under_way)
        self._readers.shutdown(wait=wait)
        if self._owns_client and wait:
            self._client.close()
