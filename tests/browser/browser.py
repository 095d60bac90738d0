# SPDX-License-Identifier: MIT
"""
A headless Chromium, steered by its DevTools protocol through two pipes: no port, no driver, no
library. https://chromedevtools.github.io/devtools-protocol/
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# Alone on the machine, the same on each: no network, no sandbox (tests run as root in containers),
# no processor-specific drawing.
ARGUMENTS = [
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
    "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--no-first-run",
    "--disable-features=DialMediaRouteProvider,OptimizationHints,MediaRouter,Translate",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--hide-scrollbars", "--force-device-scale-factor=1",
    "--force-color-profile=srgb", "--font-render-hinting=none", "--disable-lcd-text",
]
# For a busy machine.
ANSWER_S = 120


def program():
    """The browser's path; None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class BrowserError(Exception):
    """What the browser refused, or that it ended."""


class Browser:
    """One process; `page` is its only tab. A context manager."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="ktime-browser-")
        from_us, self.to_browser = os.pipe()
        self.from_browser, to_us = os.pipe()

        # The browser reads from descriptor 3 and writes to 4; where the pipes have these numbers
        # already, they must not be overwritten.
        def place_pipes():
            read, write = os.dup(from_us), os.dup(to_us)
            os.dup2(read, 3)
            os.dup2(write, 4)

        environment = {**os.environ, "HOME": self.folder, "XDG_CONFIG_HOME": self.folder,
                       "XDG_CACHE_HOME": self.folder, "XDG_RUNTIME_DIR": self.folder,
                       "TMPDIR": self.folder}
        self.process = subprocess.Popen(
            [program(), *ARGUMENTS, f"--user-data-dir={self.folder}/data", "about:blank"],
            preexec_fn=place_pipes, close_fds=False, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self.unread, self.events, self.number, self.session = b"", [], 0, None
        target = next(each for each in self.send("Target.getTargets")["targetInfos"]
                      if each["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=target["targetId"],
                                 flatten=True)["sessionId"]
        return self

    def __exit__(self, *_):
        self.session = None
        try:
            self.send("Browser.close")
            self.process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait(60)
        os.close(self.to_browser)
        os.close(self.from_browser)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        """The next message."""
        while b"\0" not in self.unread:
            if not select.select([self.from_browser], [], [], ANSWER_S)[0]:
                raise BrowserError(f"the browser has said nothing for {ANSWER_S} s")
            got = os.read(self.from_browser, 1 << 20)
            if not got:
                raise BrowserError("the browser has ended")
            self.unread += got
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        """Calls a method and returns its result; events that come meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        while True:
            answer = self.receive()
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def wait_for(self, method):
        """The next event of that name, which is taken off the list."""
        while True:
            for i, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(i)["params"]
            self.events.append(self.receive())

    def take_events(self, *methods):
        """The parameters of all events of these names so far, which are taken off the list."""
        taken = [event for event in self.events if event.get("method") in methods]
        self.events = [event for event in self.events if event.get("method") not in methods]
        return [event["params"] for event in taken]

    def evaluate(self, expression):
        """The value of an expression of JavaScript in the page."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def press(self, key, code, text="", modifiers=0):
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=code, modifiers=modifiers,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def click(self, selector):
        """Clicks where the middle of an element is shown, as a user would."""
        place = self.evaluate(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            if (!element) return null;
            element.scrollIntoView({{block: "center", inline: "center", behavior: "instant"}});
            const box = element.getClientRects()[0];
            return box && [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        if not place:
            raise BrowserError(f"nothing to click on: {selector}")
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1],
                      button="left", clickCount=1)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def picture(self, width, height, scale):
        """The page's upper left part as PNG, made smaller."""
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         optimizeForSpeed=True,
                         clip={"x": 0, "y": 0, "width": width, "height": height, "scale": scale})
        return base64.b64decode(shot["data"])
