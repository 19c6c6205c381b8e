"""The table of kafka-transactions, and how it words its failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pykafka_ops.commands.framework.failures import text_of
from pykafka_ops.errors import PkoError


class ToolError(PkoError):
    """A failure in the tool's own words."""


def failed(what: str, error: PkoError) -> ToolError:
    """``Failed to WHAT: reason``, as kafka-transactions ends."""
    reason = text_of(error)
    stop = "" if reason.endswith(".") else "."
    return ToolError(
        f"Failed to {what}: {reason}{stop} Enable debug logging for additional detail."
    )


def table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Columns as wide as their longest cell, a tab behind each."""
    lines = [list(titles), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(titles))]
    for line in lines:
        cells = (f"{cell:<{width}}\t" for cell, width in zip(line, widths, strict=True))
        yield "".join(cells) + "\n"
