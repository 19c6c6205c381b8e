"""``pko configs`` and kafka-configs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.commands.configs import kafka
from pykafka_ops.commands.framework.group import Group
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.types import BROKER_NAME, FILE_PATH, TOPIC_NAME
from pykafka_ops.commands.options import TLS_FILE
from pykafka_ops.commands.tongue.tool import Tool

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Result, Run

BOOTSTRAP_CONTROLLER = Option(
    "--bootstrap-controller",
    metavar="HOST:PORT",
    hidden=True,
    help="controllers to connect to (KRaft only, not supported)",
)
ZOOKEEPER = Option(
    "--zookeeper",
    metavar="HOST:PORT",
    stands_for="bootstrap-server",
    help="old: ZooKeeper to work on directly, for SCRAM credentials of users and for "
    "brokers that are down",
)
ALL = Switch("--all", help="every setting, not only those that were changed at run time")
ENTITY_TYPE = Option(
    "--entity-type",
    metavar="TYPE",
    multiple=True,
    help="what has the settings: topics, brokers, broker-loggers, users, clients, ips or "
    "client-metrics",
)
ENTITY_NAME = Option(
    "--entity-name",
    metavar="NAME",
    multiple=True,
    help="its name: of a topic, a user, a client, an address, a broker's id",
)
ENTITY_DEFAULT = Switch(
    "--entity-default", help="the default of all clients, users, brokers or addresses"
)
ADD_CONFIG = Option(
    "--add-config",
    metavar="K=V,...",
    help="settings to set, commas inside a value in brackets: k1=v1,k2=[a,b]",
)
ADD_CONFIG_FILE = Option(
    "--add-config-file",
    metavar="FILE",
    type=FILE_PATH,
    help="settings to set, from a properties file",
)
DELETE_CONFIG = Option(
    "--delete-config",
    metavar="K,...",
    multiple=True,
    separator=",",
    help="settings to set back to their default",
)
FORCE = Switch("--force", help="accepted for Kafka's sake")
TOPIC = Option("--topic", metavar="NAME", type=TOPIC_NAME, help="a topic")
CLIENT = Option("--client", metavar="ID", help="a client id")
USER = Option("--user", metavar="NAME", help="a user")
BROKER = Option("--broker", metavar="ID", type=BROKER_NAME, help="a broker")
BROKER_LOGGER = Option(
    "--broker-logger", metavar="ID", type=BROKER_NAME, help="the broker whose loggers are meant"
)
IP = Option("--ip", metavar="ADDRESS", help="an IP address or host")
CLIENT_DEFAULTS = Switch("--client-defaults", help="the default of all clients")
USER_DEFAULTS = Switch("--user-defaults", help="the default of all users")
BROKER_DEFAULTS = Switch("--broker-defaults", help="the default of all brokers")
IP_DEFAULTS = Switch("--ip-defaults", help="the default of all addresses")
KIND = Option(
    "--kind",
    metavar="KIND",
    ours=True,
    hidden=True,
    help="what has the settings: topics, brokers, broker-loggers, users, clients, ips or "
    "client-metrics",
)
WORD = Option(
    "--word", metavar="WORD", multiple=True, ours=True, hidden=True, help="names and settings"
)
DEFAULT = Switch(
    "-d", "--default", ours=True, help="the default of all brokers, users, clients or addresses"
)
DOCS = Switch("--docs", ours=True, help="say what each setting does")
FILE = Option(
    "-f",
    "--file",
    metavar="FILE",
    type=FILE_PATH,
    ours=True,
    help="settings to set, from a properties file",
)
DRY_RUN = Switch("--dry-run", ours=True, help="let the brokers check it, change nothing")

TOOL = Tool(
    "kafka-configs",
    "This tool helps to manipulate and describe entity config for a topic, client, user, "
    "broker, ip or client-metrics",
    options=(
        BOOTSTRAP_CONTROLLER,
        ZOOKEEPER,
        TLS_FILE,
        ENTITY_TYPE,
        ENTITY_NAME,
        ENTITY_DEFAULT,
        ADD_CONFIG,
        ADD_CONFIG_FILE,
        DELETE_CONFIG,
        FORCE,
        TOPIC,
        USER,
        BROKER,
        BROKER_LOGGER,
        IP,
        USER_DEFAULTS,
        BROKER_DEFAULTS,
        IP_DEFAULTS,
    ),
    check=kafka.check,
    failure=kafka.failure,
)
configs = Group("configs", "Show and change settings of topics, brokers, users, ....", tool=TOOL)


@configs.verb(
    "describe",
    words=(
        Words(KIND),
        Words(WORD, "*", metavar="NAME"),
    ),
    options=(
        ALL,
        DEFAULT,
        DOCS,
        CLIENT,
        CLIENT_DEFAULTS,
    ),
    flag="describe",
    examples=(
        "pko configs describe topics orders",
        "pko configs describe brokers 1 --all -o json",
        "pko configs describe users alice",
    ),
)
def describe(run: Run) -> Result:
    """Settings that were changed at run time, or all of them."""
    from pykafka_ops.commands.configs.read import describe as work

    return work(run)


@configs.verb(
    "set",
    words=(
        Words(KIND),
        Words(WORD, "*", metavar="NAME KEY=VALUE"),
    ),
    options=(
        DEFAULT,
        CLIENT,
        CLIENT_DEFAULTS,
        FILE,
        DRY_RUN,
    ),
    flag="alter",
    examples=(
        "pko configs set topics orders retention.ms=86400000",
        "pko configs set brokers --default log.cleaner.threads=2",
        "pko configs set users alice --client app producer_byte_rate=1048576",
        "pko configs set topics orders cleanup.policy+=compact",
    ),
)
def set_(run: Run) -> Result:
    """Change settings; += and -= add to and take from a list."""
    from pykafka_ops.commands.configs.write import set_configs

    return set_configs(run)


@configs.verb(
    "unset",
    words=(
        Words(KIND),
        Words(WORD, "*", metavar="NAME KEY"),
    ),
    options=(
        DEFAULT,
        CLIENT,
        CLIENT_DEFAULTS,
        DRY_RUN,
    ),
    examples=("pko configs unset topics orders retention.ms",),
)
def unset(run: Run) -> Result:
    """Set settings back to their default."""
    from pykafka_ops.commands.configs.write import unset_configs

    return unset_configs(run)
