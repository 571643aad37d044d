"""A page in headless Chromium, driven over the pipe of its DevTools protocol: no driver needed."""

import json
import os
import shutil
import subprocess
import time
from contextlib import contextmanager

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)


class Page:
    """Commands go out on one pipe; answers and console messages come in on the other."""

    def __init__(self, write, read):
        self.write, self.read = write, read
        self.pending = b""
        self.number = 0
        self.session = None
        self.complaints = []

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def receive(self):
        while b"\0" not in self.pending:
            chunk = os.read(self.read, 1 << 16)
            assert chunk, "the browser went away"
            self.pending += chunk
        text, self.pending = self.pending.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") in {"Runtime.exceptionThrown", "Log.entryAdded"}:
            self.complaints.append(message["params"])
        if message.get("method") == "Runtime.consoleAPICalled":
            self.complaints.append(message["params"])
        return message

    def open(self, url):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=url)
        until = time.monotonic() + 120
        while self.run("document.readyState") != "complete" or self.run("location.href") != url:
            assert time.monotonic() < until, "the page does not load"
            time.sleep(0.02)

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, name):
        text = {"Enter": "\r"}.get(name, name if len(name) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self):
        return self.call("Page.captureScreenshot", format="png")["data"]


@contextmanager
def page(url, profile, size=(1280, 1000)):
    """The page at a url, in a browser of its own that ends with the block."""
    out_read, out_write = os.pipe()
    in_read, in_write = os.pipe()

    def pipes():
        keep = [os.dup(out_read), os.dup(in_write)]
        os.dup2(keep[0], 3)
        os.dup2(keep[1], 4)

    options = [
        *("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
        *("--disable-dev-shm-usage", "--disable-background-networking", "--disable-extensions"),
        *(f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}"),
        "--remote-debugging-pipe",
    ]
    browser = subprocess.Popen(
        [CHROMIUM, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=False,
        preexec_fn=pipes,  # noqa: PLW1509 - the browser wants its pipes at 3 and 4
    )
    os.close(out_read)
    os.close(in_write)
    try:
        found = Page(out_write, in_read)
        found.open(url)
        yield found
    finally:
        found.session = None
        os.write(out_write, b'{"id":0,"method":"Browser.close"}\0')
        os.close(out_write)
        try:
            browser.wait(timeout=60)
        except subprocess.TimeoutExpired:
            browser.kill()
            browser.wait()
        os.close(in_read)
