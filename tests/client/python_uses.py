# SPDX-License-Identifier: MIT
"""What programs in Python do with the library: python_uses.py CASE SOCKET. It prints 'good', or fails."""

import asyncio
import copy
import ctypes
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from datetime import timedelta
from pathlib import Path

import dunlin
from dunlin._library import library
from dunlin.client import Job

LONG = 60


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


def exits_while_a_loop_waits(client: dunlin.Client) -> None:
    async def one() -> None:
        jobs = [client.submit(["true"]) for _ in range(40)]
        async for _ in dunlin.as_completed_async(jobs):
            break
    asyncio.run(one())


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
    told = (dunlin.Refused(3, "no"), dunlin.Busy(14), dunlin.Conflict(16, "no"))
    assert all(isinstance(error, dunlin.Refused) for error in told)
    for error in (*told, dunlin.Timeout(6), dunlin.TaskFailed("x")):
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


# `make all` found no rule: it ran in a scratch directory.
def jobs_start_where_the_program_is(client: dunlin.Client) -> None:
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        os.chdir(folder)
        try:
            job = client.submit(["sh", "-c", "pwd; echo why >&2"])
            scratch = client.submit(["pwd"], cwd="none")
            # Its own of that name is what Python's executor wants.
            Path("queue.py").write_text("raise SystemExit(3)")
            with dunlin.Executor(client) as executor:
                assert executor.submit(os.getcwd).result(LONG) == folder
        finally:
            os.chdir(before)
        assert job.wait(LONG).state == scratch.wait(LONG).state == "done"
        assert b"".join(job.output()).decode() == folder + "\n"
        assert b"".join(job.output(stderr=True)) == b"why\n"
        assert b"".join(scratch.output()).decode().strip() not in (folder, before)


def commands_may_be_large(client: dunlin.Client) -> None:
    words = ["w" * 131071] * 7
    with dunlin.Executor(client) as executor:
        assert executor.submit(["sh", "-c", "echo ${#1} ${#7}", "x", *words]).result(LONG) == b"131071 131071\n"
    job = client.submit(["true", *words, *words])
    raises(dunlin.Refused, lambda: job.wait(LONG), "bytes, and may have 1048576")


# They were accepted and dropped: no limit, and one CPU.
def words_are_those_of_a_job_file(client: dunlin.Client) -> None:
    job = dunlin.command_job(
        ["./step"], time_limit="1h30m", duration=timedelta(seconds=90), cpus="250m", memory="1.5G", net_in="1M/s",
        resources={"gpu": 1}, env={"LEVEL": "9"}, cwd="/data", umask="077", rlimit={"nofile": 4096, "stack": "64M"},
        input="2G@merlin", count=3, class_="gold", deadline="2h", checkpoint_signal="USR1", checkpoint_time="60s",
        after_jobs=["merlin.7:any"], at_once=2, limit_signal="USR2@30s")
    group = job.pop("groups")[0]
    assert job == {
        "name": "step", "class": "gold", "deadline_ns": 7_200_000_000_000, "checkpoint_signal": int(signal.SIGUSR1),
        "checkpoint_time_ns": 60_000_000_000, "after_jobs": [{"job": "merlin.7", "when": "any"}],
        "on_preempt": "checkpoint"}, job
    assert group == {
        "command": ["./step"], "time_limit_ns": 5_400_000_000_000, "duration_ns": 90_000_000_000,
        "environment": {"LEVEL": "9"}, "directory": "/data", "umask": 0o77,
        "limits": {"nofile": 4096, "stack": 64 << 20}, "limit_signal": int(signal.SIGUSR2),
        "limit_signal_time_ns": 30_000_000_000, "inputs": ["2G@merlin"], "count": 3, "at_once": 2,
        "demand": {
            "cpu_milli": 250, "memory_mib": 1536, "rates": {"net_in": 1024}, "custom": {"gpu": 1}}}, group
    plain = dunlin.command_job(["x"], time_limit_ns=5, demand={"cpu_milli": 7}, environment={"A": "b"})
    assert plain["groups"] == [
        {"command": ["x"], "time_limit_ns": 5, "environment": {"A": "b"}, "demand": {"cpu_milli": 7}}], plain

    after = dunlin.command_job(["x"], after_jobs=["12:started+10m", "13:started"])["after_jobs"]
    assert after == [
        {"job": "12", "when": "started", "delay_ns": 600_000_000_000}, {"job": "13", "when": "started"}], after
    script = "#!/bin/sh\ntest \"$1\" = 0.1\n"
    group = dunlin.command_job(["0.1"], script=script)["groups"][0]
    assert group == {"command": ["0.1"], "script": script}, group
    assert client.submit({"groups": [{"script": script, "command": ["0.1"]}]}).wait(LONG).state == "done"
    assert client.submit([], script="#!/bin/false\n").wait(LONG).state == "failed"
    raises(ValueError, lambda: client.submit([], script="echo"), "script: must be a text that begins with a #! line")
    both = {"script": script, "command": "a b"}
    raises(ValueError, lambda: client.submit({"groups": [both]}), "command: beside a script it must be a list")

    for word in ("time_limt", "cpu", "nothing"):
        raises(TypeError, lambda: client.submit(["true"], **{word: 1}), f"no term {word!r}")
    raises(TypeError, lambda: client.submit(["true"], demand={"cpus": 4}), "no term 'cpus'")
    raises(TypeError, lambda: client.submit({"groups": [{"command": ["true"]}], "time_limit": "1h"}), "'time_limit'")
    raises(TypeError, lambda: client.submit(["true"], time_limit="1h", time_limit_ns=5), "said twice")
    for word, value, text in (
            ("time_limit", "100d", "must be at most 49d"), ("time_limit", 90, "must be a time"),
            ("duration", "4000d", "must be at most 3650d"), ("memory", 4, "must be a text with a unit"),
            ("count", 2_000_000, "must be from 1 to 1000000"), ("cpus", 0, "must be at least 1m"),
            ("disk_read", "4M", "must be a text with a unit, such as \"100M/s\""),
            ("checkpoint_time", "25h", "must be at most 1d")):
        raises(ValueError, lambda: client.submit(["true"], **{word: value}), f"{word}: {text}")

    said = client.submit(["sleep", "30"], time_limit="0.2s", cpus=0.5)
    assert said.wait(LONG).state == "failed"
    # What this package does not know the agent does not know either, and takes no such job.
    handle = ctypes.c_void_p()
    text = b'{"groups": [{"command": ["true"], "cpus": 4}]}'
    assert library.dunlin_submit(client._handle, text, len(text), 0, ctypes.byref(handle)) == 0
    raises(dunlin.Refused, lambda: Job(client, handle).wait(LONG), "no member 'groups[0].cpus'")
    assert dunlin.wait_any([said], LONG) is said


