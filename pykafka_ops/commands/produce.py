"""``pko produce`` and kafka-console-producer: options and checks; the work is in ``_produce``."""

from __future__ import annotations

from pykafka_ops.commands.framework.options import Args, Command, Opt, OptionError, Pos, Verb
from pykafka_ops.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.context import Context
    from pykafka_ops.errors import PkoError

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


def _check(args: Args) -> None:
    """ProducerConfig's checks, with its words."""
    args.require("topic")
    if not args.has("bootstrap-server") and not args.has("broker-list"):
        raise OptionError("Missing required option(s) [bootstrap-server]")
    servers = args.text("bootstrap-server") or args.text("broker-list") or ""
    for server in servers.split(","):
        if not server.rpartition(":")[2].isdigit():
            raise OptionError("Please provide valid host:port like host1:9091,host2:9092\n ")


def failure(error: PkoError, ctx: Context) -> int:
    """ConsoleProducer's last words; Java's stack traces are left out."""
    from pykafka_ops.commands.console.producing import last_words

    last_words(error)
    return 1


def start(ctx: Context) -> int:
    """The verb: its own checks, then the work."""
    args = ctx.args
    if not args.flags:
        _check_verb(args)
    from pykafka_ops.commands.console.producing import produce

    return produce(ctx)


def _check_verb(args: Args) -> None:
    if args.has("json"):
        for name in ("key", "header", "partition", "property", "reader-config"):
            if args.has(name):
                raise UsageError(f"--{name} has no meaning with --json, whose lines say it all")
    elif args.has("keep-partition"):
        raise UsageError("--keep-partition goes with --json")


COMMAND = Command(
    "produce",
    "This tool helps to read data from standard input and publish it to Kafka.",
    (
        Opt("topic", "the topic to write to", "TOPIC", complete="topics"),
        Opt("broker-list", "old name of --bootstrap-server", "HOST:PORT", hidden=True,
            alias="bootstrap-server"),
        Opt("sync", "wait for each record's acknowledgement before the next"),
        Opt("compression-codec", "gzip when given bare (default: none)", "CODEC",
            optional="gzip", choices=CODECS),
        Opt("batch-size", "bytes of one batch at most (default: 16384, with the verb 1000000)",
            "BYTES", kind="int"),
        Opt("message-send-max-retries", "how often a send is tried again (default: 3; with the "
            "verb as often as the 2 minutes of delivery.timeout.ms allow)", "N", kind="int"),
        Opt("retry-backoff-ms", "pause before a retry (default: 100)", "MS", kind="long"),
        Opt("timeout", "how long records wait for company in a batch (default: 1000, with the "
            "verb 5)", "MS", kind="long"),
        Opt("request-required-acks", "acknowledgements: all (-1), 1 or 0 (default: -1)", "ACKS"),
        Opt("request-timeout-ms", "how long the broker may wait for acknowledgements (default: "
            "1500, with the verb 30000)", "MS", kind="int"),
        Opt("metadata-expiry-ms", "refresh metadata at least that often (default: 300000)", "MS",
            kind="long"),
        Opt("max-block-ms", "how long a record waits for buffer space, and in Kafka's tool for "
            "the topic (default: 60000)", "MS", kind="long"),
        Opt("max-memory-bytes", "bytes of records waiting to be sent (default: 33554432, with the "
            "verb 134217728)", "BYTES", kind="long"),
        Opt("max-partition-memory-bytes", "the same as --batch-size, and stronger", "BYTES",
            kind="int"),
        Opt("socket-buffer-size", "the socket's send buffer (default: 102400, with the verb the "
            "system's)", "BYTES", kind="int"),
        Opt("line-reader", "class of the line reader; only Kafka's own is known", "CLASS"),
        Opt("property", "of the line reader: parse.key, parse.headers, key.separator, "
            "headers.delimiter, headers.separator, headers.key.separator, null.marker, "
            "ignore.error", "KEY=VALUE", many=True),
        Opt("reader-config", "a .properties file for the line reader", "FILE", complete="file"),
        Opt("producer-property", "one client setting", "KEY=VALUE", many=True),
        Opt("producer.config", "a .properties file of client settings", "FILE", complete="file"),
        Opt("key", "the same key for every record", "KEY", short="k", ours=True),
        Opt("header", "a header for every record", "KEY=VALUE", many=True, short="H", ours=True),
        Opt("partition", "write to that partition", "N", kind="int", short="p", ours=True),
        Opt("json", "lines are JSON as `pko consume -o json` prints them", ours=True),
        Opt("keep-partition", "with --json, write to the partition that the line names",
            ours=True),
    ),
    (
        Verb("", "write records from standard input, one a line", start,
             words=(Pos("topic"),),
             options=("sync", "compression-codec", "batch-size", "message-send-max-retries",
                      "retry-backoff-ms", "timeout", "request-required-acks",
                      "request-timeout-ms", "metadata-expiry-ms", "max-block-ms",
                      "max-memory-bytes", "max-partition-memory-bytes", "socket-buffer-size",
                      "line-reader", "property", "reader-config", "producer-property",
                      "producer.config", "key", "header", "partition", "json",
                      "keep-partition"),
             examples=("echo hello | pko produce greetings -b localhost:9092",
                       "pko produce orders --property parse.key=true --property key.separator=: "
                       "< orders.txt",
                       "pko consume a --from-beginning -o json | pko produce b --json")),
    ),
    tool="kafka-console-producer",
    check=_check,
    failure=failure,
)  # fmt: skip
