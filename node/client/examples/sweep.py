# SPDX-License-Identifier: MIT
"""A parameter sweep: one job with a task for each value, and the results as the tasks end."""

import sys

import dunlin

with dunlin.Client(sys.argv[1:]) as client:
    job = client.submit(
        ["sh", "-c", "exit $(( $DUNLIN_TASK_INDEX % 3 ))"], results=True, count=9, demand={"cpu_milli": 500})
    good = sum(result.shell_status == 0 for result in job.results())
    print(f"{good} of {job.info().tasks} values are good")
