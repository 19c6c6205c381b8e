"""``pko reassign-partitions`` and kafka-reassign-partitions."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import (
    BROKER_NAME,
    COUNT,
    FILE_PATH,
    LONG_BYTES_OR_MINUS_ONE,
    LONG_COUNT,
    POSITIVE,
    SIZE,
    TOPIC_NAME,
)
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import FAIL_ON, REGEX
from pykafka_ops.commands.reassign_partitions import kafka

# fmt: off
# files
MOVES = Option("--reassignment-json-file", metavar="FILE", type=FILE_PATH,
               help='the replicas of partitions: {"partitions": [{"topic": "orders", '
               '"partition": 0, "replicas": [1,2], "log_dirs": ["any","/data/b"]}], '
               '"version": 1}; log_dirs may be left out')
TOPICS_FILE = Option("--topics-to-move-json-file", metavar="FILE", type=FILE_PATH,
                     help='topics to place anew: {"topics": [{"topic": "orders"}], "version": 1}')

# of Kafka's tool
BROKER_LIST = Option("--broker-list", metavar="ID,ID", type=BROKER_NAME,
                     help="brokers that the topics are placed on")
DISABLE_RACK_AWARE = Switch("--disable-rack-aware", help="place replicas without regard to racks")
DIRS_THROTTLE = Option("--replica-alter-log-dirs-throttle", metavar="BYTES",
                       type=LONG_BYTES_OR_MINUS_ONE, default="-1",
                       help="bytes a second that a broker may copy between its log directories "
                       "(-1: no change)")
TIMEOUT = Option("--timeout", metavar="MS", type=LONG_COUNT, default="10000",
                 help="how long to try to start moves between log directories (ms)")
ADDITIONAL = Switch("--additional", help="even though other moves are under way")
KEEP_FACTOR = Switch("--disallow-replication-factor-change",
                     help="have the controller refuse moves that change a replication factor "
                     "(brokers from 4.1 on)")
PRESERVE_THROTTLES = Switch("--preserve-throttles",
                            help="leave the throttles of brokers and topics as they are")
ZOOKEEPER = Option("--zookeeper", metavar="HOST:PORT",
                   help="write to ZooKeeper instead, as the tool did before 3.0")
BOOTSTRAP_CONTROLLER = Option("--bootstrap-controller", metavar="HOST:PORT", hidden=True,
                              help="of clusters without ZooKeeper")

# what to move: plan
TOPIC = Option("--topic", "--topics", metavar="TOPIC", type=TOPIC_NAME, multiple=True, ours=True,
               help="only these topics; a value may hold several, by comma")
DRAIN = Option("--drain", metavar="ID,ID", type=BROKER_NAME, multiple=True, ours=True,
               help="brokers that hold nothing in the end; moves nothing else unless --balance "
               "says so")
ADD = Option("--add", metavar="ID,ID", type=BROKER_NAME, multiple=True, ours=True,
             help="new brokers: only they get replicas")
REPLICATION_FACTOR = Option("-r", "--replication-factor", metavar="N", type=POSITIVE, ours=True,
                            help="replicas that each partition has in the end")
BALANCE = Option("--balance", metavar="WHAT,WHAT", ours=True,
                 help="what to even out: bytes, replicas, leaders, racks, or none (default: all; "
                 "with --drain or --replication-factor none)")
TOLERANCE = Option("--tolerance", metavar="PERCENT", default="10", ours=True,
                   help="how far brokers may be from their fair share, in percent")
MAX_MOVES = Option("--max-moves", metavar="N", type=COUNT, ours=True,
                   help="most replicas to move for balance")
MAX_BYTES = Option("--max-bytes", metavar="SIZE", type=SIZE, ours=True,
                   help="most bytes to move for balance")
MAX_DISK = Option("--max-disk", metavar="PERCENT", default="90", ours=True,
                  help="how full a broker's disks may get while replicas are in both places, "
                  "in percent")
FILE = Option("--file", metavar="FILE", type=FILE_PATH, ours=True,
              help="write the plan to this file, for run and for Kafka's tool")

# how to move: run and rollback
THROTTLE = Option("--throttle", metavar="RATE", default="-1",
                  help="bytes a second that a broker may copy to others, and from them (-1: no "
                  "change); execute changes those of moves under way with --additional; run, plan "
                  "and rollback take 50MB, auto (what the cluster bears, the default), auto:200MB "
                  "or none too")
PER_BROKER = Option("--per-broker", metavar="N", type=POSITIVE, default="5", ours=True,
                    help="partitions that a broker copies at the same time")
KEEP_MOVING = Switch("--keep-moving", ours=True,
                     help="when stopped, let the moves under way go on, without a throttle")
NO_ELECTION = Switch("--no-election", ours=True,
                     help="do not let preferred leaders lead at the end")
# fmt: on

RUN = (THROTTLE, PER_BROKER, ADDITIONAL, KEEP_MOVING, NO_ELECTION)


TOOL = Tool(
    "kafka-reassign-partitions",
    "This tool helps to move topic partitions between replicas.",
    options=(BOOTSTRAP_CONTROLLER, TIMEOUT),
    check=kafka.check,
    failure=kafka.failure,
)


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "list":
            from pykafka_ops.commands.reassign_partitions.list import list_moves as work
        case "generate":
            from pykafka_ops.commands.reassign_partitions.generate import generate as work
        case "execute":
            from pykafka_ops.commands.reassign_partitions.execute import execute as work
        case "verify":
            from pykafka_ops.commands.reassign_partitions.verify import verify as work
        case "cancel":
            from pykafka_ops.commands.reassign_partitions.cancel import cancel as work
        case "plan":
            from pykafka_ops.commands.reassign_partitions.plan import plan as work
        case "run":
            from pykafka_ops.commands.reassign_partitions.run import run as work
        case "status":
            from pykafka_ops.commands.reassign_partitions.status import status as work
        case "rollback":
            from pykafka_ops.commands.reassign_partitions.rollback import rollback as work
    return work(run)


reassign_partitions = VerbGroup(
    "reassign-partitions", "Move replicas between brokers and log directories.", _work, tool=TOOL
)
reassign_partitions.verb(
    "list",
    "List the moves under way.",
    flag="list",
    examples=("pko reassign-partitions list",),
)
reassign_partitions.verb(
    "generate",
    "Propose replicas by Kafka's algorithm, which moves nearly everything.",
    words=(Words(TOPICS_FILE),),
    options=(BROKER_LIST, DISABLE_RACK_AWARE, ZOOKEEPER),
    flag="generate",
    examples=("pko reassign-partitions generate topics.json --broker-list 0,1,2",),
)
reassign_partitions.verb(
    "execute",
    "Start the moves of a file.",
    words=(Words(MOVES),),
    options=(THROTTLE, DIRS_THROTTLE, ADDITIONAL, KEEP_FACTOR, ZOOKEEPER),
    flag="execute",
    examples=("pko reassign-partitions execute moves.json --throttle 50000000",),
)
reassign_partitions.verb(
    "verify",
    "Show how far the moves of a file are; lift throttles at their end; exit code 4: not done.",
    words=(Words(MOVES),),
    options=(PRESERVE_THROTTLES, ZOOKEEPER),
    flag="verify",
    examples=("pko reassign-partitions verify moves.json",),
)
reassign_partitions.verb(
    "cancel",
    "Stop the moves of a file, or all, back to the replicas of before.",
    words=(Words(MOVES, "?"),),
    options=(PRESERVE_THROTTLES,),
    flag="cancel",
    examples=("pko reassign-partitions cancel moves.json",),
)
reassign_partitions.verb(
    "plan",
    "Plan which replicas to move, with as few bytes as can be; exit code 1: goal not reached.",
    words=(Words(TOPIC, "*"),),
    options=(
        *(REGEX, DRAIN, ADD, REPLICATION_FACTOR, BALANCE, TOLERANCE),
        *(MAX_MOVES, MAX_BYTES, MAX_DISK, DISABLE_RACK_AWARE),
        *(FILE, THROTTLE, PER_BROKER, FAIL_ON),
    ),
    examples=(
        "pko reassign-partitions plan",
        "pko reassign-partitions plan --drain 3 --file moves.json",
        "pko reassign-partitions plan orders --replication-factor 3 --file moves.json",
        "pko reassign-partitions plan --add 4,5 --max-bytes 100GiB --throttle 50MB",
    ),
)
reassign_partitions.verb(
    "run",
    "Make the moves of a file, a few at a time, throttled; go on where it stopped.",
    words=(Words(MOVES),),
    options=RUN,
    examples=(
        "pko reassign-partitions run moves.json",
        "pko reassign-partitions run moves.json --throttle 50MB --per-broker 2",
        "pko reassign-partitions run moves.json --throttle auto:200MB",
    ),
)
reassign_partitions.verb(
    "status",
    "Show the moves under way and how far they are, and the throttles that are set.",
    words=(Words(MOVES, "?"),),
    options=(FAIL_ON,),
    examples=(
        "pko reassign-partitions status",
        "pko reassign-partitions status moves.json --fail-on 'state!=done'",
    ),
)
reassign_partitions.verb(
    "rollback",
    "Put replicas back to where they were before a plan.",
    words=(Words(MOVES),),
    options=RUN,
    examples=("pko reassign-partitions rollback moves.json",),
)
