# SPDX-License-Identifier: MIT
"""Clients, jobs and their results."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import ctypes
import json
import os
import queue
import time
import weakref
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Union

from . import _calls
from . import _library as c
from ._answers import Asker
from ._library import library
from ._words import JOB_WORDS, group_of, job_of
from .errors import Error, Timeout, beside, check, milliseconds, patiently
from .task_input import Input
from .task_output import Output

Command = Sequence[Union[str, bytes]]


def command_job(command: Command, **words: Any) -> dict[str, Any]:
    """A job of one group that runs `command`. `words` say more of both, such as count=100: see Client.submit()."""
    if isinstance(command, (str, bytes)):
        text = os.fsdecode(command)
        raise TypeError(
            f"a command is a list of words: {text.split()!r} or, to have a shell read it, {['sh', '-c', text]!r}")
    name = os.path.basename(os.fsdecode(command[0])) if command else ""
    group = {word: value for word, value in words.items() if word not in JOB_WORDS}
    of_job = {word: value for word, value in words.items() if word in JOB_WORDS}
    return job_of({"name": name, **of_job, "groups": [{"command": command, **group}]})


@dataclass(frozen=True)
class Result:
    """The result of one task."""

    task: int  #: Its index in the job.
    attempt: int  #: The attempt that counts, from 1.
    state: str  #: "done", "failed" or "cancelled".
    outcome: str  #: "exited", "signalled", "time_limit", ...
    status: int  #: Exit status, signal or errno, as `outcome` says.
    shell_status: int  #: As a shell would show it.
    seconds: float  #: How long it ran.
    cpu_seconds: float
    memory_peak: int  #: Bytes.
    out_bytes: int  #: Written to stdout, if kept.
    err_bytes: int  #: Written to stderr, if kept.
    worker: str  #: The name of the node that ran it.
    detail: str  #: Why, if there is more to say.
    started_at: float  #: Seconds since 1970, by the clock of its node; 0: it never did.
    disk_read: int  #: Bytes that came from disks; this and the next: 0 if not counted.
    disk_written: int
    net_received: int
    net_sent: int


@dataclass(frozen=True)
class Info:
    """How a job stands."""

    id: str  #: "NODE.NUMBER"; empty until the agent has taken the job.
    state: str
    ended: bool
    tasks: int
    running: int
    done: int
    failed: int
    cancelled: int
    cancelling: int  #: Told to stop, and not yet seen dead: not counted as running.


class Job:
    """A job that was submitted, or found. It goes on when this handle is gone."""

    def __init__(self, client: Client, handle: ctypes.c_void_p) -> None:
        self._client = client  # Kept, so that it is closed after its jobs.
        self._handle = handle
        self._calls = _calls.Calls()

    def __del__(self) -> None:
        if self._handle:
            library.dunlin_job_free(self._handle)
            self._handle = ctypes.c_void_p()

    def trouble(self) -> str:
        """Why the job failed, or why nothing is heard of it at the moment; empty if all is well."""
        text = ctypes.create_string_buffer(1024)
        library.dunlin_job_error(self._handle, text, len(text))
        return text.value.decode()

    def _check(self, status: int) -> None:
        check(status, self.trouble() if status not in (c.OK, c.TIMEOUT) else "")

    def id(self, timeout: float | None = None) -> str:
        """The name of the job, once the agent has taken it."""
        text = ctypes.create_string_buffer(40)
        self._check(patiently(lambda ms: library.dunlin_job_id(self._handle, ms, text, len(text)), timeout))
        return text.value.decode()

    def info(self) -> Info:
        """What is known of the job now."""
        info = c.JobInfo(size=ctypes.sizeof(c.JobInfo))
        check(library.dunlin_job_look(self._handle, ctypes.byref(info)))
        return Info(
            info.id.decode(), info.state.decode(), bool(info.ended), info.tasks, info.running, info.done,
            info.failed, info.cancelled, info.cancelling)

    def wait(self, timeout: float | None = None) -> Info:
        """Waits for the end of the job, however that is. Raises Timeout, or why it was not taken."""
        self._check(patiently(lambda ms: library.dunlin_job_wait(self._handle, ms), timeout))
        return self.info()

    def results(self, timeout: float | None = None) -> Iterator[Result]:
        """The results of its tasks as they come, each once. Needs results=True of the submit."""
        while True:
            told = c.ResultInfo(size=ctypes.sizeof(c.ResultInfo))
            place = ctypes.byref(told)
            status = patiently(
                lambda ms: library.dunlin_job_next_result(self._handle, ms, place), timeout)
            if status == c.END:
                return
            self._check(status)
            yield Result(
                told.task, told.attempt, told.state.decode(), told.outcome.decode(), told.status,
                told.shell_status, told.wall_ns / 1e9, told.cpu_ns / 1e9, told.memory_peak, told.out_bytes,
                told.err_bytes, told.worker.decode(), told.detail.decode(), told.started_at_ns / 1e9,
                told.disk_read_bytes, told.disk_written_bytes, told.net_received_bytes, told.net_sent_bytes)

    def output(
        self, task: int = 0, *, stderr: bool = False, follow: bool = False, timeout: float | None = None
    ) -> Iterator[bytes]:
        """What a task wrote, piece by piece; with `follow` until the task has ended.

        Raises Timeout, with why nothing is heard of the job, if a piece takes longer than `timeout` seconds.
        """
        reading = Output(self, task, stderr, follow)
        try:
            while piece := reading.read(timeout):
                yield piece
        finally:
            reading.close()

    def input(self, task: int = 0) -> Input:
        """Gives a task what it reads from stdin; its group has input="client"."""
        handle = ctypes.c_void_p()
        check(
            library.dunlin_input_open(self._handle, task, ctypes.byref(handle)),
            "too many tasks are given something at once")
        return Input(self, handle)

    def cancel(self, timeout: float | None = None) -> int:
        """Stops all tasks of the job; how many that were."""
        count = ctypes.c_uint32()
        self._check(beside(lambda: library.dunlin_job_cancel(
            self._handle, milliseconds(timeout), ctypes.byref(count))))
        return count.value

    def retry(self, *, failed_only: bool = False, timeout: float | None = None) -> int:
        """Runs tasks again that failed or were cancelled; how many those are."""
        count = ctypes.c_uint32()
        self._check(beside(lambda: library.dunlin_job_retry(
            self._handle, int(failed_only), milliseconds(timeout), ctypes.byref(count))))
        return count.value

    def on_end(self, call: Any) -> None:
        """Has `call(job)` called once, in a thread of the library, when the job has ended or failed.

        Any number of them, in that order; also if nothing else refers to the job.
        """
        self._calls.add(self, call)

    def __await__(self) -> Any:
        return _ended(self).__await__()


async def _ended(job: Job) -> Info:
    async for each in as_completed_async([job]):
        return each.wait(0)
    raise AssertionError("a job that was waited for has ended")


def _job_of(job: dict[str, Any] | Command, words: dict[str, Any]) -> dict[str, Any]:
    """The job of what is submitted, and of more words for it and its group."""
    if not isinstance(job, dict):
        return command_job(job, **words)
    group = {word: value for word, value in words.items() if word not in JOB_WORDS}
    whole = job_of({**job, **{word: value for word, value in words.items() if word in JOB_WORDS}})
    groups = whole.get("groups")
    if not group or not isinstance(groups, list):
        return whole
    if len(groups) != 1 or not isinstance(groups[0], dict):
        raise TypeError(f"{', '.join(group)} is said of a group, and the job has {len(groups)}: say it in the job")
    return {**whole, "groups": [{**groups[0], **group_of(group)}]}


#: Seconds that a client that is left by an exception waits for its submits to be acknowledged.
_FLUSH_AFTER_ERROR = 2.0

#: To be closed at the end of the program, so that no call comes into an interpreter that ends.
_open: weakref.WeakSet[Client] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for client in list(_open):
        client.close()


class Client(Asker):
    """A conversation with an agent, which is found again when it was lost."""

    def __init__(self, addresses: str | Iterable[str] | None = None) -> None:
        """`addresses`: paths of agents' sockets; none is the usual place, or $DUNLIN_ADDRESS."""
        paths = [addresses] if isinstance(addresses, str) else list(addresses or [])
        self._addresses = paths
        self._handle = ctypes.c_void_p()
        array = (ctypes.c_char_p * len(paths))(*[os.fsencode(path) for path in paths])
        check(
            library.dunlin_client_open(array, len(paths), c.KINDS, ctypes.byref(self._handle)),
            f"no client of {paths or 'the usual address'}: an address is the path of a socket")
        _open.add(self)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: object, *unused: object) -> None:
        try:
            # What went wrong is to be seen, also if no agent answers.
            self.flush(None if kind is None else _FLUSH_AFTER_ERROR)
        except Error:
            if kind is None:
                raise
        finally:
            self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Ends the conversation. Jobs that the agent has taken go on."""
        if getattr(self, "_handle", None):
            handle, self._handle = self._handle, ctypes.c_void_p()
            library.dunlin_client_close(handle)
            _calls.forget(_calls.of_client(self))

    def _given(self) -> ctypes.c_void_p:
        if not self._handle:
            check(c.CLOSED)
        return self._handle

    def flush(self, timeout: float | None = None) -> None:
        """Waits until each submit so far is acknowledged, or has failed."""
        status = patiently(lambda ms: library.dunlin_client_flush(self._given(), ms), timeout)
        check(status, self.trouble() if status != c.OK else "")

    def trouble(self) -> str:
        """Why no agent answers; empty while one does."""
        text = ctypes.create_string_buffer(1024)
        library.dunlin_client_error(self._handle, text, len(text))
        return text.value.decode()

    def submit(self, job: dict[str, Any] | Command, *, results: bool = False, **words: Any) -> Job:
        """Submits a job, and returns at once: a command, or a dict.

        `words`, and the members of a dict, are those of a job file, in its units: cpus=4, memory="4G",
        time_limit="1h", env={"LEVEL": "9"}, deadline="2h" (class_ for `class`). Those of
        docs/design/control-protocol.md mean what they mean there: demand={"cpu_milli": 500}. Tasks run where the
        program is, unless cwd="/data" says otherwise; cwd="none": each in an empty directory of its own. Raises
        TypeError for a word that is neither, and ValueError for a value that its word cannot have.
        """
        return self.submit_many([job], results=results, **words)[0]

    def submit_many(
        self, jobs: Iterable[dict[str, Any] | Command], *, results: bool = False, **words: Any
    ) -> list[Job]:
        """Submits jobs, and returns at once."""
        texts = [json.dumps(_job_of(job, words)).encode() for job in jobs]
        count = len(texts)
        handles = (ctypes.c_void_p * count)()
        check(library.dunlin_submit_many(
            self._given(), (ctypes.c_char_p * count)(*texts),
            (ctypes.c_size_t * count)(*[len(text) for text in texts]), count, c.RESULTS if results else 0,
            handles), "a job is a dict with a list 'groups'")
        return [Job(self, ctypes.c_void_p(handle)) for handle in handles]

    def job(self, name: str, *, results: bool = False) -> Job:
        """A job by its id, NODE.NUMBER, with the node's id in hexadecimal."""
        handle = ctypes.c_void_p()
        check(
            library.dunlin_job_find(
                self._given(), name.encode(), c.RESULTS if results else 0, ctypes.byref(handle)),
            f"{name!r} is no job's id: it must be NODE.NUMBER, the node's id in 16 hexadecimal digits")
        return Job(self, handle)


