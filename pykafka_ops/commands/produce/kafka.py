"""``pko produce`` and kafka-console-producer: options and checks; the work is in ``_produce``."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Run
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


def failure(error: PkoError, run: Run) -> int:
    """ConsoleProducer's last words; Java's stack traces are left out."""
    from pykafka_ops.commands.console.producing import last_words

    last_words(error)
    return 1


def start(run: Run) -> int:
    """The verb: its own checks, then the work."""
    args = run.args
    if not args.flags:
        _check_verb(args)
    from pykafka_ops.commands.console.producing import produce

    return produce(run)


def _check_verb(args: Args) -> None:
    if args.has("json"):
        for name in ("key", "header", "partition", "property", "reader-config"):
            if args.has(name):
                raise UsageError(f"--{name} has no meaning with --json, whose lines say it all")
    elif args.has("keep-partition"):
        raise UsageError("--keep-partition goes with --json")
