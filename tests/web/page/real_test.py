# SPDX-License-Identifier: MIT
"""The page in a real browser, before a real gateway and two real agents: a day of a user.

    python3 tests/web/page/real_test.py FOLDER_OF_PROGRAMS [unittest's words]

The folder has dunlin, dunlin-agent, dunlin-warden and dunlin-web. Skips with status 77, and says so, where
there is no Chromium.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from browser import Browser, find_chromium

kStart_s = 60
programs = None


def wait_for(condition, what):
    end = time.monotonic() + kStart_s
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {kStart_s} s: {what}")
        time.sleep(0.05)


class Cluster:
    """Two agents that share this machine, and a gateway before the first. close() ends all of them."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dunlin-page-"))
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder), "HOME": str(self.folder)}
        self.socket = self.folder / "data/node1/agent.sock"
        self.processes = []
        self.port = 0
        self.agents = self.run("dunlin", "dev", "-n", "2", "--cpus", "2", "--memory", "1G", "--data", str(self.folder / "data"))
        wait_for(self.socket.exists, "the agents start")
        self.start_gateway()

    def run(self, name, *words):
        with open(self.folder / f"{name}.out", "a") as told:
            process = subprocess.Popen([programs / name, *words], env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=told, stderr=subprocess.STDOUT)
        self.processes.append(process)
        return process

    def start_gateway(self):
        self.gateway = self.run("dunlin-web", "web", "--address", str(self.socket), "--state", str(self.folder / "state"),
                                "--login-socket", str(self.folder / "login.sock"), "--listen", f"127.0.0.1:{self.port}", "-q")
        wait_for(lambda: self.link(), "the gateway starts")

    def link(self):
        told = subprocess.run([programs / "dunlin-web", "web", "login", "--login-socket", str(self.folder / "login.sock")],
                              env=self.environment, capture_output=True, text=True)
        link = told.stdout.strip()
        if link.startswith("http://"):
            self.port = int(link.split(":")[2].split("/")[0])
        return link

    def stop(self, process, number=signal.SIGTERM):
        process.send_signal(number)
        process.wait(timeout=30)

    def close(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                self.stop(process)
        shutil.rmtree(self.folder, ignore_errors=True)


class DayTest(unittest.TestCase):
    """In the order of their names; each goes on where the one before ended."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.browser.window(1280, 800)

    def setUp(self):
        self.browser.troubles.clear()
        self.browser.requests.clear()
        self.expected = ()

    def tearDown(self):
        rest = [each for each in self.browser.troubles if not any(part in each for part in self.expected)]
        self.assertEqual(rest, [], "the browser complains")
        foreign = [each for each in self.browser.requests if not each.startswith(("http://127.0.0.1:", "data:", "about:"))]
        self.assertEqual(foreign, [], "a request left this host")

    def go(self, page):
        self.browser.go("#/" + page)

    def submit(self, command, name, count=1):
        self.go("submit")
        self.browser.fill("textarea[name=command]", command)
        self.browser.fill("input[name=name]", name)
        self.browser.fill("input[name=count]", str(count))
        self.browser.click("button.main", "Submit")
        self.browser.until(f"document.querySelector('main h1')?.textContent === '{name}'")
        return self.browser.evaluate("decodeURIComponent(location.hash.split('/')[2])")

    def until_state(self, state, wait_s=30):
        self.browser.until(f"document.querySelector('main .head .state').textContent === '{state}'", wait_s)

    def test_1_log_in(self):
        self.expected = ("status of 401",)
        link = self.cluster.link()
        self.browser.open(link)
        self.browser.until_text("Cluster dev")
        self.browser.until_text("No job runs or waits")
        self.assertNotIn(link.split("#")[1], self.browser.evaluate("location.href"))

    def test_2_submit_and_watch_it_end(self):
        job = self.submit('echo "I am $DUNLIN_TASK_INDEX <b>"; sleep 2; test $DUNLIN_TASK_INDEX -ne 3', "counts", 6)
        self.until_state("failed")
        self.browser.until_text("5 done")
        self.browser.click("main td a", "3")
        self.browser.until_text("It ended with exit status 1")
        self.browser.until_text("I am 3 <b>")
        self.go(f"job/{job}?tab=tasks")
        self.browser.until("document.querySelectorAll('main tbody tr').length === 6")

    def test_3_log_grows_while_one_looks(self):
        job = self.submit("for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.5; done", "talks")
        self.until_state("running")
        self.go(f"job/{job}/task/0")
        self.browser.until_text("line 3")
        self.browser.until_text("line 8")
        self.until_state("done")

    def test_4_cancel(self):
        self.submit("sleep 600", "sleeps")
        self.until_state("running")
        self.browser.click("main .head button", "Cancel")
        self.browser.click("dialog button", "Cancel the job")
        self.until_state("cancelled")

    def test_5_hold_priority_release(self):
        self.submit("sleep 5; true", "holds", 20)
        self.until_state("running")
        self.browser.click("main .head button", "Hold")
        self.browser.until("[...document.querySelectorAll('main .head button')].some(each => each.textContent === 'Release')")
        self.browser.click("main .head button", "Priority")
        self.browser.fill("dialog input", "60")
        self.browser.click("dialog button", "Set it")
        self.browser.until_text("priority 60")
        self.browser.click("main .head button", "Release")
        self.browser.until("[...document.querySelectorAll('main .head button')].some(each => each.textContent === 'Hold')")
        self.browser.click("main .head button", "Cancel")
        self.browser.click("dialog button", "Cancel the job")
        self.until_state("cancelled")

    def test_6_drain(self):
        self.go("node/node2")
        self.browser.click("main button", "Drain")
        self.browser.fill("dialog input", "new disks")
        self.browser.click("dialog button", "Drain it")
        self.browser.until_text("new disks")
        self.go("nodes?state=draining")
        self.browser.until_text("node2")
        self.go("node/node2")
        self.browser.click("main button", "Take tasks again")
        self.until_state("up")

    def test_7_every_page(self):
        for page in ("overview", "jobs?all=1", "nodes", "node/node1", "usage", "usage?by=day&span=month", "cells", "plan", "overlay",
                     "overlay/node2", "events", "events?node=node2", "audit", "submit?from=1"):
            with self.subTest(page=page):
                self.go(page)
                self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('.notice.bad')].map(each => each.innerText)"), [])
                for word in ("undefined", "NaN", "[object", "Infinity"):
                    self.assertNotIn(word, self.browser.text())

    def test_8_gateway_is_killed_and_comes_back(self):
        self.expected = ("ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY", "status of 503")
        self.go("jobs?all=1")
        self.cluster.stop(self.cluster.gateway, signal.SIGKILL)
        self.browser.click("nav a", "Nodes")
        self.browser.until_text("The gateway does not answer")
        self.cluster.start_gateway()
        self.browser.until("!document.body.innerText.includes('does not answer')", 20)
        self.browser.until_text("node2")

    def test_9_agent_dies_and_the_page_says_so(self):
        self.expected = ("status of 503", "status of 504", "status of 500", "status of 401")
        self.go("nodes")
        self.cluster.stop(self.cluster.agents)
        self.browser.until_text("The agent behind this page does not answer", 20)
        self.cluster.agents = self.cluster.run("dunlin", "dev", "-n", "2", "--cpus", "2", "--memory", "1G", "--data",
                                               str(self.cluster.folder / "data"))
        self.browser.until("!document.body.innerText.includes('does not answer')", 30)
        self.browser.until_text("node2", 20)

    def test_9_log_out(self):
        self.expected = ("status of 401",)
        self.browser.click("button", "Log out")
        self.browser.until_text("dunlin web login")
        self.browser.evaluate("location.reload()")
        self.browser.until_text("dunlin web login")


if __name__ == "__main__":
    if find_chromium() is None:
        print("SKIPPED: no chromium here, so no page was tried. tools/install-packages web", file=sys.stderr)
        sys.exit(77)
    programs = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
