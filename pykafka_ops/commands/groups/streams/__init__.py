"""kafka-streams-groups of Kafka 4 (KIP-1071)."""

from __future__ import annotations

from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import (
    ANY_LONG,
    FILE_PATH,
    GROUP_NAME,
    LONG_COUNT,
    TOPIC_NAME,
)
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.groups.kafka4 import RELEASE, TIMEOUT, failure_of, list_of
from pykafka_ops.commands.groups.streams.check import check
from pykafka_ops.commands.kafka_syntax.tool import Tool

KIND = "Streams"
STATES = ("Assigning", "Dead", "Empty", "NotReady", "Reconciling", "Stable")

GROUP = Option("--group", metavar="GROUP", type=GROUP_NAME, multiple=True,
               help="the streams group")  # fmt: skip
ALL_GROUPS = Switch("--all-groups", help="every streams group")
INPUT_TOPIC = Option("--input-topic", metavar="TOPIC[:N,N]", type=TOPIC_NAME, multiple=True,
                     help="the topic whose offsets are deleted or reset, or TOPIC:0,2 for some of "
                          "its partitions")  # fmt: skip
ALL_INPUT_TOPICS = Switch("--all-input-topics", help="every topic that the topology begins with")
VIEWS = (
    Switch("--offsets", help="show offsets and lag (what describe does anyway)"),
    Switch("--members", help="show the members and their tasks"),
    Option("--state", metavar="STATE,STATE", bare="",
           help="show states; with list: only groups in these states"),
    Switch("--verbose", help="more columns: epochs, offsets, the tasks that members move to"),
)  # fmt: skip
TO = (
    Option("--to-offset", metavar="OFFSET", type=LONG_COUNT, help="to this offset"),
    Switch("--to-earliest", help="to the first record"),
    Switch("--to-latest", help="to the end: skip everything"),
    Switch("--to-current", help="to the committed offset, the end if there is none"),
    Option("--shift-by", metavar="N", type=ANY_LONG,
           help="forward by so many records, back if negative"),
    Option("--to-datetime", metavar="TIME",
           help="to the first record since YYYY-MM-DDTHH:mm:SS.sss[Z|+hh:mm]"),
    Option("--by-duration", metavar="DURATION",
           help="to the first record of the last PnDTnHnMnS"),
    Option("--from-file", metavar="FILE", type=FILE_PATH,
           help="to what this CSV file says: [group,]topic,partition,offset"),
)  # fmt: skip
DRY_RUN = Switch("--dry-run", help="show what would be committed, commit nothing")
EXECUTE = Switch("--execute", help="commit it")
EXPORT = Switch("--export", help="print the plan as CSV, for --from-file")
DELETE_INTERNAL_TOPIC = Option("--delete-internal-topic", metavar="TOPIC", type=TOPIC_NAME,
                               multiple=True, help="delete this internal topic, too")  # fmt: skip
DELETE_ALL_INTERNAL_TOPICS = Switch(
    "--delete-all-internal-topics", help="delete every internal topic of the group, too"
)


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "list":
            return list_of(run, KIND, STATES)
        case "describe":
            from pykafka_ops.commands.groups.streams.describe import describe as work
        case "delete":
            from pykafka_ops.commands.groups.streams.delete import delete as work
        case "reset-offsets":
            from pykafka_ops.commands.groups.streams.reset_offsets import reset as work
        case "delete-offsets":
            from pykafka_ops.commands.groups.streams.delete_offsets import delete_offsets as work
    return work(run)


TOOL = Tool(
    "kafka-streams-groups",
    "This tool helps to list, or describe streams groups.",
    options=(TIMEOUT,),
    check=check,
    failure=failure_of("streams", 1, outside=False),
)
TOOL.release = RELEASE
for _name, _help, _options in (
    ("list", "list streams groups", ()),
    ("describe", "show lag, members or state of groups", (GROUP, ALL_GROUPS, *VIEWS)),
    ("delete", "delete groups without members, with all their offsets",
     (GROUP, ALL_GROUPS, DELETE_ALL_INTERNAL_TOPICS)),
    ("reset-offsets", "commit other offsets for groups without members",
     (GROUP, ALL_GROUPS, INPUT_TOPIC, ALL_INPUT_TOPICS, *TO, DRY_RUN, EXECUTE, EXPORT,
      DELETE_INTERNAL_TOPIC, DELETE_ALL_INTERNAL_TOPICS)),
    ("delete-offsets", "delete committed offsets of topics",
     (GROUP, INPUT_TOPIC, ALL_INPUT_TOPICS)),
):  # fmt: skip
    TOOL.add(Verb(_name, _work, flag=_name, help=_help, options=_options))
