# SPDX-License-Identifier: MIT
"""The functions of libdunlin, by ctypes: dunlin.h in Python's terms."""

import ctypes
import os
from ctypes import POINTER, c_char, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint32, c_uint64
from ctypes import c_void_p

OK, USAGE, NOT_FOUND, REFUSED, IO, CORRUPT, TIMEOUT, LOST, MISMATCH, CLOSED, FORKED, END, NO_MEMORY = range(13)
FORBIDDEN, BUSY, QUOTA, CONFLICT = range(13, 17)
KINDS = 2
RESULTS = 1
CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)


class JobInfo(ctypes.Structure):
    """dunlin_job_info."""

    _fields_ = [
        ("size", c_size_t), ("id", c_char * 40), ("state", c_char * 16), ("ended", c_int), ("tasks", c_uint32),
        ("running", c_uint32), ("done", c_uint32), ("failed", c_uint32), ("cancelled", c_uint32),
        ("cancelling", c_uint32),
    ]


class ResultInfo(ctypes.Structure):
    """dunlin_result."""

    _fields_ = [
        ("size", c_size_t), ("task", c_uint32), ("attempt", c_uint32), ("state", c_char * 16),
        ("outcome", c_char * 24), ("status", c_int32), ("shell_status", c_int32), ("wall_ns", c_int64),
        ("cpu_ns", c_int64), ("memory_peak", c_uint64), ("out_bytes", c_uint64), ("err_bytes", c_uint64),
        ("worker", c_char * 64), ("detail", c_char * 256), ("started_at_ns", c_int64),
        ("disk_read_bytes", c_uint64), ("disk_written_bytes", c_uint64), ("net_received_bytes", c_uint64),
        ("net_sent_bytes", c_uint64),
    ]


_PROTOTYPES = {
    "dunlin_version": (c_char_p, []),
    "dunlin_status_text": (c_char_p, [c_int]),
    "dunlin_client_open": (c_int, [POINTER(c_char_p), c_size_t, c_uint, POINTER(c_void_p)]),
    "dunlin_client_close": (None, [c_void_p]),
    "dunlin_client_flush": (c_int, [c_void_p, c_int]),
    "dunlin_client_error": (c_int, [c_void_p, c_char_p, c_size_t]),
    "dunlin_submit": (c_int, [c_void_p, c_char_p, c_size_t, c_uint, POINTER(c_void_p)]),
    "dunlin_submit_many": (
        c_int, [c_void_p, POINTER(c_char_p), POINTER(c_size_t), c_size_t, c_uint, POINTER(c_void_p)]),
    "dunlin_job_find": (c_int, [c_void_p, c_char_p, c_uint, POINTER(c_void_p)]),
    "dunlin_job_free": (None, [c_void_p]),
    "dunlin_job_id": (c_int, [c_void_p, c_int, c_char_p, c_size_t]),
    "dunlin_job_look": (c_int, [c_void_p, POINTER(JobInfo)]),
    "dunlin_job_wait": (c_int, [c_void_p, c_int]),
    "dunlin_wait_any": (c_int, [POINTER(c_void_p), c_size_t, c_int, POINTER(c_size_t)]),
    "dunlin_job_error": (c_int, [c_void_p, c_char_p, c_size_t]),
    "dunlin_job_next_result": (c_int, [c_void_p, c_int, POINTER(ResultInfo)]),
    "dunlin_job_on_end": (c_int, [c_void_p, CALLBACK, c_void_p]),
    "dunlin_job_cancel": (c_int, [c_void_p, c_int, POINTER(c_uint32)]),
    "dunlin_job_retry": (c_int, [c_void_p, c_int, c_int, POINTER(c_uint32)]),
    "dunlin_output_open": (c_int, [c_void_p, c_uint32, c_int, c_int, POINTER(c_void_p)]),
    "dunlin_output_read": (
        c_int, [c_void_p, c_char_p, c_size_t, c_int, POINTER(c_size_t), POINTER(c_uint32)]),
    "dunlin_output_error": (c_int, [c_void_p, c_char_p, c_size_t]),
    "dunlin_output_close": (None, [c_void_p]),
    "dunlin_input_open": (c_int, [c_void_p, c_uint32, POINTER(c_void_p)]),
    "dunlin_input_write": (c_int, [c_void_p, c_char_p, c_size_t, c_int, POINTER(c_size_t)]),
    "dunlin_input_end": (c_int, [c_void_p, c_int]),
    "dunlin_input_error": (c_int, [c_void_p, c_char_p, c_size_t]),
    "dunlin_input_close": (None, [c_void_p]),
    "dunlin_ask": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "dunlin_answer_wait": (c_int, [c_void_p, c_int]),
    "dunlin_answer_text": (c_char_p, [c_void_p, POINTER(c_size_t)]),
    "dunlin_answer_next": (c_int, [c_void_p, POINTER(c_void_p)]),
    "dunlin_answer_error": (c_int, [c_void_p, c_char_p, c_size_t]),
    "dunlin_answer_free": (None, [c_void_p]),
}


def _load() -> ctypes.CDLL:
    """The library that $DUNLIN_LIBRARY names, or the one that came with this package, or the system's."""
    beside = os.path.join(os.path.dirname(__file__), "libdunlin.so.1")
    name = os.environ.get("DUNLIN_LIBRARY") or (beside if os.path.exists(beside) else "libdunlin.so.1")
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(f"cannot load libdunlin: {error}; set DUNLIN_LIBRARY to its path") from error
    for function, (result, arguments) in _PROTOTYPES.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


library = _load()
