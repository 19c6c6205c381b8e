"""Every door of the monitor: one line here, one file beside."""

from __future__ import annotations

from starlette.routing import BaseRoute

from pykafka_ops.monitor.http import (
    actions,
    api,
    audit,
    burrow,
    cmak,
    login,
    messages,
    metrics,
    mirrors,
    pages,
    past,
    probes,
    reports,
    tiers,
    whole,
)


def all_routes() -> list[BaseRoute]:
    """The routes of all doors."""
    return [
        *api.routes(),
        *past.routes(),
        *probes.routes(),
        *whole.routes(),
        *burrow.routes(),
        *cmak.routes(),
        *metrics.routes(),
        *login.routes(),
        *actions.routes(),
        *audit.routes(),
        *messages.routes(),
        *reports.routes(),
        *tiers.routes(),
        *mirrors.routes(),
        *pages.routes(),
    ]
