"""What a run shows while it goes on, and the signals that end it.

A line that changes on a terminal, now and then one elsewhere; all on stderr: stdout has the result
alone. The first signal stops the run, what has to be undone is then done in peace.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from pykafka_ops.analysis.bars import bar, size_text
from pykafka_ops.analysis.moves.rate import Speed, time_text
from pykafka_ops.analysis.moves.waves import PartitionMove
from pykafka_ops.commands.framework.output import say

WAITING, MOVING, DONE, FAILED, STOPPED = "waiting", "moving", "done", "failed", "stopped"
_WIDTH = 24
_EVERY_SECONDS = 10.0
_AGAIN_SECONDS = 60.0
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


@dataclass(slots=True)
class MoveProgress:
    """How far one job is; times in seconds of the monotonic clock."""

    job: PartitionMove
    state: str = WAITING
    copied: int = 0
    started: float | None = None
    ended: float | None = None
    gone: float | None = None

    @property
    def seconds(self) -> float | None:
        """How long it took."""
        if self.started is None or self.ended is None:
            return None
        return round(self.ended - self.started, 1)


class Watching:
    """The state of the moves, for people."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._drawn = False
        self._next = time.monotonic() + (0 if self._live else _EVERY_SECONDS)
        self._said: dict[str, float] = {}

    def show(self, jobs: Sequence[MoveProgress], speed: Speed, limit: int | None) -> None:
        """Show it, if it is time to."""
        now = time.monotonic()
        if now < self._next:
            return
        if self._live:
            from pykafka_ops.commands.framework.terminal import room

            self._drawn = True
            _write(f"\r\x1b[K{line(jobs, speed, limit, room(2) - 1)}")
        else:
            self._next = now + _EVERY_SECONDS
            tell(f"pko: {line(jobs, speed, limit)}")

    def say(self, text: str) -> None:
        """Show a message; the same again only after a while."""
        now = time.monotonic()
        if now - self._said.get(text, -_AGAIN_SECONDS) < _AGAIN_SECONDS:
            return
        self._said[text] = now
        self.clear()
        tell(text)

    def limit(self, rate: int, why: str) -> None:
        """The throttle has changed."""
        self.say(f"pko: throttle {size_text(rate)}/s: {why}")

    def clear(self) -> None:
        """Wipe the line, so that something else can be said."""
        if self._drawn:
            _write("\r\x1b[K")
            self._drawn = False


def _write(text: str) -> None:
    """On the terminal, if it is still there."""
    with contextlib.suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()


def line(
    jobs: Sequence[MoveProgress], speed: Speed, limit: int | None, room: int | None = None
) -> str:
    """``[###...] 43%, 1.2 of 2.8 GiB, 12 of 30 partitions (5 moving), 52.1 MiB/s, 31s left``.

    In at most ``room`` characters: a line that is longer than the terminal is wide cannot be
    wiped.
    """
    total = sum(p.job.copied for p in jobs)
    done = sum(p.copied for p in jobs)
    ended = sum(1 for p in jobs if p.ended is not None)
    moving = sum(1 for p in jobs if p.state == "moving")
    share = done / total if total else ended / max(1, len(jobs))
    drawn = f"[{bar(int(share * 1000), 1000, _WIDTH, plain=True):.<{_WIDTH}}] "
    throttle = f" (throttle {size_text(limit)}/s)" if limit is not None else ""
    rate = f"{size_text(int(speed.rate))}/s"
    left = f"{time_text(_left(jobs, speed, limit))} left"
    copied = f"{size_text(done)} of {size_text(total)}"
    counts = f"{ended} of {len(jobs)} partitions"
    full = [copied, f"{counts} ({moving} moving)", *([f"{rate}{throttle}", left] if total else ())]
    brief = [copied, counts, *([rate, left] if total else ())]
    texts = [f"{share:.0%}, {', '.join(parts)}" for parts in (full, brief)]
    fitting = [drawn + texts[0], drawn + texts[1], texts[0], texts[1]]
    return next((t for t in fitting if room is None or len(t) <= room), texts[1][:room])


def _left(jobs: Sequence[MoveProgress], speed: Speed, limit: int | None) -> float | None:
    """Seconds at the speed of the last half minute; no fewer than the throttle lets it be."""
    left = speed.left(sum(p.job.copied for p in jobs))
    if left is None or limit is None:
        return left
    busy: dict[int, int] = {}
    for p in jobs:
        rest = p.job.copied - p.copied if p.ended is None else 0
        for id_ in p.job.targets:
            busy[id_] = busy.get(id_, 0) + rest // len(p.job.targets)
    return max(left, max(busy.values(), default=0) / limit)
