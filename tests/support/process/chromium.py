"""A headless Chromium that stays: pages of any width and colour scheme, what they fetch, what they
write to the console, what a script finds in them. Speaks the DevTools protocol over a pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from tests.support.process.browser import QUIET, find, missing
from tests.support.waiting import PATIENCE, wait_for

Message = dict[str, Any]
_WITH_PIPES = """
import fcntl, os, sys
kept = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3]]
for fd, wanted in zip(kept, (3, 4)):
    os.dup2(fd, wanted)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Chromium hears orders from descriptor 3 and answers to 4."""


class Chromium:
    """One window; ``close`` it at the end."""

    def __init__(self, directory: Path) -> None:
        browser = find()
        assert browser is not None, missing()
        there, self._orders = os.pipe()
        self._answers, here = os.pipe()
        argv = [browser, *QUIET, "--remote-debugging-pipe", f"--user-data-dir={directory}"]
        if os.geteuid() == 0:
            argv.append("--no-sandbox")
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WITH_PIPES, str(there), str(here), *argv, "about:blank"],
            pass_fds=(there, here),
            stderr=subprocess.DEVNULL,
        )
        os.close(there)
        os.close(here)
        self._heard: SimpleQueue[Message] = SimpleQueue()
        self._last = 0
        self._session: str | None = None
        self.fetched: list[str] = []
        """Addresses of all requests since the last ``open``."""
        self.console: list[str] = []
        """What was written to the console, and errors, since the last ``open``."""
        Thread(target=self._listen, daemon=True).start()
        targets = self._call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        attached = self._call("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(f"{domain}.enable")

    def look(self, width: int, scheme: str, height: int = 900) -> None:
        """Be so wide and high (pixels), and prefer ``light`` or ``dark``."""
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        scheme_wanted = {"name": "prefers-color-scheme", "value": scheme}
        self._call("Emulation.setEmulatedMedia", features=[scheme_wanted])

    def open(self, address: str) -> None:
        """Load a page, to its end."""
        self.fetched.clear()
        self.console.clear()
        self._call("Page.navigate", url=address)
        self._until("Page.loadEventFired")

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self._call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, script: str, what: str) -> None:
        """Wait until an expression holds; the page may change meanwhile."""
        wait_for(lambda: self.evaluate(script), what=what)

    def press(self, key: str) -> None:
        """Press a key of one letter, ``Enter`` or ``Escape``."""
        code = {"Enter": 13, "Escape": 27}.get(key)
        text = {13: "\r", 27: ""}.get(code or 0, key)
        for kind in ("keyDown", "keyUp"):
            more: Message = {"text": text} if kind == "keyDown" and text else {}
            if code is not None:
                more["windowsVirtualKeyCode"] = code
            self._call("Input.dispatchKeyEvent", type=kind, key=key, **more)

    def click(self, selector: str) -> None:
        """Click on the middle of the first element of a CSS selector, wherever it is."""
        x, y = self.evaluate(f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            found.scrollIntoView({{block: 'center'}});
            const box = found.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def wheel(self, pixels: int) -> None:
        """Turn the wheel in the middle of the page."""
        x, y = self.evaluate("[innerWidth / 2, innerHeight / 2]")
        self._call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=pixels)

    def always(self, script: str) -> None:
        """Run a script in every page from now on, before its own."""
        self._call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def picture(self, file: Path) -> None:
        """What the window shows, as PNG."""
        data = self._call("Page.captureScreenshot", format="png")["data"]
        file.write_bytes(b64decode(data))

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(PATIENCE)
        os.close(self._orders)

    def _call(self, method: str, **params: Any) -> Message:
        self._last += 1
        order: Message = {"id": self._last, "method": method, "params": params}
        if self._session is not None:
            order["sessionId"] = self._session
        os.write(self._orders, json.dumps(order).encode() + b"\0")
        while (message := self._next(method)).get("id") != self._last:
            self._note(message)
        assert "error" not in message, (method, message["error"])
        result: Message = message["result"]
        return result

    def _until(self, event: str) -> None:
        while (message := self._next(event)).get("method") != event:
            self._note(message)

    def _next(self, what: str) -> Message:
        try:
            return self._heard.get(timeout=PATIENCE)
        except Empty:
            raise AssertionError(f"Chromium said nothing: {what}") from None

    def _note(self, message: Message) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.fetched.append(params["request"]["url"])
            case "Runtime.consoleAPICalled":
                self.console.append(str([a.get("value") for a in params["args"]]))
            case "Runtime.exceptionThrown":
                self.console.append(str(params["exceptionDetails"]))
            case "Log.entryAdded":
                self.console.append(params["entry"]["text"])

    def _listen(self) -> None:
        kept = b""
        while data := os.read(self._answers, 1 << 16):
            *whole, kept = (kept + data).split(b"\0")
            for message in whole:
                self._heard.put(json.loads(message))
        os.close(self._answers)
