"""A whole view for ``pko top``, which shows it in another terminal."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.monitor.cluster.codec import pack_view
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.http.answers import NO_STORE, no_cluster
from pykafka_ops.monitor.http.app import service_of

POLL_MS: Final = "X-Pko-Poll-Ms"
"""How often the monitor asks the cluster."""
AGE_MS: Final = "X-Pko-Age-Ms"
"""How old the view is; left out where there was no answer yet."""


def routes() -> list[BaseRoute]:
    """The route of this door."""
    return [Route("/api/v1/clusters/{cluster}/view", _Views().answer)]


class _Views:
    """Keeps what was sent last of each cluster: several terminals look at the same round."""

    def __init__(self) -> None:
        self._packed: dict[str, tuple[ClusterView, bytes]] = {}

    def answer(self, request: Request) -> Response:
        service = service_of(request)
        name = request.path_params["cluster"]
        view = service.view(name)
        if view is None:
            return no_cluster(name, service.clusters)
        headers = {**NO_STORE, "ETag": f'"{view.number}-{int(view.error is not None)}"'}
        if name in service.shown:
            headers[POLL_MS] = str(service.shown[name].poll_ms)
        age = service.age_seconds(view)
        if age is not None:
            headers[AGE_MS] = str(round(age * 1000))
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        kept = self._packed.get(name)
        if kept is None or kept[0] is not view:
            kept = self._packed[name] = view, pack_view(view)
        return Response(kept[1], 200, headers, "application/x-msgpack")
