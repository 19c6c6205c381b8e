"""Which transactions are open, for how long, and what they hold up. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.analysis.hanging import Open, hanging, old_enough
from pykafka_ops.monitor.cluster.answers import Partition
from pykafka_ops.monitor.cluster.questions import OpenTransactions

Row = dict[str, Any]
HANGING_MS: Final = 900_000
"""As Kafka's transaction.max.timeout.ms is by default: no transaction may take longer."""
LONG_SECONDS: Final = 60.0
WAITED_SECONDS: Final = 10.0
"""Transactions open for longer than this are shown where there is little room; the second one
where groups wait."""


class TransactionsShown(NamedTuple):
    """Rows of transactions, the oldest first, and of the partitions that are held up."""

    rows: Sequence[Row]
    held: Sequence[Row]

    @property
    def groups(self) -> int:
        """How many groups wait."""
        return len({g for row in self.held for g in row["groups"]})

    @property
    def hung(self) -> int:
        """How many hang: their coordinator knows nothing of them."""
        return sum(row["hangs"] for row in self.rows)


def transactions_shown(
    found: OpenTransactions, waiting: Mapping[Partition, Sequence[str]], now: int
) -> TransactionsShown:
    """``waiting`` are the groups that stand at the last stable offset of a partition; ``now`` is in
    ms. Where coordinators did not answer, nothing is said to hang."""
    held = [_held(found, p, waiting) for p in found.held]
    blocks: dict[str, list[Row]] = {}
    for row in held:
        for name in row["ids"]:
            blocks.setdefault(name, []).append(row)
    rows: list[Row] = []
    for name, one in found.known.items():
        age = None if one.start < 0 else max(0, now - one.start) / 1000
        rows.append(
            {
                "transactional_id": name,
                "state": one.state,
                "age_seconds": age,
                "timeout_seconds": one.timeout / 1000,
                "partitions": len(one.partitions),
                "holds": len(blocks.get(name, ())),
                "groups": sorted({g for row in blocks.get(name, ()) for g in row["groups"]}),
                "producer_id": one.producer_id,
                "coordinator": one.coordinator,
                "hangs": False,
            }
        )
    rows += [_hung(one, waiting, now) for one in _hanging(found, now)]
    rows.sort(key=lambda row: -(row["age_seconds"] or 0.0))
    return TransactionsShown(rows, held)


def _held(found: OpenTransactions, place: Any, waiting: Mapping[Partition, Sequence[str]]) -> Row:
    producers = place.producers or ()
    first = min(producers, key=lambda p: p.start, default=None)
    return {
        "topic": place.topic,
        "partition": place.partition,
        "stable": place.stable,
        "end": place.end,
        "records": place.end - place.stable,
        "ids": [_name(found, p.id) for p in producers],
        "producer_id": None if first is None else first.id,
        "groups": list(waiting.get((place.topic, place.partition), ())),
    }


def _name(found: OpenTransactions, producer_id: int) -> str:
    return found.ids.get(producer_id, f"producer {producer_id}")


def hanging_by_topic(found: OpenTransactions, now: int) -> dict[str, int] | None:
    """How many hang in each topic that has any; None where not all was asked or answered."""
    if found.missing or found.left_out:
        return None
    return dict(Counter(one.partition[0] for one in _hanging(found, now)))


def _hanging(found: OpenTransactions, now: int) -> list[Open]:
    """Open in a partition for longer than any may take, while no coordinator knows of it."""
    if found.missing:
        return []
    opened = [
        Open((h.topic, h.partition), p.id, p.epoch, p.coordinator_epoch, p.start, p.last_timestamp)
        for h in found.held
        for p in h.producers or ()
    ]
    partitions = {name: one.partitions for name, one in found.known.items()}
    known_ids = {pid: name for pid, name in found.ids.items() if name in partitions}
    unasked = found.ids.keys() - known_ids.keys()
    candidates = [o for o in old_enough(opened, now, HANGING_MS) if o.producer_id not in unasked]
    return hanging(candidates, known_ids, partitions)


def _hung(one: Open, waiting: Mapping[Partition, Sequence[str]], now: int) -> Row:
    topic, number = one.partition
    return {
        "transactional_id": None,
        "state": f"hangs in {topic}-{number}",
        "age_seconds": max(0, now - one.last_timestamp) / 1000,
        "timeout_seconds": None,
        "partitions": 1,
        "holds": 1,
        "groups": list(waiting.get(one.partition, ())),
        "producer_id": one.producer_id,
        "coordinator": None,
        "hangs": True,
    }
