# SPDX-License-Identifier: MIT
"""What agents are asked, and what they tell."""

from __future__ import annotations

import ctypes
import json
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, Union

from . import _library as c
from ._library import library
from .errors import check, patiently

#: A moment: seconds since 1970, a datetime, or how long ago.
Moment = Union[float, datetime, timedelta]


def _at_ns(moment: Moment | None) -> int | None:
    if moment is None:
        return None
    if isinstance(moment, timedelta):
        return time.time_ns() - moment // timedelta(microseconds=1) * 1000
    if isinstance(moment, datetime):
        return round(moment.timestamp() * 1e6) * 1000
    return round(moment * 1e9)


class _Answer:
    """One question, and its answer."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle

    def __del__(self) -> None:
        if self._handle:
            library.dunlin_answer_free(self._handle)
            self._handle = ctypes.c_void_p()

    def read(self, timeout: float | None) -> dict[str, Any]:
        status = patiently(lambda ms: library.dunlin_answer_wait(self._handle, ms), timeout)
        text = ctypes.create_string_buffer(1024)
        if status not in (c.OK, c.TIMEOUT):
            library.dunlin_answer_error(self._handle, text, len(text))
        check(status, text.value.decode())
        told: dict[str, Any] = json.loads(library.dunlin_answer_text(self._handle, None))
        return told

    def next(self) -> _Answer | None:
        handle = ctypes.c_void_p()
        status = library.dunlin_answer_next(self._handle, ctypes.byref(handle))
        if status == c.END:
            return None
        check(status)
        return _Answer(handle)


class Asker:
    """What a client asks an agent to tell. Names of members, and what they mean, are those of the requests and
    answers in docs/design/control-protocol.md; one that is None is left out."""

    def _given(self) -> ctypes.c_void_p:
        raise NotImplementedError

    def _asked(self, verb: str, members: dict[str, Any]) -> _Answer:
        handle = ctypes.c_void_p()
        text = json.dumps({name: value for name, value in members.items() if value is not None}).encode()
        check(
            library.dunlin_ask(self._given(), verb.encode(), text, len(text), ctypes.byref(handle)),
            f"{verb!r} is nothing that an agent may be asked, or its members are none: {sorted(members)}")
        return _Answer(handle)

    def ask(self, verb: str, *, timeout: float | None = None, **members: Any) -> dict[str, Any]:
        """What an agent tells, as it tells it; of a list the first page. `verb` is one that changes nothing, see
        dunlin_ask() in dunlin.h."""
        return self._asked(verb, members).read(timeout)

    def pages(self, verb: str, *, timeout: float | None = None, **members: Any) -> Iterator[dict[str, Any]]:
        """The pages of a list: "jobs", "tasks", "node_tasks" or "past". `timeout` is for each."""
        answer: _Answer | None = self._asked(verb, members)
        while answer is not None:
            yield answer.read(timeout)
            answer = answer.next()

    def jobs(
        self, *, cluster: bool = False, ended: bool = False, user: str | None = None, name: str | None = None,
        state: str | None = None, class_: str | None = None, ids: Iterable[str] | None = None,
        since: Moment | None = None, ended_since: Moment | None = None, sort: str | None = None,
        timeout: float | None = None,
    ) -> Iterator[dict[str, Any]]:
        """The jobs of the agent, or of the cluster, a Summary each; `ended`: those that have, too. They are asked
        for page by page: one that comes or ends meanwhile disturbs nothing."""
        members = {
            "cluster": cluster, "all": ended, "user": user, "name": name, "state": state, "class": class_,
            "ids": None if ids is None else list(ids), "since_at_ns": _at_ns(since),
            "ended_since_at_ns": _at_ns(ended_since), "sort": sort, "limit": 200,
        }
        for page in self.pages("jobs", timeout=timeout, **members):
            yield from page["jobs"]

    def usage(
        self, *, by: str = "user", cluster: bool = False, since: Moment | None = None, until: Moment | None = None,
        user: str | None = None, class_: str | None = None, timeout: float | None = None,
    ) -> dict[str, Any]:
        """Who used how much: lines by "user", "class", "day" or "node" in "usage", and "total"."""
        members = {
            "by": by, "cluster": cluster, "since_at_ns": _at_ns(since), "until_at_ns": _at_ns(until), "user": user,
            "class": class_,
        }
        return self.ask("usage", timeout=timeout, **members)

    def node(self, name: str, *, timeout: float | None = None) -> dict[str, Any]:
        """All that is known of one node, by its name or id."""
        return self.ask("node", timeout=timeout, node=name)

    def node_tasks(self, node: str | None = None, *, timeout: float | None = None) -> Iterator[dict[str, Any]]:
        """What runs and waits at a node, a NodeTask each; without a name at that of the agent."""
        for page in self.pages("node_tasks", timeout=timeout, at=node):
            yield from page["tasks"]

    def overlay(self, node: str | None = None, *, timeout: float | None = None) -> dict[str, Any]:
        """The nodes that a node knows, by chance and by rank; without a name that of the agent."""
        return self.ask("overlay", timeout=timeout, at=node)

    def timeline(
        self, job: Any, *, bins: int | None = None, bars: int | None = None, timeout: float | None = None
    ) -> dict[str, Any]:
        """When the attempts of a job ran: a Job, or its name."""
        name = job if isinstance(job, str) else job.id(timeout)
        return self.ask("timeline", timeout=timeout, job=name, bins=bins, bars=bars)

    def task_bins(self, job: Any, *, bins: int | None = None, timeout: float | None = None) -> dict[str, Any]:
        """How many tasks of a job stand where, as ranges of them: a Job, or its name."""
        name = job if isinstance(job, str) else job.id(timeout)
        return self.ask("task_bins", timeout=timeout, job=name, bins=bins)

    def node_bins(self, *, timeout: float | None = None) -> dict[str, Any]:
        """All nodes, counted by what is in use there."""
        return self.ask("node_bins", timeout=timeout)

    def past(
        self, figures: Iterable[str] | None = None, *, node: str | None = None, step: float = 5.0,
        since: Moment | None = None, timeout: float | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Figures of a node in the past, page by page, in steps of 5 s or of 60 s."""
        return self.pages(
            "past", timeout=timeout, figures=None if figures is None else list(figures), at=node,
            step_ns=round(step * 1e9), since_at_ns=_at_ns(since))
