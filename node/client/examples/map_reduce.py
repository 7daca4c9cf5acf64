# SPDX-License-Identifier: MIT
"""Map and reduce over files: a task for each text of a folder that all nodes share, and one when those are done."""

import pathlib
import sys

import dunlin

MAP = r"""tr -cs A-Za-z '\n' <"$0" | sort | uniq -c >"$0.counts" """
REDUCE = r"""cat "$0"/*.counts | awk '{n[$2] += $1} END {for (w in n) print n[w], w}' | sort -rn | head -3"""

folder = sys.argv[1]
texts = sorted(str(path) for path in pathlib.Path(folder).glob("*.txt"))
with dunlin.Client(sys.argv[2:]) as client:
    mapped = client.submit(["sh", "-c", MAP, "%{ENTRY}"], entries=texts, demand={"cpu_milli": 500})
    job = dunlin.command_job(["sh", "-c", REDUCE, folder])
    reduced = client.submit({**job, "after_jobs": [{"job": mapped.id()}]})
    info = reduced.wait()
    if info.state != "done":
        sys.exit(f"job {info.id} is {info.state}")
    print(b"".join(reduced.output()).decode(), end="")
