"""``pko get-offsets`` and kafka-get-offsets: offsets of partitions, first, last or by time."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.options import (
    BOOTSTRAP,
    COMMAND_CONFIG,
    Args,
    Command,
    Opt,
    OptionError,
    Pos,
    Verb,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.context import Context
    from pykafka_ops.errors import PkoError


def check(args: Args) -> None:
    """GetOffsetShell's checks."""
    if not args.has("broker-list"):
        args.require("bootstrap-server")


def failure(error: PkoError, ctx: Context) -> int:
    """A missing option as such, the rest as "Error occurred", both on stderr."""
    from pykafka_ops.commands.framework.failures import execution_text

    missing = isinstance(error, OptionError) and str(error).startswith("Missing required")
    sys.stderr.write(f"{'' if missing else 'Error occurred: '}{execution_text(error)}\n")
    return 1


COMMAND = Command(
    "get-offsets",
    "An interactive shell for getting topic-partition offsets.",
    (
        BOOTSTRAP,
        COMMAND_CONFIG,
        Opt("broker-list", "old name of --bootstrap-server", "HOST:PORT", hidden=True,
            alias="bootstrap-server"),
        Opt("topic", "topics; a regular expression in Kafka's tongue", "TOPIC", many=True,
            complete="topics"),
        Opt("regex", "the words are regular expressions that must match the whole name", short="e",
            ours=True),
        Opt("partitions", "only these partitions: 0,3,10", "N,N", short="p"),
        Opt("topic-partitions", "topics and partitions: orders:0-3,users:5-,:1 (end excluded)",
            "PATTERNS"),
        Opt("time", "latest, earliest, max-timestamp, earliest-local, latest-tiered or a timestamp "
            "in ms; in our tongue also 2026-11-21T08:00:00Z, -1h and all (first and last)",
            "TIME", default="latest", short="t"),
        Opt("exclude-internal-topics", "leave out internal topics"),
    ),
    (
        Verb("", "the offsets of partitions", "_offsets:get_offsets", words=(Pos("topic", "*"),),
             options=("regex", "partitions", "topic-partitions", "time",
                      "exclude-internal-topics", "broker-list"),
             examples=("pko get-offsets orders", "pko get-offsets orders -t all",
                       "pko get-offsets orders -t -2h")),
    ),
    tool="kafka-get-offsets",
    check=check,
    failure=failure,
    bare=True,
)  # fmt: skip