def agents_are_asked(client: dunlin.Client) -> None:
    ids = {client.submit({"name": f"short{i}", "groups": [{"command": ["true"]}]}).id(LONG) for i in range(3)}
    long = client.submit(["sleep", "1000"], cpus=0.5)
    limit = time.monotonic() + LONG
    while len(list(client.jobs(ended_since=timedelta(hours=1), timeout=LONG))) < 3:
        assert time.monotonic() < limit
        time.sleep(0.05)
    assert {job["job"] for job in client.jobs(ended_since=timedelta(hours=1))} == ids
    assert {job["job"] for job in client.jobs(ended_since=time.time() + 3600)} == set()
    chosen = client.jobs(ended=True, name="short1", ids=ids, since=time.time() - 600)
    assert [job["name"] for job in chosen] == ["short1"]
    # A page of two goes on where it ends.
    pages = list(client.pages("jobs", all=True, limit=2))
    assert len(pages) == 2 and pages[0]["next"] is not None and pages[1]["next"] is None
    assert client.usage(cluster=True)["total"]["jobs"] == 4
    assert client.usage(by="day", since=timedelta(days=1))["by"] == "day"
    node = client.ask("status")["name"]
    assert client.node(node)["here"] is True
    while not any(task["job"] == long.id() for task in client.node_tasks(node)):
        assert time.monotonic() < limit
        time.sleep(0.05)
    assert client.timeline(long)["count"] == 1 and client.timeline(long.id(), bins=5)["bins"] <= 5
    assert client.task_bins(long)["counts"]["running"] == 1
    assert len(client.task_bins(long.id(), bins=1)["bins"]) == 1
    assert client.node_bins()["totals"]["up"] >= 1
    assert next(client.past(step=60))["step_ns"] == 60_000_000_000
    assert client.overlay()["node_name"] == node and client.overlay(node)["neighbours"] is not None
    raises(dunlin.NotFound, lambda: client.node("no-such-node", timeout=LONG), "no-such-node")
    raises(dunlin.Refused, lambda: client.ask("cancel", job=long.id()), "nothing that an agent may be asked")
    assert long.info().state == "running"
    long.cancel(LONG)


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


if __name__ == "__main__":
    globals()[sys.argv[1]](dunlin.Client(sys.argv[2]))
    print("good")
