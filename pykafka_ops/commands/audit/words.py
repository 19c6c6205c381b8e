"""Times in words."""

from __future__ import annotations

from pykafka_ops.analysis.moments import between, moment_text
from pykafka_ops.commands.framework.args import Args


def time_limits(args: Args, now: int) -> tuple[int | None, int | None]:
    """``--since`` and ``--until`` as [first, end) in ms. Raises UsageError."""
    return between(args.text("since"), args.text("until"), now)


def moment_of(value: object) -> object:
    """A time in ms as people read it."""
    return moment_text(value, parts=False) if isinstance(value, int) and value >= 0 else None
