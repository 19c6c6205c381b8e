"""kafka-client-metrics: its checks and its texts, as ClientMetricsCommand of Kafka 4.3 has them."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import PkoError

_ACTIONS = ("alter", "delete", "describe", "list")


def check(args: Args) -> None:
    """One action, with what belongs to it."""
    if sum(map(args.has, _ACTIONS)) != 1:
        raise OptionError(
            "Command must include exactly one action: --alter, --delete, --describe or --list."
        )
    if not args.has("bootstrap-server"):
        raise OptionError("--bootstrap-server must be specified.")
    settings = ("generate-name", "interval", "match", "metrics")
    args.forbid("delete", *settings)
    args.forbid("describe", *settings)
    args.forbid("list", "name", *settings)
    interval = args.text("interval")
    if interval and java_integer(interval) is None:
        raise OptionError("Invalid interval value. Enter an integer, or leave empty to reset.")
    if args.has("alter") and args.has("name") == args.has("generate-name"):
        raise OptionError("One of --name or --generate-name must be specified with --alter.")
    if args.has("delete") and not args.has("name"):
        raise OptionError("A client metrics resource name must be specified with --delete.")


def failure(error: PkoError, run: Run) -> int:
    """What goes wrong before the work goes to stderr, the rest to stdout; 1."""
    from pykafka_ops.commands.framework.failures import is_usage, text_of

    if is_usage(error, run):
        sys.stderr.write(f"{text_of(error)}\n")
    else:
        sys.stdout.write(f"Error while executing client metrics command : {text_of(error)}\n")
    return 1
