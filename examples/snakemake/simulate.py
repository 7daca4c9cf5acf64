# SPDX-License-Identifier: MIT
"""An epidemic among a million people who are healthy, ill or over it, day by day.

    simulate.py CONTACTS DAYS FILE       each who is ill infects CONTACTS a day, for DAYS days on average
"""

import os
import sys

STEPS = 100  # A day.


def simulate(contacts, days):
    """When people were ill that were more than on any other day, how many, and how many were ill in all."""
    healthy, ill = 999_990.0, 10.0
    worst, worst_day, day = ill, 0, 0
    while ill >= 1 and day < 1000:
        for _ in range(STEPS):
            infected = contacts * ill * healthy / 1e6 / STEPS
            healthy -= infected
            ill += infected - ill / days / STEPS
        day += 1
        if ill > worst:
            worst, worst_day = ill, day
    return worst_day, worst, 1e6 - healthy


def main(contacts, days, path):
    worst_day, worst, in_all = simulate(float(contacts), float(days))
    # Under another name first: a task may run again, and half a line must never look whole.
    new = f"{path}.{os.getpid()}"
    with open(new, "w", encoding="ascii") as file:
        print(f"{contacts:>8} {days:>6} {worst_day:10} {worst:12.0f} {in_all:12.0f}", file=file)
    os.replace(new, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
