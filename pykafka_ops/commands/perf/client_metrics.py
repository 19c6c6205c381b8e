"""``--print-metrics``: what librdkafka counted, laid out as Kafka's ToolsUtils does it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

SPAN_MS = 200
"""How often librdkafka reports."""


class Counted:
    """``callback`` is for librdkafka; ``lines`` are what it said last."""

    def __init__(self) -> None:
        self._last: dict[str, object] = {}
        self.reports = 0

    def callback(self, text: str) -> None:
        """A report came."""
        self._last, self.reports = json.loads(text), self.reports + 1

    def wait(self, serve: Callable[[float], object]) -> None:
        """Until a report comes that knows the end; half a second at most."""
        before = self.reports
        for _ in range(10):
            if self.reports > before:
                return
            serve(0.05)

    def lines(self, kind: str, client_id: str) -> Iterator[str]:
        """The lines of them."""
        group = f"{kind}-metrics"
        found = {
            f"{group}:{name.replace('_', '-')}:{{client-id={client_id}}}": value
            for name, value in self._last.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool)
        }
        yield from metric_lines(found)


def metric_lines(found: Mapping[str, float]) -> Iterator[str]:
    """A blank line, a title and a line for each figure, by name."""
    width = max(map(len, found), default=11)
    yield ""
    yield f"{'Metric Name':<{width}}   Value"
    for name in sorted(found):
        yield f"{name:<{width}} : {float(found[name]):.3f}"
