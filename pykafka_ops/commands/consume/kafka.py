"""``pko consume`` and kafka-console-consumer: options and checks; the work is in ``_consume``."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Run
    from pykafka_ops.errors import PkoError

DECODERS = {
    "offsets": "OffsetsMessageFormatter",
    "groups": "GroupMetadataMessageFormatter",
    "transactions": "TransactionLogMessageFormatter",
}
WHITELIST = "--whitelist is DEPRECATED use --include instead; ignored if --include specified."


def _check(args: Args) -> None:
    """ConsoleConsumerOptions' checks, in its order and with its words."""
    if args.has("topic") == (args.has("include") or args.has("whitelist")):
        raise OptionError("Exactly one of --include/--topic is required. ")
    if args.has("partition"):
        args.number("partition")
        if not args.has("topic"):
            raise OptionError("The topic is required when partition is specified.")
        if args.has("from-beginning") and args.has("offset"):
            raise OptionError("Options from-beginning and offset cannot be specified together.")
    elif args.has("offset"):
        raise OptionError("The partition is required when offset is specified.")
    args.require("bootstrap-server")


def failure(error: PkoError, run: Run) -> int:
    """ConsoleConsumer's last words; Java's stack traces are left out."""
    from pykafka_ops.commands.console.consuming import last_words

    last_words(error, run)
    return 1


def start(run: Run) -> int:
    """The verb: its own checks, then the work."""
    args = run.args
    if not args.flags:
        _check_verb(args)
    from pykafka_ops.commands.console.consuming import consume

    return consume(run)


def _check_verb(args: Args) -> None:
    if args.has("topic") == args.has("include"):
        raise UsageError("which topic? name one, or give --include REGEX alone")
    if args.has("offset") and not args.has("partition"):
        raise UsageError("--offset needs --partition")
    if args.has("from-beginning") and args.has("offset"):
        raise UsageError("--from-beginning and --offset exclude each other")
    for part in ("key", "value"):
        if args.has(f"{part}-format") and args.has(f"{part}-deserializer"):
            raise UsageError(f"--{part}-format and --{part}-deserializer exclude each other")
    if (args.has("formatter") or args.has("decode")) and (
        args.has("key-format") or args.has("value-format")
    ):
        raise UsageError("--key-format and --value-format go without --formatter and --decode")
    shown = [o for o in ("formatter", "decode") if args.has(o)]
    if len(shown) + (args.text("output") == "json") > 1:
        raise UsageError(f"choose one of -o json, {' and '.join('--' + o for o in shown)}")
