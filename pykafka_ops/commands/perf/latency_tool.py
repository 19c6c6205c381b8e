"""kafka-e2e-latency, as EndToEndLatency of Kafka 4.3 (KIP-1172); words alone, as before, too."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax import jopt
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.perf import options as o
from pykafka_ops.commands.perf.failures import message_alone
from pykafka_ops.commands.perf.work import do

_NAMES = ("--bootstrap-server", "--topic", "--num-records", "--producer-acks", "--record-size",
          "--command-config")  # fmt: skip
_SIZES = ("record-size", "record-key-size", "num-headers", "record-header-key-size")


def _read(tool: Tool, words: list[str]) -> Args:
    """Options, or five or six words without any."""
    if any(word.startswith("--") for word in words):
        return jopt.read(tool, words)
    if len(words) not in (5, 6):
        raise OptionError(
            f"Invalid number of arguments. Expected 5 or 6 positional arguments, but got "
            f"{len(words)}. Usage: bootstrap-server topic num-records producer-acks record-size "
            "[optional] command-config"
        )
    sys.stderr.write(
        "WARNING: Positional argument usage is deprecated and will be removed in Apache Kafka 5.0. "
        f"Please use named arguments instead: {', '.join(_NAMES)}\n"
    )
    named = [part for pair in zip(_NAMES, words, strict=False) for part in pair]
    return jopt.read(tool, named)


def _check(args: Args) -> None:
    """As ``EndToEndLatencyCommandOptions.checkArgs``."""
    args.require("bootstrap-server", "topic", "num-records", "producer-acks", "record-size")
    if (args.number("num-records") or 0) <= 0:
        raise OptionError("Value for --num-records must be a positive integer.")
    for name in _SIZES:
        if (args.number(name) or 0) < 0:
            raise OptionError(f"Value for --{name} must be a non-negative integer.")
    if (args.number("record-header-size") or 0) < -1:
        raise OptionError(
            "Value for --record-header-size must be a non-negative integer or -1 for null header "
            "value."
        )
    if args.text("producer-acks") not in ("1", "all"):
        raise OptionError(
            "Invalid value for --producer-acks. Latency testing requires synchronous "
            "acknowledgement. Please use '1' or 'all'."
        )


TOOL = Tool(
    "kafka-e2e-latency",
    "This tool measures end-to-end latency in Kafka by sending messages and timing their "
    "reception.",
    check=_check,
    failure=message_alone,
    read=_read,
)
TOOL.add(Verb("latency", do, options=(o.TOPIC, *o.OF_LATENCY)))
