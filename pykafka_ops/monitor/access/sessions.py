"""Who is logged in. Kept in memory: when the monitor starts again, everybody logs in again."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

IDLE_MS: Final = 30 * 60_000
LONGEST_MS: Final = 12 * 3_600_000
MOST: Final = 10_000
MOST_EACH: Final = 20


@dataclass(slots=True)
class LoginSession:
    """One login. ``key`` names it without opening it; ``stamp``: what it was granted for, such as
    the hash of the password: when that is another, the session has ended."""

    key: str
    name: str
    groups: tuple[str, ...]
    stamp: object
    began: int
    used: int


class Sessions:
    """At most ``MOST`` of all, ``MOST_EACH`` of a person; what is oldest goes. Spans in ms."""

    def __init__(self, now: Callable[[], int], idle_ms: int, longest_ms: int) -> None:
        self._now, self._idle, self._longest = now, idle_ms, longest_ms
        self._lock = threading.Lock()
        self._by_key: dict[str, LoginSession] = {}

    def open(self, name: str, groups: tuple[str, ...] = (), stamp: object = None) -> str:
        """A new session; its secret, which the browser keeps."""
        secret, now = secrets.token_urlsafe(32), self._now()
        session = LoginSession(_key(secret), name, groups, stamp, now, now)
        with self._lock:
            own = [one.key for one in self._by_key.values() if one.name == name]
            for key in own[: max(0, len(own) - MOST_EACH + 1)]:
                del self._by_key[key]
            if len(self._by_key) >= MOST:
                self._sweep(now)
            if len(self._by_key) >= MOST:
                del self._by_key[next(iter(self._by_key))]
            self._by_key[session.key] = session
        return secret

    def find(self, secret: str, *, use: bool = True) -> LoginSession | None:
        """The session of a secret that has not ended. ``use``: this is its person at work, and not
        a page that is shown anew by itself."""
        now = self._now()
        with self._lock:
            found = self._by_key.get(_key(secret))
            if found is None:
                return None
            if self._is_over(found, now):
                del self._by_key[found.key]
                return None
            if use:
                found.used = now
            return found

    def close(self, key: str) -> None:
        """Log out."""
        with self._lock:
            self._by_key.pop(key, None)

    def __len__(self) -> int:
        with self._lock:
            return len(self._by_key)

    def _is_over(self, session: LoginSession, now: int) -> bool:
        return now - session.used >= self._idle or now - session.began >= self._longest

    def _sweep(self, now: int) -> None:
        over = [key for key, one in self._by_key.items() if self._is_over(one, now)]
        for key in over:
            del self._by_key[key]


def _key(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
