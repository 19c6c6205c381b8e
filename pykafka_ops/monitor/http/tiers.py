"""The pages of tiers that ``pko audit`` has counted.

A book is about whole clusters: only who may see every cluster of the monitor is shown any.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.paging import asked_of, html
from pykafka_ops.monitor.pages import lists
from pykafka_ops.monitor.pages.tiers import buckets_page, tiers_page
from pykafka_ops.monitor.tiers.books import buckets, look
from pykafka_ops.monitor.tiers.settings import BookSettings


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    return [Route("/tiers", _tiers), Route("/tiers/buckets", _buckets)]


def _settings(request: Request) -> BookSettings | None:
    service = service_of(request)
    return service.books if service.is_whole else None


def _refused(request: Request) -> Response:
    service = service_of(request)
    said = "Only who may see every cluster is shown tiers."
    if service.is_whole:
        said = "There are no tiers: [books] in the configuration names the file of pko audit."
    return html(lists.missing(asked_of(request, service, ""), None, said), 404)


def _tiers(request: Request) -> Response:
    settings = _settings(request)
    if settings is None:
        return _refused(request)
    return html(tiers_page(asked_of(request, service_of(request), ""), look(settings)))


def _buckets(request: Request) -> Response:
    settings = _settings(request)
    if settings is None:
        return _refused(request)
    asked, query = asked_of(request, service_of(request), ""), request.query_params
    try:
        pair = settings.pairs[_index(query.get("pair", ""))]
        place = query.get("topic", ""), _index(query.get("partition", ""))
    except (ValueError, IndexError):
        return html(lists.missing(asked, None, "There is no such pair of tiers."), 404)
    try:
        return html(buckets_page(asked, pair, place, buckets(settings, pair, *place), ""))
    except PkoError as error:
        return html(buckets_page(asked, pair, place, [], str(error)))


def _index(text: str) -> int:
    """A number from 0 on. Raises ValueError."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(text)
    return int(text)
