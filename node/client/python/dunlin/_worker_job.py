# SPDX-License-Identifier: MIT
"""The job of one warm worker."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _channel, _remote
from ._library import library
from .client import Client, Job, Result
from .errors import Error

#: Seconds for which a worker that runs may come in by the door, before its output is looked at.
_COMES = 0.4
_LOOK = 0.05
#: Seconds within which a task has ended that was let go, and within which its end is told.
_ENDS, _TOLD = 5.0, 30.0


@dataclass(frozen=True)
class End:
    """How a worker ended."""

    text: str
    was_taken: bool  #: By a person, the cluster or a broken connection, not by what it did.


@dataclass
class Lent:
    """A client, and how many tasks it gives their input."""

    client: Client
    lock: threading.RLock
    inputs: int = 0

    def give_back(self) -> None:
        with self.lock:
            self.inputs -= 1


class WorkerJob:
    """Submitted, begun, ended."""

    def __init__(self, lent: Lent, door: _channel.Door, group: dict[str, Any],
                 on_end: Callable[[], None]) -> None:
        self._lent: Lent | None = lent
        self._door = door
        self._near: _channel.Near | None = None
        self._came_again = False
        self._news = threading.Condition()
        self._ended = False
        self._tell_end = on_end
        self._word = door.expect(self._come_in)
        environment = {**_remote.environment(), **group.get("environment", {}), **group.get("env", {})}
        group = {word: value for word, value in group.items() if word != "env"}
        # A node may not have the program's directory: it needs nothing of this program, so it begins in a fresh one, and
        # goes there if it can.
        directory = ""
        if "directory" not in group and "cwd" not in group:
            directory, group["directory"] = _remote.working_directory(), ""
        command = _remote.worker_command(door.path, self._word, directory)
        self.job: Job = lent.client.submit(
            {"name": "functions", "groups": [{"command": command}]}, results=True,
            **{**group, "environment": environment, "input": "client"})
        # So the worker ends with this program.
        self._input = self.job.input()
        self.job.on_end(lambda job: self._end())

    def _come_in(self, near: _channel.Near) -> None:
        with self._news:
            before = self._near
            if before is None:
                self._near = near
            else:
                self._came_again = True
            self._news.notify_all()
        if before is not None:
            # An agent that came back has begun the task once more: it knows nothing of the calls of the first attempt.
            near.close()
            before.hang_up()
        elif self._ended:
            near.hang_up()

    def _end(self) -> None:
        with self._news:
            self._ended = True
            self._news.notify_all()
        if self._near is not None:
            self._near.hang_up()
        self._tell_end()

    def open(self, wanted: Callable[[], bool]) -> _channel.Channel | None:
        """Waits until it has begun. None if it is not `wanted` any more before that."""
        far: _channel.Far | None = None
        runs_since: float | None = None
        while not self._ended:
            with self._news:
                if self._near is None:
                    self._news.wait(_LOOK)
            if self._near is not None:
                if far is not None:
                    far.forget()
                self._let_go()
                return self._near
            info = self.job.info()
            if info.running == 0 and not wanted():
                return None
            if info.running > 0 and runs_since is None:
                runs_since = time.monotonic()
            if runs_since is None or time.monotonic() - runs_since < _COMES:
                continue
            far = far or _channel.Far(self.job, self._input, self._word)
            if far.begins(_LOOK):
                return far
        self.job.wait(0)  # Raises why it was not taken.
        raise _channel.Gone

    def _let_go(self) -> None:
        """A worker that has a socket needs no input: it outlives the agent."""
        try:
            self._input.end(_ENDS)
        except Error:
            pass
        self._end_input()

    def _end_input(self) -> None:
        self._input.close()
        lent, self._lent = self._lent, None
        if lent is not None:
            lent.give_back()

    def cancel(self) -> None:
        """Without waiting for it: the library goes on until the agent has done it."""
        library.dunlin_job_cancel(self.job._handle, 0, None)

    def close(self, channel: _channel.Channel | None, wait: bool) -> End | None:
        """Ends the worker. How it ended, if that is waited for, and known."""
        if channel is None:
            self.cancel()
        elif not wait:
            channel.close()
        try:
            self.job.wait(_TOLD if wait else _ENDS)
            return self._told()
        except Error as error:
            self.cancel()
            return End(str(error), was_taken=True)
        finally:
            self._door.forget(self._word)
            if channel is not None and wait:
                channel.close()
            self._end_input()

    def _told(self) -> End:
        result: Result | None = next(self.job.results(0), None)
        info = self.job.info()
        taken = self._came_again or result is None or result.state == "cancelled" or "its client left" in result.detail
        if taken or result is None:
            return End(f"job {info.id} is {info.state}", was_taken=True)
        errors = b"".join(self.job.output(stderr=True, timeout=_ENDS))
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        more = last[0] if last else result.detail
        how = f"job {info.id} ({result.outcome}, {result.status})"
        return End(f"{how}: {more}" if more else how, was_taken=False)
