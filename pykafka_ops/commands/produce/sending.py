"""Standard input to records: the work of ``pko produce`` and kafka-console-producer."""

from __future__ import annotations

import itertools
import os
import select
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pykafka_ops.commands.console.ending import ending_well
from pykafka_ops.commands.console.rdkafka import pairs
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.profile import read_properties
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.produce.kafka import LineError, UnknownReaderError
from pykafka_ops.commands.produce.line_reader import Headers, LineReader, text_lines
from pykafka_ops.commands.produce.sender import Record, Sender
from pykafka_ops.errors import PkoError, UsageError

Reader = Callable[[list[bytes]], Iterable[Record]]

CHUNK = 1 << 18
IDLE_SECONDS = 0.1
READERS = (
    "kafka.tools.ConsoleProducer$LineMessageReader",
    "org.apache.kafka.tools.ConsoleProducer$LineMessageReader",
    "org.apache.kafka.tools.LineMessageReader",
)


def produce(run: Run) -> int:
    """Send every line; what was read before a bad one is delivered."""
    args = run.args
    if not args.flags:
        _check(args)
    sender = Sender(run)
    reader = _reader(args)
    with ending_well() as signals:
        try:
            if not args.flags:
                sender.must_be_ready()
            for lines in text_lines(_chunks(args, sender.serve, signals)):
                if reader is None:
                    sender.values(lines)
                else:
                    sender.records(reader(lines))
        except BaseException as error:
            sender.finish(patient=isinstance(error, PkoError))
            raise
        sender.finish(patient=True)
    return sender.result()


def _check(args: Args) -> None:
    if args.has("json"):
        for name in ("key", "header", "partition", "property", "reader-config"):
            if args.has(name):
                raise UsageError(f"--{name} has no meaning with --json, whose lines say it all")
    elif args.has("keep-partition"):
        raise UsageError("--keep-partition goes with --json")


def _chunks(args: Args, idle: Callable[[], None], signals: ending_well) -> Iterator[bytes]:
    """Standard input as it comes; ``idle`` is called while nothing does.

    Signals wait until what was read is sent.
    """
    if sys.stdin is None:
        return
    fd = sys.stdin.fileno()
    terminal = sys.stdout if args.flags else sys.stderr  # ours keeps stdout for data
    prompt = sys.stdin.isatty() and terminal.isatty()
    while True:
        if prompt:
            terminal.write(">")
            terminal.flush()
        while not select.select([fd], [], [], IDLE_SECONDS)[0]:
            idle()
        signals.hold()
        chunk = os.read(fd, CHUNK)
        if not chunk:
            if prompt and not args.flags:
                terminal.write("\n")
            break
        yield chunk
        signals.release()
        idle()
    signals.release()


def _reader(args: Args) -> Reader | None:
    """Makes records of lines; None where each line is a value and nothing else is wanted."""
    fixed_key, partition = args.text("key"), args.number("partition")
    extra: Headers = [
        (k, v.encode()) for k, v in pairs(args.texts("header"), "header", strict=True).items()
    ]
    reader_class = args.text("line-reader")
    if reader_class is not None and reader_class not in READERS:
        raise UnknownReaderError(
            reader_class
            if args.flags
            else f"--line-reader {reader_class}: only Kafka's LineMessageReader is known"
        )
    if args.has("json"):
        return _json_lines(keep_partition=args.has("keep-partition"))
    config = args.text("reader-config")
    properties = dict(read_properties(config)) if config else {}
    properties.update(pairs(args.texts("property"), "property", strict=not args.flags))
    reader = LineReader(properties)
    if reader.plain and fixed_key is None and partition is None and not extra:
        return None
    key = None if fixed_key is None else fixed_key.encode()
    return _text_lines(reader, key, extra, -1 if partition is None else partition)


def _text_lines(reader: LineReader, key: bytes | None, extra: Headers, partition: int) -> Reader:
    """Lines by the rules of LineMessageReader, with what the command line adds to each; LineError
    at the first bad line."""
    numbers = itertools.count(1)

    def read(lines: list[bytes]) -> Iterator[Record]:
        for line in lines:
            own, value, headers = reader.record(line, next(numbers))
            yield own if key is None else key, value, headers + extra, partition, 0

    return read


def _json_lines(*, keep_partition: bool) -> Reader:
    """Lines as ``pko consume -o json`` prints them, empty ones are passed over; LineError at the
    first that is not a record."""
    import json

    numbers = itertools.count(1)

    def read(lines: list[bytes]) -> Iterator[Record]:
        for line, number in zip(lines, numbers, strict=False):
            if not line.strip():
                continue
            try:
                yield _record(json.loads(line), keep_partition=keep_partition)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise LineError(f"line {number} is not a record in JSON: {error}") from None

    return read


def _record(found: dict[str, Any], *, keep_partition: bool) -> Record:
    headers = [(str(h["key"]), _payload(h, "value")) for h in found.get("headers") or ()]
    partition = found.get("partition") if keep_partition else None
    return (
        _payload(found, "key"),
        _payload(found, "value"),
        headers,
        -1 if partition is None else int(partition),
        int(found.get("timestamp") or 0),
    )


#: What ``pko consume --key-format`` and ``--value-format`` write into ``*_encoding``.
_FORMATS = ("hex", "int", "long", "avro")


def _payload(found: dict[str, Any], name: str) -> bytes | None:
    """Bytes of a string, as its ``*_encoding`` says; of anything else its JSON text."""
    value, encoding = found.get(name), found.get(f"{name}_encoding")
    if encoding == "json" or (encoding in _FORMATS and value is not None):
        from pykafka_ops.commands.payload.formats import encoded

        return encoded(str(encoding), value)
    if value is None:
        return None
    if encoding == "base64":
        import base64

        return base64.b64decode(str(value), validate=True)
    if isinstance(value, str):
        return value.encode()
    import json

    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
