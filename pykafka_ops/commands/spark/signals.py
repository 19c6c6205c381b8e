"""Ends that leave nothing behind."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def ended_by_signals(*, mute: bool = True) -> Iterator[None]:
    """Let SIGINT and SIGTERM unwind, so that Spark is stopped and its files are removed.

    Whatever becomes of the KeyboardInterrupt on its way through PySpark and Py4J (a ``finally``
    that fails on the connection that was cut short hides it), the end is that of the signal.
    ``mute``: nothing is logged from then on.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def end(number: int, _: object) -> None:
        came.append(number)
        if mute:
            logging.disable(logging.CRITICAL)
        raise KeyboardInterrupt

    before = [(number, signal.signal(number, end)) for number in (signal.SIGINT, signal.SIGTERM)]
    muted = logging.root.manager.disable
    try:
        yield
    except BaseException:
        if came:
            _end_by(came[0])
        raise
    finally:
        for number, handler in before:
            signal.signal(number, handler)
        logging.disable(muted)


def _end_by(number: int) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt from None
    raise SystemExit(128 + number) from None
