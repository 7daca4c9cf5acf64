# SPDX-License-Identifier: MIT
"""Functions on the cluster: python_functions.py CASE SOCKET. It prints 'good', or fails."""

import asyncio
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import dunlin
import dunlin._channel as channel
import dunlin._remote as remote
from python_uses import LONG, raises

#: What sanitizers need is in the surroundings of workers, too.
GROUP = {"environment": {name: value for name, value in os.environ.items() if name == "LD_PRELOAD" or "SAN_" in name}}


class Odd(Exception):
    """Made of two words, which pickle does not know."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} and {second}")


def square(value: int) -> int:
    return value * value


def odd(value: int) -> int:
    raise Odd("the one", "the other")


def chained(value: int) -> int:
    try:
        return 1 // value
    except ZeroDivisionError as error:
        raise ValueError("it was nothing") from error


def note(path: str, text: str, seconds: float = 0.0) -> int:
    """Says in a file that it was called; and again, when it is through."""
    with open(path, "a") as file:
        file.write(f"{text}\n")
    if seconds:
        time.sleep(seconds)
        with open(path, "a") as file:
            file.write(f"{text} through\n")
    return os.getpid()


def noted(path: str) -> "list[str]":
    with open(path) as file:
        return file.read().split("\n")[:-1]


def prints(text: str) -> int:
    print(text)
    os.write(1, b"raw\n")
    subprocess.run(["echo", "child"], check=True)
    return len(text)


def killed(value: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dies_once(path: str) -> str:
    if not os.path.exists(path):
        open(path, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def executor_of(client: dunlin.Client, **more: object) -> dunlin.Executor:
    return dunlin.Executor(client, **{**GROUP, **more})  # type: ignore[arg-type]


@contextlib.contextmanager
def far_away():
    """Workers find no socket, as on another machine."""
    before = remote.worker_command
    remote.worker_command = lambda path, *more: before("/nowhere/door", *more)
    try:
        yield
    finally:
        remote.worker_command = before


def functions_of_any_kind(client: dunlin.Client) -> None:
    step = 3
    with executor_of(client) as executor:
        if remote.cloudpickle is not None:
            assert executor.submit(lambda value: value + step, 4).result(LONG) == 7
            assert list(executor.map(lambda value: value * step, range(5), chunksize=2)) == [0, 3, 6, 9, 12]
        else:
            print("LEFT OUT: lambdas and closures: there is no cloudpickle here (python3-cloudpickle)")
        remote.cloudpickle = None
        assert executor.submit(square, 4).result(LONG) == 16
        raises(RuntimeError, lambda: executor.submit(odd, 1).result(LONG), "Odd: the one and the other")
        error = raises(ValueError, lambda: executor.submit(chained, 0).result(LONG), "it was nothing")
        assert "ZeroDivisionError" in str(error.__cause__)
        assert executor.submit(pow, 2, exp=5).result(LONG) == 32


def arguments_and_answers_are_large(client: dunlin.Client) -> None:
    size = 100 << 20
    with executor_of(client) as executor:
        assert executor.submit(len, "x" * 200_000).result(LONG) == 200_000
        assert len(executor.submit(bytes, size).result(LONG)) == size
        assert executor.submit(len, b"x" * size).result(LONG) == size
    with far_away(), executor_of(client) as executor:
        assert executor.submit(bytes.upper, b"x" * (1 << 20)).result(LONG) == b"X" * (1 << 20)


def arrays_of_numpy(client: dunlin.Client) -> None:
    try:
        import numpy
    except ImportError:
        print("LEFT OUT: arrays: there is no numpy here (python3-numpy)")
        return
    array = numpy.arange(100 << 17, dtype=numpy.float64)  # 100 MiB.
    with executor_of(client) as executor:
        assert executor.submit(numpy.sum, array).result(LONG) == array.sum()
        assert numpy.array_equal(executor.submit(numpy.negative, array).result(LONG), -array)


def what_functions_print_is_apart(client: dunlin.Client) -> None:
    with executor_of(client, max_workers=1) as executor:
        future = executor.submit(prints, "word")
        assert future.result(LONG) == 4
        job = client.job(executor._crew.jobs()[0])
        assert executor.submit(square, 3).result(LONG) == 9
    job.wait(LONG)
    assert b"".join(job.output()) == b"word\nraw\nchild\n", "and nothing of the answers"
    with far_away(), executor_of(client, max_workers=1) as executor:
        assert executor.submit(prints, "word").result(LONG) == 4
        assert executor.submit(square, 3).result(LONG) == 9
        job = client.job(executor._crew.jobs()[0])
    job.wait(LONG)
    assert sorted(b"".join(job.output(stderr=True)).split()) == [b"child", b"raw", b"word"]


def calls_are_quick(client: dunlin.Client) -> None:
    with executor_of(client, max_workers=2) as executor:
        executor.submit(pow, 2, 3).result(LONG)
        best = LONG
        for _ in range(10):  # Another program may take the processor meanwhile.
            since = time.perf_counter()
            for base in range(20):
                assert executor.submit(pow, base, 2).result(LONG) == base * base
            best = min(best, (time.perf_counter() - since) / 20)
        assert best <= 0.002, f"a call takes {best * 1000:.2f} ms"
        since = time.perf_counter()
        assert list(executor.map(pow, range(2000), [2] * 2000)) == [base * base for base in range(2000)]
        mapped = (time.perf_counter() - since) / 2000
    print(f"a call {best * 1e3:.3f} ms, a call of map() {mapped * 1e3:.3f} ms")
    with far_away(), executor_of(client, max_workers=2) as executor:
        executor.submit(pow, 2, 3).result(LONG)
        since = time.perf_counter()
        assert list(executor.map(pow, range(2000), [2] * 2000)) == [base * base for base in range(2000)]
        mapped = (time.perf_counter() - since) / 2000
        print(f"through the agent a call of map() {mapped * 1e3:.3f} ms")
        assert mapped <= 0.002


def workers_stay(client: dunlin.Client) -> None:
    with executor_of(client, max_workers=1) as executor, tempfile.NamedTemporaryFile() as file:
        pids = [executor.submit(note, file.name, str(i)).result(LONG) for i in range(20)]
        assert len(set(pids)) == 1
        # The chunks that were asked for, each at one worker, and all in their order.
        values = list(executor.map(note, [file.name] * 10, [f"c{i}" for i in range(10)], chunksize=4))
        assert len(values) == 10 and set(values) == set(pids)
        assert noted(file.name)[20:] == [f"c{i}" for i in range(10)]
    with executor_of(client, max_workers=1, max_tasks_per_child=2) as executor, tempfile.NamedTemporaryFile() as file:
        pids = [executor.submit(note, file.name, str(i)).result(LONG) for i in range(6)]
        assert len(set(pids)) == 3 and pids[0] == pids[1] != pids[2]
    with executor_of(client, max_workers=1, idle_seconds=0.1) as executor, tempfile.NamedTemporaryFile() as file:
        first = executor.submit(note, file.name, "first").result(LONG)
        job = client.job(executor._crew.jobs()[0])
        assert job.wait(LONG).state == "done", "its place is free again"
        assert executor.submit(note, file.name, "second").result(LONG) != first
    raises(ValueError, lambda: executor.map(square, [1], chunksize=0))


def dead_workers_are_replaced(client: dunlin.Client) -> None:
    for away in (contextlib.nullcontext(), far_away()):
        with away, executor_of(client, max_workers=2) as executor, tempfile.TemporaryDirectory() as folder:
            text = "_exit(3) ended its worker: job "
            error = raises(dunlin.TaskFailed, lambda: executor.submit(os._exit, 3).result(LONG), text)
            assert "(exited, 3)" in str(error)
            text = "killed(1) ended its worker: job "
            raises(dunlin.TaskFailed, lambda: executor.submit(killed, 1).result(LONG), text)
            assert executor.submit(square, 5).result(LONG) == 25
            # Those that were given to it together with the one that killed it are called once.
            path = os.path.join(folder, "notes")
            assert [each.result(LONG) > 0 for each in [executor.submit(note, path, "before") for _ in range(50)]]
            futures = [executor.submit(note, path, str(i)) for i in range(50)]
            killer = executor.submit(os._exit, 4)
            futures += [executor.submit(note, path, str(i)) for i in range(50, 100)]
            raises(dunlin.TaskFailed, lambda: killer.result(LONG), "_exit(4)")
            for future in futures:
                future.result(LONG)
            assert sorted(map(int, noted(path)[50:])) == list(range(100))
        with executor_of(client, retries=1) as executor, tempfile.TemporaryDirectory() as folder:
            assert executor.submit(dies_once, os.path.join(folder, "died")).result(LONG) == "alive"
    with executor_of(client, constraints=["nothing=nowhere"]) as executor:
        error = raises(Exception, lambda: executor.submit(square, 5).result(LONG))
        assert isinstance(error, (dunlin.Refused, dunlin.TaskFailed)), error


def a_second_attempt_does_the_call_again(client: dunlin.Client) -> None:
    """An agent that was killed as a worker began begins it once more, and the first attempt ends."""
    commands = []
    before = remote.worker_command
    remote.worker_command = lambda *given: commands.append(before(*given)) or commands[-1]
    try:
        with executor_of(client, max_workers=1) as executor, tempfile.NamedTemporaryFile() as file:
            first = executor.submit(os.getpid).result(LONG)
            runs = executor.submit(note, file.name, "runs", 4.0)
            while not noted(file.name):
                time.sleep(0.01)
            assert subprocess.run(commands[0], timeout=LONG).returncode == 0, "it is let go at once"
            os.kill(first, signal.SIGKILL)
            assert runs.result(LONG) != first
            assert noted(file.name) == ["runs", "runs", "runs through"]
    finally:
        remote.worker_command = before


def calls_are_cancelled(client: dunlin.Client) -> None:
    for away in (contextlib.nullcontext(), far_away()):
        with away, executor_of(client, max_workers=1) as executor, tempfile.NamedTemporaryFile() as file:
            runs = executor.submit(note, file.name, "first", LONG)
            waits = [executor.submit(note, file.name, f"waits {i}") for i in range(3)]
            while not runs.running() or not noted(file.name):
                time.sleep(0.01)
            assert waits[1].cancel() and waits[1].cancelled()
            since = time.monotonic()
            assert runs.cancel() and runs.cancelled()
            assert waits[2].result(LONG) > 0 and time.monotonic() - since < LONG / 2
            assert noted(file.name) == ["first", "waits 0", "waits 2"], "the one that ran was stopped"
            assert not waits[0].cancel()


def ctrl_c_says_what_runs_on(client: dunlin.Client) -> None:
    futures = []
    told = io.StringIO()
    with tempfile.NamedTemporaryFile() as file:
        def interrupted() -> None:
            with executor_of(client, max_workers=1) as executor:
                futures.extend(executor.submit(note, file.name, str(i), 1.0) for i in range(4))
                while not noted(file.name):
                    time.sleep(0.01)
                signal.raise_signal(signal.SIGINT)
        with contextlib.redirect_stderr(told):
            raises(KeyboardInterrupt, interrupted)
        assert [future.cancelled() for future in futures] == [False, True, True, True]
        assert "1 run on" in told.getvalue() and "as long as this program: " in told.getvalue(), told.getvalue()
        assert futures[0].result(LONG) > 0 and noted(file.name) == ["0", "0 through"]


def futures_are_cancelled(client: dunlin.Client) -> None:
    executor = dunlin.Executor(client)
    futures = [executor.submit(["sleep", "1000"]) for _ in range(5)]
    assert futures[4].cancel() and futures[4].cancelled()
    executor.shutdown(cancel_futures=True)
    assert all(future.cancelled() for future in futures)
    raises(RuntimeError, lambda: executor.submit(["true"]), "shut down")
    late = dunlin.Executor(dunlin.Client(sys.argv[2]), **GROUP)
    waiting = [late.submit(["sleep", "0.2"]) for _ in range(6)] + [late.submit(note, os.devnull, "") for _ in range(6)]
    late.shutdown(wait=False)
    assert [future.result(LONG) for future in waiting][:6] == [b""] * 6

    def interrupted() -> None:
        with dunlin.Executor(client) as some:
            futures[:] = [some.submit(["sleep", "1000"]) for _ in range(8)]
            # Which of them begins first depends on how long commands like it took so far.
            while not any(future.running() for future in futures):
                time.sleep(0.02)
            raise KeyboardInterrupt
    raises(KeyboardInterrupt, interrupted)
    assert 1 <= sum(not future.cancelled() for future in futures) <= 2, "only what ran runs on"
    for future in futures:
        future.cancel()
    time.sleep(0.5)


def threads_and_loops(client: dunlin.Client) -> None:
    failed: "list[BaseException]" = []

    def some(executor: dunlin.Executor, first: int) -> None:
        try:
            for value in range(first, first + 25):
                assert executor.submit(square, value).result(LONG) == value * value
        except BaseException as error:
            failed.append(error)

    async def loops(executor: dunlin.Executor) -> None:
        loop = asyncio.get_running_loop()
        squares = [loop.run_in_executor(executor, square, value) for value in range(20)]
        info = await client.submit(["true"])
        assert info.state == "done"
        assert await asyncio.gather(*squares) == [value * value for value in range(20)]
        nobody = loop.run_in_executor(executor, time.sleep, LONG)
        await asyncio.sleep(0.5)
        assert nobody.cancel()

    with executor_of(client) as executor:
        threads = [threading.Thread(target=some, args=(executor, first)) for first in range(0, 800, 100)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert not failed, failed
        asyncio.run(asyncio.wait_for(loops(executor), LONG))
        child = os.fork()
        if child == 0:
            try:
                raises(dunlin.Error, lambda: executor.submit(square, 1), "open one in the child")
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0


if __name__ == "__main__":
    assert channel.Door is not None
    globals()[sys.argv[1]](dunlin.Client(sys.argv[2]))
    print("good")
