"""What is reckoned from measurements. Pure: no clock, no file, no process."""
import math
from statistics import median

P_SEEN = 0.05  # At most so probable by chance: then a difference counts as seen.
EXPONENT_MAX = 1.1  # Beyond this, cost grows faster than what it is the cost of.
# The last decade alone is one ratio of two noisy values, not a line through three: it is marked later.
DECADE_MAX = 1.3
COST_MIN = 0.01  # Seconds, or cores: what costs less at the largest size is noise, and never marked.

# By the ends of names: +1, more is better; -1, less is better. The first that fits counts.
DIRECTIONS = [("bytes_per_s", -1), ("bytes_per_peer", -1), ("_per_s", 1), ("ratio", 1), ("_ms", -1),
              ("_us", -1), ("_ns", -1), ("_s", -1), ("_percent", -1), ("_mib", -1), ("_gb", -1)]
# What the same run takes of others: where this moves, the machine did.
REFERENCES = ("xargs_", "bare_", "loop_")


def percentile(values, percent):
    """Linear interpolation between closest ranks, as all percentiles of Dunlin are. Requires a value."""
    ordered = sorted(values)
    place = percent * (len(ordered) - 1) / 100
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def sign_test(differences):
    """The probability, two-sided, that signs as unequal as these or more so come by chance. Zeros do not
    count; without any others it is 1."""
    more = sum(each > 0 for each in differences)
    less = sum(each < 0 for each in differences)
    number = more + less
    if number == 0:
        return 1.0
    tail = sum(math.comb(number, each) for each in range(min(more, less) + 1)) / 2 ** number
    return min(1.0, 2 * tail)


def exponent(sizes, costs):
    """The slope of the line through the logarithms, by least squares: cost grows with that power of the
    size. None with fewer than two sizes whose costs are above 0."""
    points = [(math.log(size), math.log(cost)) for size, cost in zip(sizes, costs)
              if size > 0 and cost is not None and cost > 0]
    if len({x for x, _ in points}) < 2:
        return None
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    return (sum((x - middle_x) * (y - middle_y) for x, y in points)
            / sum((x - middle_x) ** 2 for x, _ in points))


def grows_too_fast(overall, last, largest):
    """Whether exponents, of all sizes and of the last two, tell of more than linear growth. A fixed part
    of the cost hides growth at the small sizes: so the last two count alone as well. `largest` is the cost
    at the largest size."""
    if largest < COST_MIN:
        return False
    return ((overall is not None and overall > EXPONENT_MAX)
            or (last is not None and last > DECADE_MAX))


def flatten(value, place=""):
    """The numbers of a JSON value, by their places: {"start_ms.p50": 3.2}."""
    if isinstance(value, bool):
        return {}
    if isinstance(value, (int, float)):
        return {place: float(value)}
    if isinstance(value, dict):
        parts = [(f"{place}.{name}" if place else name, each) for name, each in value.items()]
    elif isinstance(value, list):
        parts = [(f"{place}[{index}]", each) for index, each in enumerate(value)]
    else:
        return {}
    return {name: number for where, each in parts for name, number in flatten(each, where).items()}


def direction(place):
    """+1 if more is better of the figure at this place, -1 if less is; 0 if it is neither, such as a number
    of peers."""
    for part in reversed(place.split(".")):
        for end, sign in DIRECTIONS:
            if part.endswith(end) or part == end.lstrip("_") or part.startswith(end + "_"):
                return sign
    return 0


def is_reference(place):
    return any(part.startswith(REFERENCES) for part in place.split("."))


def compare(place, old, new):
    """One figure of two builds. `old` and `new` are its values, by pairs. The ratio is the median of those
    of the pairs, None where an old value is 0 and the new one is not."""
    ratios = [1.0 if before == after else after / before if before else None
              for before, after in zip(old, new)]
    p = sign_test([after - before for before, after in zip(old, new)])
    ratio = None if None in ratios else median(ratios)
    row = {"figure": place, "old": median(old), "new": median(new), "ratio": ratio, "ratios": ratios, "p": p,
           "pairs": len(ratios), "reference": is_reference(place)}
    row["verdict"] = verdict(direction(place), [after - before for before, after in zip(old, new)], p,
                             row["reference"])
    return row


def verdict(sign, differences, p, reference):
    if p > P_SEEN:
        return "no difference seen"
    rose = sum(each > 0 for each in differences) > sum(each < 0 for each in differences)
    if reference:
        return "the machine moved"
    return "better" if rose == (sign > 0) else "worse"


def pairs_needed():
    """The fewest pairs that can show a difference at all, if each points the same way."""
    number = 1
    while sign_test([1] * number) > P_SEEN:
        number += 1
    return number
