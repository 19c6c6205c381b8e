"""``pko cluster`` and kafka-cluster."""

from __future__ import annotations

from pykafka_ops.commands.cluster import kafka
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import (
    BROKER_ID,
    FILE_PATH,
    POSITIVE,
)
from pykafka_ops.commands.kafka_syntax.tool import Tool, execution_on_stderr
from pykafka_ops.commands.options import BOOTSTRAP_CONTROLLER, FAIL_ON, WATCH

# fmt: off
ID = Option("--id", metavar="ID", type=BROKER_ID, help="the id of the broker")
DIR = Option("--dir", metavar="DIR", type=FILE_PATH, ours=True,
             help="directory of the cluster (default: ~/.local/share/pko/cluster)")
BROKERS = Option("-n", "--brokers", metavar="N", type=POSITIVE, ours=True,
                 help="how many brokers; at a later start more may be added (default: 3)")
OVERRIDE = Option("--override", metavar="KEY=VALUE", multiple=True, ours=True,
                  help="a setting of every broker, kept for later starts")
SECURE = Switch("--secure", ours=True,
                help="with TLS, SCRAM logins and access rules, at later starts, too")
# fmt: on

TOOL = Tool(
    "kafka-cluster",
    "The Kafka cluster tool.",
    failure=execution_on_stderr,
    read=kafka.read,
    has_verbs=True,
)


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "status":
            from pykafka_ops.commands.cluster.status import status as work
        case "id":
            from pykafka_ops.commands.cluster.id import cluster_id as work
        case "brokers":
            from pykafka_ops.commands.cluster.brokers import brokers as work
        case "unregister":
            from pykafka_ops.commands.cluster.unregister import unregister as work
        case "start":
            from pykafka_ops.commands.cluster.start import start as work
        case "stop":
            from pykafka_ops.commands.cluster.stop import stop as work
        case "ps":
            from pykafka_ops.commands.cluster.ps import processes as work
        case "kill":
            from pykafka_ops.commands.cluster.kill import kill as work
    return work(run)


cluster = VerbGroup(
    "cluster",
    "Brokers, controller, under-replicated and offline partitions, skew.",
    _work,
    tool=TOOL,
)
cluster.verb(
    "status",
    "Show the cluster at a glance: brokers, what is missing, how even it is.",
    options=(FAIL_ON, WATCH),
    examples=(
        "pko cluster status",
        "pko cluster status --watch 2s",
        "pko cluster status --fail-on 'under_replicated>0|offline>0' -o json",
    ),
)
cluster.verb(
    "id",
    "Show the id of the cluster.",
    options=(BOOTSTRAP_CONTROLLER,),
    tool_name="cluster-id",
    examples=("pko cluster id",),
)
cluster.verb(
    "brokers",
    "List the live brokers: address, rack, controller.",
    options=(BOOTSTRAP_CONTROLLER,),
    tool_name="list-endpoints",
    examples=("pko cluster brokers -o json",),
)
cluster.verb(
    "unregister",
    "Forget a broker that is gone (KRaft clusters only).",
    words=(Words(ID),),
    options=(BOOTSTRAP_CONTROLLER,),
    tool_name="unregister",
    examples=("pko cluster unregister 3 --yes",),
)
cluster.verb(
    "start",
    "Start a ZooKeeper and N brokers on free ports, or those that do not run.",
    options=(DIR, BROKERS, OVERRIDE, SECURE),
    examples=(
        "pko cluster start -n 3 --dir /tmp/kafka",
        "pko cluster start -n 3 --dir /tmp/safe --secure",
        "export PKO_BOOTSTRAP_SERVER=$(pko cluster start -n 3 -o name)",
        "pko cluster start -n 3 --override num.partitions=6 -o json",
    ),
)
cluster.verb(
    "stop",
    "Stop the processes of a directory, or one broker of it.",
    words=(Words(ID, "?"),),
    options=(DIR,),
    examples=("pko cluster stop --dir /tmp/kafka", "pko cluster stop 2 --dir /tmp/kafka"),
)
cluster.verb(
    "ps",
    "List the processes of a directory; exit code 4 unless all run.",
    options=(DIR,),
    examples=("pko cluster ps --dir /tmp/kafka -o json",),
)
cluster.verb(
    "kill",
    "Kill one broker of a directory (kill -9).",
    words=(Words(ID),),
    options=(DIR,),
    examples=("pko cluster kill 1 --dir /tmp/kafka",),
)
