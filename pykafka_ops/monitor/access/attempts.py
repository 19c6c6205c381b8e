"""How many logins failed lately, by address: the more, the longer until the next may be tried."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, NamedTuple

FREE: Final = 5
"""Failures that cost nothing."""
STEP_MS: Final = 1_000
LONGEST_MS: Final = 60_000
FORGOTTEN_MS: Final = 15 * 60_000
MOST: Final = 10_000
"""Addresses that are remembered; the one that failed least recently goes."""


class _Failures(NamedTuple):
    tries: int
    at: int


class Attempts:
    """All times in ms; any thread."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._of: OrderedDict[str, _Failures] = OrderedDict()

    def begin(self, address: str) -> int:
        """How long until this address may try; 0: it may now, and until ``succeeded`` the try
        counts as a failure, so that many at once count, too."""
        now = self._now()
        with self._lock:
            found = self._of.get(address, _Failures(0, now))
            if now - found.at >= FORGOTTEN_MS:
                found = _Failures(0, now)
            over = found.tries - FREE
            wait = min(LONGEST_MS, STEP_MS << min(over, 10)) if over >= 0 else 0
            if (left := found.at + wait - now) > 0:
                return left
            self._of[address] = _Failures(found.tries + 1, now)
            self._of.move_to_end(address)
            while len(self._of) > MOST:
                self._of.popitem(last=False)
            return 0

    def succeeded(self, address: str) -> None:
        """The try was right: what failed before is forgotten."""
        with self._lock:
            self._of.pop(address, None)

    def __len__(self) -> int:
        with self._lock:
            return len(self._of)
