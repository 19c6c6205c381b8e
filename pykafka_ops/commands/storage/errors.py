"""What ``kafka-storage`` ends with, in Kafka's words."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.failures import text_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import PkoError

RUNTIME = "java.lang.RuntimeException"
ARGUMENT = "java.lang.IllegalArgumentException"
CONFIG = "org.apache.kafka.common.config.ConfigException"


class StorageToolError(PkoError):
    """The command cannot be done. ``java``: the exception that ends Kafka's tool, "" where it says
    the text alone."""

    exit_code = 1

    def __init__(self, text: str, java: str = "") -> None:
        super().__init__(text)
        self.java = java


def on_stderr(error: PkoError, run: Run) -> int:
    """As the tool, or the JVM that it runs in, says it; 1."""
    java = error.java if isinstance(error, StorageToolError) else ""
    head = f'Exception in thread "main" {java}: ' if java else ""
    sys.stderr.write(f"{head}{text_of(error)}\n")
    return 1
