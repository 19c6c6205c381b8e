"""``pko cluster`` and kafka-cluster: options; the work is in ``health/`` and ``_cluster_run``."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Run
    from pykafka_ops.errors import PkoError


def failure(error: PkoError, run: Run) -> int:
    """The message on stderr, 1."""
    from pykafka_ops.commands.framework.failures import execution_text

    sys.stderr.write(f"{execution_text(error)}\n")
    return 1
