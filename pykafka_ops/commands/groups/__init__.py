"""``pko groups`` and kafka-consumer-groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.commands.framework.group import Group
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.types import (
    FILE_PATH,
    GROUP_NAME,
    LONG,
    SPAN,
    TOPIC_NAME,
    Matching,
)
from pykafka_ops.commands.groups import kafka
from pykafka_ops.commands.options import SINCE, WATCH
from pykafka_ops.commands.tongue.tool import Tool

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Result, Run

GROUP = Option(
    "--group",
    metavar="GROUP",
    type=GROUP_NAME,
    multiple=True,
    help="the group; may be given several times",
)
ALL_GROUPS = Switch("--all-groups", help="every group")
TOPIC = Option(
    "--topic",
    metavar="TOPIC[:N,N]",
    type=TOPIC_NAME,
    multiple=True,
    help="the topic, or TOPIC:0,2 for some of its partitions; may be given several times",
)
ALL_TOPICS = Switch("--all-topics", help="every topic the group has committed offsets of")
TIMEOUT = Option(
    "--timeout",
    metavar="MS",
    type=LONG,
    default="5000",
    help="how long a call to the brokers may take (ms)",
)
OFFSETS = Switch("--offsets", help="show offsets and lag (what describe does anyway)")
MEMBERS = Switch("--members", help="show the members and what they read")
STATE = Option(
    "--state",
    metavar="STATE,STATE",
    type=Matching(
        "state",
        r"(preparingrebalance|completingrebalance|stable|dead|empty|assigning|reconciling)(,(preparingrebalance|completingrebalance|stable|dead|empty|assigning|reconciling))*",
    ),
    bare="",
    help="show the state of the groups; with list: only those in these states",
)
TYPE = Option(
    "--type",
    metavar="TYPE,TYPE",
    type=Matching("type", r"(consumer|classic)(,(consumer|classic))*"),
    bare="",
    help="only groups of these types (classic, consumer)",
)
VERBOSE = Switch("--verbose", help="more columns")
DRY_RUN = Switch("--dry-run", help="show what would be committed, commit nothing")
EXECUTE = Switch("--execute", help="commit it")
EXPORT = Switch("--export", help="print the plan as CSV, for --from-file")
TO_OFFSET = Option("--to-offset", metavar="OFFSET", type=LONG, help="to this offset")
TO_EARLIEST = Switch("--to-earliest", help="to the first record there is")
TO_LATEST = Switch("--to-latest", help="to the end: skip everything")
TO_CURRENT = Switch("--to-current", help="to the committed offset, the end where there is none")
SHIFT_BY = Option(
    "--shift-by", metavar="N", type=LONG, help="forward by so many records, back if negative"
)
TO_DATETIME = Option(
    "--to-datetime",
    metavar="TIME",
    help="to the first record since YYYY-MM-DDTHH:mm:SS.sss[Z|+hh:mm]",
)
BY_DURATION = Option(
    "--by-duration", metavar="DURATION", help="to the first record of the last PnDTnHnMnS"
)
FROM_FILE = Option(
    "--from-file",
    metavar="FILE",
    type=FILE_PATH,
    help="as the CSV file says: [group,]topic,partition,offset",
)
ALL = Switch("--all", ours=True, help="every group (as is without names)")
PARTITIONS = Switch("-p", "--partitions", ours=True, help="a row for every partition")
WINDOW = Option(
    "--window",
    metavar="SPAN",
    type=SPAN,
    default="10m",
    ours=True,
    help="how far back commits and rates are looked at",
)
EVERY = Option(
    "--every", metavar="SPAN", type=SPAN, ours=True, help="time of a row (default: 24 rows)"
)
FILES = Option(
    "--files",
    metavar="PATH",
    type=FILE_PATH,
    multiple=True,
    ours=True,
    help="segment files or directories of __consumer_offsets instead of a cluster",
)
UNDO = Switch("--undo", ours=True, help="back to the offsets before the last seek")
FAIL_ON = Option(
    "--fail-on",
    metavar="CONDITION",
    ours=True,
    help="exit code 4 if a row meets this, e.g. 'lag>1000|status!=OK'",
)

TOOL = Tool(
    "kafka-consumer-groups",
    "This tool helps to list all consumer groups, describe a consumer group, delete "
    "consumer group info, or reset consumer group offsets.",
    options=(TIMEOUT,),
    check=kafka.check,
    failure=kafka.failure,
)
groups = Group(
    "groups", "Consumer groups: members, lag, offsets; reset and delete them.", tool=TOOL
)


@groups.verb(
    "list",
    words=(Words(GROUP, "*"),),
    options=(
        STATE,
        TYPE,
    ),
    flag="list",
    examples=(
        "pko groups list",
        "pko groups list --state stable,empty -o json",
    ),
)
def list_(run: Run) -> Result:
    """The groups, their state and where they are coordinated."""
    from pykafka_ops.commands.groups.listing import list_groups

    return list_groups(run)


@groups.verb(
    "describe",
    words=(Words(GROUP, "*"),),
    options=(
        ALL_GROUPS,
        OFFSETS,
        MEMBERS,
        STATE,
        VERBOSE,
    ),
    flag="describe",
    examples=(
        "pko groups describe billing",
        "pko groups describe billing --members",
        "pko groups describe --all-groups --state",
    ),
)
def describe(run: Run) -> Result:
    """Offsets and lag, members or state."""
    from pykafka_ops.commands.groups.describe import describe as work

    return work(run)


@groups.verb(
    "lag",
    words=(Words(GROUP, "*"),),
    options=(
        ALL,
        PARTITIONS,
        WINDOW,
        WATCH,
        FAIL_ON,
    ),
    examples=(
        "pko groups lag",
        "pko groups lag billing --partitions --watch",
        "pko groups lag --all --fail-on 'lag>1000|status!=OK'",
    ),
)
def lag(run: Run) -> Result:
    """How far behind, in records and time, how fast, and Burrow's verdict."""
    from pykafka_ops.commands.groups.lag import lag as work

    return work(run)


