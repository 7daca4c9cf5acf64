# SPDX-License-Identifier: MIT
"""The workers of an Executor: tasks that stay, and do one call after the other.

There are as many as the cluster starts, up to a limit: new ones are asked for while calls wait, few at a time, so that
what waits for a place in the cluster is little. A worker is given several calls at once where each is short by what
was measured, since then the way there and back is what takes the time.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from typing import Any

from . import _channel, _remote
from ._call import Call
from ._worker_job import Lent, WorkerJob
from .client import Client
from .errors import TaskFailed

#: Seconds of the start of a worker: less work than that is no reason for one more.
_START = 0.2
#: Workers that may begin at a time, if there are fewer.
_AT_ONCE = 4
#: What is given at once takes so many seconds, on this machine and through the agent.
_NEAR, _FAR = 0.005, 0.2
_CALLS_AT_ONCE = 256
#: Bytes of what is given at once, and of what a worker may answer through the agent.
_GIVEN, _ANSWERED = 1 << 20, 256 << 20
#: Starts that fail in a row until no more are tried.
_STARTS = 3
#: How often a call is begun again whose worker was taken away.
_LOSSES = 10
_INPUTS = 8  #: That one client has at a time.


class Worker:
    """A thread that gives calls to one worker."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self.begun = False
        self.idle = False
        self.lost = False
        self.done = 0
        self.given: deque[Call] = deque()
        self.channel: _channel.Channel | None = None
        self.job: WorkerJob | None = None
        self.thread = threading.Thread(target=self._run, name="dunlin-worker", daemon=True)

    def _run(self) -> None:
        why: BaseException | None = None
        try:
            self.job = WorkerJob(self._crew.lend(), self._crew.door, self._crew.group, self._on_end)
            self.channel = self.job.open(lambda: self._crew.has_work(self))
            if self.channel is not None:
                self._crew.begins(self)
                while batch := self._crew.take(self):
                    self._serve(batch)
        except _channel.Gone:
            pass
        except Exception as error:  # Of a job that cannot be: it is told to all that wait for a worker.
            why = error
        finally:
            self._crew.leaves(self, why)

    def _on_end(self) -> None:
        self.lost = True
        self._crew.wake()

    def _serve(self, batch: list[Call]) -> None:
        channel = self.channel
        assert channel is not None
        channel.send([call.head for call in batch], [part for call in batch for part in call.parts])
        while self.given:
            (number, seconds), answer = channel.receive()
            call = self._crew.answered(self, number, seconds)
            call.future.finish(None if seconds is None else lambda: _remote.value_of(answer))
        self.done += len(batch)

    def drop(self, call: Call) -> None:
        """It was cancelled: stops it, if it runs."""
        if self.given and self.given[0] is call:
            if self.job is not None:
                self.job.cancel()
        elif self.channel is not None:
            try:
                self.channel.send([call.number])
            except _channel.Gone:
                pass


