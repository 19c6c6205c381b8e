"""How many producers all partitions of a broker remember together. Pure.

Kafka remembers them for ``producer.id.expiration.ms``, however many clients invent (KIP-936). Here
they share a part of the memory. Where it is used up, who has been idle for longest is forgotten
before that time, with what Kafka gives then: his next batch may have any sequence. Who has an open
transaction is never forgotten.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol

from pykafka_ops.broker.state.memory import Account

PRODUCER_BYTES = 1_200
"""What one takes with all batches that are remembered of him; measured."""
AT_ONCE = 64
"""So many are forgotten at a time, so that the search for them costs a newcomer little."""
LOOKS = 256
"""Partitions looked at for one newcomer."""


class ProducerTable(Protocol):
    """The producers of one partition."""

    @property
    def remembered(self) -> int:
        """How many there are."""

    def forget_idle(self, count: int) -> int:
        """Forget so many; how many that were."""


class ProducerRoom:
    """What the partitions' tables hold of ``account``."""

    __slots__ = ("_account", "_held", "_tables")

    def __init__(self, account: Account | None = None) -> None:
        self._account = account or Account()
        self._held = self._account.holder()
        # No plain dict: the first entry is far to find there once many before it were moved.
        self._tables: OrderedDict[ProducerTable, None] = OrderedDict()

    @property
    def limit(self) -> int:
        """Bytes that all may hold."""
        return self._account.limit

    def make(self, table: ProducerTable) -> bool:
        """Whether ``table`` may remember one more. Another is forgotten for him where need be: of
        a partition that has as many as all have on average, of this one first."""
        return self._fits() or (self._relieve(table) and self._fits())

    def enter(self, table: ProducerTable) -> None:
        """``table`` remembers one more."""
        self._tables[table] = None
        self._held.change(PRODUCER_BYTES)

    def left(self, table: ProducerTable, count: int) -> None:
        """``table`` has forgotten ``count``."""
        self._held.change(-count * PRODUCER_BYTES)
        if not table.remembered:
            self._tables.pop(table, None)

    def _fits(self) -> bool:
        return self._held.held + PRODUCER_BYTES <= self._account.limit

    def _relieve(self, table: ProducerTable) -> bool:
        tables = self._tables
        average = self._held.held // PRODUCER_BYTES // max(len(tables), 1)
        for least in (max(average, 1), 1):
            for _ in range(min(len(tables), LOOKS) + 1):
                there = table.remembered
                if there >= least and table.forget_idle(min(there // 8 + 1, AT_ONCE)):
                    return True
                if not tables:
                    return False
                table = next(iter(tables))
                tables.move_to_end(table)
        return False
