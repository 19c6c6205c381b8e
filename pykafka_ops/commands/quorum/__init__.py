"""``pko quorum`` and kafka-metadata-quorum."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import BROKER_ID, FILE_PATH, LONG_COUNT
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax import argparse4j
from pykafka_ops.commands.kafka_syntax.tool import Tool, execution_on_stderr
from pykafka_ops.commands.options import BOOTSTRAP_CONTROLLER, FAIL_ON, WATCH

ID = Option("--controller-id", metavar="ID", type=BROKER_ID, help="the node id of the controller")
DIRECTORY = Option("--controller-directory-id", metavar="UUID",
                   help="the id of its metadata directory, as replication shows it")  # fmt: skip
FILE = Option("--controller-properties", metavar="FILE", type=FILE_PATH, ours=True,
              help="the controller's own properties; its directory is read, too")  # fmt: skip
FILES = Option("--directory", metavar="DIR", type=FILE_PATH, ours=True,
               help="directory of logs, or __cluster_metadata-0 in it, or a snapshot")  # fmt: skip
PATH = Option("--path", metavar="PATH", ours=True, help="only what is there, e.g. /topics/byName")
AT = Option("--offset", metavar="OFFSET", type=LONG_COUNT, ours=True,
            help="as it was behind this offset, not at the end")  # fmt: skip
FROM = Option("--from", metavar="OFFSET", type=LONG_COUNT, ours=True, help="the first record")
TO = Option("--to", metavar="OFFSET", type=LONG_COUNT, ours=True, help="the first one no more")
DRY_RUN = Switch("--dry-run", help="say what would be done, do nothing")
VIEWS = (
    Switch("--status", help="a summary"),
    Switch("--replication", help="how far each replica is"),
    Switch("--human-readable", help="times as ms ago"),
)

TOOL = Tool(
    "kafka-metadata-quorum",
    "This tool describes kraft metadata quorum status.",
    options=(BOOTSTRAP_CONTROLLER,),
    failure=execution_on_stderr,
    read=argparse4j.read,
    has_verbs=True,
)
TOOL.program = "kafka-metadata-quorum"


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "status":
            from pykafka_ops.commands.quorum.status import status as work
        case "replication":
            from pykafka_ops.commands.quorum.replication import replication as work
        case "describe":
            from pykafka_ops.commands.quorum.kafka import describe as work
        case "snapshot":
            from pykafka_ops.commands.quorum.snapshot import snapshot as work
        case "diff":
            from pykafka_ops.commands.quorum.diff import diff as work
        case "add-voter":
            from pykafka_ops.commands.quorum.add_voter import add_voter as work
        case "remove-voter":
            from pykafka_ops.commands.quorum.remove_voter import remove_voter as work
    return work(run)


quorum = VerbGroup(
    "quorum", "The quorum of controllers in KRaft: leader, voters, how far each is.", _work,
    tool=TOOL,
)  # fmt: skip
quorum.verb(
    "status",
    "Show the leader, the voters and how far the slowest is behind.",
    options=(BOOTSTRAP_CONTROLLER, FAIL_ON, WATCH),
    examples=(
        "pko quorum status",
        "pko quorum status --fail-on 'max_follower_lag_ms>10000'",
        "pko quorum status --bootstrap-controller localhost:9093",
    ),
)
quorum.verb(
    "replication",
    "Show how far each voter and observer has read the metadata log.",
    options=(BOOTSTRAP_CONTROLLER,),
    examples=("pko quorum replication -o json",),
)
TOOL.add(Verb("describe", _work, tool_name="describe", options=VIEWS))
quorum.verb(
    "add-voter",
    "Let a controller vote (KIP-853): the one of this properties file, which runs already.",
    words=(Words(FILE, "?"),),
    options=(BOOTSTRAP_CONTROLLER, DRY_RUN),
    tool_name="add-controller",
    examples=("pko quorum add-voter controller.properties --dry-run",),
)
quorum.verb(
    "remove-voter",
    "Let a controller vote no more (KIP-853).",
    words=(Words(ID), Words(DIRECTORY)),
    options=(BOOTSTRAP_CONTROLLER, DRY_RUN),
    tool_name="remove-controller",
    examples=("pko quorum remove-voter 3 2Kq5J4yZRuWq0c4dDkD0ug --yes",),
)
quorum.verb(
    "snapshot",
    "Show the cluster as the metadata log of a stopped controller or broker has it.",
    words=(Words(FILES),),
    options=(PATH, AT),
    examples=(
        "pko quorum snapshot /var/lib/kafka/__cluster_metadata-0",
        "pko quorum snapshot /var/lib/kafka --path /topics/byName/orders -o json",
    ),
)
quorum.verb(
    "diff",
    "Show what changed between two offsets of the metadata log, and when.",
    words=(Words(FILES),),
    options=(FROM, TO),
    examples=("pko quorum diff /var/lib/kafka --from 2000 --to 3000",),
)
