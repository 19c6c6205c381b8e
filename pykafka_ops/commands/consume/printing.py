"""Records to standard output: the work of ``pko consume`` and kafka-console-consumer."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence

from pykafka_ops.commands.console.ending import ending_well
from pykafka_ops.commands.console.errors import java_line, log
from pykafka_ops.commands.console.rdkafka import pairs
from pykafka_ops.commands.consume.formatter import (
    Consumed,
    DefaultFormatter,
    Formats,
    Formatter,
    JsonFormatter,
    NoFormatter,
)
from pykafka_ops.commands.consume.internal_formatter import internal_formatter
from pykafka_ops.commands.consume.kafka import LOGGER, SERIALIZATION
from pykafka_ops.commands.consume.source import MessageSource
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import quiet_pipe, say
from pykafka_ops.commands.framework.profile import read_properties
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.payload.deserializers import DeserializeError
from pykafka_ops.commands.payload.formats import formats_of
from pykafka_ops.errors import PkoError, UsageError

BATCH = 500


def consume(run: Run) -> int:
    """Print records until --max-messages, --timeout-ms, Ctrl-C or a closed pipe; the exit code."""
    args = run.args
    if not args.flags:
        _check(args)
    out = _formatter(run)
    timeout = args.number("timeout-ms")
    source = MessageSource(run)
    printer = _Printer(source, out, args)
    with ending_well() as signals:
        try:
            source.start()
            limit = args.number("max-messages")
            printer.run(-1 if limit is None else limit, timeout, signals)
        except BrokenPipeError:
            if not args.flags:
                raise
            quiet_pipe()  # whoever read has enough, which is no error to Kafka's tool
        finally:
            source.close()
            if args.flags or sys.stderr.isatty():
                say(f"Processed a total of {printer.count} messages")
    return 0


def _check(args: Args) -> None:
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


def _formatter(run: Run) -> Formatter:
    args = run.args
    config = args.text("formatter-config")
    properties = dict(read_properties(config)) if config else {}
    properties.update(pairs(args.texts("property"), "property", strict=not args.flags))
    for part in ("key", "value"):
        given = args.text(f"{part}-deserializer")
        if given:
            properties[f"{part}.deserializer"] = given
    name = args.text("formatter") or DECODERS.get(args.text("decode") or "")
    formats = formats_of(args)
    if name is None and run.output == "json":
        return JsonFormatter(formats)
    try:
        return formatter(name or "DefaultMessageFormatter", properties, say, formats)
    except UsageError as error:
        if args.flags or str(error) != name:
            raise
        raise UsageError(f"--formatter {name}: not known here; pko consume --help") from None


class _Printer:
    """Pulls messages, formats, writes, counts."""

    def __init__(self, source: MessageSource, out: Formatter, args: Args) -> None:
        self.source, self.out, self.flags = source, out, args.flags
        self.skip = args.has("skip-message-on-error")
        self.count = 0

    def run(self, limit: int, timeout_ms: int | None, signals: ending_well) -> None:
        """Until ``limit`` records (-1: no limit) or ``timeout_ms`` without one (< 0: no limit)."""
        patience = float("inf") if timeout_ms is None or timeout_ms < 0 else timeout_ms / 1000
        write, flush = sys.stdout.buffer.write, sys.stdout.buffer.flush
        last = time.monotonic()
        while limit == -1 or self.count < limit:
            left = patience - (time.monotonic() - last)
            if left <= 0:
                return
            wanted = BATCH if limit == -1 else min(BATCH, limit - self.count)
            try:
                messages = self.source.poll(wanted, left)
            except PkoError as error:
                if not self.flags:
                    raise
                log("ERROR", "Error processing message, terminating consumer process: ", LOGGER)
                say(java_line(error))
                return
            if messages:
                lines = self._lines(messages)
                signals.hold()
                write(lines)
                flush()
                self.source.done(messages)
                signals.release()
                last = time.monotonic()

    def _lines(self, messages: Sequence[Consumed]) -> bytes:
        try:
            lines = self.out.batch(messages)
        except DeserializeError:
            return self._one_by_one(messages)
        self.count += len(messages)
        return lines

    def _one_by_one(self, messages: Sequence[Consumed]) -> bytes:
        """The slow way, after an error somewhere in the batch: what is before it is written."""
        lines = []
        for message in messages:
            self.count += 1
            try:
                lines.append(self.out.format(message))
            except DeserializeError as error:
                if not self.skip:
                    sys.stdout.buffer.write(b"".join(lines))
                    sys.stdout.buffer.flush()
                    raise
                self._skipped(message, error)
        return b"".join(lines)

    def _skipped(self, message: Consumed, error: DeserializeError) -> None:
        if self.flags:
            log("ERROR", "Error processing message, skipping this message: ", LOGGER)
            say(f"{SERIALIZATION}: {error}")
        else:
            say(f"skipped {message.topic()}-{message.partition()} @{message.offset()}: {error}")


# --- formatters by name --------------------------------------------------------------------------

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
    if short in DECODERS.values():
        return internal_formatter(short, old=name.startswith("kafka.coordinator."))
    if short == "NoOpMessageFormatter":
        return NoFormatter()
    if short in ("DefaultMessageFormatter", "LoggingMessageFormatter"):  # the log line is INFO
        return DefaultFormatter(properties, formats)
    raise UsageError(name)
