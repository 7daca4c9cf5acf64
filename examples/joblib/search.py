# SPDX-License-Identifier: MIT
"""Tries all settings of a model on the cluster, and says which are best."""

import itertools
import sys

import dunlin
from model import score

try:
    import cloudpickle  # What joblib gives a worker has no name, so it must go there itself. # noqa: F401
    import dunlin_backend  # noqa: F401
    import joblib
except ImportError:  # Then the executor alone, which does the same.
    joblib = None

SETTINGS = list(itertools.product([1, 3, 5, 7, 9, 15, 25, 45], ["city", "straight", "largest"]))


def by_joblib():
    with joblib.parallel_backend("dunlin", cpus=1):
        return joblib.Parallel()(joblib.delayed(score)(*setting) for setting in SETTINGS)


def by_executor():
    with dunlin.Executor(cpus=1) as executor:
        return list(executor.map(score, *zip(*SETTINGS)))


def main():
    print("by joblib" if joblib else "by dunlin.Executor: joblib or cloudpickle is not here", file=sys.stderr)
    scores = by_joblib() if joblib else by_executor()
    print(f"{len(SETTINGS)} settings tried; the best:")
    best = sorted(zip(scores, SETTINGS), key=lambda each: (-each[0], each[1]))
    for percent, (neighbours, metric) in best[:3]:
        print(f"{percent:5.1f} %  {neighbours} neighbours, {metric}")


if __name__ == "__main__":
    main()
