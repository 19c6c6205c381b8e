"""pko and Kafka's own tools, to be asked the same things."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote_plus

from tests.support.java import java_kit
from tests.support.process.apache import BRIEF_TOOL_JVM, TOOLS, log4j
from tests.support.process.console import PATIENT


class Said(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str


def pko(*words: str, text: str = "") -> Said:
    """Run ``pko``."""
    argv = [sys.executable, "-m", "pykafka_ops", *words]
    env = {**os.environ, **PATIENT}
    done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=300, env=env)
    return Said(done.returncode, done.stdout, done.stderr)


class KafkaTools:
    """Kafka's own tools, all in one JVM: starting one takes longer than most commands."""

    def __init__(self, version: str = java_kit.SERVER, classes: Mapping[str, str] = TOOLS) -> None:
        """Those of a release; ``classes`` by the name of the tool."""
        driver, _ = java_kit.compiled("ToolDriver").split(os.pathsep)
        classpath = os.pathsep.join((driver, java_kit.server_classpath(version)))
        self._classes = classes
        self._process = subprocess.Popen(
            ["java", *BRIEF_TOOL_JVM, log4j("ERROR"), "-cp", classpath, "ToolDriver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __call__(self, tool: str, *words: str, text: str = "") -> Said:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = "\t".join(quote(part, safe="") for part in (self._classes[tool], text, *words))
        self._process.stdin.write(order + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().rstrip("\n")
        assert answer, "the JVM of Kafka's tools has ended"
        code, out, err = answer.split("\t")
        return Said(int(code), unquote_plus(out), unquote_plus(err))

    def close(self) -> None:
        self._process.kill()
        self._process.wait(120)
