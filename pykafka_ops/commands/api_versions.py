"""``pko api-versions`` and kafka-broker-api-versions: what each broker understands."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.options import (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Args,
    Command,
    Opt,
    Verb,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.context import Context
    from pykafka_ops.errors import PkoError


def check(args: Args) -> None:
    """BrokerApiVersionsCommand's checks."""
    args.require("bootstrap-server")


def failure(error: PkoError, ctx: Context) -> int:
    """An uncaught exception in Kafka's tool; here its text on stderr, 1 as well."""
    from pykafka_ops.commands.framework.failures import text_of

    sys.stderr.write(f"{text_of(error)}\n")
    return 1


COMMAND = Command(
    "api-versions",
    "This tool helps to retrieve broker version information.",
    (
        BOOTSTRAP,
        COMMAND_CONFIG,
        Opt("diff", "only requests on which the brokers differ", ours=True),
    ),
    (
        Verb("", "which requests each broker understands, in which versions",
             "_api_versions:api_versions", options=("diff",),
             examples=("pko api-versions -b localhost:9092", "pko api-versions --diff")),
    ),
    tool="kafka-broker-api-versions",
    check=check,
    failure=failure,
    bare=True,
)  # fmt: skip
