# SPDX-License-Identifier: MIT
"""What programs in Python do with the library: python_uses.py CASE SOCKET. It prints 'good', or fails."""

import asyncio
import copy
import os
import pickle
import signal
import sys
import threading
import time

import dunlin

LONG = 60


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


def raises(kind: type, call: object, text: str = "") -> BaseException:
    try:
        call()  # type: ignore[operator]
    except kind as error:
        assert text in str(error), error
        return error
    raise AssertionError(f"no {kind.__name__}")


def exits_while_calls_are_due(client: dunlin.Client) -> None:
    jobs = [client.submit(["true"]) for _ in range(40)]
    for _ in dunlin.as_completed(jobs):
        break


def calls_each_once(client: dunlin.Client) -> None:
    called: list[str] = []
    over = threading.Event()
    job = client.submit(["true"])
    job.on_end(lambda each: called.append("first"))
    job.on_end(lambda each: 1 // 0)
    assert [each for each in dunlin.as_completed([job, job], LONG)] == [job, job]
    job.on_end(lambda each: over.set())
    assert over.wait(LONG) and called == ["first"], called
    over.clear()
    client.submit(["true"]).on_end(lambda each: over.set())  # Nothing else refers to it.
    assert over.wait(LONG)

    async def two() -> None:
        again = client.submit(["true"])

        async def one() -> str:
            return (await again).state
        assert await asyncio.wait_for(asyncio.gather(one(), one()), LONG) == ["done", "done"]
    asyncio.run(two())
    left = threading.Event()
    dunlin.Client(sys.argv[2]).submit(["true"]).on_end(lambda each: left.set())
    assert left.wait(LONG), "its client went in its call"


def exceptions_are_copied(client: dunlin.Client) -> None:
    for error in (dunlin.Refused(3, "no"), dunlin.Timeout(6), dunlin.TaskFailed("x")):
        for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert type(other) is type(error) and str(other) == str(error)
            assert getattr(other, "status", None) == getattr(error, "status", None)


def errors_are_seen_though_no_agent_answers(client: dunlin.Client) -> None:
    def leave() -> None:
        with dunlin.Client("/nowhere/agent.sock") as gone:
            gone.submit(["true"])
            raise LookupError("the cause")
    since = time.monotonic()
    raises(LookupError, leave, "the cause")
    assert time.monotonic() - since < 10
    closed = dunlin.Client(sys.argv[2])
    closed.close()
    raises(dunlin.Error, lambda: closed.submit(["true"]), "the client was closed")


def ctrl_c_ends_each_wait(client: dunlin.Client) -> None:
    gone = dunlin.Client("/nowhere/agent.sock")
    job = gone.job("00000000000000a1.1")
    for wait in (job.cancel, job.retry, job.wait, lambda: list(job.output())):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        raises(KeyboardInterrupt, wait)
        timer.join()
    raises(dunlin.Timeout, lambda: list(job.output(timeout=0.2)))


def commands_are_lists(client: dunlin.Client) -> None:
    raises(TypeError, lambda: client.submit("echo hi"), "['echo', 'hi']")
    job = client.submit({"groups": [{"command": ["true"]}]}, count=5)
    assert job.wait(LONG).tasks == 5
    two = {"groups": [{"command": ["true"]}, {"command": ["true"]}]}
    raises(TypeError, lambda: client.submit(two, count=5), "count is said of a group")
    with client.submit(["wc", "-c"], input="client").input() as given:
        assert given.write(bytearray(b"abc"), LONG)


def a_child_is_told(client: dunlin.Client) -> None:
    child = os.fork()
    if child == 0:
        try:
            raises(dunlin.Error, lambda: client.submit(["true"]), "open one in the child")
            with dunlin.Client(sys.argv[2]) as own:
                assert own.submit(["true"]).wait(LONG).state == "done"
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def functions_of_any_kind(client: dunlin.Client) -> None:
    import dunlin._remote as remote
    step = 3
    with dunlin.Executor(client) as executor:
        if remote.cloudpickle is not None:
            assert executor.submit(lambda value: value + step, 4).result(LONG) == 7
            assert list(executor.map(lambda value: value * step, range(5), chunksize=2)) == [0, 3, 6, 9, 12]
        remote.cloudpickle = None
        assert executor.submit(square, 4).result(LONG) == 16
        raises(RuntimeError, lambda: executor.submit(odd, 1).result(LONG), "Odd: the one and the other")
        error = raises(ValueError, lambda: executor.submit(chained, 0).result(LONG), "it was nothing")
        assert "ZeroDivisionError" in str(error.__cause__)
        assert executor.submit(len, "x" * 100_000).result(LONG) == 100_000
        raises(dunlin.TaskFailed, lambda: executor.submit(os._exit, 3).result(LONG), "exited, 3")


def futures_are_cancelled(client: dunlin.Client) -> None:
    executor = dunlin.Executor(client)
    futures = [executor.submit(["sleep", "1000"]) for _ in range(5)]
    assert futures[4].cancel() and futures[4].cancelled()
    executor.shutdown(cancel_futures=True)
    assert all(future.cancelled() for future in futures)
    raises(RuntimeError, lambda: executor.submit(["true"]), "shut down")
    late = dunlin.Executor(dunlin.Client(sys.argv[2]))
    waiting = [late.submit(["sleep", "0.2"]) for _ in range(6)]
    late.shutdown(wait=False)
    assert [future.result(LONG) for future in waiting] == [b""] * 6

    def interrupted() -> None:
        with dunlin.Executor(client) as some:
            futures[:] = [some.submit(["sleep", "1000"]) for _ in range(4)]
            while not futures[0].running():
                time.sleep(0.02)
            raise KeyboardInterrupt
    raises(KeyboardInterrupt, interrupted)
    assert futures[3].cancelled() and not futures[0].cancelled()
    assert futures[0].cancel() or True
    for future in futures:
        future.cancel()
    time.sleep(0.5)


if __name__ == "__main__":
    globals()[sys.argv[1]](dunlin.Client(sys.argv[2]))
    print("good")
