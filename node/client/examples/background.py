# SPDX-License-Identifier: MIT
"""Jobs in the background, work of its own meanwhile, and the results where they are needed."""

import sys

import dunlin

with dunlin.Client(sys.argv[1:]) as client:
    jobs = [client.submit(["sh", "-c", "echo $(( $0 * $0 ))", str(part)]) for part in range(4)]
    local = sum(i % 7 for i in range(1_000_000))
    squares = 0
    for job in dunlin.as_completed(jobs):
        info = job.wait()
        if info.state != "done":
            sys.exit(f"job {info.id} is {info.state}")
        squares += int(b"".join(job.output()))
    print(f"local {local}, squares {squares}")
