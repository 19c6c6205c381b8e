"""``pko leader-election`` and kafka-leader-election."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import (
    COUNT,
    FILE_PATH,
    TOPIC_NAME,
)
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import DRY_RUN

# fmt: off
TOPIC = Option("--topic", metavar="TOPIC", type=TOPIC_NAME, multiple=True,
               help="the topic; with a verb TOPIC means all its partitions, TOPIC:0,3 two of them")
PARTITION = Option("--partition", metavar="N", type=COUNT, help="the partition of --topic")
EVERY_PARTITION = Switch("--all-topic-partitions",
                         help="every partition where an election is needed")
FILE = Option("--file", kafka="path-to-json-file", metavar="FILE", type=FILE_PATH,
              help='the partitions: {"partitions": [{"topic": "t", "partition": 0}]}')
ZOOKEEPER = Option("--zookeeper", metavar="HOST:PORT", ours=True,
                   help="ask for a preferred election through ZooKeeper, as the tool did before "
                   "3.0")
ADMIN_CONFIG = Option("--admin.config", metavar="FILE", type=FILE_PATH,
                      help="client settings, a .properties file")
ELECTION_TYPE = Option("--election-type", metavar="TYPE",
                       help="preferred: where another replica than the first leads; unclean: "
                       "where there is no leader, from outside the ISR, which loses records")
# fmt: on

TYPES = ("PREFERRED", "UNCLEAN")
_SCOPES = ("topic", "all-topic-partitions", "file")


def check(args: Args) -> None:
    """LeaderElectionCommandOptions.validate; with ``--zookeeper`` the checks of the tool of old."""
    if args.has("admin.config"):
        args.values.setdefault("command-config", args.values["admin.config"])
    if args.has("zookeeper"):
        _check_old(args)
        return
    missing = [n for n in ("bootstrap-server", "election-type") if not args.has(n)]
    if missing:
        raise OptionError(f"Missing required option(s): {', '.join(missing)}")
    if sum(args.has(name) for name in _SCOPES) != 1:
        names = ", ".join(args.options[name].kafka for name in _SCOPES)
        raise OptionError(f"One and only one of the following options is required: {names}")
    if args.has("topic") and not args.has("partition"):
        raise OptionError("Missing required option(s): partition")
    if args.has("partition") and not args.has("topic"):
        raise OptionError("Option partition is only allowed if topic is used")
    kind = args.text("election-type") or ""
    if kind.upper() not in TYPES:
        raise OptionError(f"Cannot parse argument '{kind}' of option election-type")
    args.number("partition")


def _check_old(args: Args) -> None:
    """PreferredReplicaLeaderElectionCommand's, before 3.0."""
    if args.has("bootstrap-server") and "bootstrap-server" not in args.filled:
        raise OptionError("Exactly one of '[bootstrap-server]' or '[zookeeper]' must be provided")
    if (args.text("election-type") or TYPES[0]).upper() != TYPES[0]:
        raise OptionError(
            "--zookeeper knows preferred elections only: use --bootstrap-server for unclean ones"
        )
    if args.has("topic") and not args.has("partition"):
        raise OptionError("Missing required option(s): partition")


PARTITIONS = Words(TOPIC, "*", metavar="TOPIC[:N,N]")
TOOL = Tool(
    "kafka-leader-election",
    "This tool attempts to elect a new leader for a set of topic partitions. The type of "
    "elections supported are preferred replicas and unclean replicas.",
    options=(ADMIN_CONFIG, ELECTION_TYPE, PARTITION),
    check=check,
)


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "preferred":
            from pykafka_ops.commands.leader_election.preferred import preferred as work
        case "unclean":
            from pykafka_ops.commands.leader_election.unclean import unclean as work
        case "list":
            from pykafka_ops.commands.leader_election.list import list_partitions as work
    return work(run)


leader_election = VerbGroup(
    "leader-election",
    "Give leadership back to preferred replicas; elect unclean leaders.",
    _work,
    tool=TOOL,
)
leader_election.verb(
    "preferred",
    "Give leadership back to the first replica.",
    words=(PARTITIONS,),
    options=(FILE, DRY_RUN, ZOOKEEPER),
    examples=(
        "pko leader-election preferred",
        "pko leader-election preferred orders:0,3 --dry-run",
    ),
)
leader_election.verb(
    "unclean",
    "Elect a leader from outside the ISR where there is none; this loses records.",
    words=(PARTITIONS,),
    options=(FILE, EVERY_PARTITION, DRY_RUN),
    examples=("pko leader-election unclean orders:0 --yes",),
)
leader_election.verb(
    "list",
    "List the partitions that have no leader, or not the preferred one.",
    words=(PARTITIONS,),
    examples=("pko leader-election list",),
)
