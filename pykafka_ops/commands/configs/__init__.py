"""``pko configs`` and kafka-configs."""

from __future__ import annotations

from pykafka_ops.commands.configs import kafka
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import BROKER_NAME, FILE_PATH, GROUP_NAME, TOPIC_NAME
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import DRY_RUN, TLS_FILE
from pykafka_ops.errors import UsageError

WHAT = "topics, brokers, broker-loggers, users, clients, ips, client-metrics or groups"

# --- pko's form ----------------------------------------------------------------------------------

KIND = Option("--kind", metavar="KIND", ours=True, hidden=True,
              help=f"what has the settings: {WHAT}")  # fmt: skip
WORD = Option("--word", metavar="WORD", multiple=True, ours=True, hidden=True,
              help="names and settings")  # fmt: skip
DEFAULT = Switch("-d", "--default", ours=True,
                 help="the default of all brokers, users, clients or addresses")  # fmt: skip
DOCS = Switch("--docs", ours=True, help="say what each setting does")
DATA_DIR = Option("--data-dir", metavar="DIR", type=FILE_PATH, ours=True,
                  help="the data directory of a stopped broker without ZooKeeper: shows or changes "
                       "the settings stored there")  # fmt: skip
FILE = Option("-f", "--file", metavar="FILE", type=FILE_PATH, ours=True,
              help="settings to set, from a properties file")  # fmt: skip

# --- both ----------------------------------------------------------------------------------------

ALL = Switch("--all", help="every setting, not only those that were changed at run time")
CLIENT = (
    Option("--client", metavar="ID", help="a client id"),
    Switch("--client-defaults", help="the default of all clients"),
)

# --- Kafka's form ------------------------------------------------------------------------------

CONNECTION = (
    Option("--zookeeper", metavar="HOST:PORT", stands_for="bootstrap-server",
           help="old: HOST:PORT,HOST:PORT[/CHROOT] of the ZooKeeper to work on directly: topics, "
                "users, clients, throttles of brokers, and all else of those that are down"),
    TLS_FILE,
    Option("--bootstrap-controller", metavar="HOST:PORT", hidden=True,
           help="controllers to connect to (KRaft only, not supported)"),
)  # fmt: skip
ENTITY = (
    Option("--entity-type", metavar="TYPE", multiple=True, help=f"what has the settings: {WHAT}"),
    Option("--entity-name", metavar="NAME", multiple=True,
           help="its name: of a topic, a user, a client, an address, a broker's id"),
    Switch("--entity-default", help="the default of all clients, users, brokers or addresses"),
    Option("--topic", metavar="NAME", type=TOPIC_NAME, help="a topic"),
    Option("--user", metavar="NAME", help="a user"),
    Option("--broker", metavar="ID", type=BROKER_NAME, help="a broker"),
    Option("--broker-logger", metavar="ID", type=BROKER_NAME,
           help="the broker whose loggers are meant"),
    Option("--ip", metavar="ADDRESS", help="an IP address or host"),
    Option("--group", metavar="GROUP", type=GROUP_NAME, help="a group (Kafka 4)"),
    Switch("--user-defaults", help="the default of all users"),
    Switch("--broker-defaults", help="the default of all brokers"),
    Switch("--ip-defaults", help="the default of all addresses"),
)  # fmt: skip
CHANGES = (
    Option("--add-config", metavar="K=V,...",
           help="settings to set, commas inside a value in brackets: k1=v1,k2=[a,b]"),
    Option("--add-config-file", metavar="FILE", type=FILE_PATH,
           help="settings to set, from a properties file"),
    Option("--delete-config", metavar="K,...", multiple=True, separator=",",
           help="settings to set back to their default"),
    Switch("--force", help="accepted for Kafka's sake"),
)  # fmt: skip

TOOL = Tool(
    "kafka-configs",
    "This tool helps to manipulate and describe entity config for a topic, client, user, "
    "broker, ip or client-metrics",
    options=(*CONNECTION, *ENTITY, *CHANGES),
    check=kafka.check,
    failure=kafka.failure,
)


def _work(run: Run) -> Result:
    work: Work
    if run.args.flags and run.args.has("data-dir"):
        raise UsageError("--data-dir goes with the verbs describe, set and unset")
    match run.args.verb:
        case "describe":
            from pykafka_ops.commands.configs.describe import describe as work
        case "set":
            from pykafka_ops.commands.configs.set import set_configs as work
        case "unset":
            from pykafka_ops.commands.configs.unset import unset_configs as work
    return work(run)


configs = VerbGroup(
    "configs", "Show and change settings of topics, brokers, users, ...", _work, tool=TOOL
)
configs.verb(
    "describe",
    "Show settings that were changed at run time, or all of them.",
    flag="describe",
    words=(Words(KIND), Words(WORD, "*", metavar="NAME")),
    options=(ALL, DEFAULT, *CLIENT, DOCS, DATA_DIR),
    examples=(
        "pko configs describe topics orders",
        "pko configs describe brokers 1 --all -o json",
        "pko configs describe users alice",
    ),
)
configs.verb(
    "set",
    "Change settings; += and -= add to and take from a list.",
    flag="alter",
    words=(Words(KIND), Words(WORD, "*", metavar="NAME KEY=VALUE")),
    options=(DEFAULT, *CLIENT, FILE, DATA_DIR, DRY_RUN),
    examples=(
        "pko configs set topics orders retention.ms=86400000",
        "pko configs set brokers --default log.cleaner.threads=2",
        "pko configs set users alice --client app producer_byte_rate=1048576",
        "pko configs set topics orders cleanup.policy+=compact",
        "pko configs set groups billing share.auto.offset.reset=earliest",
    ),
)
configs.verb(
    "unset",
    "Set settings back to their defaults.",
    words=(Words(KIND), Words(WORD, "*", metavar="NAME KEY")),
    options=(DEFAULT, *CLIENT, DATA_DIR, DRY_RUN),
    examples=(
        "pko configs unset topics orders retention.ms",
        "pko configs unset brokers 0 max.connections.per.ip --data-dir /var/lib/kafka",
    ),
)
