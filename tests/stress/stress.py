# SPDX-License-Identifier: MIT
"""stress.py SOCKET: what programs in Python do with libdunlin, while somebody kills the agent in each phase.

Threads, callbacks, loops, functions, and an end while calls are due. Prints 'good' at its end.
"""

import asyncio
import gc
import os
import sys
import threading
import time

import dunlin

LONG = 60
#: What sanitizers need is in the surroundings of workers, too.
GROUP = {
    "environment": {name: value for name, value in os.environ.items() if name == "LD_PRELOAD" or "SAN_" in name},
    "demand": {"cpu_milli": 100},
}


def phase(name: str) -> None:
    print(f"phase {name}", flush=True)


def beside(client: dunlin.Client, over: threading.Event, failed: "list[BaseException]") -> None:
    try:
        for turn in range(60):
            if over.wait(0.02):
                return
            job = client.submit(["echo", "beside"], results=True, demand=GROUP["demand"])
            if turn % 4 == 0:
                job.on_end(lambda each: each.info())
                del job  # It is called nevertheless.
            elif turn % 4 == 1:
                assert job.wait(LONG).state == "done"
                assert b"".join(job.output()) == b"beside\n" and len(list(job.results(LONG))) == 1
            elif turn % 4 == 2:
                job.cancel(LONG)
            else:
                gc.collect()
    except BaseException as error:
        failed.append(error)


def calls(client: dunlin.Client) -> None:
    phase("calls")
    called = threading.Semaphore(0)

    def again(job: dunlin.Job) -> None:
        job.on_end(lambda each: called.release())
    for _ in range(20):
        client.submit(["true"], demand=GROUP["demand"]).on_end(again)
        time.sleep(0.01)
    for _ in range(20):
        assert called.acquire(timeout=LONG), "a call is missing"


async def loops(client: dunlin.Client) -> None:
    phase("loops")
    jobs = [client.submit(["sleep", "0.1"], demand=GROUP["demand"]) for _ in range(20)]

    async def one(job: dunlin.Job) -> str:
        return (await job).state
    assert await asyncio.gather(*map(one, jobs), *map(one, jobs)) == ["done"] * 40
    async for job in dunlin.as_completed_async(jobs):
        assert job.info().done == 1


def functions(client: dunlin.Client) -> None:
    phase("functions")
    with dunlin.Executor(client, **GROUP) as executor:
        futures = [executor.submit(pow, base, 2) for base in range(50)]
        sleeps = executor.submit(time.sleep, LONG)
        time.sleep(0.3)
        assert sleeps.cancel()
        assert [future.result(LONG) for future in futures] == [base * base for base in range(50)]


def main() -> None:
    client = dunlin.Client(sys.argv[1])
    over = threading.Event()
    failed: "list[BaseException]" = []
    threads = [threading.Thread(target=beside, args=(client, over, failed)) for _ in range(3)]
    for each in threads:
        each.start()
    calls(client)
    asyncio.run(asyncio.wait_for(loops(client), LONG))
    functions(client)
    over.set()
    for each in threads:
        each.join()
    assert not failed, failed
    print("good", flush=True)
    # And an end while calls are due.
    for job in [client.submit(["true"], demand=GROUP["demand"]) for _ in range(20)]:
        job.on_end(lambda each: None)


main()
