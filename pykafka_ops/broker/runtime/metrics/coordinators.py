"""The coordinators of groups and transactions (``group-coordinator-metrics`` and the like)."""

from __future__ import annotations

from typing import Any

from pykafka_ops.broker.coordinators.runtime import LOADS_KEPT, Coordinator
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.metrics.family import Book
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.codes import ErrorCode

_COMMITS = (ApiKey.OFFSET_COMMIT, ApiKey.TXN_OFFSET_COMMIT)


def collect(parts: Parts, book: Book) -> None:
    """Loads of both kinds of coordinators, and committed offsets."""
    services = parts.services
    _collect_loads(services.groups.coordinator, "group", book)
    _collect_loads(services.transactions.coordinator, "transaction", book)
    tally = parts.server.tally
    if tally is not None:
        of_commits = (count for count in tally if count.key in _COMMITS)
        book.bean(
            "kafka.server:group-coordinator-metrics::offset-commit-count",
            "Offsets of partitions that were committed since the start",
        ).add(sum(count.codes.get(ErrorCode.NONE, 0) + count.sure for count in of_commits))


def _collect_loads(coordinator: Coordinator[Any], kind: str, book: Book) -> None:
    times = list(coordinator.load_times)
    name = f"kafka.server:{kind}-coordinator-metrics::partition-load-time"
    what = f"time to load a partition of {coordinator.topic}, in ms, of the last {LOADS_KEPT:,}"
    longest = book.bean(f"{name}-max", f"Longest {what}")
    usual = book.bean(f"{name}-avg", f"Mean {what}")
    if times:
        longest.add(round(max(times), 3))
        usual.add(round(sum(times) / len(times), 3))
