# SPDX-License-Identifier: MIT
"""Boxes, arrows and words of a picture, as SVG that is legible on light and on dark pages.

A picture brings its own ground, so that it can be read on whatever page shows it. All places are in
pixels from the upper left corner. The same calls give the same bytes, on any machine.
"""
import math
from xml.sax.saxutils import escape

# What a thing looks like: fill, stroke and text, on a light ground and on a dark one.
kKinds = {
    "ground": (("#fbfcfd", "#d8dfe6", None), ("#151b22", "#303a45", None)),
    "area": (("#f0f4f8", "#c9d4de", None), ("#1d252e", "#3a4653", None)),
    "plain": (("#ffffff", "#9aa9b7", "#1d2b38"), ("#26303a", "#60707f", "#e8eef4")),
    "blue": (("#dcebfa", "#2f77b8", "#123a5e"), ("#173753", "#5ea8e8", "#dceeff")),
    "green": (("#dcf2e3", "#2c8a54", "#11482a"), ("#16402a", "#57c088", "#dcf8e7")),
    "amber": (("#fdeccb", "#b87a12", "#5c3c05"), ("#49350e", "#e2ad4b", "#ffefcf")),
    "red": (("#fbdedb", "#c0443a", "#6d1f18"), ("#4b1f1c", "#ea7d73", "#ffe2df")),
    "gone": (("#eceff2", "#a9b3bd", "#75818c"), ("#20272e", "#4b5660", "#8c98a3")),
}
kInk = {"text": ("#1d2b38", "#e8eef4"), "faint": ("#586878", "#a7b4c0")}
kFont = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
kLineHeight = 1.34


def _style(theme):
    """The rules of a theme: 0 is light, 1 dark."""
    rules = []
    for name, themes in kKinds.items():
        fill, stroke, ink = themes[theme]
        rules.append(f".{name}{{fill:{fill};stroke:{stroke}}}")
        rules.append(f".line-{name}{{stroke:{stroke}}}.tip-{name}{{fill:{stroke}}}")
        if ink:
            rules.append(f".on-{name}{{fill:{ink}}}")
    for name, inks in kInk.items():
        rules.append(f".{name}{{fill:{inks[theme]}}}")
    rules.append(f".halo{{stroke:{kKinds['ground'][theme][0]};stroke-width:5;paint-order:stroke;stroke-linejoin:round}}")
    return "".join(rules)


def _number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Picture:
    """A picture that grows by each call; text() tells all of it."""

    def __init__(self, width, height, title, description):
        self.width, self.height = width, height
        self.title, self.description = title, description
        self._parts = []
        self.box(1, 1, width - 2, height - 2, "ground", radius=14)

    def _add(self, part):
        self._parts.append(part)

    def box(self, x, y, width, height, kind="plain", lines=(), radius=8, dashed=False, size=13):
        """A box. The first of its lines is bold; all stand in its middle."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._add(f'<rect x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
                  f' rx="{radius}" class="{kind}" stroke-width="1.4"{dash}/>')
        step = size * kLineHeight
        top = y + height / 2 - step * (len(lines) - 1) / 2 + size * 0.35
        for at, line in enumerate(lines):
            self.words(x + width / 2, top + at * step, line, f"on-{kind}", "middle",
                       size=size if at == 0 else size - 1.5, bold=at == 0)

    def words(self, x, y, text, kind="text", anchor="start", size=13, bold=False, halo=False):
        """A line of text whose foot is at y; with `halo` it covers the lines below it."""
        weight = ' font-weight="600"' if bold else ""
        classes = f"{kind} halo" if halo else kind
        self._add(f'<text x="{_number(x)}" y="{_number(y)}" class="{classes}" font-size="{_number(size)}"'
                  f' text-anchor="{anchor}"{weight}>{escape(text)}</text>')

    def paragraph(self, x, y, lines, kind="faint", anchor="start", size=12):
        for at, line in enumerate(lines):
            self.words(x, y + at * size * kLineHeight, line, kind, anchor, size)

    def heading(self, text, below):
        """What the picture shows, at its top."""
        self.words(28, 40, text, "text", size=19, bold=True)
        self.words(28, 62, below, "faint", size=13)

    def dot(self, x, y, radius, kind="plain", width=1.4):
        self._add(f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}" class="{kind}"'
                  f' stroke-width="{width}"/>')

    def ring(self, x, y, radius, kind):
        self._add(f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}" fill="none"'
                  f' class="line-{kind}" stroke-width="1.8"/>')

    def badge(self, x, y, number, kind="blue"):
        """A number in a circle, which tells the order of steps."""
        self.dot(x, y, 11, kind)
        self.words(x, y + 4.3, str(number), f"on-{kind}", "middle", size=12.5, bold=True)

    def line(self, points, kind="plain", dashed=False, width=1.6):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._add(f'<polyline points="{path}" fill="none" class="line-{kind}" stroke-width="{width}"'
                  f' stroke-linejoin="round" stroke-linecap="round"{dash}/>')

    def arrow(self, points, kind="plain", dashed=False, both=False, width=1.8):
        """A line with a tip at its end, and with `both` at its beginning, too."""
        points = list(points)
        shaft = list(points)
        shaft[-1] = self._tip(points[-2], points[-1], kind)
        if both:
            shaft[0] = self._tip(points[1], points[0], kind)
        self.line(shaft, kind, dashed, width)

    def _tip(self, before, end, kind):
        """Draws the tip at `end`; returns where the shaft ends."""
        angle = math.atan2(end[1] - before[1], end[0] - before[0])
        corners = [end]
        for side in (-1, 1):
            corners.append((end[0] - 9 * math.cos(angle + side * 0.42), end[1] - 9 * math.sin(angle + side * 0.42)))
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in corners)
        self._add(f'<polygon points="{path}" class="tip-{kind}"/>')
        return (end[0] - 7 * math.cos(angle), end[1] - 7 * math.sin(angle))

    def cross(self, x, y, half, kind="red"):
        self.line([(x - half, y - half), (x + half, y + half)], kind, width=3)
        self.line([(x - half, y + half), (x + half, y - half)], kind, width=3)

    def text(self):
        """The picture as an SVG document."""
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}"'
                f' viewBox="0 0 {self.width} {self.height}" role="img" font-family="{kFont}">')
        style = f"<style>{_style(0)}@media (prefers-color-scheme:dark){{{_style(1)}}}</style>"
        return "\n".join([head, f"<title>{escape(self.title)}</title>", f"<desc>{escape(self.description)}</desc>",
                          style, *self._parts, "</svg>", ""])
