"""What a load of a drill knows of a topic: what it sent, what was acknowledged, how transactions
ended. An id is ``<writer>.<number>``; the numbers of a writer grow."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

COMMITTED, ABORTED, UNKNOWN = "committed", "aborted", "unknown"
JITTER_MS = 3000
KEYS = 150
"""Of a compacted topic."""


class DrillRecord(NamedTuple):
    """A record that is sent; the first header is its id."""

    id: str
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]]
    timestamp: int


class TopicLedger:
    """Of a topic. ``once``: each record is there once and its writer's in order, as idempotent
    producers do it; ``compacted``: few keys, and tombstones; ``jitter``: timestamps go back and
    forth."""

    def __init__(
        self, topic: str, *, once: bool = True, compacted: bool = False, jitter: bool = True
    ) -> None:
        self.topic, self.once, self.compacted, self.jitter = topic, once, compacted, jitter
        self.sent: set[str] = set()
        self.acked: set[str] = set()
        self.transactions: list[tuple[Sequence[str], str]] = []
        self._numbers: dict[str, int] = {}

    def draw(self, writer: str, chance: random.Random) -> DrillRecord:
        """The next record of a writer."""
        number = self._numbers[writer] = self._numbers.get(writer, 0) + 1
        name = f"{writer}.{number}"
        self.sent.add(name)
        key: bytes | None = name.encode()
        if self.compacted:
            key = b"key-%d" % chance.randrange(KEYS)
        elif chance.random() < 0.1:
            key = chance.choice((None, b""))
        headers: list[tuple[str, bytes | None]] = [("id", name.encode())]
        if chance.random() < 0.3:
            headers += [("empty", b""), ("null", None), ("id", b"another of that name")]
        stamp = time.time_ns() // 1_000_000 - chance.randrange(JITTER_MS if self.jitter else 1)
        return DrillRecord(name, key, _value(name, chance), headers, stamp)

    def told(self, name: str) -> Callable[[Any, Any], None]:
        """For the answer to a record."""

        def said(error: Any, _: Any) -> None:
            if error is None:
                self.acked.add(name)

        return said

    def ended(self, names: Sequence[str], how: str) -> None:
        """How a transaction ended."""
        self.transactions.append((names, how))


def _value(name: str, chance: random.Random) -> bytes | None:
    drawn = chance.random()
    if drawn < 0.15:
        return None
    if drawn < 0.2:
        return b""
    size = 20_000 if drawn > 0.995 else chance.randrange(300)
    return name.encode() + chance.randbytes(size // 2) + bytes(size // 2)


def amiss_at_source(ledger: TopicLedger, found: Sequence[str], *, strict: bool) -> list[str]:
    """What the topic itself lost, doubled or kept: the ids that are there against the ledger. Not
    of topics that are compacted or of which records were deleted. ``strict``: idempotent
    producers' records are there once, and what was aborted is not there."""
    there, amiss = set(found), []
    if strict and ledger.once and len(there) < len(found):
        amiss.append(f"{len(found) - len(there)} records are there twice")
    if strange := there - ledger.sent:
        amiss.append(f"{len(strange)} records that nobody sent: {_some(strange)}")
    ended = {name for names, _ in ledger.transactions for name in names}
    if lost := ledger.acked - ended - there:
        amiss.append(f"{len(lost)} acknowledged records are lost: {_some(lost)}")
    for names, told in ledger.transactions:
        how = told if told != ABORTED or strict else UNKNOWN
        count = sum(name in there for name in names)
        if count not in {COMMITTED: (len(names),), ABORTED: (0,)}.get(how, (0, len(names))):
            amiss.append(
                f"{count} of {len(names)} records of a transaction ({how}) are there: "
                f"{_some(names)}"
            )
    return amiss


def _some(names: Sequence[str] | set[str]) -> str:
    return ", ".join(sorted(names)[:5])
