"""Why records were not sent."""

from __future__ import annotations

from pykafka_ops.errors import PkoError, UsageError


class UnknownReaderError(UsageError):
    """A line reader that is not Kafka's own."""


class LineError(PkoError):
    """A line, or the reader's properties, cannot be understood; the text is Kafka's."""


class UnsentError(PkoError):
    """``--sync``: a record was not taken; the text is Java's exception."""
