"""``pko get-offsets`` and kafka-get-offsets."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.failures import execution_text
from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.types import COUNT, TOPIC_NAME
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import BROKER_LIST, REGEX
from pykafka_ops.errors import PkoError

TOPIC = Option("--topic", metavar="TOPIC", type=TOPIC_NAME, multiple=True,
               help="topics, several by comma; a regular expression in Kafka's form")  # fmt: skip
EXCLUDE_INTERNAL = Switch("--exclude-internal", kafka="exclude-internal-topics",
                          help="leave out internal topics")  # fmt: skip
PARTITION = Option("-p", "--partition", metavar="N,N", kafka="partitions", multiple=True,
                   help="only these partitions: 0,3,10")  # fmt: skip
TOPIC_PARTITIONS = Option("--topic-partitions", metavar="PATTERNS",
                          help="orders:0-3,users:5-,:1 (end excluded)")  # fmt: skip
TIME = Option("-t", "--time", metavar="TIME", default="latest",
              help="latest, earliest, max-timestamp, earliest-local, latest-tiered, "
                   "earliest-pending-upload or a timestamp in ms; in pko's form also all "
                   "(first and last), 2026-11-21T08:00 (UTC) and 2h (ago)")  # fmt: skip


OLD = (
    Option(
        "--offsets",
        metavar="N",
        type=COUNT,
        default="1",
        hidden=True,
        help="old: so many, where segments begin",
    ),
    Option("--max-wait-ms", metavar="MS", type=COUNT, hidden=True, help="old, without effect"),
)


def _check(args: Args) -> None:
    """GetOffsetShell's checks."""
    if not args.number("offsets"):
        raise OptionError("--offsets: write how many offsets of a partition, from 1 on")
    if not args.has("broker-list"):
        args.require("bootstrap-server")


def _failure(error: PkoError, run: Run) -> int:
    """A missing option as such, the rest as "Error occurred", both on stderr."""
    missing = isinstance(error, OptionError) and str(error).startswith("Missing required")
    sys.stderr.write(f"{'' if missing else 'Error occurred: '}{execution_text(error)}\n")
    return 1


TOOL = Tool(
    "kafka-get-offsets",
    "An interactive shell for getting topic-partition offsets.",
    options=OLD,
    check=_check,
    failure=_failure,
)


def _work(run: Run) -> Result:
    from pykafka_ops.commands.get_offsets.get import get_offsets

    return get_offsets(run)


get_offsets = Single(
    "get-offsets",
    _work,
    help="Show the offsets of partitions: first, last or by time.",
    tool=TOOL,
    bare=True,
    words=(Words(TOPIC, "*"),),
    options=(REGEX, EXCLUDE_INTERNAL, PARTITION, TOPIC_PARTITIONS, TIME, BROKER_LIST),
    examples=(
        "pko get-offsets orders",
        "pko get-offsets orders -t all",
        "pko get-offsets orders -t 2h",
    ),
)
