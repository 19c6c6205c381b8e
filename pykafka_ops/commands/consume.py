"""``pko consume`` and kafka-console-consumer: options and checks; the work is in ``_consume``."""

from __future__ import annotations

from pykafka_ops.commands.framework.options import Args, Command, Opt, OptionError, Pos, Verb
from pykafka_ops.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.context import Context
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


def failure(error: PkoError, ctx: Context) -> int:
    """ConsoleConsumer's last words; Java's stack traces are left out."""
    from pykafka_ops.commands.console.consuming import last_words

    last_words(error, ctx)
    return 1


def start(ctx: Context) -> int:
    """The verb: its own checks, then the work."""
    args = ctx.args
    if not args.flags:
        _check_verb(args)
    from pykafka_ops.commands.console.consuming import consume

    return consume(ctx)


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


COMMAND = Command(
    "consume",
    "This tool helps to read data from Kafka topics and outputs it to standard output.",
    (
        Opt("topic", "the topic to read", "TOPIC", complete="topics"),
        Opt("include", "read all topics whose whole name matches, internal ones left out; new "
            "ones too (seen within 5 s)", "REGEX"),
        Opt("whitelist", "old name of --include", "REGEX", hidden=True),
        Opt("partition", "read that partition only", "N", kind="int", short="p"),
        Opt("offset", "where to start in the partition: earliest, latest or a number (default: "
            "latest)", "OFFSET"),
        Opt("from-beginning", "start at the earliest record instead of the latest; a group that "
            "has committed goes on from there"),
        Opt("max-messages", "stop after that many records", "N", kind="int", short="n"),
        Opt("timeout-ms", "stop when no record came for that long", "MS", kind="long"),
        Opt("group", "read as a member of that group and commit what was printed", "GROUP",
            complete="groups", short="g"),
        Opt("isolation-level", "read_committed leaves out aborted and open transactions (default: "
            "read_uncommitted)", "LEVEL"),
        Opt("formatter", "Kafka's class of a message formatter: DefaultMessageFormatter (the "
            "default), LoggingMessageFormatter, NoOpMessageFormatter, OffsetsMessageFormatter, "
            "GroupMetadataMessageFormatter, TransactionLogMessageFormatter", "CLASS"),
        Opt("decode", "records of an internal topic as JSON lines", "WHAT",
            choices=tuple(DECODERS), ours=True),
        Opt("property", "of the formatter: print.timestamp, print.key, print.offset, "
            "print.partition, print.headers, print.value, key.separator, line.separator, "
            "headers.separator, null.literal, key.deserializer, value.deserializer, "
            "headers.deserializer", "KEY=VALUE", many=True),
        Opt("formatter-config", "a .properties file for the formatter", "FILE", complete="file"),
        Opt("key-deserializer", "Java class name of a deserializer", "CLASS"),
        Opt("value-deserializer", "Java class name of a deserializer", "CLASS"),
        Opt("key-format", "show keys, which are utf-8, hex, base64, json, int, long or "
            "avro:SCHEMA-FILE (Confluent's 5 bytes before the data are skipped)", "FORMAT",
            ours=True),
        Opt("value-format", "what values are, as for keys", "FORMAT", ours=True),
        Opt("consumer-property", "one client setting", "KEY=VALUE", many=True),
        Opt("consumer.config", "a .properties file of client settings", "FILE", complete="file"),
        Opt("skip-message-on-error", "go on after a record that cannot be shown"),
        Opt("enable-systest-events", "accepted and without effect"),
        Opt("output", "text as Kafka's tool prints it, or one JSON object a line", "FORMAT",
            short="o", ours=True, default="table", choices=("table", "json")),
    ),
    (
        Verb("", "read records of a topic", start, words=(Pos("topic", "?"),),
             options=("include", "partition", "offset", "from-beginning", "max-messages",
                      "timeout-ms", "group", "isolation-level", "formatter", "decode", "property",
                      "formatter-config", "key-deserializer", "value-deserializer", "key-format",
                      "value-format",
                      "consumer-property", "consumer.config", "skip-message-on-error"),
             examples=("pko consume orders --from-beginning -n 10 -b localhost:9092",
                       "pko consume orders -p 0 --offset 1200 -o json",
                       "pko consume __consumer_offsets --decode offsets --from-beginning")),
    ),
    tool="kafka-console-consumer",
    check=_check,
    failure=failure,
)  # fmt: skip
