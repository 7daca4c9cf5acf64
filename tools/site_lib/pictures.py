# SPDX-License-Identifier: MIT
"""The pictures of docs/pictures: what Dunlin is made of, and how its promises are kept."""
from drawing import Picture


def architecture():
    picture = Picture(960, 520, "What Dunlin is made of",
                      "Clients speak to the agent of any machine. Each machine has an agent and a warden; "
                      "agents know each other by gossip.")
    picture.heading("What Dunlin is made of", "Every machine is like this one. None is the head of the others.")
    # Who asks.
    for at, (name, below) in enumerate([("dunlin", "in a terminal"), ("dunlin web", "in a browser, by HTTP"),
                                        ("libdunlin", "in C, C++ and Python")]):
        y = 124 + at * 92
        picture.box(28, y, 164, 62, "plain", [name, below])
        picture.arrow([(192, y + 31), (272, y + 31)], "plain", both=True)
    picture.paragraph(28, 410, ["They may ask any agent:", "all of them know the", "way to every job."])
    # One machine.
    picture.box(272, 92, 380, 396, "area", radius=12)
    picture.words(290, 116, "a machine", "faint", size=12.5, bold=True)
    picture.box(288, 126, 348, 214, "blue", radius=10)
    picture.words(304, 149, "agent", "on-blue", size=15, bold=True)
    parts = [("frontend", "finds room for", "the tasks of its jobs"), ("worker", "runs tasks", "for any frontend"),
             ("overlay", "knows other nodes", "by gossip"), ("store", "keeps on disk what", "was acknowledged")]
    for at, lines in enumerate(parts):
        picture.box(304 + (at % 2) * 162, 160 + (at // 2) * 86, 154, 76, "plain", lines)
    picture.arrow([(462, 340), (462, 372)], "green", both=True)
    picture.box(288, 372, 348, 100, "green", radius=10)
    picture.words(304, 394, "warden", "on-green", size=15, bold=True)
    picture.words(376, 394, "starts, limits and stops tasks", "on-green", size=12)
    for at in range(4):
        picture.box(304 + at * 81, 406, 73, 30, "plain", ["task"])
    picture.words(304, 459, "It keeps them while the agent restarts.", "on-green", size=12)
    # The others.
    places = [(736, 170), (856, 140), (900, 252), (792, 268), (728, 370), (868, 372)]
    links = [(0, 1), (1, 2), (0, 3), (3, 2), (3, 4), (4, 5), (2, 5), (1, 3), (3, 5)]
    for one, other in links:
        picture.line([places[one], places[other]], "blue", dashed=True, width=1.3)
    for at in (0, 3, 4):
        picture.line([(636, 233), places[at]], "blue", dashed=True, width=1.3)
    for x, y in places:
        picture.box(x - 33, y - 20, 66, 40, "area", radius=8)
        picture.box(x - 27, y - 14, 54, 28, "blue", ["agent"], radius=6, size=12)
    picture.words(808, 106, "all other machines", "faint", "middle", size=12.5, bold=True)
    picture.paragraph(808, 424, ["Sealed with the cluster key:", "gossip, reservations, tasks,", "results, copies of records."],
                      anchor="middle")
    return picture


def task():
    picture = Picture(960, 640, "A task's way",
                      "A job is stored by its home, which sends out reservations. The node that has room first asks "
                      "for a task, runs it and reports its end.")
    picture.heading("A task's way", "The node that has room first asks for the task. Nobody has to guess which that will be.")
    lanes = [(103, 150, "you", "dunlin submit", "plain"), (300, 164, "home", "the agent that took it", "blue"),
             (496, 164, "a full node", "all its slots are taken", "amber"),
             (692, 164, "a node with room", "a slot is free", "green"), (864, 136, "warden", "of that node", "plain")]
    for x, width, name, below, kind in lanes:
        picture.line([(x, 138), (x, 614)], kind, dashed=True, width=1.2)
        picture.box(x - width / 2, 86, width, 52, kind, [name, below])
    you, home, full, room, warden = [lane[0] for lane in lanes]

    def step(number, y, start, end, kind, text, below=""):
        left = min(start, end)
        picture.words(left + 38, y - 12, text, "text", size=12.5, bold=True, halo=True)
        picture.words(left + 14, y + 18, below, "faint", size=11.5, halo=True)
        picture.badge(left + 20, y - 16, number, kind)
        picture.arrow([(start, y), (end, y)], kind)

    step(1, 188, you, home, "plain", "submit", "on disk, then acknowledged")
    step(2, 222, home, full, "blue", "reservation", "")
    picture.words(full + 14, 236, "two for each task;", "faint", size=11.5)
    picture.arrow([(home, 244), (room, 244)], "blue")
    picture.words(full + 14, 262, "small, they carry no task", "faint", size=11.5)
    step(3, 306, full, room, "amber", "passed on", "at most five times")
    step(4, 358, room, home, "green", "\u201cI have room: a task, please\u201d", "late binding: who asks first gets the next task")
    step(5, 416, home, room, "blue", "the task", "bound to this node alone, by a lease that is renewed")
    step(6, 448, room, warden, "green", "start it", "within its limits")
    step(7, 506, warden, room, "plain", "it ended")
    step(8, 540, room, home, "green", "report, again until it is answered", "the result is recorded exactly once")
    step(9, 592, home, you, "plain", "done", "")
    return picture


def _cell(picture, x, y, name, savings):
    """A cell of 20 nodes, with its manager, the voters of its books, and the savings of two classes."""
    picture.box(x, y, 276, 170, "area", radius=12)
    picture.words(x + 16, y + 24, name, "text", size=13.5, bold=True)
    for at in range(20):
        dot_x, dot_y = x + 28 + (at % 5) * 27, y + 52 + (at // 5) * 30
        kind = "blue" if at == 7 else "plain"
        picture.dot(dot_x, dot_y, 9 if at == 7 else 7.5, kind)
        if at in (7, 1, 13):
            picture.ring(dot_x, dot_y, 12.5, "amber")
    picture.box(x + 164, y + 38, 98, 116, "amber")
    picture.words(x + 213, y + 57, "books", "on-amber", "middle", size=12.5, bold=True)
    picture.words(x + 213, y + 73, "savings of", "on-amber", "middle", size=11)
    for at, (label, share) in enumerate(savings):
        top = y + 92 + at * 30
        picture.words(x + 174, top, label, "on-amber", size=11)
        picture.box(x + 174, top + 5, 78, 9, "plain", radius=3)
        picture.box(x + 174, top + 5, max(8, 78 * share), 9, "green", radius=3)


def cells():
    picture = Picture(960, 540, "Cells, managers and accounts",
                      "Up to 40 nodes form a cell with an elected manager and books that three nodes keep. Cells form "
                      "cells of cells. Savings of classes move between their books.")
    picture.heading("Cells, managers and accounts",
                    "Up to 40 nodes are a cell, cells form cells of cells: no manager's work grows with the cluster.")
    picture.box(330, 92, 300, 96, "area", radius=12)
    picture.words(346, 116, "a cell of cells", "text", size=13.5, bold=True)
    picture.dot(366, 150, 11, "blue")
    picture.ring(366, 150, 15, "amber")
    picture.paragraph(394, 143, ["Its manager sees sums of cells,", "never single nodes or tasks."])
    cells_x = (28, 342, 656)
    for x in cells_x:
        picture.arrow([(x + 138, 250), (x + 138, 222), (480, 222), (480, 188)], "blue", both=True)
    picture.words(496, 212, "sums go up, orders come down", "faint", size=12)
    _cell(picture, 28, 250, "cell 1", [("web", 0.75), ("batch", 0.2)])
    _cell(picture, 342, 250, "cell 2", [("web", 0.1), ("batch", 0.4)])
    _cell(picture, 656, 250, "cell 3", [("web", 0.35), ("batch", 0.6)])
    picture.arrow([(241, 404), (241, 444), (555, 444), (555, 404)], "green", width=2.2)
    picture.words(398, 462, "a transfer: what web left idle here, it may use there", "faint", "middle", size=12)
    y = 500
    picture.dot(44, y, 9, "blue")
    picture.words(62, y + 4, "manager, elected by its cell", "text", size=12)
    picture.dot(268, y, 7.5, "plain")
    picture.ring(268, y, 12.5, "amber")
    picture.words(288, y + 4, "keeps the books, as two others do: any of them may die", "text", size=12)
    picture.dot(660, y, 7.5, "plain")
    picture.words(676, y + 4, "node: runs each class by its grants", "text", size=12)
    return picture


def _panel(picture, x, number, title, worker, below):
    """A moment of the story: who runs the tasks, and what is to be known of it."""
    picture.box(x, 92, 288, 322, "area", radius=12)
    picture.badge(x + 24, 116, number)
    picture.words(x + 44, 120.5, title, "text", size=13.5, bold=True)
    picture.box(x + 94, 346, 100, 50, "green", ["worker", worker])
    picture.paragraph(x + 4, 442, below, size=12.5)


def survival():
    picture = Picture(960, 508, "How a job survives its home",
                      "The home of a job copies its records to standbys. When it dies, tasks run on, and a standby takes "
                      "over where the books allow it.")
    picture.heading("How a job survives its home",
                    "With --replicas 2 the records of a job are on three machines, and any of them may drive it.")
    x = 28
    _panel(picture, x, 1, "All is well", "runs its tasks", [
        "A promise leaves the home only when", "what it rests on is on the disks of the", "home and of its standbys."])
    picture.box(x + 94, 142, 100, 50, "blue", ["home", "drives the job"])
    for left, start in ((16, 124), (172, 164)):
        picture.box(x + left, 244, 100, 50, "plain", ["standby", "a copy"])
        picture.arrow([(x + start, 192), (x + left + 50, 244)], "blue")
    picture.words(x + 204, 220, "records", "faint", size=12)
    picture.arrow([(x + 144, 346), (x + 144, 192)], "green", dashed=True)
    picture.words(x + 152, 326, "reports", "faint", size=12)

    x = 336
    _panel(picture, x, 2, "The machine of the home dies", "runs on", [
        "After seconds of silence a standby asks", "the books, which say yes to one alone.", "Meanwhile no task is stopped."])
    picture.box(x + 50, 142, 100, 50, "gone", ["home", "is gone"], dashed=True)
    picture.cross(x + 32, 167, 10)
    for left in (16, 172):
        picture.box(x + left, 244, 100, 50, "plain", ["standby", "misses it"])
        picture.arrow([(x + 144 + (left - 94) * 0.35, 346), (x + left + 50, 294)], "green", dashed=True)
    picture.words(x + 144, 318, "where is it?", "faint", "middle", size=12)
    picture.box(x + 186, 142, 86, 50, "amber", ["books", "of the cell"])
    picture.arrow([(x + 229, 244), (x + 229, 192)], "amber")
    picture.words(x + 220, 222, "\u201cmay I?\u201d", "faint", "end", size=12)

    x = 644
    _panel(picture, x, 3, "A standby goes on", "runs on", [
        "Tasks that ran meanwhile are found again,", "not started again. Whoever waits at any", "other agent just goes on waiting."])
    picture.box(x + 50, 142, 100, 50, "gone", ["old home", "if it comes back"], dashed=True)
    picture.box(x + 16, 244, 100, 50, "plain", ["standby", "a copy"])
    picture.box(x + 172, 244, 100, 50, "blue", ["home", "drives the job"])
    picture.arrow([(x + 172, 269), (x + 116, 269)], "blue")
    picture.arrow([(x + 100, 192), (x + 80, 244)], "gone", dashed=True)
    picture.words(x + 82, 222, "as a standby", "faint", "end", size=12)
    picture.box(x + 186, 142, 86, 50, "amber", ["books", "name it"])
    picture.arrow([(x + 229, 192), (x + 229, 244)], "amber")
    picture.arrow([(x + 168, 346), (x + 222, 294)], "green", dashed=True)
    picture.words(x + 204, 326, "reports", "faint", size=12)
    return picture


# Each picture by the name of its file.
kPictures = {"architecture": architecture, "task": task, "cells": cells, "survival": survival}
