# SPDX-License-Identifier: MIT
"""The words of job files, for programs: from them to members of the control protocol.

Both are taken, so that a program may say time_limit="1h" or time_limit_ns=3_600_000_000_000. What is neither is
refused before anything is submitted: a limit that was misspelt is else noticed when it is missed.
"""

from __future__ import annotations

import base64
import difflib
import os
import re
import signal
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from ._terms import TERMS

#: Members of the protocol: those of terms, and those that no schema names.
_JOB = {row[0] for row in TERMS["job"].values()} | {
    "owner", "class", "past_deadline", "key", "after_jobs", "on_end", "on_preempt", "checkpoint_signal",
    "checkpoint_time_ns", "labels", "rerun", "groups", "allow_unsatisfiable", "strict",
}
_GROUP = {row[0] for row in TERMS["group"].values()} | {
    "array", "demand", "constraints", "after", "inputs", "command", "script", "literal", "truncate", "limit_signal",
    "limit_signal_time_ns", "umask", "limits", "environment", "directory", "stdin", "input", "rows", "columns", "stdout",
    "stderr", "submit_directory", "entries",
}
_DEMAND = {"cpu_milli", "memory_mib", "rates", "custom"}
_RATES = ("disk_read", "disk_write", "net_in", "net_out")

_SPANS = {"d": 86_400 * 10**9, "h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}
_SIZES = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def text_or_bytes(word: str | bytes) -> Any:
    """A word for a program in JSON, which has no bytes but UTF-8."""
    raw = os.fsencode(word)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(raw).decode()}


def _nanoseconds(value: Any) -> int:
    if isinstance(value, timedelta):
        return (value.days * 86_400 + value.seconds) * 10**9 + value.microseconds * 1000
    if isinstance(value, str):
        if clock := re.fullmatch(r"(\d+):([0-5]?\d):([0-5]?\d)", value):
            hours, minutes, seconds = map(int, clock.groups())
            return ((hours * 60 + minutes) * 60 + seconds) * 10**9
        parts = re.findall(r"(\d+\.?\d*|\.\d+)(ms|us|ns|[dhms])", value)
        if parts and "".join(number + unit for number, unit in parts) == value:
            return sum(round(float(number) * _SPANS[unit]) for number, unit in parts)
    raise ValueError('must be a time such as "90s", "1h30m" or "01:30:00", or a timedelta')


def _bytes_of(value: Any, ending: str, example: str) -> float:
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+) ?([KMGT])(?:i?B)?" + ending, value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"must be a text with a unit, such as {example}")
    return float(found[1]) * 1024 ** _SIZES[found[2]]


