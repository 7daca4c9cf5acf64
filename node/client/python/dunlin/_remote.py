# SPDX-License-Identifier: MIT
"""Functions and their answers, as bytes."""

from __future__ import annotations

import multiprocessing  # Has answers of a main module find it here. # noqa: F401
import os
import pickle
import reprlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

try:
    import cloudpickle
except ImportError:  # Then functions are told by the names of their modules.
    cloudpickle = None

Arguments = tuple[Sequence[Any], dict[str, Any]]
#: What finds a main module: its name, or its path.
Main = Optional[tuple[str, str]]


class RemoteTraceback(Exception):
    """Where an exception came from, as the cause of it here."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _main_module() -> Main:
    """The name of the main module, if it was started by that, or its path; or neither, as in a notebook."""
    main = sys.modules["__main__"]
    name = getattr(getattr(main, "__spec__", None), "name", None)
    if name:
        return name, ""
    path = getattr(main, "__file__", None)
    return ("", os.path.abspath(path)) if path else None


@dataclass(frozen=True)
class Called:
    """A function, which is called any number of times."""

    function: Any
    main: Main  #: What it needs of the main module.
    by_value: bool  #: By cloudpickle.
    pickled: bytes

    @staticmethod
    def of(function: Any) -> Called:
        by_value = cloudpickle is not None
        pickled = (cloudpickle if by_value else pickle).dumps(function, 5)
        # Only what names the main module needs it: a script without a guard would run all of itself again.
        main = _main_module() if not by_value and b"__main__" in pickled else None
        return Called(function, main, by_value, pickled)

    def name(self) -> str:
        return str(getattr(self.function, "__qualname__", None) or type(self.function).__qualname__)

    def arguments(self, calls: list[Arguments]) -> tuple[Main, bytes]:
        """Those of its calls as they are now, and what they need of the main module."""
        arguments = (cloudpickle if self.by_value else pickle).dumps(calls, 5)
        main = self.main
        if main is None and not self.by_value and b"__main__" in arguments:
            main = _main_module()
        return main, arguments

    def text(self, calls: list[Arguments]) -> str:
        """For people: pow(2, 3)."""
        (positional, named), *more = calls
        words = [reprlib.repr(each) for each in positional]
        words += [f"{name}={reprlib.repr(value)}" for name, value in named.items()]
        others = f" and {len(more)} more calls" if more else ""
        return f"{self.name()}({', '.join(words)[:200]}){others}"


def worker_command(path: str, word: str, directory: str) -> list[str]:
    """Of a worker that speaks to the socket at `path` if it can, and says `word` first. It goes to `directory`, if
    that is there and is not ""."""
    with open(os.path.join(os.path.dirname(__file__), "_worker.py"), encoding="utf-8") as source:
        return [sys.executable, "-c", source.read(), path, word, directory]


def working_directory() -> str:
    """Of this program; "" if it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def environment() -> dict[str, str]:
    """What finds the modules of this program, and this one's library, since a script imports that again."""
    library = os.environ.get("DUNLIN_LIBRARY")
    paths = {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    return {**paths, "DUNLIN_LIBRARY": os.path.abspath(library)} if library else paths


def value_of(answer: list[bytes | bytearray]) -> Any:
    """What a function returned. Raises what it raised."""
    good, value, where = pickle.loads(answer[0], buffers=answer[1:])
    if good:
        return value
    if where:
        value.__cause__ = RemoteTraceback(where)
    raise value
