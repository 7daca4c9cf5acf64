# SPDX-License-Identifier: MIT
"""What tests of the page have in common: one browser, and for each test a made-up gateway."""
import sys
import time
import unittest

from browser import Browser, find_chromium
from stub import Stub
from world import World

kRowsMax = 200  # In the document, of any list.

browser = None  # The one of this process, while tests run.


def start_browser():
    """For setUpModule(); the browser ends with the module."""
    global browser
    browser = Browser()
    unittest.addModuleCleanup(browser.close)
    return browser


class PageCase(unittest.TestCase):
    """Each test has a gateway of its own, and a user who is logged in."""

    administrator = True
    logged_in = True
    expected = ()  # Parts of what the console may say: a browser tells of each answer above 399.

    def setUp(self):
        self.stub = Stub(self.world(), administrator=self.administrator)
        self.addCleanup(self.stub.close)
        self.addCleanup(self.leave)  # Before that: a page without its gateway complains.
        self.leave()
        browser.window(1280, 800)
        browser.theme("light")
        if self.logged_in:
            browser.open(self.stub.link())
            browser.until("!!document.querySelector('main h1')")

    def world(self):
        return World()

    def leave(self):
        browser.open("about:blank")
        browser.until("location.href === 'about:blank'")
        browser.rest(0.1)
        browser.troubles.clear()
        browser.requests.clear()

    def tearDown(self):
        browser.rest(0.1)
        rest = [each for each in browser.troubles if not any(part in each for part in self.expected)]
        self.assertEqual(rest, [], "the browser complains")
        foreign = [each for each in browser.requests if not each.startswith(("http://127.0.0.1:", "data:", "about:", "blob:"))]
        self.assertEqual(foreign, [], "a request left this host")

    def name(self, number):
        return self.stub.world.jobs[number - 1]["known_as"]

    def go(self, page):
        """Opens a page, and waits until it has its answers."""
        for number in (3, 4, 5):
            page = page.replace(f"JOB{number}", self.name(number))
        browser.go("#/" + page)
        return page

    def wait_topics(self, wanted):
        end = time.monotonic() + 10
        while self.stub.topics() != wanted and time.monotonic() < end:
            browser.rest(0.05)
        self.assertEqual(self.stub.topics(), wanted)

    def wait_asked(self, path):
        """The page may show where it is before it has asked."""
        end = time.monotonic() + 10
        while path not in self.stub.asked and time.monotonic() < end:
            browser.rest(0.05)
        self.assertIn(path, self.stub.asked)

    def asked(self, part):
        return [each for each in self.stub.asked if part in each]


def main():
    """Runs the tests of the program, or says that they are skipped."""
    if find_chromium() is None:
        print("SKIPPED: no chromium here, so no page was tried. tools/install-packages web", file=sys.stderr)
        sys.exit(77)
    unittest.main()
