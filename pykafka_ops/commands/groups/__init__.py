"""``pko groups`` and kafka-consumer-groups."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import (
    ANY_LONG,
    FILE_PATH,
    GROUP_NAME,
    LONG_COUNT,
    SPAN,
    TOPIC_NAME,
    Matching,
)
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.groups import kafka
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.old_door import ZOOKEEPER, enter, is_old
from pykafka_ops.commands.options import FAIL_ON, SINCE, WATCH


def _several(name: str, words: Sequence[str]) -> Matching:
    one = f"({'|'.join(words)})"
    return Matching(name, f"{one}(,{one})*")


GROUP = Option("--group", metavar="GROUP", type=GROUP_NAME, multiple=True, help="the group")
ALL_GROUPS = Switch("--all-groups", "--all", help="every group")
TOPIC = Option("--topic", metavar="TOPIC[:N,N]", type=TOPIC_NAME, multiple=True,
               help="the topic, or TOPIC:0,2 for some of its partitions")  # fmt: skip
ALL_TOPICS = Switch("--all-topics", help="every topic that the group has committed offsets of")
STATE = Option("--state", metavar="STATE,STATE", type=_several("state", kafka.EVERY_STATE), bare="",
               help="show states; with list: only groups in these states")  # fmt: skip
TYPE = Option("--type", metavar="TYPE,TYPE", type=_several("type", kafka.EVERY_TYPE), bare="",
              help="only groups of these types (classic, consumer, share, streams)")  # fmt: skip
TOPOLOGY = Switch("--topology", ours=True, help="show what streams groups read and keep")
VIEWS = (
    Switch("--offsets", help="show offsets and lag (what describe does anyway)"),
    Switch("--members", help="show the members and what they read"),
    STATE,
    TOPOLOGY,
    Switch("--verbose", help="more columns"),
)
"""What to show of a group."""

WINDOW = Option("--window", metavar="SPAN", type=SPAN, default="10m", ours=True,
                help="how far back to look at commits and rates")  # fmt: skip
PARTITIONS = Switch("--partitions", ours=True, help="show a row for every partition")
EVERY = Option("--every", metavar="SPAN", type=SPAN, ours=True,
               help="time of a row (default: 24 rows)")  # fmt: skip
FILES = Option("--files", metavar="PATH", type=FILE_PATH, multiple=True, ours=True,
               help="segments of __consumer_offsets to read instead of a cluster")  # fmt: skip

SCENARIOS = (
    Option("--to-offset", metavar="OFFSET", type=LONG_COUNT, help="to this offset"),
    Switch("--to-earliest", help="to the first record"),
    Switch("--to-latest", help="to the end: skip everything"),
    Switch("--to-current", help="to the committed offset, the end if there is none"),
    Option("--shift-by", metavar="N", type=ANY_LONG,
           help="forward by so many records, back if negative"),
    Option("--to-datetime", metavar="TIME",
           help="to the first record since YYYY-MM-DDTHH:mm:SS.sss[Z|+hh:mm], in verbs also "
                "since TIME"),
    Option("--by-duration", metavar="DURATION",
           help="to the first record of the last PnDTnHnMnS, in verbs also of the last SPAN"),
    Option("--from-file", "--file", metavar="FILE", type=FILE_PATH,
           help="to what this CSV file says: [group,]topic,partition,offset"),
)  # fmt: skip
"""Where offsets can go."""
DRY_RUN = Switch("--dry-run", help="show what would be committed, commit nothing")
EXECUTE = Switch("--execute", help="commit it")
EXPORT = Switch("--export", help="print the plan as CSV, for --from-file")
UNDO = Switch("--undo", ours=True, help="back to the offsets before the last seek")

TIMEOUT = Option("--timeout", metavar="MS", type=LONG_COUNT, default="5000",
                 help="how long a call to the brokers may take (ms)")  # fmt: skip

OLD = (
    ZOOKEEPER,
    Switch("--new-consumer", hidden=True, help="old, without effect"),
    Switch("--offset-checker", hidden=True, help="be kafka.tools.ConsumerOffsetChecker"),
    Switch("--broker-info", hidden=True, help="of it: show the brokers asked"),
    Option(
        "--socket.timeout.ms", metavar="MS", type=LONG_COUNT, hidden=True, help="old, no effect"
    ),
    Option("--retry.backoff.ms", metavar="MS", type=LONG_COUNT, hidden=True, help="old, no effect"),
)
DEPRECATED = (
    "WARNING: ConsumerOffsetChecker is deprecated and will be dropped in releases following 0.9.0. "
    "Use ConsumerGroupCommand instead."
)
NOTE = (
    "Note: This will only show information about consumers that use ZooKeeper (not those using the "
    "Java consumer API)."
)

TOOL = Tool(
    "kafka-consumer-groups",
    "This tool helps to list all consumer groups, describe a consumer group, delete "
    "consumer group info, or reset consumer group offsets.",
    options=(TIMEOUT, *OLD),
    required=("bootstrap-server",),
    check=kafka.check,
    failure=kafka.failure,
)


def _enter(run: Run) -> None:
    """Find the brokers, where they are asked."""
    if run.args.has("offset-checker"):
        enter(run, DEPRECATED)
    elif run.args.has("describe"):
        enter(run, NOTE)
    else:
        say(NOTE)


TOOL.enter = _enter


def _old(run: Run) -> Result:
    work: Work
    if run.args.has("offset-checker"):
        from pykafka_ops.commands.groups.offset_checker import check_offsets as work
    else:
        from pykafka_ops.commands.groups.old import old_groups as work
    return work(run)


def _work(run: Run) -> Result:
    work: Work
    if is_old(run):
        return _old(run)
    match run.args.verb:
        case "list":
            from pykafka_ops.commands.groups.list import list_groups as work
        case "describe":
            from pykafka_ops.commands.groups.describe import describe as work
        case "lag":
            from pykafka_ops.commands.groups.lag import lag as work
        case "history":
            from pykafka_ops.commands.groups.history import history as work
        case "reset-offsets":
            from pykafka_ops.commands.groups.reset_offsets import reset as work
        case "seek":
            from pykafka_ops.commands.groups.seek import seek as work
        case "delete-offsets":
            from pykafka_ops.commands.groups.delete_offsets import delete_offsets as work
        case "delete":
            from pykafka_ops.commands.groups.delete import delete as work
    return work(run)


groups = VerbGroup(
    "groups",
    "Groups of every kind: members, lag, offsets; reset and delete them.",
    _work,
    tool=TOOL,
)
groups.verb(
    "list",
    "List groups, their state and their coordinator.",
    flag="list",
    words=(Words(GROUP, "*"),),
    options=(STATE, TYPE),
    examples=("pko groups list", "pko groups list --state stable,empty -o json"),
)
groups.verb(
    "describe",
    "Show offsets and lag, members or state.",
    flag="describe",
    words=(Words(GROUP, "*"),),
    options=(ALL_GROUPS, *VIEWS),
    examples=(
        "pko groups describe billing",
        "pko groups describe billing --members",
        "pko groups describe word-count --topology",
        "pko groups describe --all-groups --state",
    ),
)
groups.verb(
    "lag",
    "Show how far groups are behind, how fast they read, and Burrow's verdict.",
    words=(Words(GROUP, "*"),),
    options=(ALL_GROUPS, PARTITIONS, WINDOW, WATCH, FAIL_ON),
    examples=(
        "pko groups lag",
        "pko groups lag billing --partitions --watch",
        "pko groups lag --fail-on 'lag>1000|status!=OK'",
    ),
)
groups.verb(
    "history",
    "Show a group's commits of the last hour, or since then: moves, stops, steps back.",
    words=(Words(GROUP),),
    options=(SINCE, EVERY, FILES),
    examples=(
        "pko groups history billing --since 6h",
        "pko groups history billing --files /var/kafka/__consumer_offsets-*",
    ),
)
groups.verb(
    "reset-offsets",
    "Commit other offsets for groups without members.",
    flag="reset-offsets",
    words=(Words(GROUP, "*"),),
    options=(ALL_GROUPS, TOPIC, ALL_TOPICS, *SCENARIOS, DRY_RUN, EXECUTE, EXPORT),
    examples=(
        "pko groups reset-offsets billing --topic orders --to-earliest --dry-run",
        "pko groups reset-offsets billing --all-topics "
        "--to-datetime 2026-11-21T08:00:00.000 --execute",
    ),
)
groups.verb(
    "seek",
    "Move a group: show what is skipped or repeated, ask, and be able to undo it.",
    words=(Words(GROUP),),
    options=(TOPIC, *SCENARIOS, DRY_RUN, UNDO),
    examples=(
        "pko groups seek billing --to-earliest",
        "pko groups seek billing --topic orders:0 --shift-by=-100",
        "pko groups seek billing --undo",
    ),
)
groups.verb(
    "delete-offsets",
    "Delete the committed offsets of topics.",
    flag="delete-offsets",
    words=(Words(GROUP),),
    options=(TOPIC,),
    examples=("pko groups delete-offsets billing --topic orders:0",),
)
groups.verb(
    "delete",
    "Delete groups without members, with all their offsets.",
    flag="delete",
    words=(Words(GROUP, "*"),),
    options=(ALL_GROUPS,),
    examples=("pko groups delete billing --yes",),
)
TOOL.add(Verb("offset-checker", _work, flag="offset-checker"))
