"""What is asked of a cluster only when somebody looks: settings, transactions, ACLs, throttles.

One thread asks, one question after the other, over a connection of its own. Whoever looks waits a
few seconds at most; the same question within seconds gets the same answer.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTimeError
from typing import Any, Final, Generic, NamedTuple, TypeVar

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import PkoError

log = logging.getLogger("pko.monitor")
T = TypeVar("T")

KEPT_SECONDS: Final = 10.0
"""How long an answer counts as new."""
WAIT_SECONDS: Final = 4.0
"""How long a page waits for one."""
MOST_WAITING: Final = 16
"""Questions that wait at a time; more are refused."""
MOST_KEPT: Final = 256
"""Answers that are kept; the oldest go first."""


class EnquiryReply(NamedTuple, Generic[T]):
    """What is known: the answer (None: there is none), why there is none or no newer one (""), its
    age in seconds."""

    value: T | None
    why: str = ""
    age: float = 0.0


class _Kept(NamedTuple):
    at: float
    value: Any
    why: str


class Enquiries:
    """Questions to one cluster. May be used by several threads; ``close`` at the end.

    ``clock`` gives seconds that only grow.
    """

    def __init__(self, cluster: Cluster, clock: Callable[[], float] = time.monotonic) -> None:
        self._cluster, self._clock = cluster, clock
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, ...], _Kept] = {}
        self._waiting: dict[tuple[str, ...], Future[None]] = {}
        self._thread = ThreadPoolExecutor(1, "enquiries")
        self._closed = False

    def ask(
        self,
        key: tuple[str, ...],
        question: Callable[[Cluster], T],
        wait: float = WAIT_SECONDS,
    ) -> EnquiryReply[T]:
        """The answer to ``question``, which ``key`` names. Raises nothing."""
        with self._lock:
            known = self._kept.get(key)
            if known is not None and self._clock() - known.at < KEPT_SECONDS:
                return self._reply(known)
            future = self._waiting.get(key)
            if future is None:
                if self._closed or len(self._waiting) >= MOST_WAITING:
                    return self._older(known, "too much is asked at once: look again in a moment")
                future = self._thread.submit(self._run, key, question)
                self._waiting[key] = future
        try:
            future.result(wait)
        except NotInTimeError:
            return self._older(known, "no answer yet: look again in a moment")
        with self._lock:
            found = self._kept.get(key)
        return EnquiryReply(None, "no answer") if found is None else self._reply(found)

    def close(self) -> None:
        """Ask no more; an answer that is still to come is not waited for."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for future in self._waiting.values():
                future.cancel()
        self._thread.submit(self._cluster.close)
        self._thread.shutdown(wait=False)

    def _run(self, key: tuple[str, ...], question: Callable[[Cluster], Any]) -> None:
        value, why = None, ""
        try:
            value = question(self._cluster)
        except PkoError as error:
            why = error.ours or str(error)
        except Exception:  # what one page wants must not end the thread for all
            log.exception("asking for %s failed", " ".join(key))
            why = "the monitor failed; its log says why"
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = _Kept(self._clock(), value, why)
            for oldest in list(self._kept)[:-MOST_KEPT]:
                del self._kept[oldest]
            self._waiting.pop(key, None)

    def _reply(self, kept: _Kept) -> EnquiryReply[Any]:
        return EnquiryReply(kept.value, kept.why, max(0.0, self._clock() - kept.at))

    def _older(self, known: _Kept | None, why: str) -> EnquiryReply[Any]:
        """What was known before, and why there is nothing newer."""
        if known is None or known.value is None:
            return EnquiryReply(None, why)
        return EnquiryReply(known.value, why, max(0.0, self._clock() - known.at))
