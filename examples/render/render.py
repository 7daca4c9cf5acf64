# SPDX-License-Identifier: MIT
"""A camera that goes round three balls on a chequered floor: a small ray tracer, without anything but Python.

    render.py frame NUMBER COUNT FOLDER     one of COUNT frames, as FOLDER/NUMBER.png
    render.py sheet COUNT FOLDER            all of them on one contact sheet, FOLDER/sheet.png
"""

import math
import os
import struct
import sys
import zlib

WIDTH, HEIGHT = 128, 96
BOUNCES = 2
LIGHT = (0.48, 0.72, -0.5)  # Where it comes from; about one long.

# Centre, radius, colour (0 to 1), and how much of a mirror it is.
BALLS = [
    ((0.0, 1.0, 0.0), 1.0, (0.9, 0.3, 0.2), 0.35),
    ((-1.9, 0.6, 0.5), 0.6, (0.2, 0.5, 0.9), 0.2),
    ((1.5, 0.5, -1.1), 0.5, (0.95, 0.8, 0.25), 0.2),
]


def add(a, b, scale=1.0):
    return (a[0] + b[0] * scale, a[1] + b[1] * scale, a[2] + b[2] * scale)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def unit(a):
    return add((0, 0, 0), a, 1 / math.sqrt(dot(a, a)))


def nearest(origin, way):
    """The distance of the first thing on the way, and which ball it is (None: the floor)."""
    distance, ball = math.inf, None
    if way[1] < -1e-6:
        distance = -origin[1] / way[1]
    for each in BALLS:
        to = add(each[0], origin, -1)
        along = dot(to, way)
        root = along * along - dot(to, to) + each[1] * each[1]
        if root > 0 and 1e-3 < along - math.sqrt(root) < distance:
            distance, ball = along - math.sqrt(root), each
    return distance, ball


def colour(origin, way, bounces=BOUNCES):
    distance, ball = nearest(origin, way)
    if distance > 60:
        up = max(way[1], 0.0)
        return (0.75 - 0.4 * up, 0.85 - 0.3 * up, 1.0)
    point = add(origin, way, distance)
    if ball is None:
        light_square = (math.floor(point[0]) + math.floor(point[2])) % 2 == 0
        normal, own, mirror = (0, 1, 0), (0.85,) * 3 if light_square else (0.25,) * 3, 0.12
    else:
        normal, own, mirror = unit(add(point, ball[0], -1)), ball[2], ball[3]
    start = add(point, normal, 1e-3)
    lit = max(dot(normal, LIGHT), 0.0)
    if lit > 0 and nearest(start, LIGHT)[1] is not None:
        lit = 0.0
    seen = add((0, 0, 0), own, 0.25 + 0.75 * lit)
    if bounces == 0:
        return seen
    back = colour(start, add(way, normal, -2 * dot(way, normal)), bounces - 1)
    return add(add((0, 0, 0), seen, 1 - mirror), back, mirror)


def render(number, count):
    """The rows of a frame, three bytes for each point."""
    turn = 2 * math.pi * number / count
    eye = (5 * math.sin(turn), 2.2, -5 * math.cos(turn))
    ahead = unit(add((0, 0.7, 0), eye, -1))
    right = unit((-ahead[2], 0, ahead[0]))
    up = (right[1] * ahead[2] - right[2] * ahead[1], right[2] * ahead[0] - right[0] * ahead[2],
          right[0] * ahead[1] - right[1] * ahead[0])
    rows = []
    for y in range(HEIGHT):
        row = bytearray()
        for x in range(WIDTH):
            across, down = (x + 0.5) / HEIGHT - WIDTH / HEIGHT / 2, 0.5 - (y + 0.5) / HEIGHT
            way = unit(add(add(ahead, right, across), up, down))
            row += bytes(int(255 * min(part, 1.0) ** 0.8) for part in colour(eye, way))
        rows.append(bytes(row))
    return rows


def write_png(path, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)  # Each row says that it has no filter.
    # Under another name first: a task may run again, and whatever happens half a picture never looks whole.
    new = f"{path}.{os.getpid()}"
    with open(new, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b""))
    os.replace(new, path)


def read_png(path):
    """The rows of a picture that write_png() wrote."""
    with open(path, "rb") as file:
        data = file.read()
    width, height = struct.unpack(">II", data[16:24])
    size = struct.unpack(">I", data[33:37])[0]  # IDAT comes after a signature of 8 bytes and IHDR with 25.
    raw = zlib.decompress(data[41:41 + size])
    step = 1 + 3 * width
    return [raw[step * y + 1:step * (y + 1)] for y in range(height)]


def sheet(count, folder):
    columns = math.ceil(math.sqrt(count))
    lines = math.ceil(count / columns)
    blank = [bytes(3 * WIDTH)] * HEIGHT
    rows = []
    for line in range(lines):
        numbers = range(line * columns, (line + 1) * columns)
        frames = [read_png(f"{folder}/{number}.png") if number < count else blank for number in numbers]
        rows += [b"".join(parts) for parts in zip(*frames)]
    write_png(f"{folder}/sheet.png", rows)
    print(f"{folder}/sheet.png: {count} frames, {columns} by {lines}")


def main(words):
    if len(words) == 4 and words[0] == "frame":
        number, count, folder = int(words[1]), int(words[2]), words[3]
        os.makedirs(folder, exist_ok=True)
        write_png(f"{folder}/{number}.png", render(number, count))
    elif len(words) == 3 and words[0] == "sheet":
        sheet(int(words[1]), words[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
