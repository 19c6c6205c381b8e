"""``pko delete-records`` and kafka-delete-records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.commands.delete_records import kafka
from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.types import FILE_PATH, TOPIC_NAME
from pykafka_ops.commands.tongue.tool import Tool

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Result, Run

OFFSET_JSON_FILE = Option(
    "-f",
    "--offset-json-file",
    metavar="FILE",
    type=FILE_PATH,
    help='what to delete: {"partitions": [{"topic": "t", "partition": 0, "offset": 5}], '
    '"version": 1}; offset -1 means all',
)
TOPIC = Option(
    "--topic",
    metavar="TOPIC[:N,N]",
    type=TOPIC_NAME,
    multiple=True,
    ours=True,
    help="TOPIC means all its partitions, TOPIC:0,3 two of them",
)
BEFORE = Option(
    "--before",
    metavar="OFFSET",
    ours=True,
    help="the first offset to keep; end to delete all; or a moment as in get-offsets "
    "--time (-2h, 2026-11-21T08:00:00Z)",
)
DRY_RUN = Switch("--dry-run", ours=True, help="show what would go, delete nothing")

TOOL = Tool(
    "kafka-delete-records",
    "This tool helps to delete records of the given partitions down to the specified offset.",
    check=kafka.check,
)


def _delete_records(run: Run) -> Result:
    from pykafka_ops.commands.delete_records.delete import delete_records

    return delete_records(run)


delete_records = Single(
    "delete-records",
    _delete_records,
    help="Drop the records before an offset.",
    tool=TOOL,
    words=(Words(TOPIC, "*"),),
    options=(
        OFFSET_JSON_FILE,
        BEFORE,
        DRY_RUN,
    ),
    examples=(
        "pko delete-records orders --before end --yes",
        "pko delete-records orders:0,1 --before 1000 --dry-run",
        "pko delete-records orders --before=-7d",
    ),
)
