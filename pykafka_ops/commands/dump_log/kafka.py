"""kafka-dump-log: what it checks, and how it ends when something is wrong."""

from __future__ import annotations

import sys

from pykafka_ops.commands.dump_log.java import JavaError
from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.params import Switch
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.kafka_syntax import jopt
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.errors import PkoError


def check(args: Args) -> None:
    """DumpLogSegments asks for nothing but files."""
    args.require("files")


def failure(error: PkoError, run: Run) -> int:
    """The Kafka's form's last word: as the JVM reports an uncaught exception, without the stack."""
    text = str(error)
    if isinstance(error, JavaError):
        text = f'Exception in thread "main" {error.java}'
    elif isinstance(error, OptionError):
        said = jopt.uncaught(text)
        text = said if said != text else f"{text}\n{TOOL.manual().partition(chr(10))[2].rstrip()}"
    sys.stderr.write(text + "\n")
    return 1


TOOL = Tool(
    "kafka-dump-log",
    "This tool helps to parse a log file and dump its contents to the console, useful "
    "for debugging a seemingly corrupt log segment.",
    options=(
        Switch("--verify-index-only", help="check indexes against their log, show no entries"),
        Switch(
            "--index-sanity-check", help="make only the check that brokers make when they start"
        ),
    ),
    check=check,
    failure=failure,
)
