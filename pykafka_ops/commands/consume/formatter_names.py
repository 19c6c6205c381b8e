"""Formatters by the names of Kafka's classes, or by what ``--decode`` calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pykafka_ops.commands.consume.formatter import (
    DefaultFormatter,
    Formats,
    Formatter,
    NoFormatter,
)
from pykafka_ops.commands.consume.internal_formatter import internal_formatter
from pykafka_ops.errors import UsageError

DECODERS = {
    "offsets": "OffsetsMessageFormatter",
    "groups": "GroupMetadataMessageFormatter",
    "transactions": "TransactionLogMessageFormatter",
}
TOOLS = "org.apache.kafka.tools.consumer."
GROUPS = "kafka.coordinator.group.GroupMetadataManager$"
DEPRECATED = {
    "kafka.tools.DefaultMessageFormatter": "DefaultMessageFormatter",
    "kafka.tools.LoggingMessageFormatter": "LoggingMessageFormatter",
    "kafka.tools.NoOpMessageFormatter": "NoOpMessageFormatter",
    f"{GROUPS}OffsetsMessageFormatter": "OffsetsMessageFormatter",
    f"{GROUPS}GroupMetadataMessageFormatter": "GroupMetadataMessageFormatter",
    "kafka.coordinator.transaction.TransactionLog$TransactionLogMessageFormatter": (
        "TransactionLogMessageFormatter"
    ),
}
OF_INTERNAL_TOPICS = (
    "OffsetsMessageFormatter",
    "GroupMetadataMessageFormatter",
    "TransactionLogMessageFormatter",
)


def formatter(
    name: str,
    properties: Mapping[str, str],
    warn: Callable[[str], None] = lambda text: None,
    formats: Formats = (None, None),
) -> Formatter:
    """The formatter of a Java class name, with or without its package.

    ``warn`` gets a line where Kafka calls the name deprecated. ``formats`` of key and value
    matter to the default one only. UsageError for an unknown name.
    """
    short = DEPRECATED.get(name) or name.removeprefix(TOOLS)
    if name in DEPRECATED:
        warn(
            f"WARNING: {name} is deprecated and will be removed in the next major release. "
            f"Please use {TOOLS}{short} instead"
        )
    if short in OF_INTERNAL_TOPICS:
        return internal_formatter(short, old=name.startswith("kafka.coordinator."))
    if short == "NoOpMessageFormatter":
        return NoFormatter()
    if short in ("DefaultMessageFormatter", "LoggingMessageFormatter"):  # the log line is INFO
        return DefaultFormatter(properties, formats)
    raise UsageError(name)