def wait_any(jobs: Iterable[Job], timeout: float | None = None) -> Job:
    """Waits until one of the jobs has ended or failed; the first of them, if several have."""
    waiting = list(jobs)
    handles = (ctypes.c_void_p * len(waiting))(*[job._handle for job in waiting])
    which = ctypes.c_size_t()
    check(patiently(
        lambda ms: library.dunlin_wait_any(handles, len(waiting), ms, ctypes.byref(which)), timeout))
    return waiting[which.value]


def as_completed(jobs: Iterable[Job], timeout: float | None = None) -> Iterator[Job]:
    """The jobs in the order in which they end or fail. Raises Timeout after so many seconds in all."""
    ended: queue.SimpleQueue[Job] = queue.SimpleQueue()
    waiting = list(jobs)
    for job in waiting:
        job.on_end(ended.put)
    limit = None if timeout is None else time.monotonic() + timeout
    for _ in waiting:
        try:
            yield ended.get(timeout=None if limit is None else max(0.0, limit - time.monotonic()))
        except queue.Empty:
            raise Timeout(c.TIMEOUT, "not all jobs have ended in time") from None


async def as_completed_async(jobs: Iterable[Job]) -> AsyncIterator[Job]:
    """The same for `async for`."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Queue[Job] = asyncio.Queue()
    waiting = list(jobs)

    def tell(each: Job) -> None:
        with contextlib.suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            loop.call_soon_threadsafe(ended.put_nowait, each)

    for job in waiting:
        job.on_end(tell)
    for _ in waiting:
        yield await ended.get()