@groups.verb(
    "history",
    words=(Words(GROUP),),
    options=(
        SINCE,
        EVERY,
        FILES,
    ),
    examples=(
        "pko groups history billing --since 6h",
        "pko groups history billing --files /var/kafka/__consumer_offsets-*",
    ),
)
def history(run: Run) -> Result:
    """Its commits over time: how it moved, stood still, went back."""
    from pykafka_ops.commands.groups.history import history as work

    return work(run)


@groups.verb(
    "reset-offsets",
    words=(Words(GROUP, "*"),),
    options=(
        TO_OFFSET,
        TO_CURRENT,
        TO_DATETIME,
        FROM_FILE,
        BY_DURATION,
        TO_EARLIEST,
        TO_LATEST,
        SHIFT_BY,
        TOPIC,
        ALL_TOPICS,
        ALL_GROUPS,
        DRY_RUN,
        EXECUTE,
        EXPORT,
    ),
    flag="reset-offsets",
    examples=(
        "pko groups reset-offsets billing --topic orders --to-earliest --dry-run",
        "pko groups reset-offsets billing --all-topics "
        "--to-datetime 2026-11-21T08:00:00.000 --execute",
    ),
)
def reset_offsets(run: Run) -> Result:
    """Commit other offsets for a group without members."""
    from pykafka_ops.commands.groups.reset import reset

    return reset(run)


@groups.verb(
    "seek",
    words=(Words(GROUP),),
    options=(
        TO_OFFSET,
        TO_CURRENT,
        TO_DATETIME,
        FROM_FILE,
        BY_DURATION,
        TO_EARLIEST,
        TO_LATEST,
        SHIFT_BY,
        TOPIC,
        DRY_RUN,
        UNDO,
    ),
    examples=(
        "pko groups seek billing --to-earliest",
        "pko groups seek billing --topic orders:0 --shift-by=-100",
        "pko groups seek billing --undo",
    ),
)
def seek(run: Run) -> Result:
    """Move a group: shows what is skipped or repeated, asks, and can undo it."""
    from pykafka_ops.commands.groups.seek import seek as work

    return work(run)


@groups.verb(
    "delete-offsets",
    words=(Words(GROUP),),
    options=(TOPIC,),
    flag="delete-offsets",
    examples=("pko groups delete-offsets billing --topic orders:0",),
)
def delete_offsets(run: Run) -> Result:
    """Forget the committed offsets of topics."""
    from pykafka_ops.commands.groups.delete import delete_offsets as work

    return work(run)


@groups.verb(
    "delete",
    words=(Words(GROUP, "*"),),
    options=(ALL_GROUPS,),
    flag="delete",
    examples=("pko groups delete billing --yes",),
)
def delete(run: Run) -> Result:
    """Delete groups without members, with all their offsets."""
    from pykafka_ops.commands.groups.delete import delete_groups

    return delete_groups(run)
