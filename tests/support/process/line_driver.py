"""A program that runs one command line of pko after the other, and sees what each does on the way.

``Lines`` starts it, with descriptors on which an order, and an answer, is a line of JSON each.
Standard input, output and error are files, which a command has as from a shell.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest import mock

from pykafka_ops.cli import main
from pykafka_ops.client import poller
from pykafka_ops.client.connection import BrokerConnection

STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
WRITING = os.O_WRONLY | os.O_RDWR


class Seen:
    """Of one line: what it waited for, how often it connected, the programs that it ``started``
    (their words, and what is in their environment but not in ours), the files ``written``, under
    the names that they have in the end."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.time_outs = self.connections = 0
        self.paused = 0.0
        self.started: list[str] = []
        self.written: list[str] = []
        self._links: dict[str, str] = {}

    def watch(self) -> None:
        """Put ourselves in the way of connections, time-outs, pauses, programs and files."""
        advance, opened, sleep = poller._advance, BrokerConnection.open, time.sleep

        def advanced(talks: Any, i: int, results: Any, waiting: Any, *, late: bool) -> None:
            self.time_outs += late
            advance(talks, i, results, waiting, late=late)
            fd, _, until = waiting.get(i, (0, 0, 0.0))
            self.paused += max(0.0, until - time.monotonic()) if fd < 0 else 0.0

        def counted(*arguments: Any, **more: Any) -> Any:
            self.connections += 1
            return opened(*arguments, **more)

        def slept(seconds: float) -> None:
            self.paused += seconds
            sleep(seconds)

        poller._advance = advanced
        BrokerConnection.open = counted  # type: ignore[method-assign]
        time.sleep = slept  # type: ignore[assignment]
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            _, argv, _, env = arguments
            self.started += [os.fsdecode(word) for word in argv]
            self.started += _added(env or {})
        elif event in ("os.posix_spawn", "os.exec", "os.system"):
            self.started.append(f"{event}: not looked at")
        elif event == "open" and arguments[2] & WRITING and not isinstance(arguments[0], int):
            self.written.append(_whole(arguments[0]))
        elif event == "os.rename":
            self._renamed(*map(_whole, arguments[:2]))
        elif event == "os.link":
            source, target = map(_whole, arguments[:2])
            self._links[source] = target
        elif event == "os.remove" and (path := _whole(arguments[0])) in self._links:
            self._renamed(path, self._links.pop(path))

    def _renamed(self, old: str, new: str) -> None:
        """What was written stands under another name from now on."""
        self.written = [new if path == old else path for path in self.written]

    def answer(self) -> dict[str, object]:
        """Of the line that is over."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}


def _whole(path: str | bytes | os.PathLike[str]) -> str:
    return os.path.abspath(os.fsdecode(path))


def _added(env: Mapping[Any, Any]) -> list[str]:
    """Variables that a program gets, and we have not."""
    found = {os.fsdecode(name): os.fsdecode(value) for name, value in env.items()}
    return [f"{name}={value}" for name, value in found.items() if os.environ.get(name) != value]


@contextmanager
def streams(directory: str, text: str) -> Iterator[None]:
    """Standard input, output and error as files, with ``text`` as the input."""
    paths = [os.path.join(directory, name) for name, _ in STREAMS]
    with open(paths[0], "w", encoding="utf-8") as given:
        given.write(text)
    for number, (path, (name, mode)) in enumerate(zip(paths, STREAMS, strict=True)):
        with open(path, mode, encoding="utf-8") as opened:
            os.dup2(opened.fileno(), number)
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def run(argv: list[str], env: Mapping[str, str]) -> int:
    """A command line in that environment; the exit code."""
    with mock.patch.dict(os.environ, env):
        try:
            return main(argv)
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1
        finally:
            if "--debug" in argv:  # librdkafka tells of its end, too, and shall do so now
                gc.collect()


def serve(directory: str, asked: int, answered: int) -> None:
    """Orders of one descriptor until there are no more, answers to the other. Files are open to
    everybody, unless who makes them says otherwise."""
    os.umask(0)
    os.chdir(directory)
    seen = Seen()
    seen.watch()
    with open(asked, encoding="utf-8") as orders, open(answered, "w", encoding="utf-8") as answers:
        for line in orders:
            order = json.loads(line)
            with streams(directory, order["text"]):
                seen.clear()
                started = time.monotonic()
                code = run(order["argv"], order["env"])
                found = seen.answer() | {"code": code, "seconds": time.monotonic() - started}
            answers.write(json.dumps(found) + "\n")
            answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1], *map(int, sys.argv[2:]))
