"""``pko transactions`` and kafka-transactions: options; the work is in ``txn/``."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Run
    from pykafka_ops.errors import PkoError


def failure(error: PkoError, run: Run) -> int:
    """The message on stderr, 1."""
    from pykafka_ops.commands.framework.failures import text_of

    sys.stderr.write(f"{text_of(error)}\n")
    return 1
