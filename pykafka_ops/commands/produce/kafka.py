"""kafka-console-producer: what it checks, what goes wrong, its last words."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError, UsageError

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


class UnknownReaderError(UsageError):
    """A line reader that is not Kafka's own."""


class LineError(PkoError):
    """A line, or the reader's properties, cannot be understood; the text is Kafka's."""


class UnsentError(PkoError):
    """``--sync``: a record was not taken; the text is Java's exception."""


def check(args: Args) -> None:
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
    from pykafka_ops.client.config import ClientConfigError
    from pykafka_ops.commands.console.errors import config_exception
    from pykafka_ops.commands.framework.output import say
    from pykafka_ops.commands.framework.profile import UnreadableFileError

    text = str(error)
    if isinstance(error, UnreadableFileError):
        say(f"java.nio.file.NoSuchFileException: {text}")
    elif isinstance(error, UnknownReaderError):
        say(f"java.lang.ClassNotFoundException: {text}")
    elif isinstance(error, LineError):
        say(f"org.apache.kafka.common.KafkaException: {text}")
    elif isinstance(error, UnsentError):
        say(f"java.util.concurrent.ExecutionException: {text}")
    elif isinstance(error, ClientConfigError):
        say("\n".join(config_exception(error, "Producer")))
    else:
        say(text)
    return 1