def _mebibytes(value: Any) -> int:
    return -int(-_bytes_of(value, "", '"4G"') // (1 << 20))


def _kibibytes(value: Any) -> int:
    return -int(-_bytes_of(value, "/s", '"100M/s"') // 1024)


def _milli(value: Any) -> int:
    if isinstance(value, str) and re.fullmatch(r"\d+m", value):
        return int(value[:-1])
    if isinstance(value, str) and re.fullmatch(r"\d+\.?\d*|\.\d+", value):
        value = float(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 2**32:
        return round(value * 1000)
    raise ValueError('must be a number of CPUs such as 2, 0.5 or "250m"')


_UNITS: dict[str, Callable[[Any], int]] = {
    "ns": _nanoseconds, "mib": _mebibytes, "kib_per_second": _kibibytes, "milli_cpu": _milli,
}


def _said(unit: str, number: int) -> str:
    """A bound in the unit that people write."""
    if unit == "ns":
        text = ""
        for name, size in _SPANS.items():
            if number >= size:
                text += f"{number // size}{name}"
                number %= size
        return text or "0s"
    if unit == "milli_cpu":
        return str(number // 1000) if number % 1000 == 0 else f"{number}m"
    return str(number) + {"mib": "M", "kib_per_second": "K/s"}.get(unit, "")


def _term(kind: str, word: str, value: Any) -> tuple[str, Any]:
    """The member that a word of a job file stands for, and its value there, within its bounds."""
    key, unit, least, most = TERMS[kind][word]
    if unit in _UNITS and word != key or word in _RATES:
        number = _UNITS[unit](value)
        if not least <= number <= most:
            raise ValueError(
                f"must be at most {_said(unit, most)}" if number > most else f"must be at least {_said(unit, least)}")
        return key, number
    if isinstance(value, int) and not isinstance(value, bool) and not least <= value <= most:
        raise ValueError(f"must be from {least} to {most}")
    return key, value


def _mapping(value: Any, example: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"must be a dict such as {example}")
    return value


def _limits(value: Any) -> dict[str, int]:
    limits = {}
    for name, said in _mapping(value, '{"nofile": 4096, "stack": "64M"}').items():
        if said == "unlimited":
            limits[name] = -1
        elif name == "cpu" and isinstance(said, str):
            limits[name] = -(-_nanoseconds(said) // 10**9)
        else:
            limits[name] = int(_bytes_of(said, "", '"64M"')) if isinstance(said, str) else said
    return limits


def _directory(value: Any) -> Any:
    if value == "none":
        return ""
    raw = os.fsencode(value)
    if raw.startswith((b"/", b"%{")):
        return text_or_bytes(raw)
    # Only what the program says may hold placeholders, not the name of a folder.
    return text_or_bytes(os.getcwdb().replace(b"%{", b"%%{") + b"/" + raw)


def _lines(path: Any) -> list[Any]:
    with open(path, "rb") as file:
        return [text_or_bytes(line) for line in file.read().splitlines()]


def _umask(value: Any) -> int:
    if isinstance(value, str):
        if not re.fullmatch(r"[0-7]{1,4}", value):
            raise ValueError('must be octal digits, such as "077"')
        return int(value, 8)
    return int(value)


def _one_input(value: Any) -> tuple[str, Any]:
    # The word is both: where data is, in job files, and whose words stdin has, in the protocol.
    return ("inputs", [value]) if "@" in str(value) else ("input", value)


def _inputs(value: Any) -> tuple[str, Any]:
    return "inputs", [str(line) if isinstance(line, str) else line for line in _lines(value)] if isinstance(
        value, (str, os.PathLike)) else list(value)


def _command(value: Any) -> list[Any]:
    """A list of words, or one text for a shell."""
    if isinstance(value, (str, bytes)):
        return ["/bin/sh", "-c", text_or_bytes(value)]
    return [word if isinstance(word, Mapping) else text_or_bytes(word) for word in value]


def _script(value: Any) -> Any:
    """The text of a script; an agent says what is wrong with it."""
    if not isinstance(value, (str, bytes)) or not value.startswith("#!" if isinstance(value, str) else b"#!"):
        raise ValueError("must be a text that begins with a #! line, such as #!/bin/bash")
    return text_or_bytes(value)


def _script_file(path: Any) -> Any:
    with open(path, "rb") as file:
        return _script(file.read())


_GROUP_WORDS: dict[str, Callable[[Any], tuple[str, Any]]] = {
    "env": lambda value: (
        "environment", {name: text_or_bytes(said) for name, said in _mapping(value, '{"LEVEL": "9"}').items()}),
    "cwd": lambda value: ("directory", _directory(value)),
    "rlimit": lambda value: ("limits", _limits(value)),
    "umask": lambda value: ("umask", _umask(value)),
    "each_line": lambda value: ("entries", _lines(value)),
    "input": _one_input,
    "inputs": _inputs,
    "command": lambda value: ("command", _command(value)),
    "script": lambda value: ("script", _script(value)),
    "script_file": lambda value: ("script", _script_file(value)),
}


def _after_wish(text: str) -> dict[str, Any]:
    """A job and what it must have done: "12", "merlin.7:any", "12:started+10m"."""
    if begin := re.fullmatch(r"(.+):started(?:\+(.+))?", text):
        delay = {"delay_ns": _nanoseconds(begin[2])} if begin[2] else {}
        return {"job": begin[1], "when": "started", **delay}
    job, colon, when = text.rpartition(":")
    # "ended" is another word for any, as on the command line.
    return {"job": job, "when": "any" if when == "ended" else when} if colon else {"job": text}


def _after(value: Any) -> list[dict[str, Any]]:
    return [_after_wish(each) if isinstance(each, str) else each for each in value]


def _signal(value: Any) -> int:
    if isinstance(value, str) and not value.isdigit():
        name = "SIG" + value.removeprefix("SIG")
        if name not in signal.Signals.__members__:
            raise ValueError(f"{value!r} is no signal; one is USR1, SIGUSR1 or 10")
        return int(signal.Signals[name])
    return int(value)


def _limit_signal(value: Any) -> tuple[int, int | None]:
    """A signal, and how long before the limit it comes, if that is said: "USR2@30s"."""
    name, at, time = value.partition("@") if isinstance(value, str) else (value, "", "")
    return _signal(name), _term("task", "limit_signal_time", time)[1] if at else None


_JOB_WORDS: dict[str, Callable[[Any], tuple[str, Any]]] = {
    "after_jobs": lambda value: ("after_jobs", _after(value)),
    "on_end": lambda value: ("on_end", value if isinstance(value, Mapping) else {"command": _command(value)}),
    "checkpoint_signal": lambda value: ("checkpoint_signal", _signal(value)),
    # `class` is a word of Python's own.
    "class_": lambda value: ("class", value),
}

#: Words of a job's own, beside those of its only group.
JOB_WORDS = (_JOB | set(_JOB_WORDS) | set(TERMS["job"]) | {"checkpoint_time"}) - {"name", "groups"}
_GROUP_ALL = _GROUP | set(_GROUP_WORDS) | set(TERMS["group"]) | set(TERMS["demand"]) | {"resources"}
_JOB_ALL = JOB_WORDS | {"name", "groups", "group"}


def _refuse(word: str, known: Iterable[str], of: str) -> None:
    near = difflib.get_close_matches(word, sorted(known), 1)
    raise TypeError(f"{of} has no term {word!r}" + (f": did you mean {near[0]!r}?" if near else ""))


def _told(word: str, call: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any]:
    try:
        return call()
    except (KeyError, TypeError, ValueError) as wrong:
        raise ValueError(f"{word}: {wrong}") from None


def _put(members: dict[str, Any], word: str, key: str, value: Any) -> None:
    if key in members:
        raise TypeError(f"{word}: {key!r} is said twice")
    members[key] = value


def _demand_of(words: Mapping[str, Any]) -> dict[str, Any]:
    demand: dict[str, Any] = {}
    given = _mapping(words.get("demand") or {}, '{"cpu_milli": 500}')
    for name, value in given.items():
        if name not in _DEMAND:
            _refuse(name, _DEMAND, "demand, whose members are the protocol's (say cpus, memory and others beside it),")
        demand[name] = value
    for word in (*TERMS["demand"], "resources"):
        if word not in words:
            continue
        if word == "resources":
            _put(demand, word, "custom", words[word])
        elif word in _RATES:
            key, value = _told(word, lambda word=word: _term("demand", word, words[word]))
            demand["rates"] = {**demand.get("rates", {}), key: value}
        else:
            _put(demand, word, *_told(word, lambda word=word: _term("demand", word, words[word])))
    return demand


def group_of(words: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a group that its words stand for."""
    members: dict[str, Any] = {}
    for word, value in words.items():
        if word not in _GROUP_ALL:
            _refuse(word, _GROUP_ALL | JOB_WORDS, "a group of tasks")
        if word == "demand" or word == "resources" or word in TERMS["demand"]:
            continue
        if value is None:  # As in the protocol: nothing is said.
            continue
        if word == "limit_signal":
            number, before = _told(word, lambda value=value: _limit_signal(value))
            _put(members, word, word, number)
            if before is not None:
                _put(members, word, "limit_signal_time_ns", before)
        elif word in _GROUP_WORDS:
            _put(members, word, *_told(word, lambda word=word, value=value: _GROUP_WORDS[word](value)))
        elif word in TERMS["group"]:
            _put(members, word, *_told(word, lambda word=word, value=value: _term("group", word, value)))
        else:
            _put(members, word, word, value)
    if demand := _demand_of({word: value for word, value in words.items() if value is not None}):
        members["demand"] = demand
    if "script" in members and isinstance(words.get("command"), (str, bytes)):
        raise ValueError("command: beside a script it must be a list, of the arguments of the script")
    if "each_line" in words and not any("%{ENTRY}" in str(word) for word in members.get("command", [])):
        members.setdefault("command", []).append("%{ENTRY}")
    return members


def job_of(words: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a job that its words stand for, such as tomllib reads them in a job file."""
    members: dict[str, Any] = {}
    for word, value in words.items():
        if word not in _JOB_ALL:
            _refuse(word, _JOB_ALL, "a job")
        if value is None:
            continue
        if word in ("groups", "group"):
            groups = value
            if isinstance(value, (list, tuple)):
                groups = [group_of(each) if isinstance(each, Mapping) else each for each in value]
            _put(members, word, "groups", groups)
        elif word == "checkpoint_time":
            _put(members, word, *_told(word, lambda word=word, value=value: _term("task", word, value)))
        elif word in _JOB_WORDS:
            _put(members, word, *_told(word, lambda word=word, value=value: _JOB_WORDS[word](value)))
        elif word in TERMS["job"]:
            _put(members, word, *_told(word, lambda word=word, value=value: _term("job", word, value)))
        else:
            _put(members, word, word, value)
    if "checkpoint_signal" in members or "checkpoint_time_ns" in members:
        members.setdefault("on_preempt", "checkpoint")
    return members
