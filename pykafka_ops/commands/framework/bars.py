"""How wide bars on a terminal may be, and of which characters."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.terminal import room


def bar_width(others: int) -> int:
    """Columns of a terminal that are left beside ``others``, 9 to 60."""
    return min(max(room() - others, 9), 60)


def bars_are_blocks() -> bool:
    """Whether the terminal can show block characters."""
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
