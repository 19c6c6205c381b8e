"""``/metrics``, for Prometheus. The text of a cluster is made once a round."""

from __future__ import annotations

import operator
import threading

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.metrics.family import Book
from pykafka_ops.metrics.text import Format, write
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.metrics import kafka_exporter, own
from pykafka_ops.monitor.service import Service


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    return [Route("/metrics", _Metrics().answer)]


class _Metrics:
    """Remembers the text that a set of views gave."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: list[ClusterView] = []
        self._text = ""

    def answer(self, request: Request) -> Response:
        service = service_of(request)
        views = {name: watched.view for name, watched in service.clusters.items()}
        with self._lock:
            of = list(views.values())
            same = len(of) == len(self._of) and all(map(operator.is_, of, self._of))
            if not same:
                self._text, self._of = _told(service, views), of
            text = self._text
        book = Book()
        for view in views.values():
            own.tell_poll(book, view, service.age_seconds(view))
        return Response(text + "".join(write(book)), headers={"Content-Type": Format.TEXT.value})


def _told(service: Service, views: dict[str, ClusterView]) -> str:
    """What the last answers say; of a cluster that has not answered lately nothing is told."""
    book = Book()
    for name, view in views.items():
        if view.error is None:
            more = {"cluster": name} if len(views) > 1 else {}
            _tell(book, service.clusters[name], view, more)
    return "".join(write(book))


def _tell(book: Book, watched: WatchedCluster, view: ClusterView, more: dict[str, str]) -> None:
    kafka_exporter.tell(book, view, watched.committed, more)
    own.tell_groups(book, view)
