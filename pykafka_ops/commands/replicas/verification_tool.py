"""kafka-replica-verification, as ReplicaVerificationTool of Kafka 3.9 and 4.3."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.failures import execution_text
from pykafka_ops.commands.framework.params import Option
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.types import ANY_LONG, BYTES_OR_MINUS_ONE, SHORT_MILLIS
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax import jopt
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.errors import PkoError

OPTIONS = (
    Option("--broker-list", metavar="HOST:PORT", stands_for="bootstrap-server",
           help="brokers to ask for the others"),
    Option("--fetch-size", metavar="BYTES", type=BYTES_OR_MINUS_ONE, default="1048576",
           help="bytes of a partition in one answer"),
    Option("--max-wait-ms", metavar="MS", type=SHORT_MILLIS, default="1000",
           help="how long a broker may wait for records"),
    Option("--topics-include", metavar="REGEX", default=".*", help="topics to verify"),
    Option("--topic-white-list", metavar="REGEX", hidden=True, help="old name of --topics-include"),
    Option("--time", metavar="MS", type=ANY_LONG, default="-1",
           help="where to begin: a time, -1: at the end, -2: at the first record"),
    Option("--report-interval-ms", metavar="MS", type=ANY_LONG, default="30000",
           help="how often to say how far it is"),
)  # fmt: skip


def _read(tool: Tool, words: list[str]) -> Args:
    from pykafka_ops.commands.console.errors import log
    from pykafka_ops.commands.replicas.verification import LOGGER

    log("WARN", "This tool is deprecated and may be removed in a future major release.", LOGGER)
    return jopt.read(tool, words)


def _check(args: Args) -> None:
    if not args.has("broker-list") and not args.has("bootstrap-server"):
        raise OptionError('Missing required argument "[broker-list]"')
    servers = args.text("broker-list") or args.text("bootstrap-server") or ""
    if not all(server.rpartition(":")[2].isdigit() for server in servers.split(",")):
        raise OptionError("Please provide valid host:port like host1:9091,host2:9092\n ")


def _work(run: Run) -> Result:
    from pykafka_ops.commands.replicas.verification import verify

    return verify(run)


def _failure(error: PkoError, run: Run) -> int:
    sys.stderr.write(f"{execution_text(error)}\n")
    return 1


TOOL = Tool(
    "kafka-replica-verification",
    "Validate that all replicas for a set of topics have the same data.",
    check=_check,
    failure=_failure,
    read=_read,
)
TOOL.add(Verb("verify", _work, options=OPTIONS))
