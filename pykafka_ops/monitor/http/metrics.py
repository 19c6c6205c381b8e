"""``/metrics``, for Prometheus. A text that is not large is made once a round and kept."""

from __future__ import annotations

import operator
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from pykafka_ops.metrics.family import Book
from pykafka_ops.metrics.text import Format, write
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.http.answers import refused
from pykafka_ops.monitor.http.app import service_of, whole_service
from pykafka_ops.monitor.metrics import (
    audits,
    burrow,
    itself,
    kafka_exporter,
    kinds,
    kminion,
    kraft,
    mirrors,
    own,
    probes,
)
from pykafka_ops.monitor.metrics.lines import AUDITS, MONITOR, PARTS, PROBES, Metric, Scope, text
from pykafka_ops.monitor.metrics.settings import BURROW, KAFKA_EXPORTER, KMINION, MetricsSettings
from pykafka_ops.monitor.service import Service

COLLECT: Final = "collect[]"
MOST_KEPT: Final = 4 << 20
"""Characters of a text that is kept for the next one who asks; a longer one is made again."""
MOST_TEXTS: Final = 8
MOST_AT_ONCE: Final = 4
"""Texts that are made at a time; further requests get 503."""
_OF: Final = {
    KAFKA_EXPORTER: kafka_exporter.METRICS,
    KMINION: kminion.METRICS,
    BURROW: burrow.METRICS,
}


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    return [Route("/metrics", _Metrics().answer)]


def chosen(settings: MetricsSettings, parts: frozenset[str]) -> list[Metric]:
    """The metrics that appear, of these parts (none: all)."""
    ours = own.METRICS, kinds.METRICS, kraft.METRICS, mirrors.METRICS
    every = chain(*(_OF[name] for name in settings.dialects), *ours)
    return [
        metric
        for metric in every
        if (not parts or metric.part in parts) and (settings.by_partition or not metric.fine)
    ]


class _Kept(NamedTuple):
    """A text, and the views that it shows."""

    views: Sequence[ClusterView]
    pieces: Sequence[str]


class _Metrics:
    """Keeps the texts of the last round, by the parts that were asked for."""

    def __init__(self) -> None:
        self._kept: dict[frozenset[str], _Kept] = {}
        self._places = threading.Semaphore(MOST_AT_ONCE)

    def answer(self, request: Request) -> Response:
        service = service_of(request)
        parts = frozenset(request.query_params.getlist(COLLECT))
        unknown = sorted(parts - set(PARTS))
        if unknown:
            known = ", ".join(PARTS)
            return refused(
                400, "INVALID_REQUEST", f"{COLLECT}={unknown[0][:40]!r}: choose from {known}"
            )
        views = [watched.view for watched in service.clusters.values()]
        headers = {"Content-Type": Format.TEXT.value}
        kept = self._kept.get(parts)
        if kept is not None and _same(kept.views, views):
            pieces: Iterator[str] = iter(kept.pieces)
        elif self._places.acquire(blocking=False):
            several = len(whole_service(request).clusters) > 1
            scopes = _scopes(service, views, several=several)
            made = self._made(chosen(service.metrics, parts), scopes, parts, views)
            pieces = chain((next(made, ""),), made)  # once begun, it gives its place back
        else:
            return refused(503, "BUSY", f"{MOST_AT_ONCE} texts are being made: ask again")
        return StreamingResponse(chain(pieces, _itself(request, parts)), headers=headers)

    def _made(
        self,
        metrics: Sequence[Metric],
        scopes: Sequence[Scope],
        parts: frozenset[str],
        views: Sequence[ClusterView],
    ) -> Iterator[str]:
        """The text of views; of a cluster that has not answered lately nothing appears."""
        try:
            kept: list[str] | None = []
            size = 0
            for piece in text(metrics, scopes):
                size += len(piece)
                if size > MOST_KEPT:
                    kept = None
                elif kept is not None:
                    kept.append(piece)
                yield piece
            if kept is not None:
                if len(self._kept) >= MOST_TEXTS:
                    self._kept.clear()
                self._kept[parts] = _Kept(views, kept)
        finally:
            self._places.release()


def _same(some: Sequence[ClusterView], others: Sequence[ClusterView]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))


def _scopes(service: Service, views: Sequence[ClusterView], *, several: bool) -> list[Scope]:
    return [
        Scope(
            service.clusters[view.name],
            view,
            service.metrics,
            {"cluster": view.name} if several else {},
        )
        for view in views
        if view.error is None
    ]


def _itself(request: Request, parts: frozenset[str]) -> Iterator[str]:
    """What changes between rounds, too."""
    book = Book()
    if not parts or MONITOR in parts:
        itself.tell(book, service_of(request), whole_service(request).streams)
    if not parts or PROBES in parts:
        _tell_probes(book, service_of(request))
    if not parts or AUDITS in parts:
        _tell_audits(book, service_of(request))
    yield from write(book)


def _tell_audits(book: Book, service: Service) -> None:
    """Tiers are about whole clusters: they are for who may see all."""
    if service.audits is not None and service.is_whole:
        for one in service.audits.figures():
            audits.tell(book, one)


def _tell_probes(book: Book, service: Service) -> None:
    if service.probes is not None:
        now = time.monotonic()
        for cluster in service.clusters:
            for state in service.probes.states.get(cluster, ()):
                probes.tell(book, cluster, state, now)
