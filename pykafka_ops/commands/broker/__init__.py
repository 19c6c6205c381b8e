"""``pko broker`` and kafka-server-start; the only command that imports the broker."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import FILE_PATH
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import OVERRIDE

# fmt: off
PROPERTIES_FILE = Option("--properties-file", metavar="SERVER.PROPERTIES", type=FILE_PATH,
                         ours=True, hidden=True, help="a file of Kafka's settings")
DATA_DIR = Option("--data-dir", metavar="DIR", type=FILE_PATH, ours=True,
                  help="directory of the metadata store, and of the logs without log.dirs "
                  "(default: ~/.local/share/pko/broker)")
LISTEN = Option("--listen", metavar="HOST:PORT", ours=True,
                help="where to listen; port 0 for a free one")
DAEMON = Switch("--daemon", help="go to the background once the broker serves clients")
LOG_FILE = Option("--log-file", metavar="FILE", type=FILE_PATH, ours=True,
                  help="write the broker's log there instead of stderr")
LOG_LEVEL = Option("--log-level", metavar="LEVEL", default="INFO", ours=True,
                   help="DEBUG, INFO, WARN or ERROR")
LOG_FORMAT = Option("--log-format", metavar="FORMAT", default="text", ours=True,
                    help="text, or json: one object a line")
CONTROLLED = Switch("--controlled", ours=True,
                    help="stop only if other replicas in sync can lead its partitions, and check "
                    "that they do; exit code 4 if not")
PATTERN = Option("--pattern", metavar="PATTERN", ours=True, multiple=True, hidden=True,
                 help="a part of a metric's name, or of its MBean's, or a pattern with * and ?")
URL = Option("--url", metavar="http://HOST:PORT", ours=True,
             help="where a broker serves its metrics (metrics.listen), instead of --data-dir")
# fmt: on

FILE = Words(PROPERTIES_FILE, "?")
TOOL = Tool("kafka-server-start", "Run a Kafka broker that needs nothing but Python.")


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "start":
            from pykafka_ops.commands.broker.start import start as work
        case "stop":
            from pykafka_ops.commands.broker.stop import stop as work
        case "status":
            from pykafka_ops.commands.broker.status import status as work
        case "metrics":
            from pykafka_ops.commands.broker.metrics import metrics as work
    return work(run)


broker = VerbGroup("broker", "Run a broker.", _work, tool=TOOL)
broker.verb(
    "start",
    "Start a broker and serve until SIGTERM or Ctrl-C.",
    words=(FILE,),
    options=(DATA_DIR, LISTEN, OVERRIDE, DAEMON, LOG_FILE, LOG_LEVEL, LOG_FORMAT),
    examples=(
        "pko broker start --data-dir /tmp/kafka --listen 127.0.0.1:9092",
        "pko broker start server.properties --override num.partitions=3 --daemon",
    ),
)
broker.verb(
    "stop",
    "Stop the broker of a data directory cleanly.",
    words=(FILE,),
    options=(DATA_DIR, CONTROLLED),
    examples=(
        "pko broker stop --data-dir /tmp/kafka",
        "pko broker stop --data-dir /tmp/kafka --controlled",
    ),
)
broker.verb(
    "status",
    "Show whether the broker of a data directory runs; exit code 4 if not.",
    words=(FILE,),
    options=(DATA_DIR,),
    examples=("pko broker status --data-dir /tmp/kafka -o json",),
)
broker.verb(
    "metrics",
    "Show the metrics of a broker, under the names of dashboards and of JMX.",
    words=(Words(PATTERN, "*"),),
    options=(DATA_DIR, URL),
    examples=(
        "pko broker metrics underreplicated offline --data-dir /tmp/kafka",
        "pko broker metrics 'kafka.log:*name=Size*' --url http://127.0.0.1:9404 -o json",
    ),
)