class Crew:
    """All workers."""

    def __init__(self, addresses: list[str], group: dict[str, Any], most: int, calls_each: int | None,
                 idle: float) -> None:
        self.door = _channel.Door()
        self.group = dict(group)
        self._retries = int(self.group.pop("retries", 0))
        self._addresses = addresses
        self._most = most
        self._calls_each = calls_each
        self._idle = idle
        self._lock = threading.RLock()
        self._news = threading.Condition(self._lock)
        self._waiting: deque[Call] = deque()
        self._workers: set[Worker] = set()
        self._clients: list[Lent] = []
        self._seconds: dict[str, float] = {}
        self._failed_starts = 0
        self._numbers = 0
        self._closed = False
        threading.Thread(target=self._look, name="dunlin-crew", daemon=True).start()

    def lend(self) -> Lent:
        """A client that can give a further task its input."""
        with self._lock:
            lent = next((each for each in self._clients if each.inputs < _INPUTS), None)
            if lent is None:
                lent = Lent(Client(self._addresses), self._lock)
                self._clients.append(lent)
            lent.inputs += 1
            return lent

    def submit(self, future: Any, called: _remote.Called, calls: list[_remote.Arguments], many: bool) -> Call:
        with self._lock:
            self._numbers += 1
            number = self._numbers
        call = Call(number, future, called, calls, many)
        with self._lock:
            self._waiting.append(call)
            self._news.notify()
            self._start(False)
        return call

    def jobs(self) -> list[str]:
        """Those of the workers that have begun."""
        with self._lock:
            return [worker.job.job.id(0) for worker in self._workers if worker.begun and worker.job]

    def wake(self) -> None:
        with self._lock:
            self._news.notify_all()

    def _look(self) -> None:
        """Starts workers also for calls that are short by what was measured, and wait nevertheless."""
        while not self._closed:
            time.sleep(_START)
            with self._lock:
                if self._waiting and time.monotonic() - self._waiting[0].since > _START:
                    self._start(True)

    def _start(self, late: bool) -> None:
        """Asks for more workers, if calls wait that those which are there will not do soon."""
        waiting = len(self._waiting)
        if self._closed or waiting == 0:
            return
        beginning = sum(1 for worker in self._workers if not worker.begun)
        ready = len(self._workers) - beginning
        there = beginning + sum(1 for worker in self._workers if worker.idle)
        mean = self._seconds.get(self._waiting[0].key)
        if mean is not None and not late:
            work = waiting * mean
            waiting = math.ceil(work / _START)
            if work < _START:
                there = len(self._workers)
        count = min(waiting - there, max(_AT_ONCE, ready) - beginning, self._most - len(self._workers))
        for _ in range(count):
            worker = Worker(self)
            self._workers.add(worker)
            worker.thread.start()

    def has_work(self, worker: Worker) -> bool:
        """False for a worker that has not begun, and is not wanted any more."""
        return not self._closed and len(self._waiting) > 0

    def begins(self, worker: Worker) -> None:
        with self._lock:
            worker.begun = True
            self._failed_starts = 0

    def take(self, worker: Worker) -> list[Call]:
        """The next calls for a worker; none if it is to end."""
        assert worker.channel is not None
        limit = time.monotonic() + self._idle
        if worker.channel.kept > _ANSWERED or worker.done == self._calls_each:
            return []
        with self._lock:
            try:
                worker.idle = True
                while not worker.lost:
                    if batch := self._cut(worker):
                        self._start(False)
                        return batch
                    left = limit - time.monotonic()
                    if left <= 0 or self._closed:
                        return []
                    self._news.wait(left)
                raise _channel.Gone
            finally:
                worker.idle = False

    def _cut(self, worker: Worker) -> list[Call]:
        """Of what waits as much as one worker should have at a time."""
        batch: list[Call] = []
        size = 0
        ready = sum(1 for each in self._workers if each.begun)
        most = max(1, min(_CALLS_AT_ONCE, len(self._waiting) // (2 * ready)))
        if self._calls_each is not None:
            most = min(most, self._calls_each - worker.done)
        while self._waiting and len(batch) < most:
            call = self._waiting[0]
            if not batch:
                mean = self._seconds.get(call.key)
                target = _NEAR if isinstance(worker.channel, _channel.Near) else _FAR
                most = 1 if mean is None else max(1, min(most, int(target / max(mean, 1e-6))))
            elif call.key != batch[0].key or size + call.size > _GIVEN:
                break
            self._waiting.popleft()
            if call.future.cancelled():
                call.future.finish(None)
                continue
            batch.append(call)
            size += call.size
            call.worker = worker
        worker.given.extend(batch)
        return batch

    def answered(self, worker: Worker, number: int, seconds: float | None) -> Call:
        with self._lock:
            call = worker.given.popleft()
            if call.number != number:
                worker.given.appendleft(call)
                raise _channel.Gone
            call.worker = None
            if seconds is not None:
                before = self._seconds.get(call.key, seconds)
                if len(self._seconds) > 1000:
                    self._seconds.clear()
                self._seconds[call.key] = 0.7 * before + 0.3 * seconds
            late = worker.given[0] if worker.given and worker.given[0].future.cancelled() else None
        if late is not None:
            # It was told that this is not wanted, perhaps too late.
            timer = threading.Timer(_START, lambda: worker.drop(late) if late.worker is worker else None)
            timer.daemon = True
            timer.start()
        return call

    def cancel(self, call: Call) -> None:
        """Its future was cancelled."""
        with self._lock:
            worker = call.worker
            if worker is None:
                try:
                    self._waiting.remove(call)
                except ValueError:
                    return  # It has just ended.
        if worker is not None:
            worker.drop(call)
        else:
            call.future.finish(None)

    def leaves(self, worker: Worker, why: BaseException | None) -> None:
        """A worker has ended. What it had begun is told how; what it had not, others do."""
        ended: list[tuple[Call, BaseException | None]] = []
        end = worker.job.close(worker.channel, wait=bool(worker.given) or not worker.begun) if worker.job else None
        with self._lock:
            self._workers.discard(worker)
            given = list(worker.given)
            worker.given.clear()
            for call in given:
                call.worker = None
            if given:
                head = self._judge(given[0], end)
                if head is not None:
                    ended.append((given.pop(0), head))
            for call in reversed(given):
                if call.future.cancelled():
                    ended.append((call, None))
                else:
                    self._waiting.appendleft(call)
            if not worker.begun and (why is not None or worker.lost):
                ended += self._fail_start(why, end)
            self._news.notify_all()
            self._start(False)
        for call, error in ended:
            call.future.finish(None if error is None else _raising(error))

    def _judge(self, call: Call, end: Any) -> BaseException | None:
        """Why a call that its worker had begun has no answer; None if it is to be begun again."""
        if call.future.cancelled():
            return TaskFailed("cancelled")
        if end is None or end.was_taken:
            call.losses += 1
            if call.losses <= _LOSSES:
                return None
        else:
            call.failures += 1
            if call.failures <= self._retries:
                return None
        return TaskFailed(f"{call.text()} ended its worker" + (f": {end.text}" if end is not None else ""))

    def _fail_start(self, why: BaseException | None, end: Any) -> list[tuple[Call, BaseException | None]]:
        """Gives up what waits, if no worker can be had."""
        self._failed_starts += 1
        # As many as there are is what can be had.
        self._most = max(1, len(self._workers)) if self._workers else self._most
        if any(each.begun for each in self._workers) or (why is None and self._failed_starts < _STARTS):
            return []
        text = str(why) if why is not None else end.text if end is not None else "it has ended"
        failed: list[tuple[Call, BaseException | None]] = [
            (call, why if why is not None else TaskFailed(f"no worker begins: {text}")) for call in self._waiting]
        self._waiting.clear()
        return failed

    def close(self, wait: bool) -> None:
        """Ends workers as they have nothing to do. Nothing more is submitted."""
        with self._lock:
            self._closed = True
            self._news.notify_all()
            own = threading.current_thread()
            threads = [worker.thread for worker in self._workers if worker.thread is not own]
        if wait:
            for thread in threads:
                thread.join()
            self._end()
        else:
            threading.Thread(target=lambda: self.close(True), name="dunlin-crew-end", daemon=True).start()

    def _end(self) -> None:
        self.door.close()
        with self._lock:
            clients, self._clients = self._clients, []
        for client in clients:
            client.client.close()


def _raising(error: BaseException) -> Any:
    def fail() -> None:
        raise error
    return fail
