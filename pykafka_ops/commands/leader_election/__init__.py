"""``pko leader-election`` and kafka-leader-election."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.commands.framework.group import Group
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.types import FILE_PATH, INT, TOPIC_NAME
from pykafka_ops.commands.leader_election import kafka
from pykafka_ops.commands.tongue.tool import Tool

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Result, Run

ADMIN_CONFIG = Option(
    "--admin.config", metavar="FILE", type=FILE_PATH, help="client settings, a .properties file"
)
ELECTION_TYPE = Option(
    "--election-type",
    metavar="TYPE",
    help="preferred: where another replica than the first leads; unclean: where there is "
    "no leader, from outside the ISR, which loses records",
)
TOPIC = Option(
    "--topic",
    metavar="TOPIC",
    type=TOPIC_NAME,
    multiple=True,
    help="the topic; in verbs TOPIC means all its partitions, TOPIC:0,3 two of them",
)
PARTITION = Option("--partition", metavar="N", type=INT, help="the partition of --topic")
ALL_TOPIC_PARTITIONS = Switch(
    "--all-topic-partitions", help="every partition where an election is needed"
)
PATH_TO_JSON_FILE = Option(
    "--path-to-json-file",
    metavar="FILE",
    type=FILE_PATH,
    help='which partitions: {"partitions": [{"topic": "t", "partition": 0}]}',
)
ZOOKEEPER = Option(
    "--zookeeper",
    metavar="HOST:PORT",
    ours=True,
    help="leave the wish for a preferred election in ZooKeeper, as the tool did before 3.0",
)
DRY_RUN = Switch("--dry-run", ours=True, help="show which leaders would change, change nothing")

TOOL = Tool(
    "kafka-leader-election",
    "This tool attempts to elect a new leader for a set of topic partitions. The type of "
    "elections supported are preferred replicas and unclean replicas.",
    options=(
        ADMIN_CONFIG,
        ELECTION_TYPE,
        PARTITION,
    ),
    check=kafka.check,
    failure=kafka.failure,
)
leader_election = Group(
    "leader-election",
    "Give leadership back to preferred replicas; elect unclean leaders.",
    tool=TOOL,
)


@leader_election.verb(
    "preferred",
    words=(Words(TOPIC, "*", metavar="TOPIC[:N,N]"),),
    options=(
        PATH_TO_JSON_FILE,
        DRY_RUN,
        ZOOKEEPER,
    ),
    examples=(
        "pko leader-election preferred",
        "pko leader-election preferred orders:0,3 --dry-run",
    ),
)
def preferred(run: Run) -> Result:
    """Give leadership back to the first replica."""
    from pykafka_ops.commands.leader_election.verbs import preferred as work

    return work(run)


@leader_election.verb(
    "unclean",
    words=(Words(TOPIC, "*", metavar="TOPIC[:N,N]"),),
    options=(
        PATH_TO_JSON_FILE,
        ALL_TOPIC_PARTITIONS,
        DRY_RUN,
    ),
    examples=("pko leader-election unclean orders:0 --yes",),
)
def unclean(run: Run) -> Result:
    """Elect from outside the ISR where nobody leads: loses records."""
    from pykafka_ops.commands.leader_election.verbs import unclean as work

    return work(run)


@leader_election.verb(
    "list",
    words=(Words(TOPIC, "*", metavar="TOPIC[:N,N]"),),
    examples=("pko leader-election list",),
)
def list_(run: Run) -> Result:
    """Partitions that have no leader, or not the preferred one."""
    from pykafka_ops.commands.leader_election.listing import list_partitions

    return list_partitions(run)
