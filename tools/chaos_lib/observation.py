"""What tasks left behind, what processes there are: read from the marks and from /proc."""
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

SAMPLE_PERIOD = 0.4


@dataclass(frozen=True)
class Mark:
    """That an attempt began, ended, was told of short output, or met another with its licence."""
    token: str
    index: int
    attempt: int
    pid: int
    kind: str
    node: str
    number: int
    at: float = 0.0  # s, by the kernel's own clock, which no fault moves.


def parse_mark(name, text, at=0.0):
    """The mark in the file `name`; None: it is none, or not written yet."""
    parts = name.split(".")
    if len(parts) != 5:
        return None
    token, index, attempt, pid, kind = parts
    words = text.split()
    node, number = (words[0], int(words[1])) if len(words) == 2 else ("", 0)
    return Mark(token, int(index), int(attempt), int(pid), kind, node, number, at)


def read_marks(directory, tokens=None):
    """Marks by token."""
    marks = {}
    for entry in os.scandir(directory):
        token = entry.name.partition(".")[0]
        if tokens is not None and token not in tokens:
            continue
        text = Path(entry.path).read_text(errors="replace")
        mark = parse_mark(entry.name, text, entry.stat().st_mtime)
        if mark is not None:
            marks.setdefault(token, []).append(mark)
    return marks


def forget_marks(directory, token):
    for path in Path(directory).glob(f"{token}.*"):
        path.unlink()


@dataclass(frozen=True)
class Task:
    """A task's main process."""
    pid: int
    started: str  # By the kernel's clock: tells it from a later process of that number.
    node: str
    token: str
    what: str  # "job-3 task 4 attempt 1"
    cpu_milli: int
    memory_mib: int
    licences: int
    main: bool  # Its parent is a warden; else it is below a main process, or left behind.


def read_task(pid):
    """The task that the process belongs to; None: it belongs to none."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            text = file.read()
        if b"CHAOS_TOKEN=" not in text:
            return None
        pairs = dict(pair.split("=", 1) for pair in text.decode(errors="replace").split("\0") if "=" in pair)
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        if words[0] in "ZX":
            return None
        parent = Path(f"/proc/{words[1]}/comm").read_text().strip()
        what = f"{pairs['CHAOS_TOKEN']} task {pairs['DUNLIN_TASK_INDEX']} attempt {pairs['DUNLIN_ATTEMPT']}"
        return Task(pid, words[19], pairs["DUNLIN_NODE"], pairs["CHAOS_TOKEN"], what, int(pairs["CHAOS_CPU"]),
                    int(pairs["CHAOS_MEMORY"]), int(pairs["CHAOS_LICENCES"]), parent == "dunlin-warden")
    except (OSError, ValueError, KeyError, IndexError):
        return None  # It ended meanwhile.


def read_tasks():
    found = (read_task(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return [task for task in found if task is not None]


def simultaneous_tasks():
    """Main processes that all ran at one moment: each was there before it and is after it."""
    first = read_tasks()
    second = {(task.pid, task.started) for task in read_tasks()}
    return [task for task in first if task.main and (task.pid, task.started) in second]


class Sampler(threading.Thread):
    """Looks several times a second for nodes on which more runs than they have. `judge` takes the tasks
    of one moment and returns what is wrong."""

    def __init__(self, judge):
        super().__init__(daemon=True, name="sampler")
        self.judge = judge
        self.found = []
        self.samples = 0
        self.tasks_max = 0

    def run(self):
        while True:
            tasks = simultaneous_tasks()
            self.samples += 1
            self.tasks_max = max(self.tasks_max, len(tasks))
            self.found += self.judge(tasks)
            time.sleep(SAMPLE_PERIOD)

    def take(self):
        found, self.found = self.found, []
        return found
