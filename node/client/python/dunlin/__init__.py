# SPDX-License-Identifier: MIT
"""Programs as clients of Dunlin, a cluster resource manager without a head node.

    import dunlin

    with dunlin.Client() as client:
        job = client.submit(["make", "all"])
        print(job.wait().state)
"""

from ._library import library as _functions
from .client import Client, Info, Job, Result, as_completed, as_completed_async, command_job, wait_any
from .errors import Busy, Conflict, Error, Forbidden, NotFound, Quota, Refused, TaskFailed, Timeout, VersionMismatch
from .executor import Executor
from .task_input import Input

__version__ = _functions.dunlin_version().decode()
__all__ = [
    "Busy", "Client", "Conflict", "Error", "Executor", "Forbidden", "Info", "Input", "Job", "NotFound",
    "Quota", "Refused", "Result", "TaskFailed", "Timeout", "VersionMismatch", "as_completed",
    "as_completed_async", "command_job", "wait_any",
]
