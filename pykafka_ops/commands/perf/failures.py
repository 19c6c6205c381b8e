"""What ends the performance tools, in Kafka's words."""

from __future__ import annotations

import sys

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.client.share.settings import NotOfShareGroupsError
from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.failures import execution_text
from pykafka_ops.commands.framework.profile import UnreadableFileError
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

ARGUMENT = "java.lang.IllegalArgumentException"


class PerfError(PkoError):
    """A test that cannot be run, or that failed. ``java``: the exception that ends Kafka's tool."""

    exit_code = 1

    def __init__(self, text: str, java: str) -> None:
        super().__init__(text)
        self.java = java


def exactly_one(args: Args, *names: str) -> None:
    """OptionError unless one of them is given, and no more."""
    if sum(map(args.has, names)) != 1:
        shown = ", ".join(f"[{name}]" for name in names)
        raise OptionError(f"Exactly one of the following arguments is required: {shown}")


def uncaught(error: PkoError, run: Run) -> int:
    """As the JVM ends with it; 1."""
    from pykafka_ops.commands.console.errors import config_exception

    if isinstance(error, OptionError):
        sys.stderr.write(f"{error}\n")
        return 1
    if isinstance(error, PerfError):
        text = f"{error.java}: {error}"
    elif isinstance(error, UnreadableFileError):
        text = f"java.nio.file.NoSuchFileException: {error}"
    elif isinstance(error, ClientConfigError):
        text = "\n".join(config_exception(error, "Producer"))
    else:
        text = execution_text(error)
    sys.stderr.write(f'Exception in thread "main" {text}\n')
    return 1


def message_alone(error: PkoError, run: Run) -> int:
    """The message on stderr; 1."""
    sys.stderr.write(f"{execution_text(error)}\n")
    return 1


def in_thread(error: PkoError, run: Run) -> int:
    """As ShareConsumerPerformance ends: the message, of what a member threw with its name; 1."""
    text = str(error)
    if isinstance(error, PerfError):
        text = f"{error.java}: {error}"
    elif not isinstance(error, ClientConfigError):
        text = execution_text(error)
    elif not isinstance(error, NotOfShareGroupsError) and not text.startswith("Invalid value"):
        cause = f"org.apache.kafka.common.config.ConfigException: {text}"
        text = f"Failed to construct Kafka share consumer\nCaused by: {cause}"
    sys.stderr.write(f"{text}\n")
    return 1
