"""kafka-console-consumer: what it checks, and its last words."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

LOGGER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
SERIALIZATION = "org.apache.kafka.common.errors.SerializationException"
WHITELIST = "--whitelist is DEPRECATED use --include instead; ignored if --include specified."


def check(args: Args) -> None:
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
    if args.has("zookeeper") and args.has("bootstrap-server"):
        raise OptionError(
            "Option zookeeper is not valid with bootstrap-server: say one of the two."
        )
    if not args.has("zookeeper"):
        args.require("bootstrap-server")


def failure(error: PkoError, run: Run) -> int:
    """ConsoleConsumer's last words; Java's stack traces are left out."""
    from pykafka_ops.client.config import ClientConfigError
    from pykafka_ops.commands.console.errors import config_exception, java_line
    from pykafka_ops.commands.framework.output import say
    from pykafka_ops.commands.framework.profile import UnreadableFileError
    from pykafka_ops.errors import DeserializeError, UsageError

    text = str(error)
    if run.args.has("whitelist") and isinstance(error, OptionError) and not run.started:
        text += WHITELIST if "--include" in text else ""
    if isinstance(error, UnreadableFileError):
        say(f'Exception in thread "main" java.nio.file.NoSuchFileException: {text}')
    elif isinstance(error, OptionError) and text.startswith("Cannot parse argument"):
        exception = f"joptsimple.OptionArgumentConversionException: {text}"
        if "max-messages" in text:  # the only number that is looked at when all has begun
            _unknown(exception)
        else:
            say(f'Exception in thread "main" {exception}')
    elif isinstance(error, ClientConfigError):
        _unknown("\n".join(config_exception(error, "Consumer")))
    elif isinstance(error, UsageError):
        say(text)
    elif isinstance(error, DeserializeError):
        _unknown(f"{SERIALIZATION}: {text}")
    else:
        _unknown(java_line(error))
    return 1


def _unknown(exception: str) -> None:
    from pykafka_ops.commands.console.errors import log
    from pykafka_ops.commands.framework.output import say

    log("ERROR", "Unknown error when running consumer: ", LOGGER)
    say(exception)
