# SPDX-License-Identifier: MIT
"""What a task writes, as a program reads it."""

from __future__ import annotations

import ctypes
from typing import Any

from . import _library as c
from ._library import library
from .errors import check, patiently

_PIECE = 1 << 16


class Output:
    """The reading of one stream of one task."""

    def __init__(self, job: Any, task: int, stderr: bool, follow: bool) -> None:
        self._job = job  # Kept, so that it is freed after this.
        self._handle = ctypes.c_void_p()
        check(
            library.dunlin_output_open(job._handle, task, 2 if stderr else 1, int(follow), ctypes.byref(self._handle)),
            "too many outputs are read at once")
        self._piece = ctypes.create_string_buffer(_PIECE)
        self._size = ctypes.c_size_t()
        self._attempt = ctypes.c_uint32()

    def read(self, timeout: float | None = None) -> bytes:
        """The next piece; empty at the end. Raises Timeout, with why nothing is heard of the job."""
        status = patiently(
            lambda ms: library.dunlin_output_read(
                self._handle, self._piece, _PIECE, ms, ctypes.byref(self._size), ctypes.byref(self._attempt)),
            timeout)
        if status == c.END:
            return b""
        if status == c.TIMEOUT:
            check(status, self._job.trouble() or self._job._client.trouble())
        if status != c.OK:
            text = ctypes.create_string_buffer(1024)
            library.dunlin_output_error(self._handle, text, len(text))
            check(status, text.value.decode())
        return ctypes.string_at(self._piece, self._size.value)

    def close(self) -> None:
        if self._handle:
            library.dunlin_output_close(self._handle)
            self._handle = ctypes.c_void_p()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()
