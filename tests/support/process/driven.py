"""A headless Chromium that is driven: it goes to addresses, fills forms in and sends them, with its
cookies, over DevTools' pipe."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.support.process import browser
from tests.support.process.browser import QUIET, Node, parse
from tests.support.waiting import wait_for


class DrivenBrowser:
    """``scripts`` False: pages run none of theirs."""

    def __init__(self, directory: Path, *, scripts: bool = True) -> None:
        found = browser.find()
        assert found is not None, browser.missing()
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        argv = [found, *QUIET, f"--user-data-dir={directory}", "--remote-debugging-pipe"]
        if os.geteuid() == 0:
            argv.append("--no-sandbox")

        def as_3_and_4() -> None:
            read, write = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write))
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(
            argv, preexec_fn=as_3_and_4, pass_fds=(3, 4),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        self._left = b""
        self._number = 0
        self._session: str | None = None
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._call("Page.enable")
        if not scripts:
            self._call("Emulation.setScriptExecutionDisabled", value=True)

    def __enter__(self) -> DrivenBrowser:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(60)
        os.close(self._to)
        os.close(self._from)

    def go(self, url: str) -> Node:
        """The page at an address."""
        self._call("Page.navigate", url=url)
        return self._page("about:blank")

    def send(self, **fields: str) -> Node:
        """Fill in the only form with a button that is not a search, and press it: the page after
        it."""
        before = self._run("performance.timeOrigin")
        filled = json.dumps(fields)
        self._run(
            "const form = [...document.forms].find((f) => f.method === 'post');"
            f"for (const [k, v] of Object.entries({filled})) form.elements[k].value = v;"
            "form.querySelector('button').click()"
        )
        wait_for(lambda: self._run("performance.timeOrigin") != before, what="another page")
        return self._page("")

    @property
    def url(self) -> str:
        """Where it is."""
        return str(self._run("location.href"))

    def _page(self, not_this: str) -> Node:
        wait_for(
            lambda: (
                self._run("document.readyState") == "complete"
                and self._run("location.href") != not_this
            ),
            what="the page is there",
        )
        return parse(str(self._run("document.documentElement.outerHTML")))

    def _run(self, script: str) -> Any:
        """What an expression is there now; None while the page changes."""
        said = self._call("Runtime.evaluate", expression=f"(() => {{ {_returned(script)} }})()")
        return said.get("result", {}).get("value")

    def _call(self, method: str, **params: object) -> dict[str, Any]:
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._left:
                data = os.read(self._from, 1 << 16)
                assert data, "the browser has ended"
                self._left += data
            line, _, self._left = self._left.partition(b"\0")
            answer = json.loads(line)
            if answer.get("id") == self._number:
                found: dict[str, Any] = answer.get("result", {})
                return found


def _returned(script: str) -> str:
    """The last expression as the value."""
    head, semicolon, last = script.rpartition(";")
    return f"{head}{semicolon} return {last}"
