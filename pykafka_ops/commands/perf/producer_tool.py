"""kafka-producer-perf-test, as ProducerPerformance of Kafka 4.3."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax.grammar import Argument, folded, reader, usage
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import BOOTSTRAP, COMMAND_CONFIG
from pykafka_ops.commands.perf import options as o
from pykafka_ops.commands.perf.failures import uncaught
from pykafka_ops.commands.perf.work import do

NAME = "kafka-producer-perf-test"
_PAIR = "PROP-NAME=PROP-VALUE"
GRAMMAR = {
    "": (
        Argument(BOOTSTRAP, metavar="BOOTSTRAP-SERVER", letterless=True),
        Argument(o.TOPIC, required=True),
        Argument(o.NUM_RECORDS, required=True, kind="Long", metavar="NUM-RECORDS"),
        Argument(o.PAYLOAD_DELIMITER, metavar="PAYLOAD-DELIMITER"),
        Argument(o.THROUGHPUT, required=True, kind="Double"),
        Argument(o.OLD_PROPERTY, several=True, metavar=_PAIR),
        Argument(o.PROPERTY, several=True, metavar=_PAIR),
        Argument(o.PRODUCER_CONFIG, metavar="CONFIG-FILE"),
        Argument(COMMAND_CONFIG, metavar="CONFIG-FILE"),
        Argument(o.PRINT_METRICS),
        Argument(o.TRANSACTIONAL_ID, metavar="TRANSACTIONAL-ID"),
        Argument(o.TRANSACTION_MS, kind="Long", metavar="TRANSACTION-DURATION"),
        Argument(o.WARMUP, kind="Long", metavar="WARMUP-RECORDS"),
        Argument(o.INTERVAL, kind="Long", metavar="INTERVAL-MS"),
        Argument(o.RECORD_SIZE, kind="Integer", group="payload", metavar="RECORD-SIZE"),
        Argument(o.PAYLOAD_FILE, group="payload", metavar="PAYLOAD-FILE"),
        Argument(o.PAYLOAD_MONOTONIC, group="payload"),
    )
}
_GROUPS = ("payload",)
_OLD = {"producer-props": "command-property", "producer.config": "command-config"}


def _no(text: str) -> OptionError:
    said = folded(f"{NAME}: error: {text}")
    return OptionError(f"{usage(NAME, GRAMMAR, '', _GROUPS)}\n{said}")


def _check(args: Args) -> None:
    """As ``ConfigPostProcessor``."""
    records = args.number("num-records") or 0
    if records <= 0:
        raise _no("--num-records should be greater than zero.")
    if (args.number("warmup-records") or 0) >= records:
        raise _no("The value for --warmup-records must be strictly fewer than the number of "
                  "records in the test, --num-records.")  # fmt: skip
    servers = args.has("bootstrap-server") and "bootstrap-server" not in args.filled
    if not servers and not any(args.has(n) for n in (*_OLD, *_OLD.values())):
        raise _no("At least one of --bootstrap-server, --command-property, --producer-props, "
                  "--producer.config or --command-config must be specified.")  # fmt: skip
    for name in ("record-size", "transaction-duration-ms", "reporting-interval"):
        if args.has(name) and (args.number(name) or 0) <= 0:
            raise _no(f"--{name} should be greater than zero.")
    for old, new in _OLD.items():
        if args.has(old) and args.has(new):
            raise _no(f"--{new} and --{old} cannot be specified together.")
    for old, new in _OLD.items():
        if args.has(old):
            sys.stdout.write(
                f"Option --{old} has been deprecated and will be removed in a future version. "
                f"Use --{new} instead.\n"
            )


TOOL = Tool(NAME, "This tool is used to verify the producer performance.", check=_check,
            failure=uncaught, read=reader(GRAMMAR, _GROUPS))  # fmt: skip
TOOL.program = NAME
TOOL.add(Verb("produce", do, options=(o.TOPIC, *o.OF_PRODUCER, o.OLD_PROPERTY, o.PRODUCER_CONFIG)))
