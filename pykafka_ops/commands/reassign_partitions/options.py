"""The options of reassign-partitions, in both tongues."""

from __future__ import annotations

from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.types import (
    BROKER_NAME,
    COUNT,
    FILE_PATH,
    LONG,
    POSITIVE,
    SIZE,
    TOPIC_NAME,
)

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
DIRS_THROTTLE = Option("--replica-alter-log-dirs-throttle", metavar="BYTES", type=LONG,
                       default="-1", help="bytes a second that a broker may copy between its "
                       "log directories (-1: no change)")
TIMEOUT = Option("--timeout", metavar="MS", type=LONG, default="10000",
                 help="how long to try to start moves between log directories (ms)")
ADDITIONAL = Switch("--additional", help="even though other moves are under way")
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
