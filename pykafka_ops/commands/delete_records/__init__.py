"""``pko delete-records`` and kafka-delete-records."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Option, Words
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.types import FILE_PATH, TOPIC_NAME
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import DRY_RUN

TOPIC = Option("--topic", metavar="TOPIC[:N,N]", type=TOPIC_NAME, multiple=True, ours=True,
               help="the topic, or TOPIC:0,3 for some of its partitions")  # fmt: skip
BEFORE = Option("--before", metavar="OFFSET", ours=True,
                help="the first offset to keep; end to delete all; or the time since which to "
                     "keep: 7d (ago), 2026-11-21, 2026-11-21T08:00 (UTC)")  # fmt: skip
FILE = Option("-f", "--file", metavar="FILE", type=FILE_PATH, kafka="offset-json-file",
              help='what to delete: {"partitions": [{"topic": "t", "partition": 0, "offset": 5}], '
                   '"version": 1}; offset -1 means all')  # fmt: skip

TOOL = Tool(
    "kafka-delete-records",
    "This tool helps to delete records of the given partitions down to the specified offset.",
    required=("bootstrap-server", "file"),
)


def _work(run: Run) -> Result:
    from pykafka_ops.commands.delete_records.delete import delete_records

    return delete_records(run)


delete_records = Single(
    "delete-records",
    _work,
    help="Delete the records before an offset.",
    tool=TOOL,
    words=(Words(TOPIC, "*"),),
    options=(BEFORE, FILE, DRY_RUN),
    examples=(
        "pko delete-records orders --before end --yes",
        "pko delete-records orders:0,1 --before 1000 --dry-run",
        "pko delete-records orders --before 7d",
    ),
)
