"""``pko client-metrics`` and kafka-client-metrics."""

from __future__ import annotations

from pykafka_ops.commands.client_metrics import kafka
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import SHORT_MILLIS, Choices
from pykafka_ops.commands.kafka_syntax.tool import Tool

NAME = Option("--name", metavar="NAME", help="a subscription")
GENERATE_NAME = Switch("--generate-name", help="make a name for it")
INTERVAL = Option("--interval", metavar="MS", type=SHORT_MILLIS,
                  help="how often clients send their metrics")  # fmt: skip
MATCH = Option("--match", metavar="NAME=REGEX,...", separator=",",
               help="which clients: client_id, client_instance_id, client_software_name, "
               "client_software_version, client_source_address, client_source_port")  # fmt: skip
METRICS = Option("--metrics", metavar="PREFIX,...", separator=",",
                 help="prefixes of the names of metrics; * for all")  # fmt: skip
UNSET = Option("--unset", metavar="SETTING", multiple=True, ours=True,
               type=Choices(("interval", "match", "metrics")),
               help="a setting to set back to its default")  # fmt: skip

TOOL = Tool(
    "kafka-client-metrics",
    "This tool helps to manipulate and describe client metrics configurations.",
    check=kafka.check,
    failure=kafka.failure,
)


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "list":
            from pykafka_ops.commands.client_metrics.show import list_subscriptions as work
        case "describe":
            from pykafka_ops.commands.client_metrics.show import describe as work
        case "alter":
            from pykafka_ops.commands.client_metrics.change import alter as work
        case "delete":
            from pykafka_ops.commands.client_metrics.change import delete as work
    return work(run)


client_metrics = VerbGroup(
    "client-metrics", "Which metrics clients send to the brokers (KIP-714).", _work, tool=TOOL
)
client_metrics.verb(
    "list",
    "List the subscriptions.",
    flag="list",
    examples=("pko client-metrics list",),
)
client_metrics.verb(
    "describe",
    "Show what subscriptions ask for.",
    words=(Words(NAME, "?"),),
    flag="describe",
    examples=("pko client-metrics describe producers -o json",),
)
client_metrics.verb(
    "alter",
    "Make a subscription, or change it.",
    words=(Words(NAME, "?"),),
    options=(GENERATE_NAME, INTERVAL, MATCH, METRICS, UNSET),
    flag="alter",
    examples=(
        "pko client-metrics alter producers --metrics org.apache.kafka.producer. --interval 30s",
        "pko client-metrics alter one --match client_id=web-.* --metrics '*'",
    ),
)
client_metrics.verb(
    "delete",
    "Delete a subscription.",
    words=(Words(NAME),),
    flag="delete",
    examples=("pko client-metrics delete producers --yes",),
)
