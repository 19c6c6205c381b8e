"""Followers that have yet to ask for partitions whose leader epoch has just begun.

Such a follower may sit in a Fetch that waits for records of other partitions and that does not
name the new ones: until it ends nothing of those can be committed. So it is answered at once,
and those after it soon, until the follower has asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

TopicPartition = tuple[str, int]

PATIENCE_MS = 1_000
"""How long (ms) after the last epoch began a follower is awaited: the order may reach it late."""
SHORT_WAIT_MS = 25


class Awaited:
    """The followers of one broker's partitions; ``timer()`` is monotonic, in ms."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self._keys: dict[int, set[TopicPartition]] = {}
        self._until: dict[int, float] = {}
        self._news: dict[int, None] = {}

    def expect(self, key: TopicPartition, followers: Iterable[int]) -> None:
        """A leader epoch of a partition begins here."""
        until = self._timer() + PATIENCE_MS
        for follower in followers:
            self._keys.setdefault(follower, set()).add(key)
            self._until[follower] = until
            self._news[follower] = None

    def take_news(self) -> Iterable[int]:
        """Followers that something is new for since the last call."""
        news, self._news = self._news, {}
        return news

    def came(self, follower: int, key: TopicPartition) -> None:
        """A follower asks for a partition in its current epoch."""
        keys = self._keys.get(follower)
        if keys is not None:
            keys.discard(key)
            if not keys:
                del self._keys[follower]

    def is_awaited(self, follower: int) -> bool:
        """Whether a follower should ask again soon."""
        if follower not in self._keys:
            return False
        if self._timer() <= self._until[follower]:
            return True
        del self._keys[follower]
        return False

    def wait_ms(self, follower: int, most: int) -> int:
        """How long a Fetch of a follower may wait that would wait for ``most`` ms."""
        return min(most, SHORT_WAIT_MS) if self.is_awaited(follower) else most
