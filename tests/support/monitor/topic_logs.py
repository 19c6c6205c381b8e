"""A topic in memory that answers Metadata, ListOffsets and Fetch as leaders do."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from pykafka_ops.client import read_bounds
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.fetch import FetchedBatches
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST, LATEST, Offset
from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.monitor.messages import search, tail
from pykafka_ops.monitor.messages.budget import Allowance, Budget
from pykafka_ops.monitor.messages.decoding import SchemaFiles, TopicDecoder
from pykafka_ops.monitor.messages.masks import MaskRule, TopicMask
from pykafka_ops.monitor.messages.query import search_query
from pykafka_ops.monitor.messages.search import RecordSearch

NOW = 1_763_800_000_000


class TopicLogs:
    """``batches`` by partition; ``errors`` of partitions that do not answer; ``start`` where logs
    begin; ``stable`` where transactions are open from; ``aborted`` as in answers."""

    def __init__(self, partitions: int = 1) -> None:
        self.batches: dict[int, list[bytes]] = {n: [] for n in range(partitions)}
        self.errors: dict[int, PkoError] = {}
        self.start: dict[int, int] = {}
        self.stable: dict[int, int] = {}
        self.aborted: dict[int, list[tuple[int, int]]] = {}
        self.config = ClientConfig.of({"bootstrap.servers": "b1:1"})
        self.asked: list[dict[Partition, int]] = []
        self.meanwhile: Callable[[], object] = lambda: None
        """Called before each answer to Fetch."""

    def install(self, monkeypatch: pytest.MonkeyPatch) -> TopicLogs:
        """Have searches ask it."""
        for module in (read_bounds, search, tail):
            monkeypatch.setattr(module, "list_offsets", self.list_offsets)
        monkeypatch.setattr(search, "fetch", self.fetch)
        return self

    def write(self, partition: int, *values: bytes, at: int = 0, **more: Any) -> int:
        """One batch of these values with keys ``k-OFFSET``; times begin at ``at`` ms. Its first
        offset."""
        base = self.end(partition)
        records = [
            Record(base + i, NOW + at + i, b"k-%d" % (base + i), value)
            for i, value in enumerate(values)
        ]
        self.batches[partition].append(bytes(build_batch(records, base_offset=base, **more)))
        return base

    def end(self, partition: int) -> int:
        """The offset behind the last batch."""
        found = self.batches[partition]
        return read_header(found[-1]).next_offset if found else 0

    # --- what clients ask ------------------------------------------------------------------------

    def metadata(self, topics: Sequence[str]) -> Any:
        """Of ``orders``; there is no other topic."""
        parts = [SimpleNamespace(partition_index=n) for n in self.batches]
        known = topics == ["orders"]
        return SimpleNamespace(
            topics=[SimpleNamespace(error_code=0 if known else 3, partitions=parts)]
        )

    def list_offsets(
        self, cluster: Any, wanted: Mapping[Partition, int], *, read_committed: bool = False
    ) -> dict[Partition, Offset | PkoError]:
        found: dict[Partition, Offset | PkoError] = {}
        for p, time in wanted.items():
            number = p[1]
            if number in self.errors:
                found[p] = self.errors[number]
            elif time == EARLIEST:
                found[p] = Offset(self.start.get(number, 0), -1, 0)
            elif time == LATEST:
                end = self.end(number)
                found[p] = Offset(self.stable.get(number, end) if read_committed else end, -1, 0)
            else:
                found[p] = Offset(self._first_at(number, time), time, 0)
        return found

    def _first_at(self, number: int, time: int) -> int:
        for data in self.batches[number]:
            header = read_header(data)
            if header.max_timestamp >= time:
                return max(header.base_offset, header.base_offset + time - header.base_timestamp)
        return -1

    def fetch(
        self, cluster: Any, wanted: Mapping[Partition, int], *, partition_bytes: int,
        max_bytes: int, read_committed: bool,
    ) -> dict[Partition, FetchedBatches | PkoError]:  # fmt: skip
        self.meanwhile()
        self.asked.append(dict(wanted))
        answers: dict[Partition, FetchedBatches | PkoError] = {}
        first = True
        for p, offset in wanted.items():
            number = p[1]
            if number in self.errors:
                answers[p] = self.errors[number]
                continue
            if offset < self.start.get(number, 0):
                answers[p] = KafkaError(1)
                continue
            data = self._from(number, offset, partition_bytes, first, read_committed)
            first = first and not data
            aborted = self.aborted.get(number, []) if read_committed else []
            answers[p] = FetchedBatches(memoryview(data), self.end(number), 0, aborted)
        return answers

    def _from(self, number: int, offset: int, most: int, first: bool, committed: bool) -> bytes:
        stable = self.stable.get(number, self.end(number)) if committed else self.end(number)
        there = self.batches[number]
        at = bisect_right(there, offset, key=lambda data: read_header(data).next_offset)
        out = b""
        for data in there[at:]:
            if read_header(data).base_offset >= stable:
                break
            if len(out) + len(data) > most and not (first and not out):
                break
            out += data
        return out


def make_search(
    logs: TopicLogs,
    *,
    allowance: Allowance | None = None,
    clock: Callable[[], float] = lambda: 0.0,
    cancelled: Callable[[], bool] = lambda: False,
    masks: tuple[MaskRule, ...] = (),
    **words: object,
) -> RecordSearch:
    """A search of ``orders`` by the words of an address."""
    query = search_query({name: str(value) for name, value in words.items()}, NOW)
    budget = Budget(allowance or Allowance(), clock, cancelled)
    decoder = TopicDecoder(
        "orders", TopicMask(masks, "orders"), files=SchemaFiles(()), registry=None,
        seconds=lambda: 0.0,
    )  # fmt: skip
    cluster: Any = logs
    return RecordSearch(cluster, "orders", query, decoder, budget)
