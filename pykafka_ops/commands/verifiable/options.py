"""Options of both tools."""

from __future__ import annotations

from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.types import FILE_PATH, GROUP_NAME, TOPIC_NAME, Whole
from pykafka_ops.commands.kafka_syntax.grammar import Argument
from pykafka_ops.commands.options import BOOTSTRAP, COMMAND_CONFIG

_INT, _LONG = Whole(31, least=None), Whole(63, least=None)
# fmt: off
TOPIC = Option("--topic", metavar="TOPIC", type=TOPIC_NAME, help="the topic")
MAX_MESSAGES = Option("--max-messages", metavar="N", type=_INT, default="-1",
                      help="so many records; -1: until it is stopped")
THROUGHPUT = Option("--throughput", metavar="N", type=_INT, default="-1",
                    help="records a second, about; -1: as many as go")
ACKS = Option("--acks", metavar="N", type=_INT, default="-1", help="what a send waits for")
PRODUCER_CONFIG = Option("--producer.config", metavar="FILE", type=FILE_PATH,
                         help="old name of --command-config")
CREATE_TIME = Option("--message-create-time", metavar="MS", type=_LONG, default="-1",
                     help="the time of the first record, since 1970")
VALUE_PREFIX = Option("--value-prefix", metavar="N", type=_INT,
                      help="what stands before each value, and a dot")
REPEATING_KEYS = Option("--repeating-keys", metavar="N", type=_INT,
                        help="keys from 0 up to this, which is not one, over and over")
GROUP_PROTOCOL = Option("--group-protocol", metavar="PROTOCOL", default="classic",
                        help="classic or consumer (KIP-848)")
ASSIGNOR = Option("--group-remote-assignor", metavar="NAME",
                  help="the brokers' assignor, of protocol consumer")
GROUP_ID = Option("--group-id", metavar="GROUP", type=GROUP_NAME, help="the group")
INSTANCE = Option("--group-instance-id", metavar="ID", help="the id of a static member")
SESSION = Option("--session-timeout", metavar="MS", type=_INT, default="30000",
                 help="how long a member may be silent, of protocol classic")
VERBOSE = Switch("--verbose", help="an event for each record")
AUTO_COMMIT = Switch("--enable-autocommit", help="commit from time to time, without an event")
RESET = Option("--reset-policy", metavar="POLICY", default="earliest",
               help="where a new group begins: earliest, latest or none")
STRATEGY = Option("--assignment-strategy", metavar="CLASS", help="of protocol classic",
                  default="org.apache.kafka.clients.consumer.RangeAssignor")
CONSUMER_CONFIG = Option("--consumer.config", metavar="FILE", type=FILE_PATH,
                         help="old name of --command-config")
# fmt: on
SERVERS = Argument(
    BOOTSTRAP,
    required=True,
    group="servers",
    metavar="HOST1:PORT1[,HOST2:PORT2[...]]",
    letterless=True,
)  # fmt: skip
CONFIG = Argument(COMMAND_CONFIG, metavar="CONFIG-FILE")
PRODUCER_GRAMMAR = {
    "": (
        Argument(TOPIC, required=True),
        Argument(MAX_MESSAGES, kind="Integer", metavar="MAX-MESSAGES"),
        Argument(THROUGHPUT, kind="Integer"),
        Argument(ACKS, kind="Integer", choices=("0", "1", "-1"), metavar="ACKS"),
        Argument(PRODUCER_CONFIG, metavar="CONFIG-FILE"),
        Argument(CREATE_TIME, kind="Long", metavar="CREATE-TIME"),
        Argument(VALUE_PREFIX, kind="Integer", metavar="VALUE-PREFIX"),
        Argument(REPEATING_KEYS, kind="Integer", metavar="REPEATING-KEYS"),
        CONFIG,
        SERVERS,
    )
}
CONSUMER_GRAMMAR = {
    "": (
        SERVERS,
        Argument(TOPIC, required=True),
        Argument(GROUP_PROTOCOL, metavar="GROUP-PROTOCOL"),
        Argument(ASSIGNOR, metavar="GROUP-REMOTE-ASSIGNOR"),
        Argument(GROUP_ID, required=True, metavar="GROUP-ID"),
        Argument(INSTANCE, metavar="GROUP-INSTANCE-ID"),
        Argument(MAX_MESSAGES, kind="Integer", metavar="MAX-MESSAGES"),
        Argument(SESSION, kind="Integer", metavar="TIMEOUT-MS"),
        Argument(VERBOSE),
        Argument(AUTO_COMMIT),
        Argument(RESET, metavar="RESET-POLICY"),
        Argument(STRATEGY, metavar="ASSIGNMENT-STRATEGY"),
        Argument(CONSUMER_CONFIG, metavar="CONFIG-FILE"),
        CONFIG,
    )
}
