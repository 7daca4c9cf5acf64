# SPDX-License-Identifier: MIT
"""What a program gives to a task to read."""

from __future__ import annotations

import ctypes

from . import _library as c
from ._library import library
from .errors import check, patiently

_PIECE = 1 << 16


class Input:
    """What one task is given to read. As a context manager it says the end of it."""

    def __init__(self, job: object, handle: ctypes.c_void_p) -> None:
        self._job = job  # Kept, so that it is freed after this.
        self._handle = handle

    def __enter__(self) -> Input:
        return self

    def __exit__(self, kind: object, *unused: object) -> None:
        if kind is None:
            self.end()
        self.close()

    def __del__(self) -> None:
        self.close()

    def _check(self, status: int) -> None:
        text = ctypes.create_string_buffer(1024)
        if status not in (c.OK, c.TIMEOUT):
            library.dunlin_input_error(self._handle, text, len(text))
        check(status, text.value.decode())

    def write(self, data: bytes | bytearray | memoryview, timeout: float | None = None) -> bool:
        """Gives all bytes, and waits while many wait for the task. False if the task reads no more."""
        size = ctypes.c_size_t()
        # Nothing of it is copied but the pieces: it may be large.
        rest = memoryview(data).cast("B")
        while rest:
            piece = bytes(rest[:_PIECE])
            status = patiently(
                lambda ms: library.dunlin_input_write(
                    self._handle, piece, len(piece), ms, ctypes.byref(size)), timeout)
            if status == c.END:
                return False
            self._check(status)
            rest = rest[size.value:]
        return True

    def end(self, timeout: float | None = None) -> bool:
        """Says that this was all, and waits until the task has taken it. False if it does not read it."""
        status = patiently(lambda ms: library.dunlin_input_end(self._handle, ms), timeout)
        if status == c.END:
            return False
        self._check(status)
        return True

    def close(self) -> None:
        """Without end() before, this ends a task that still reads."""
        if getattr(self, "_handle", None):
            library.dunlin_input_close(self._handle)
            self._handle = ctypes.c_void_p()
