"""Plans that were shown, each to be done once, by who saw it, and soon."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, NamedTuple

from pykafka_ops.monitor.actions.plan import ActionPlan

VALID_MS: Final = 10 * 60_000
MOST: Final = 1_000
MOST_EACH: Final = 50


class Promise(NamedTuple):
    """A plan that was shown to ``whom``; ``until`` when it may be done (ms)."""

    whom: str
    cluster: str
    action: str
    plan: ActionPlan
    until: int


class Promises:
    """At most ``MOST``, ``MOST_EACH`` of a person: the oldest go. Any thread."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._by_token: OrderedDict[str, Promise] = OrderedDict()

    def give(self, whom: str, cluster: str, action: str, plan: ActionPlan) -> tuple[str, int]:
        """A token for the plan, and until when it is good (ms)."""
        token, until = secrets.token_urlsafe(32), self._now() + VALID_MS
        with self._lock:
            own = [t for t, p in self._by_token.items() if p.whom == whom]
            for old in own[: max(0, len(own) - MOST_EACH + 1)]:
                del self._by_token[old]
            while len(self._by_token) >= MOST:
                self._by_token.popitem(last=False)
            self._by_token[token] = Promise(whom, cluster, action, plan, until)
        return token, until

    def take(self, token: str, whom: str, cluster: str, action: str) -> ActionPlan | None:
        """The plan of a token, which is used up; None where it is unknown, used, too old, or of
        another person, cluster or action."""
        with self._lock:
            found = self._by_token.get(token)
            if found is None or found[:3] != (whom, cluster, action):
                return None
            del self._by_token[token]
        return found.plan if self._now() < found.until else None
