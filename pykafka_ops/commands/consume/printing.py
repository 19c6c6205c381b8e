"""Records to standard output: the work of ``pko consume`` and kafka-console-consumer."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from pykafka_ops.analysis.logs.query import RecordQuery
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
from pykafka_ops.commands.consume.pattern import PatternFormatter
from pykafka_ops.commands.consume.source import MessageSource
from pykafka_ops.commands.consume.table import TableFormatter
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import quiet_pipe, say
from pykafka_ops.commands.framework.profile import read_properties
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.payload.formats import formats_of
from pykafka_ops.commands.payload.query import content_query
from pykafka_ops.errors import DeserializeError, PkoError, UsageError

BATCH = 500


def consume(run: Run) -> int:
    """Print records until --max-messages, --timeout-ms, Ctrl-C or a closed pipe; the exit code."""
    args = run.args
    if not args.flags:
        _check(args)
    out = formatter_of(run)
    timeout = args.number("timeout-ms")
    source = MessageSource(run)
    printer = Printer(source, out, args)
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
    form = args.text("output")
    shown = [f"--{o}" for o in ("format", "formatter", "decode") if args.has(o)]
    shown += [f"-o {form}"] if args.has("output") and form != "text" else []
    if len(shown) > 1:
        raise UsageError(f"choose one of {' and '.join(shown)}")


def formatter_of(run: Run, option: str = "property") -> Formatter:
    """The formatter that the command line means; ``option`` has its properties. UsageError."""
    args = run.args
    config = args.text("formatter-config")
    properties = dict(read_properties(config)) if config else {}
    properties.update(pairs(args.texts(option), option, strict=not args.flags))
    for part in ("key", "value"):
        given = args.text(f"{part}-deserializer")
        if given:
            properties[f"{part}.deserializer"] = given
    name = args.text("formatter")
    if name is None and args.has("decode"):
        return internal_formatter(args.text("decode") or "", old=False)
    formats = formats_of(args)
    if args.has("format"):
        return PatternFormatter(args.text("format") or "", formats)
    form = _form(run)
    if name is None and form == "json":
        return JsonFormatter(formats)
    if name is None and form in ("table", "wide"):
        return TableFormatter(formats, topics=args.has("include"), wide=form == "wide")
    try:
        return formatter(name or "DefaultMessageFormatter", properties, say, formats)
    except UsageError as error:
        if args.flags or str(error) != name:
            raise
        raise UsageError(f"--formatter {name}: not known here; pko consume --help") from None


def _form(run: Run) -> str:
    """Of what is said for all commands json alone counts here: ``table`` is their default."""
    given = run.args.given("output")
    if given:
        return given[-1]
    return "json" if run.output == "json" else "text"


class PrintedSource(Protocol):
    """Where messages come from; ``done``: these were printed."""

    @property
    def finished(self) -> bool: ...
    def poll(self, wanted: int, seconds: float) -> list[Consumed]: ...
    def done(self, messages: Sequence[Consumed]) -> None: ...


class Printer:
    """Pulls messages, formats, writes, counts; ``skip``: goes on after one that cannot be shown."""

    def __init__(self, source: PrintedSource, out: Formatter, args: Args) -> None:
        self.source, self.out, self.flags = source, out, args.flags
        query = RecordQuery() if args.flags else content_query(args, *formats_of(args))
        self.wanted = query if query.of_content else None
        self.skip = args.has("skip-message-on-error")
        self.count = 0

    def run(self, limit: int, timeout_ms: int | None, signals: ending_well) -> None:
        """Until ``limit`` records (-1: no limit) or ``timeout_ms`` without one (< 0: no limit)."""
        patience = float("inf") if timeout_ms is None or timeout_ms < 0 else timeout_ms / 1000
        write, flush = sys.stdout.buffer.write, sys.stdout.buffer.flush
        last = time.monotonic()
        while (limit == -1 or self.count < limit) and not self.source.finished:
            left = patience - (time.monotonic() - last)
            if left <= 0:
                return
            room = BATCH if limit == -1 else min(BATCH, limit - self.count)
            wanted = BATCH if self.wanted is not None else room
            try:
                messages = self.source.poll(wanted, left)
            except PkoError as error:
                if not self.flags:
                    raise
                log("ERROR", "Error processing message, terminating consumer process: ", LOGGER)
                say(java_line(error))
                return
            if messages:
                matches, messages = self._matches(messages, room)
                lines = self._lines(matches) if matches else b""
                signals.hold()
                write(lines)
                flush()
                self.source.done(messages)
                signals.release()
                last = time.monotonic()

    def _matches(
        self, messages: list[Consumed], room: int
    ) -> tuple[list[Consumed], list[Consumed]]:
        """The first ``room`` of those that are looked for, and all up to the last of them."""
        query = self.wanted
        if query is None:
            return messages, messages
        found = []
        for n, m in enumerate(messages):
            if query.content(m.key(), m.value(), lambda m=m: m.headers() or ()):  # type: ignore[misc]
                found.append(m)
                if len(found) == room:
                    return found, messages[: n + 1]
        return found, messages

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
                self.skipped(message, error)
        return b"".join(lines)

    def skipped(self, message: Consumed, error: DeserializeError) -> None:
        """Say that a message could not be shown."""
        if self.flags:
            log("ERROR", "Error processing message, skipping this message: ", LOGGER)
            say(f"{SERIALIZATION}: {error}")
        else:
            say(f"skipped {message.topic()}-{message.partition()} @{message.offset()}: {error}")


# --- formatters by name --------------------------------------------------------------------------

INTERNAL = (
    "OffsetsMessageFormatter",
    "GroupMetadataMessageFormatter",
    "TransactionLogMessageFormatter",
    "ShareGroupMessageFormatter",
    "group.share.ShareGroupStateMessageFormatter",
)
TOOLS = "org.apache.kafka.tools.consumer."
GROUPS = "kafka.coordinator.group.GroupMetadataManager$"
DEPRECATED = {
    "kafka.tools.DefaultMessageFormatter": "DefaultMessageFormatter",
    "kafka.tools.LoggingMessageFormatter": "LoggingMessageFormatter",
    "kafka.tools.NoOpMessageFormatter": "NoOpMessageFormatter",
    f"{GROUPS}OffsetsMessageFormatter": "OffsetsMessageFormatter",
    f"{GROUPS}GroupMetadataMessageFormatter": "GroupMetadataMessageFormatter",
    "kafka.coordinator.GroupMetadataManager$OffsetsMessageFormatter": "OffsetsMessageFormatter",
    "kafka.coordinator.GroupMetadataManager$GroupMetadataMessageFormatter": (
        "GroupMetadataMessageFormatter"
    ),
    "kafka.server.OffsetManager$OffsetsMessageFormatter": "OffsetsMessageFormatter",
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
    if short in INTERNAL:
        return internal_formatter(short, old=name in DEPRECATED)
    if short == "NoOpMessageFormatter":
        return NoFormatter()
    if short in ("DefaultMessageFormatter", "LoggingMessageFormatter"):  # the log line is INFO
        return DefaultFormatter(properties, formats)
    raise UsageError(name)
