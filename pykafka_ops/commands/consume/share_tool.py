"""kafka-console-share-consumer of Kafka 4."""

from __future__ import annotations

import sys

from pykafka_ops.analysis.java_hash import in_hash_order, java_hash
from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.types import (
    FILE_PATH,
    GROUP_NAME,
    MILLIS,
    OR_MINUS_ONE,
    TOPIC_NAME,
)
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.groups.kafka4 import RELEASE
from pykafka_ops.commands.kafka_syntax import jopt
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.errors import DeserializeError, PkoError, UsageError

GROUP = "console-share-consumer"
FORM = (
    "of the formatter: print.timestamp, print.key, print.offset, print.delivery, print.epoch, "
    "print.partition, print.headers, print.value, key.separator, line.separator, "
    "headers.separator, null.literal, key.deserializer, value.deserializer, headers.deserializer"
)
# fmt: off
OPTIONS = (
    Option("--topic", metavar="TOPIC", type=TOPIC_NAME, help="the topic to read"),
    Option("--group", metavar="GROUP", type=GROUP_NAME,
           help=f"the share group ({GROUP} if nothing names another)"),
    Option("--max-messages", metavar="N", type=OR_MINUS_ONE,
           help="stop after that many records"),
    Option("--timeout-ms", metavar="MS", type=MILLIS,
           help="stop when no record came for that long"),
    Switch("--reject", help="reject records as they are read: nobody gets them again"),
    Switch("--release", help="release records as they are read: they come again"),
    Switch("--reject-message-on-error",
           help="reject a record that cannot be shown, and go on"),
    Option("--formatter", metavar="CLASS", help="Kafka's class of a message formatter"),
    Option("--formatter-property", metavar="KEY=VALUE", multiple=True, help=FORM),
    Option("--property", metavar="KEY=VALUE", multiple=True,
           help="old name of --formatter-property"),
    Option("--formatter-config", metavar="FILE", type=FILE_PATH,
           help="a .properties file for the formatter"),
    Option("--key-deserializer", metavar="CLASS", help="Java class name of a deserializer"),
    Option("--value-deserializer", metavar="CLASS", help="Java class name of a deserializer"),
    Option("--command-property", metavar="KEY=VALUE", multiple=True, help="one client setting"),
    Option("--consumer-property", metavar="KEY=VALUE", multiple=True,
           help="old name of --command-property"),
    Option("--consumer-config", metavar="FILE", type=FILE_PATH,
           help="old name of --command-config"),
    Switch("--enable-systest-events", help="print when the consumer has ended"),
)
# fmt: on
_OLD = (
    ("consumer-property", "command-property"),
    ("consumer-config", "command-config"),
    ("property", "formatter-property"),
)  # fmt: skip


def _check(args: Args) -> None:
    """The checks of ConsoleShareConsumerOptions, in its order."""
    if not args.has("topic"):
        raise OptionError("--topic is a required argument")
    args.require("bootstrap-server")
    if args.has("reject") and args.has("release"):
        raise OptionError("At most one of --reject and --release may be specified.")
    for old, new in _OLD[:2]:
        if args.has(old) and args.has(new):
            raise OptionError(f"Options --{old} and --{new} cannot be specified together.")
    for old, new in _OLD[:2]:
        _told_old(args, old, new)


def _told_old(args: Args, old: str, new: str) -> None:
    if args.has(old):
        sys.stdout.write(
            f"Option --{old} is deprecated and will be removed in a future version. "
            f"Use --{new} instead.\n"
        )


def _failure(error: PkoError, run: Run) -> int:
    """ConsoleShareConsumer's last words; Java's stack traces are left out."""
    from pykafka_ops.client.config import ClientConfigError
    from pykafka_ops.commands.console.errors import config_exception, java_line, log
    from pykafka_ops.commands.consume.kafka import SERIALIZATION
    from pykafka_ops.commands.consume.share import LOGGER
    from pykafka_ops.commands.framework.output import say
    from pykafka_ops.commands.framework.profile import UnreadableFileError

    text = str(error)
    if isinstance(error, UnreadableFileError):
        say(f'Exception in thread "main" java.nio.file.NoSuchFileException: {text}')
        return 1
    lazily = text.startswith("Cannot parse argument")  # numbers are looked at when work begins
    if isinstance(error, UsageError) and not isinstance(error, ClientConfigError) and not lazily:
        say(text)
        return 1
    log("ERROR", "Unknown error when running consumer: ", LOGGER)
    if isinstance(error, ClientConfigError):
        say("\n".join(config_exception(error, "share consumer")))
    elif lazily:
        say(f"{jopt.exception(text)}: {text}")
    elif isinstance(error, DeserializeError):
        say(f"{SERIALIZATION}: {text}")
    else:
        say(java_line(error))
    return 1


def _group(args: Args, file: dict[str, str], options: dict[str, str]) -> str:
    ids = [args.text("group"), file.get("group.id"), options.get("group.id")]
    known = list(dict.fromkeys(i for i in ids if i))
    if len(known) > 1:
        raise OptionError(
            "The group ids provided in different places (directly using '--group', via "
            "'--consumer-property', or via '--consumer-config') do not match. Detected group ids: "
            + ", ".join(f"'{i}'" for i in in_hash_order(known, java_hash))
        )
    return known[0] if known else GROUP


def run_tool(run: Run) -> int:
    """Read and print; the exit code."""
    from pykafka_ops.client.completed import completed
    from pykafka_ops.client.share.session import AckType
    from pykafka_ops.commands.console.rdkafka import pairs
    from pykafka_ops.commands.consume.printing import formatter_of
    from pykafka_ops.commands.consume.share import cluster_of, print_shared
    from pykafka_ops.commands.framework.profile import gathered, read_properties

    args = run.args
    path = args.text("consumer-config") or args.text("command-config")
    file = dict(read_properties(path)) if path else {}
    name = "consumer-property" if args.has("consumer-property") else "command-property"
    options = pairs(args.texts(name), name, strict=False)
    options.pop("", None)
    group = _group(args, file, options)
    if args.has("property") and args.has("formatter-property"):
        text = "Options --property and --formatter-property cannot be specified together."
        raise OptionError(text)
    _told_old(args, "property", "formatter-property")
    out = formatter_of(run, "property" if args.has("property") else "formatter-property")
    args.number("max-messages")
    base = gathered(args, run.profile, run.env)
    merged = {**base, **file, **options, "bootstrap.servers": base["bootstrap.servers"]}
    merged.setdefault("client.id", GROUP)
    kind = AckType.ACCEPT
    if args.has("reject") or args.has("release"):
        kind = AckType.REJECT if args.has("reject") else AckType.RELEASE
    cluster = cluster_of(completed(merged, run.env))
    try:
        code = print_shared(cluster, args, out, group, args.text("topic") or "", kind)
    finally:
        cluster.close()
    if args.has("enable-systest-events"):
        sys.stdout.write("shutdown_complete\n")
    return code


TOOL = Tool(
    f"kafka-{GROUP}",
    "This tool helps to read data from Kafka topics using share groups and outputs it to "
    "standard output.",
    check=_check,
    failure=_failure,
)
TOOL.release = RELEASE
TOOL.add(Verb("consume", run_tool, options=OPTIONS))
