# SPDX-License-Identifier: MIT
"""Functions on the cluster, by the interface of concurrent.futures."""

import math
import sys

import dunlin

with dunlin.Client(sys.argv[1:]) as client, dunlin.Executor(client) as executor:
    print(sum(executor.map(math.factorial, range(6))))
    print(executor.submit(["echo", "a command, too"]).result().decode(), end="")
