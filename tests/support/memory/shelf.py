"""A disk that syncs only when a test says so."""

from __future__ import annotations

from typing import Any

from tests.support.memory.handler_site import Site


class Shelf:
    """Jobs that wait until somebody does them."""

    def __init__(self, site: Site) -> None:
        self.jobs: list[Any] = []
        site.logs.home.submit = self.jobs.append  # type: ignore[method-assign,assignment]
        site.logs.home.on_flushed = site.replicas.flushed

    def work(self, site: Site) -> None:
        job = self.jobs.pop(0)
        job.run()
        job.done()
        site.run_soon()
