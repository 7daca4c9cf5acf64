"""Pictures as SVG, without a program that draws: a few lines, dots and words."""
import html
import math
from pathlib import Path

# Told apart also by people who see no red or green; after so many they repeat.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
FONT = 12
LINE = 15


class Picture:
    def __init__(self, width, height):
        self.size = (width, height)
        self.parts = []

    def line(self, x1, y1, x2, y2, colour="#999", dashes="", width=1.0):
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{colour}" stroke-width="{width}"{dash}/>')

    def dot(self, x, y, colour, radius=3.0, open=False):
        fill = f'fill="none" stroke="{colour}"' if open else f'fill="{colour}"'
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" {fill}/>')

    def bar(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" '
                          f'fill="{colour}"/>')

    def words(self, x, y, text, anchor="start", colour="#000", weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" '
                          f'font-weight="{weight}">{html.escape(str(text))}</text>')

    def text(self):
        width, height = self.size
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="sans-serif" font-size="{FONT}">',
            f'<rect width="{width}" height="{height}" fill="#fff"/>', *self.parts, "</svg>", ""])

    def write(self, path):
        Path(path).write_text(self.text())


class LogScale:
    """Where values lie between two ends of a line, by their logarithms."""

    def __init__(self, values, begin, end):
        values = [value for value in values if value]
        self.low = math.floor(math.log10(min(values))) if values else 0
        self.high = math.ceil(math.log10(max(values))) if values else 1
        if self.low == self.high:
            self.high += 1
        self.ends = (begin, end)

    def at(self, value):
        begin, end = self.ends
        return begin + (end - begin) * (math.log10(value) - self.low) / (self.high - self.low)

    def marks(self):
        return [10.0 ** power for power in range(self.low, self.high + 1)]


def lines(picture, place, title, series):
    """A panel with logarithms on both axes, and the names of its lines below. `place` is (x, y, width,
    height); `series` {name: [(x, y)]}; points whose values are not above 0 are left out."""
    x, y, width, height = place
    shown = {name: [point for point in points if point[0] > 0 and point[1] and point[1] > 0]
             for name, points in series.items()}
    below = LINE * len(series) + 24
    left, bottom, top, right = x + 50, y + height - below, y + 26, x + width - 10
    across = LogScale([point[0] for points in shown.values() for point in points], left, right)
    up = LogScale([point[1] for points in shown.values() for point in points], bottom, top)
    picture.words(x, y + 12, title, weight="bold")
    for mark in across.marks():
        picture.line(across.at(mark), bottom, across.at(mark), top, "#ddd")
        picture.words(across.at(mark), bottom + 15, f"{mark:g}", "middle", "#555")
    for mark in up.marks():
        picture.line(left, up.at(mark), right, up.at(mark), "#ddd")
        picture.words(left - 4, up.at(mark) + 4, f"{mark:g}", "end", "#555")
    for number, (name, points) in enumerate(shown.items()):
        colour = COLOURS[number % len(COLOURS)]
        for (x1, y1), (x2, y2) in zip(points, points[1:]):
            picture.line(across.at(x1), up.at(y1), across.at(x2), up.at(y2), colour, width=1.5)
        for x1, y1 in points:
            picture.dot(across.at(x1), up.at(y1), colour)
        picture.words(left, bottom + 20 + LINE * (number + 1) - 4, name, colour=colour)
