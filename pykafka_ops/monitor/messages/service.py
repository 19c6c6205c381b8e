"""Searches and tails of all clusters: how many at a time, with which schemas and masks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.messages.budget import ALLOWANCE, Allowance, Budget
from pykafka_ops.monitor.messages.decoding import SchemaFiles, TopicDecoder
from pykafka_ops.monitor.messages.formats import AUTO
from pykafka_ops.monitor.messages.masks import TopicMask
from pykafka_ops.monitor.messages.query import OLDEST, SearchQuery
from pykafka_ops.monitor.messages.registry import SchemaRegistry
from pykafka_ops.monitor.messages.search import RecordSearch, SearchResult
from pykafka_ops.monitor.messages.settings import MessageSettings
from pykafka_ops.monitor.messages.shown import ShownRecord
from pykafka_ops.monitor.messages.tail import ROUND, TailRound, TopicTail

SEARCHES: Final = 4
"""Searches at a time; further ones get 429."""
TAILS: Final = 8
"""Topics that are followed at a time."""
MOST_WAIT: Final = 3.0
"""Seconds that a record waits for its schema, at most."""


class _Slots:
    """So many at a time."""

    def __init__(self, most: int, busy: str) -> None:
        self._most, self._busy = most, busy
        self._taken = 0
        self._lock = threading.Lock()

    def check(self) -> None:
        """BusyError where none is free."""
        if self._taken >= self._most:
            raise BusyError(self._busy)

    def take(self) -> None:
        """BusyError where none is free."""
        with self._lock:
            self.check()
            self._taken += 1

    def give(self) -> None:
        """Free one."""
        with self._lock:
            self._taken -= 1


class BusyError(PkoError):
    """As many searches are under way as there may be."""


class Following:
    """One tail: ``round`` again and again, then ``close``. For one thread at a time."""

    def __init__(self, run: Callable[[TopicTail], TailRound], close: Callable[[], None]) -> None:
        self._tail, self._run, self._close = TopicTail(), run, close

    def round(self) -> TailRound:
        """What was written since the last one. Raises as ``RecordSearch.run``."""
        return self._run(self._tail)

    def close(self) -> None:
        """Follow no more."""
        self._close()


class MessageService:
    """Records of the clusters in ``clients``; UsageError where a schema file cannot be used."""

    def __init__(
        self,
        clients: Mapping[str, ClientConfig],
        settings: MessageSettings,
        *,
        allowance: Allowance = ALLOWANCE,
        searches: int = SEARCHES,
    ) -> None:
        self._clients, self._settings, self._allowance = clients, settings, allowance
        self._files = SchemaFiles(settings.decode)
        self._registries = {n: SchemaRegistry(one) for n, one in settings.registries.items()}
        self._searches = _Slots(
            searches, "enough searches are under way: try again in some seconds"
        )
        self.tails = _Slots(
            TAILS, f"{TAILS} topics are followed already: end one, or come back later"
        )

    def search(
        self, cluster: str, topic: str, query: SearchQuery, cancelled: Callable[[], bool]
    ) -> SearchResult:
        """A page of records. BusyError, and as ``RecordSearch.run``."""
        with self._slot(), self._connected(cluster) as connected:
            return self._search(connected, cluster, topic, query, self._budget(cancelled)).run()

    def record(
        self, cluster: str, topic: str, place: tuple[int, int], query: SearchQuery,
        cancelled: Callable[[], bool],
    ) -> ShownRecord | None:  # fmt: skip
        """The whole record at (partition, offset), with its bytes where no mask covers them; None
        where there is none. ``query``: formats, and whether aborted and control records are
        wanted."""
        number, offset = place
        found: list[tuple[Record, str]] = []
        bounds = query.bounds._replace(offsets=(offset, offset))
        one = replace(query, order=OLDEST, partitions=(number,), bounds=bounds, limit=1)
        budget = self._budget(cancelled)
        with self._slot(), self._connected(cluster) as connected:
            search = self._search(connected, cluster, topic, one, budget)
            judge = search.judge

            def keep(partition: int, record: Record, state: str) -> ShownRecord | None:
                shown = judge(partition, record, state)
                if shown is not None:
                    found.append((record, state))
                return shown

            search.judge = keep
            result = search.run()
            if result.lanes[0].error:
                raise PkoError(f"partition {number}: {result.lanes[0].error}")
            if not found:
                return None
            record, state = found[0]
            return self._decoder(cluster, topic, query, budget).shown(number, record, state)

    def follow(self, cluster: str, topic: str, query: SearchQuery) -> Following:
        """Follow a topic from its end on. BusyError."""
        self.tails.take()
        connected = Cluster(self._config(cluster))
        forwards = replace(query, order=OLDEST)

        def run(tail: TopicTail) -> TailRound:
            budget = Budget(ROUND, time.monotonic)
            return tail.round(self._search(connected, cluster, topic, forwards, budget))

        def close() -> None:
            connected.close()
            self.tails.give()

        return Following(run, close)

    def mask(self, topic: str) -> TopicMask:
        """What is hidden of a topic."""
        return TopicMask(self._settings.masks, topic)

    # --- made for each ---------------------------------------------------------------------------

    @contextmanager
    def _slot(self) -> Iterator[None]:
        self._searches.take()
        try:
            yield
        finally:
            self._searches.give()

    @contextmanager
    def _connected(self, cluster: str) -> Iterator[Cluster]:
        connected = Cluster(self._config(cluster))
        try:
            yield connected
        finally:
            connected.close()

    def _config(self, cluster: str) -> ClientConfig:
        """A copy, whose time limits are the search's own."""
        given = self._clients[cluster]
        config = ClientConfig.of(given.properties)
        config.client_id = given.client_id
        return config

    def _budget(self, cancelled: Callable[[], bool]) -> Budget:
        return Budget(self._allowance, time.monotonic, cancelled)

    def _search(
        self, connected: Cluster, cluster: str, topic: str, query: SearchQuery, budget: Budget
    ) -> RecordSearch:
        decoder = self._decoder(cluster, topic, query, budget)
        return RecordSearch(connected, topic, query, decoder, budget)

    def _decoder(
        self, cluster: str, topic: str, query: SearchQuery, budget: Budget
    ) -> TopicDecoder:
        key, value = query.key_format, query.value_format
        for rule in self._settings.decode:
            if any(pattern.fullmatch(topic) for pattern in rule.topics):
                key = rule.key if key == AUTO and rule.key else key
                value = rule.value if value == AUTO and rule.value else value
        return TopicDecoder(
            topic,
            self.mask(topic),
            key=key,
            value=value,
            files=self._files,
            registry=self._registries.get(cluster),
            seconds=lambda: min(MOST_WAIT, budget.seconds_left),
        )
