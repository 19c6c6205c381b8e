"""A wait that SIGTERM and Ctrl-C end."""

from __future__ import annotations

import contextlib
import os
import select
import signal


class AskedToEnd:
    """From when it is made, SIGTERM and SIGINT are noted; :meth:`wait` tells of them.

    They go through a pipe. A ``threading.Event`` would not do: its ``set`` in a handler waits for
    the lock that the interrupted ``wait`` may hold, and so for ever. Of the main thread only.
    """

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._note())

    def _note(self) -> None:
        with contextlib.suppress(BlockingIOError):  # noted often enough
            os.write(self._write, b"!")

    def wait(self, seconds: float | None = None) -> bool:
        """Whether a signal came, now or before, within ``seconds`` (None: wait until one does)."""
        return bool(select.select([self._read], [], [], seconds)[0])
