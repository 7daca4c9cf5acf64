# SPDX-License-Identifier: MIT
"""What is searched: how many neighbours to ask, and how to measure what is near. It needs nothing but Python."""

import random

POINTS, FOLDS = 320, 6


def points():
    """Two spirals that wind round each other, a little blurred: (x, y, which of the two)."""
    draw = random.Random(7)
    made = []
    for number in range(POINTS):
        kind = number % 2
        # No sines, which are not the same to the last bit on all machines: eight corners do.
        turn = draw.random() * 6
        corner, part = int(turn), turn % 1
        corners = [(1, 0), (0.7, 0.7), (0, 1), (-0.7, 0.7), (-1, 0), (-0.7, -0.7), (0, -1), (0.7, -0.7)]
        (a, b), (c, d) = corners[(corner + 4 * kind) % 8], corners[(corner + 4 * kind + 1) % 8]
        away = 0.3 + turn / 12
        blur = [sum(draw.random() for _ in range(4)) / 4 - 0.5 for _ in range(2)]
        made.append((away * (a + (c - a) * part) + 0.7 * blur[0], away * (b + (d - b) * part) + 0.7 * blur[1], kind))
    return made


def near(metric, a, b):
    x, y = abs(a[0] - b[0]), abs(a[1] - b[1])
    return {"city": x + y, "straight": x * x + y * y, "largest": max(x, y)}[metric]


def score(neighbours, metric):
    """The share of points, in percent, that the others tell right: each fold is asked about by the rest."""
    data = points()
    right = 0
    for fold in range(FOLDS):
        known = [point for number, point in enumerate(data) if number % FOLDS != fold]
        for point in data[fold::FOLDS]:
            nearest = sorted(known, key=lambda each: near(metric, point, each))[:neighbours]
            says = sum(each[2] for each in nearest) * 2 > neighbours
            right += says == point[2]
    return 100 * right / len(data)
