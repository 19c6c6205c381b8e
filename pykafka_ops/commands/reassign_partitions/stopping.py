"""Signals that end a run: the first one stops it, what has to be undone is then done in peace."""

from __future__ import annotations

import contextlib
import signal
import threading
from types import FrameType
from typing import Any

from pykafka_ops.commands.framework.output import say

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def tell(text: str) -> None:
    """Say it, if anybody is there: a terminal that hung up takes nothing."""
    with contextlib.suppress(OSError):
        say(text)


class Stopped(BaseException):
    """Somebody wants the run to end; ``number`` of the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Stoppable:
    """Within it Ctrl-C, SIGTERM and a hang-up raise Stopped once; after ``calm`` none does."""

    def __init__(self) -> None:
        self._calm = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stoppable:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._signalled)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def calm(self) -> None:
        """From now on signals are only answered with a line."""
        self._calm = True

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        if self._calm:
            tell("pko: throttles are being removed, wait")
            return
        self._calm = True
        raise Stopped(number)
