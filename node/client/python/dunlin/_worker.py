# SPDX-License-Identifier: MIT
"""What a warm worker of an Executor runs. It goes to the task as text: nothing of this package needs to be there.

Its arguments: the path of the executor's socket, what to say there, and the program's directory ("": stay). On the executor's machine calls and answers
go by that socket. Elsewhere calls come by the task's input and answers go by its output, and what functions print
goes to stderr.

A message is the length of its head in eight bytes, its head, which is a pickle, and the parts whose sizes the head
ends with. To the worker: calls, each with its function and its arguments as parts, and numbers of calls that are not
wanted any more. Of the worker: the number of a call, the seconds that it took, and the parts of its answer, if it has
one: a pickle and its buffers.
"""

import sys

if sys.path and sys.path[0] == "":
    # A script has its own folder there. Of text that is run it is the current one, which holds what it holds: a
    # queue.py there would be taken for Python's.
    del sys.path[0]

import os
import pickle
import queue
import signal
import socket
import threading
import time
import traceback


def open_channel(path, word):
    """What calls are read from, and answers written to."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    near = socket.socket(socket.AF_UNIX)
    try:
        near.connect(path)
        source, sink = near.makefile("rb"), near.makefile("wb")
        sink.write(word.encode())
    except OSError:
        source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        # After whatever was printed when Python began.
        sink.write(word.encode())
    os.dup2(nothing, 0)
    sink.flush()
    return source, sink


def packed(answer, dumps):
    """A pickle, and what it leaves out of itself: arrays are not copied."""
    buffers = []
    text = dumps(answer, protocol=5, buffer_callback=lambda buffer: buffers.append(buffer.raw()))
    return [text, *buffers]


class Worker:
    """Does calls one after the other, while a thread of its own hears of more."""

    def __init__(self, path, word):
        self.source, self.sink = open_channel(path, word)
        self.calls = queue.SimpleQueue()
        self.unwanted = set()
        self.busy = False
        self.prepared = None

    def read(self):
        """The next message and its parts, or None at the end."""
        size = self.source.read(8)
        if len(size) < 8:
            return None
        head, sizes = pickle.loads(self.source.read(int.from_bytes(size, "big")))
        return head, [self.source.read(each) for each in sizes]

    def write(self, head, parts):
        text = pickle.dumps((head, [memoryview(part).nbytes for part in parts]), 5)
        self.sink.write(len(text).to_bytes(8, "big") + text)
        for part in parts:
            self.sink.write(part)
        self.sink.flush()

    def listen(self):
        while True:
            try:
                message = self.read()
            except (OSError, EOFError, pickle.UnpicklingError):
                message = None
            if message is None:
                break
            calls, parts = message
            for each in calls:
                if isinstance(each, int):
                    self.unwanted.add(each)
                else:
                    self.calls.put((*each, parts.pop(0), parts.pop(0)))
        # Nobody waits for what is being done: the executor lets go of idle workers alone.
        if self.busy or not self.calls.empty():
            os.kill(os.getpid(), signal.SIGTERM)
        self.calls.put(None)

    def work(self):
        while True:
            call = self.calls.get()
            if call is None:
                return
            self.busy = True
            began = time.perf_counter()
            number = call[0]
            dropped = number in self.unwanted
            self.unwanted.discard(number)
            parts = [] if dropped else self.answer(*call[1:])
            seconds = time.perf_counter() - began
            # Before the answer is out: after it the executor may let go at once.
            self.busy = False
            self.write((number, None if dropped else seconds), parts)
            call = parts = None

    def answer(self, main, by_value, many, function, calls):
        dumps = pickle.dumps
        try:
            if main is not None and main != self.prepared:
                self.prepare(main)
            if by_value:
                import cloudpickle
                dumps = cloudpickle.dumps
            called = pickle.loads(function)
            answers = [called(*arguments, **named) for arguments, named in pickle.loads(calls)]
            answer = (True, answers if many else answers[0], "")
        except BaseException as error:
            answer = (False, error, traceback.format_exc())
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                pass
        try:
            parts = packed(answer, dumps)
            if not answer[0]:
                pickle.loads(parts[0], buffers=parts[1:])
        except Exception as error:
            if answer[0]:
                answer = (False, TypeError(f"the task's answer cannot be pickled: {error}"), "")
            else:
                answer = (False, RuntimeError(f"{type(answer[1]).__name__}: {answer[1]}"), answer[2])
            parts = packed(answer, pickle.dumps)
        return parts

    def prepare(self, main):
        """Finds the main module of the program, by its name or path, as multiprocessing does."""
        from multiprocessing import spawn
        name, path = main
        spawn.prepare({"init_main_from_name": name} if name else {"init_main_from_path": path})
        self.prepared = main


if __name__ == "__main__":
    for each in (sys.stdout, sys.stderr):
        each.reconfigure(line_buffering=True)  # What functions print is seen while they run.
    try:
        os.chdir(sys.argv[3] or ".")  # Where the program is, if this node has that, too.
    except OSError:
        pass
    worker = Worker(*sys.argv[1:3])
    threading.Thread(target=worker.listen, daemon=True).start()
    worker.work()
