"""A progress bar on stderr, for people: nothing is drawn where stderr is no terminal."""

from __future__ import annotations

import sys
import time

_WIDTH = 30
_EVERY_SECONDS = 0.2
_PATIENCE_SECONDS = 0.8


class ProgressBar:
    """``total`` to go, bytes or what ``unit`` says; ``verb``: what is done with them. Use with
    ``with``."""

    def __init__(self, total: int, verb: str, *, unit: str = "MB") -> None:
        self._unit, self._scale = unit, 1e6 if unit == "MB" else 1
        self.total, self.verb, self.done = total, verb, 0
        self._shown = sys.stderr.isatty()
        self._began = time.monotonic()
        self._next = self._began + _PATIENCE_SECONDS
        self._drawn = False

    def __enter__(self) -> ProgressBar:
        return self

    def add(self, size: int) -> None:
        """``size`` more are done."""
        self.done += size
        self.draw()

    def set(self, done: int) -> None:
        """``done`` are done by now."""
        self.done = done
        self.draw()

    def reach(self, done: int, total: int) -> None:
        """``done`` are done by now, of ``total``, which may have become known only now."""
        self.total = total
        self.set(done)

    def draw(self) -> None:
        """Draw, if it is time to."""
        if not self._shown or (now := time.monotonic()) < self._next:
            return
        self._next = now + _EVERY_SECONDS
        self._drawn = True
        share = min(1.0, self.done / self.total) if self.total else 1.0
        bar = "#" * int(share * _WIDTH)
        done, total = self.done / self._scale, self.total / self._scale
        rate = done / max(now - self._began, 0.001)
        sys.stderr.write(
            f"\r[{bar:.<{_WIDTH}}] {share:4.0%} {done:,.0f} of {total:,.0f} {self._unit} "
            f"{self.verb}, {rate:,.0f} {self._unit}/s "
        )
        sys.stderr.flush()

    def clear(self) -> None:
        """Wipe the bar, so that something else can be said."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False

    def __exit__(self, *_: object) -> None:
        self.clear()
