"""One budget for what clients make a broker hold. Pure.

Kafka has the JVM's heap for that, and ends when it is full. Here ``queued.max.request.bytes``
bounds the sum: requests that arrive, answers that wait for their clients, and what stays when a
request is over, of groups, transactions, fetch sessions and producers. It is shared by one rule:
nobody may hold more than what is still free (producers give way to each other instead). One who
takes all he can get has half of it then, of many each an equal part, and as much is always left for
those who need little.
"""

from __future__ import annotations

DEFAULT_LIMIT = 512 * 1024 * 1024
"""Bytes, where ``queued.max.request.bytes`` says nothing."""
LARGEST_POOLED = 4 * 1024 * 1024
"""Memory of a request up to this size is used again for the next one; a larger one has its own."""
UNLIMITED = 1 << 62


class Account:
    """Bytes held for one purpose; they may be more than ``limit`` where nobody was asked, as when
    groups are loaded."""

    __slots__ = ("held", "highest", "limit")

    def __init__(self, limit: int = UNLIMITED) -> None:
        self.limit = limit
        self.held = 0
        self.highest = 0
        """The most that was held since :meth:`fallen` was asked last."""

    def fallen(self) -> int:
        """How much less is held than at the highest point since the last call."""
        by, self.highest = self.highest - self.held, self.held
        return by

    def holder(self) -> Holder:
        """One more who holds some of it, nothing yet."""
        return Holder(self)

    def admits(self, more: int) -> bool:
        """Whether one who holds nothing may hold so much."""
        return more <= self.limit - self.held


class Holder:
    """What one group, or one session, holds of an account."""

    __slots__ = ("_account", "held")

    def __init__(self, account: Account) -> None:
        self._account: Account | None = account
        self.held = 0

    def admits(self, more: int) -> bool:
        """Whether it may hold so much more; less it always may."""
        return more <= 0 or self._account is None or self._account.admits(self.held + more)

    def change(self, by: int) -> None:
        """It holds so much more, or less."""
        if self._account is not None:
            self.held += by
            account = self._account
            account.held += by
            if account.held > account.highest:
                account.highest = account.held

    def release(self) -> None:
        """It is gone; later changes count nothing."""
        self.change(-self.held)
        self._account = None


class Memory:
    """The budget of one broker."""

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self.state = Account()
        """What groups, transactions and fetch sessions hold."""
        self.answers = Account()
        """What waits for clients that do not read."""
        self.producers = Account()
        """What partitions remember of producers."""
        self.copies = Account()
        """Records of requests that take long, which are kept beside the frames."""
        self.set_limit(limit)

    def set_limit(self, limit: int) -> None:
        """Bound the sum to so many bytes; what is held stays."""
        self.limit = limit
        self.state.limit = limit // 2
        self.answers.limit = limit // 4
        self.producers.limit = limit // 8

    @property
    def for_requests(self) -> int:
        """What requests that arrive may hold together, bytes."""
        held = self.state.held + self.answers.held + self.producers.held + self.copies.held
        return self.limit - held
