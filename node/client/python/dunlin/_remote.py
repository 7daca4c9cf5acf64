# SPDX-License-Identifier: MIT
"""Functions as commands: how they and their answers are told."""

from __future__ import annotations

import base64
import multiprocessing  # Has answers of a main module find it here. # noqa: F401
import os
import pickle
import sys
from collections.abc import Sequence
from typing import Any

try:
    import cloudpickle
except ImportError:  # Then functions are told by the names of their modules.
    cloudpickle = None

#: The agent takes words of 64 KiB, and 240 KiB of all of them and the environment.
_WORD_MAX = 60_000
_PAYLOAD_MAX = 180_000

#: What a task runs. Its arguments: the main module's name and path, and the rest in base64.
_RUNNER = """
import base64, os, pickle, sys, traceback
out = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
dumps = pickle.dumps
try:
    name, path = sys.argv[1:3]
    if name or path:
        from multiprocessing import spawn
        spawn.prepare({"init_main_from_name": name} if name else {"init_main_from_path": path})
    function, calls, many, by_value = pickle.loads(base64.b64decode("".join(sys.argv[3:])))
    if by_value:
        import cloudpickle
        dumps = cloudpickle.dumps
    answers = [function(*arguments, **named) for arguments, named in calls]
    answer = (True, answers if many else answers[0], "")
except BaseException as error:
    answer = (False, error, traceback.format_exc())
try:
    text = dumps(answer)
    if not answer[0]:
        pickle.loads(text)
except Exception as error:
    if answer[0]:
        answer = (False, TypeError(f"the task's answer cannot be pickled: {error}"), "")
    else:
        answer = (False, RuntimeError(f"{type(answer[1]).__name__}: {answer[1]}"), answer[2])
    text = pickle.dumps(answer)
out.write(text)
out.close()
"""

Call = tuple[Sequence[Any], dict[str, Any]]


class RemoteTraceback(Exception):
    """Where an exception came from, as the cause of it here."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _main_module() -> tuple[str, str]:
    """The name of the main module, if it was started by that, or its path; or neither, as in a notebook."""
    main = sys.modules["__main__"]
    name = getattr(getattr(main, "__spec__", None), "name", None)
    if name:
        return name, ""
    path = getattr(main, "__file__", None)
    return "", os.path.abspath(path) if path else ""


def command_of(function: Any, calls: list[Call], many: bool) -> list[str]:
    """The command that calls a function so often. Without `many` it answers with the one value."""
    by_value = cloudpickle is not None
    dumps = cloudpickle.dumps if by_value else pickle.dumps
    pickled = dumps((function, calls, many, by_value))
    payload = base64.b64encode(pickled).decode()
    if len(payload) > _PAYLOAD_MAX:
        raise ValueError(f"function and arguments take {len(payload)} bytes, more than {_PAYLOAD_MAX}")
    # Only what names the main module needs it: a script without a guard would run all of itself again.
    name, path = _main_module() if b"__main__" in pickled and not by_value else ("", "")
    words = [payload[at:at + _WORD_MAX] for at in range(0, len(payload), _WORD_MAX)]
    return [sys.executable, "-c", _RUNNER, name, path, *words]


def environment() -> dict[str, str]:
    """What finds the modules of this program, and this one's library, since a script imports that again."""
    library = os.environ.get("DUNLIN_LIBRARY")
    paths = {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    return {**paths, "DUNLIN_LIBRARY": os.path.abspath(library)} if library else paths


def value_of(written: bytes) -> Any:
    """What a function returned. Raises what it raised."""
    good, value, where = pickle.loads(written)
    if good:
        return value
    if where:
        value.__cause__ = RemoteTraceback(where)
    raise value
