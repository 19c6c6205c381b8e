"""``pko api-versions`` and kafka-broker-api-versions: what each broker understands."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Run
    from pykafka_ops.errors import PkoError


def check(args: Args) -> None:
    """BrokerApiVersionsCommand's checks."""
    args.require("bootstrap-server")


def failure(error: PkoError, run: Run) -> int:
    """An uncaught exception in Kafka's tool; here its text on stderr, 1 as well."""
    from pykafka_ops.commands.framework.failures import text_of

    sys.stderr.write(f"{text_of(error)}\n")
    return 1
