"""``pko storage`` and kafka-storage."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import FILE_PATH
from pykafka_ops.commands.kafka_syntax.grammar import Argument, reader
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.storage.errors import on_stderr

# fmt: off
CONFIG = Option("-c", "--config", metavar="SERVER.PROPERTIES", type=FILE_PATH,
                help="the settings of the node")
CLUSTER_ID = Option("-t", "--cluster-id", metavar="ID", help="the id of the cluster")
ADD_SCRAM = Option("-S", "--add-scram", metavar="USER", multiple=True,
                   help="a user for SCRAM logins: 'SCRAM-SHA-256=[name=alice,password=...]', or "
                   "with salt, iterations, saltedpassword")
IGNORE_FORMATTED = Switch("-g", "--ignore-formatted", help="leave directories that are formatted")
RELEASE = Option("-r", "--release-version", metavar="RELEASE",
                 help="features as that release has them, e.g. 4.1; from 3.3-IV3 on; without it "
                 "4.4-IV2")
FEATURE = Option("-f", "--feature", metavar="NAME=LEVEL", multiple=True,
                 help="a level of a feature, e.g. kraft.version=1")
STANDALONE = Switch("-s", "--standalone", help="this controller is the quorum (KIP-853)")
NO_CONTROLLERS = Switch("-N", "--no-initial-controllers",
                        help="this node finds the quorum, which has its voters already")
CONTROLLERS = Option("-I", "--initial-controllers", metavar="VOTERS",
                     help="who votes: id@host:port:directory-id by comma, the same on all nodes")
# fmt: on

_FILE = Argument(CONFIG, required=True)
_GROUP = "quorum"
GRAMMAR = {
    "info": (_FILE,),
    "format": (
        _FILE,
        Argument(CLUSTER_ID, required=True),
        Argument(ADD_SCRAM, many=True),
        Argument(IGNORE_FORMATTED),
        Argument(RELEASE),
        Argument(FEATURE, many=True),
        Argument(STANDALONE, group=_GROUP),
        Argument(NO_CONTROLLERS, group=_GROUP),
        Argument(CONTROLLERS, group=_GROUP),
    ),
    "version-mapping": (Argument(RELEASE),),
    "feature-dependencies": (Argument(FEATURE, required=True, many=True),),
    "random-uuid": (),
}

TOOL = Tool("kafka-storage", "The Kafka storage tool.", failure=on_stderr, read=reader(GRAMMAR),
            has_verbs=True)  # fmt: skip
TOOL.program = "kafka-storage"


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "format":
            from pykafka_ops.commands.storage.format import format_directories as work
        case "info":
            from pykafka_ops.commands.storage.info import info as work
        case "version-mapping":
            from pykafka_ops.commands.storage.features import version_mapping as work
        case "feature-dependencies":
            from pykafka_ops.commands.storage.features import feature_dependencies as work
        case "random-uuid":
            from pykafka_ops.commands.storage.random_uuid import random as work
    return work(run)


storage = VerbGroup(
    "storage", "Directories of nodes of KRaft: format them, look at them.", _work, tool=TOOL
)
storage.verb(
    "format",
    "Format the log directories of a new node.",
    words=(Words(CONFIG),),
    options=(CLUSTER_ID, STANDALONE, CONTROLLERS, NO_CONTROLLERS, IGNORE_FORMATTED, RELEASE,
             FEATURE, ADD_SCRAM),
    tool_name="format",
    examples=(
        "pko storage format server.properties -t 4L6g3nShT-eMCtK--X86sw --standalone",
        "pko storage format server.properties -t 4L6g3nShT-eMCtK--X86sw --no-initial-controllers",
    ),
)  # fmt: skip
storage.verb(
    "info",
    "Show whether they are formatted, and for which node; exit code 1 if one is not.",
    words=(Words(CONFIG),),
    tool_name="info",
    examples=("pko storage info server.properties",),
)
storage.verb(
    "random-uuid",
    "Make an id for a cluster or a directory.",
    tool_name="random-uuid",
    examples=("pko storage random-uuid",),
)
storage.verb(
    "version-mapping",
    "Show the levels of features that a release has.",
    options=(RELEASE,),
    tool_name="version-mapping",
    examples=("pko storage version-mapping -r 4.1",),
)
storage.verb(
    "feature-dependencies",
    "Show which other features a level needs.",
    words=(Words(FEATURE, "+"),),
    tool_name="feature-dependencies",
    examples=("pko storage feature-dependencies eligible.leader.replicas.version=1",),
)
