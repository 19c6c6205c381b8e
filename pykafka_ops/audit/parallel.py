"""Log directories counted by several processes, each with partitions of its own."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.audit.book import AuditBook, Tier
from pykafka_ops.audit.collect import Collected, CollectResult, collect
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.audit.source import PartitionKey
from pykafka_ops.errors import PkoError, StorageError
from pykafka_ops.worker_pool import worker_pool


class _Share(NamedTuple):
    """What one process counts. ``compacted``: a regular expression of topics, "" for none."""

    book: str
    tier: str
    paths: Sequence[str]
    compacted: str
    keys: frozenset[PartitionKey]


def collect_by(
    workers: int,
    book: AuditBook,
    tier: Tier,
    source: AuditedFiles,
    wanted: Callable[[str], bool],
) -> CollectResult:
    """As ``collect``, by so many processes. The book is a file. Raises StorageError if one dies."""
    places, failed = source.places(wanted)
    known = {(p.topic, p.partition): p.next for p in book.places(tier)}
    sizes = {p.key: source.bytes_from(p, known.get(p.key, p.start)) for p in places}
    paths, compacted = tier.source.get("directories"), str(tier.source.get("compacted") or "")
    named = [str(path) for path in paths] if isinstance(paths, list) else []
    shares = [
        _Share(book.path, tier.name, named, compacted, frozenset(keys))
        for keys in divided(sizes, workers)
    ]
    with worker_pool(workers, "counting") as pool:
        results = list(pool.map(_count, shares))
    return _joined(results, failed)


def divided(sizes: Mapping[PartitionKey, int], parts: int) -> list[list[PartitionKey]]:
    """Partitions by size, the largest first, each to the part that has least."""
    found: list[list[PartitionKey]] = [[] for _ in range(parts)]
    held = [0] * parts
    for key in sorted(sizes, key=lambda one: (-sizes[one], one)):
        least = held.index(min(held))
        found[least].append(key)
        held[least] += sizes[key] + 1
    return [keys for keys in found if keys]


def _joined(
    results: Collection[tuple[Sequence[Collected], Mapping[str, str], Sequence[str]]],
    failed: Mapping[str, PkoError],
) -> CollectResult:
    rows = sorted(row for one, _, _ in results for row in one)
    said = {item: StorageError(text) for _, told, _ in results for item, text in told.items()}
    return CollectResult(rows, {**failed, **said}, [note for *_, some in results for note in some])


def _count(share: _Share) -> tuple[list[Collected], dict[str, str], list[str]]:
    pattern = re.compile(share.compacted) if share.compacted else None
    topics = {topic for topic, _ in share.keys}
    source = AuditedFiles(
        share.paths,
        lambda: time.time_ns() // 1_000_000,
        lambda topic: pattern is not None and pattern.fullmatch(topic) is not None,
    )
    with AuditBook(share.book, must_exist=True) as book:
        tier = book.tier(share.tier)
        if tier is None:
            raise StorageError(f"{share.book}: the tier {share.tier} was dropped")
        found = collect(book, tier, source, topics.__contains__, share.keys)
    # Errors of others may not come through as they are.
    return list(found.rows), {k: str(e) for k, e in found.failed.items()}, list(found.notes)
