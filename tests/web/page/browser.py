# SPDX-License-Identifier: MIT
"""Drives one headless Chromium by the DevTools protocol over its pipe, with the standard library alone.

The browser is told to look up no names but those of this machine, and keeps what pages say that they should
not: errors on the console, exceptions, requests that leave the host.
"""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_chromium():
    """The program, or None: tests say loudly that they are skipped."""
    return next((found for name in ("chromium", "chromium-browser", "google-chrome")
                 if (found := shutil.which(name))), None)


class BrowserError(Exception):
    """The browser, or a script in a page, failed. Says where."""


class Browser:
    """One tab. Use it as a context: it ends its own process and removes its profile."""

    def __init__(self, program=None):
        self.troubles = []     # Errors on the console, exceptions, failed loads: lines for a person.
        self.requests = []     # All addresses that pages asked for.
        self._next = 0
        self._buffer = b""
        self._answers = {}
        self._profile = tempfile.mkdtemp(prefix="dunlin-browser-")
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        command = ["nice", "-n", "10", program or find_chromium(), "--headless", "--no-first-run",
                   "--disable-gpu", "--disable-extensions", "--disable-sync", "--hide-scrollbars",
                   "--disable-background-networking", "--disable-component-update", "--mute-audio",
                   "--disable-dev-shm-usage", "--force-color-profile=srgb", "--password-store=basic",
                   "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
                   "--remote-debugging-pipe", f"--user-data-dir={self._profile}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # Chromium refuses to run as root with one.
        command.append("about:blank")

        def descriptors():
            # The pipe is on 3 and 4. Copies above both first: one of ours may have such a number.
            high_in, high_out = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write))
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self._process = subprocess.Popen(command, preexec_fn=descriptors, pass_fds=(3, 4),
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_read)
        os.close(to_write)
        try:
            self._attach()
        except BaseException:
            self.close()
            raise

    def _attach(self):
        targets = self._call("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        self._session = None
        self._session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the browser and all of its processes, which are one process group."""
        try:
            os.killpg(self._process.pid, 15)
            self._process.wait(timeout=10)
        except ProcessLookupError:
            pass
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, 9)
            self._process.wait()
        for fd in (self._read, self._write):
            os.close(fd)
        shutil.rmtree(self._profile, ignore_errors=True)

    # The protocol: JSON objects with a zero byte behind each.

    def _call(self, method, session=None, wait_s=30, **params):
        self._next += 1
        number = self._next
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data):]
        until = time.monotonic() + wait_s
        while number not in self._answers:
            if time.monotonic() > until:
                raise BrowserError(f"{method}: no answer within {wait_s} s")
            self._receive(0.5)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def call(self, method, wait_s=30, **params):
        """Calls `method` of the tab and returns its result."""
        return self._call(method, session=self._session, wait_s=wait_s, **params)

    def _receive(self, wait_s):
        if not select.select([self._read], [], [], wait_s)[0]:
            return
        data = os.read(self._read, 1 << 20)
        if not data:
            raise BrowserError("the browser has ended")
        *messages, self._buffer = (self._buffer + data).split(b"\0")
        for each in messages:
            message = json.loads(each)
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self._note(message["method"], message["params"])

    def _note(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            what = details.get("exception", {}).get("description") or details["text"]
            self.troubles.append(f"exception: {what}")
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            words = [str(arg.get("value", arg.get("description"))) for arg in params["args"]]
            self.troubles.append(f"console {params['type']}: {' '.join(words)}")
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            entry = params["entry"]
            self.troubles.append(f"{entry['source']}: {entry['text']} {entry.get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    # What a person does.

    def open(self, url):
        self.call("Page.navigate", url=url)

    def go(self, address):
        """Goes to another place of the page, such as `#/jobs`, and waits until it is drawn with its answers."""
        self.evaluate(f"""new Promise(done => {{
          if (location.hash === {json.dumps(address)}) return done();
          addEventListener('hashchange', () => setTimeout(done, 60), {{once: true}});
          location.hash = {json.dumps(address)};
        }})""")
        self.until("!!document.querySelector('main h1') && !document.querySelector('[aria-busy=true]')")

    def evaluate(self, script, wait_s=30):
        """The value of a JavaScript expression, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, wait_s=wait_s,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            what = details.get("exception", {}).get("description") or details["text"]
            raise BrowserError(f"{what}\n  in: {script[:300]}")
        return answer["result"].get("value")

    def until(self, script, wait_s=20):
        """Waits until the expression is true. Pages change under it: a failing one is asked again."""
        end = time.monotonic() + wait_s
        last = None
        while time.monotonic() < end:
            try:
                value = self.evaluate(script)
                if value:
                    return value
            except BrowserError as error:
                last = error
            self.rest(0.05)
        text = self.evaluate("document.body ? document.body.innerText.slice(0, 1500) : ''")
        raise BrowserError(f"not within {wait_s} s: {script} ({last})\nThe page says:\n{text}")

    def rest(self, seconds):
        """Listens to the browser for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._receive(left)

    def text(self):
        return self.evaluate("document.body.innerText")

    def until_text(self, text, wait_s=20):
        self.until(f"document.body.innerText.includes({json.dumps(text)})", wait_s)

    def click(self, selector, text=""):
        """Clicks the first visible element of the selector that has the text, by the mouse."""
        place = self.until(f"""(() => {{
          const all = [...document.querySelectorAll({json.dumps(selector)})];
          const it = all.find(each => each.textContent.includes({json.dumps(text)})
            && each.getClientRects().length && !each.disabled);
          if (!it) return null;
          it.scrollIntoView({{block: "center", inline: "center"}});
          const box = it.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left",
                      clickCount=1)

    def fill(self, selector, text):
        """Replaces what an input has by `text`, as typing does."""
        self.until(f"document.querySelector({json.dumps(selector)})?.getClientRects().length")
        self.evaluate(f"(e => {{ e.focus(); e.select?.(); }})"
                      f"(document.querySelector({json.dumps(selector)}))")
        self.call("Input.insertText", text=text)

    def choose(self, selector, value):
        """Picks an option of a <select>."""
        self.until(f"!!document.querySelector({json.dumps(selector)})")
        self.evaluate(f"(e => {{ e.value = {json.dumps(value)};"
                      f" e.dispatchEvent(new Event('change', {{bubbles: true}})); }})"
                      f"(document.querySelector({json.dumps(selector)}))")

    def press(self, key):
        """Presses one key, such as `g`, `Enter`, `Escape`, `Tab`."""
        named = {"Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, "")}
        code, text = named.get(key, (ord(key.upper()[0]), key))
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text,
                  windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def window(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)

    def theme(self, name):
        """`light` or `dark`, as the system would say it."""
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": name},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def screenshot(self, path, full=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
