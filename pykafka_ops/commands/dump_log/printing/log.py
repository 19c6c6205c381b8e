"""dump-log as Kafka's DumpLogSegments prints it: file after file, problems at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from pykafka_ops.commands.dump_log.java import (
    JavaError,
    first_number,
    illegal_argument,
    invalid_record,
    java_path,
    suffix_of,
)
from pykafka_ops.commands.dump_log.log_file import MAX_INT, LogFile, Sink, written_by_kraft
from pykafka_ops.commands.dump_log.printing import decoders
from pykafka_ops.commands.dump_log.printing.decoders import Decoder
from pykafka_ops.commands.dump_log.printing.index import IndexDump, Problems
from pykafka_ops.commands.dump_log.printing.legacy import (
    label,
    message_header,
    message_line,
    message_records,
)
from pykafka_ops.commands.dump_log.printing.lines import Gaps
from pykafka_ops.commands.dump_log.printing.records import (
    batch_head,
    batch_header,
    batch_line,
    control_text,
    header_keys,
    last_offset_of,
    plain_records,
    record_lines,
    timestamp_label,
    truth,
)
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.payload.formats import formats_of
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.text import java_text
from pykafka_ops.disk.walk import walk
from pykafka_ops.errors import CorruptBatchError

_DECODERS = (
    "offsets-decoder",
    "transaction-log-decoder",
    "cluster-metadata-decoder",
    "remote-log-metadata-decoder",
    "share-group-state-decoder",
)
_FORMATS = ("key-format", "value-format")
_PRINTING = ("print-data-log", *_DECODERS, "value-decoder-class", "key-decoder-class", *_FORMATS)


class LogDump:
    """One run over files. Options are parsed where Kafka parses them: errors come in its order."""

    def __init__(self, args: Args) -> None:
        self.args = args
        self.out = Sink()
        self.problems = Problems()
        self.content = any(args.has(name) for name in _PRINTING)
        self.deep = self.content or args.has("deep-iteration")
        self.bare = args.has("skip-record-metadata")
        self.newest = False
        """Whether to show the file as Kafka 4 does, not as 3.9."""
        self.indexes = IndexDump(
            self.out,
            self.problems,
            sanity=args.has("index-sanity-check"),
            quiet=args.has("verify-index-only"),
            max_message_size=lambda: args.number("max-message-size") or 0,
        )

    def run(self, paths: Iterable[str], *, kind: str = "") -> None:
        """Dump every file, then the problems; JavaError ends it as it ends Kafka's tool.

        ``kind`` says what the files are where their suffix does not ("log", "index", ...).
        """
        try:
            for path in paths:
                self.file(java_path(path), f".{kind}" if kind else "")
            lines = self.problems.lines()
            if lines:
                self.out.flush()
                sys.stderr.write("".join(f"{line}\n" for line in lines))
                self.problems.clear()
        finally:
            self.out.flush()

    def one(self, path: str, kind: str) -> None:
        """One file in pko's form: what is wrong with it stands under its name, even where it ends
        with JavaError."""
        try:
            self.file(java_path(path), f".{kind}" if kind else "")
        finally:
            self.out.flush()
            lines = self.problems.lines()
            self.problems.clear()
            if lines:
                sys.stderr.write("".join(f"{line}\n" for line in (f"pko: {path}:", *lines)))

    def file(self, path: str, suffix: str = "") -> None:
        """One file, by its suffix."""
        self.out.text(f"Dumping {path}")
        suffix = suffix or suffix_of(os.path.basename(path))
        if suffix in (".log", ".checkpoint"):
            self.log(path)
        elif suffix == ".index":
            self.indexes.offsets(path)
        elif suffix == ".timeindex":
            self.indexes.times(path)
        elif suffix == ".snapshot":
            self._tell(self.indexes.producers(path))
        elif suffix == ".txnindex":
            self.indexes.transactions(path)
        else:
            self._tell(f"Ignoring unknown file {path}")

    def _tell(self, text: str | None) -> None:
        if text:
            self.out.flush()
            sys.stderr.write(f"{text}\n")

    def log(self, path: str) -> None:
        """A log: its batches, with ``deep`` their records."""
        self.newest = written_by_kraft(path)
        decoder = self.decoder()
        max_bytes = self.args.number("max-bytes")
        limit = MAX_INT if max_bytes is None else max_bytes
        self._start(os.path.basename(path))
        log, gaps = LogFile(path), Gaps()
        end, valid = log.slice_end(0, limit), 0
        try:
            for position, size, magic in log.batches(0, end):
                if magic < 2:
                    self._message(log, position, gaps, decoder)
                else:
                    self._batch(log, position, magic, gaps, decoder)
                valid = position + size
                self.out.grown(2 * size if self.deep else 512)
        except CorruptBatchError as e:  # an unknown codec
            raise illegal_argument(str(e)) from None
        if end > valid and limit == MAX_INT:
            name = os.path.basename(path)
            self.out.text(f"Found {end - valid} invalid bytes at the end of {name}")
        self.problems.add("gap", path, *gaps.found)

    def _start(self, name: str) -> None:
        """The line before the batches."""
        if not name.endswith(".checkpoint"):
            self.out.text(f"Log starting offset: {first_number(name)}")
        elif name == "bootstrap.checkpoint":
            self.out.text("KRaft bootstrap snapshot")
        else:
            offset, epoch = name[:20], name[21:31]
            if not (offset.isdigit() and epoch.isdigit()):
                raise JavaError(
                    "java.lang.NumberFormatException",
                    f'For input string: "{offset}"',
                    f"{name}: no name of a KRaft snapshot",
                )
            self.out.text(f"Snapshot end offset: {int(offset)}, epoch: {int(epoch)}")

    def _batch(self, log: LogFile, position: int, magic: int, gaps: Gaps, decoder: Decoder) -> None:
        header = batch_header(log, position, magic)
        self.out.parts.append(batch_head(header).encode())
        self.out.text(batch_line(log, position, header))
        if not self.deep or not header.record_count:
            return
        data = plain_records(log, position, header)
        plain = decoder is _TEXT or not self.content
        if plain and not self.bare and not header.is_control:
            record_lines(data, header, gaps, self.out.parts, content=self.content)
        else:
            self._records(data, header, gaps, decoder)

    def _records(self, data: bytes, header: BatchHeader, gaps: Gaps, decoder: Decoder) -> None:
        """Records that need more than ``record_lines``: decoders, control records, no metadata."""
        try:
            spans = walk(data, header)
            for span in list(spans) if header.attributes & 7 else spans:
                offset, time, sequence, key_at, key_size, value_at, value_size, rest = span
                gaps.see(offset)
                key = data[key_at : key_at + key_size] if key_size >= 0 else None
                value = data[value_at : value_at + value_size] if value_size >= 0 else None
                head = ""
                if not self.bare:
                    head = (
                        f"| offset: {offset} {timestamp_label(header)}: {time} "
                        f"keySize: {key_size} valueSize: {value_size} sequence: {sequence} "
                        f"headerKeys: [{header_keys(data, rest).decode()}]"
                    )
                    if header.is_control:
                        self.out.parts.append(head.encode())
                        head = control_text(key, value, newest=self.newest)
                self._record(head, (offset, key, value), None if header.is_control else decoder)
        except CorruptBatchError as e:
            raise invalid_record(str(e)) from None

    def _message(self, log: LogFile, position: int, gaps: Gaps, decoder: Decoder) -> None:
        """A message v0/v1."""
        self.out.parts.append(b"offset: %d" % last_offset_of(log, position, 0))
        header = message_header(log, position)
        self.out.text(message_line(log, position, header))
        if not self.deep:
            return
        name = label(header)
        for record in message_records(log, position, header):
            gaps.see(record.offset)
            head = ""
            if not self.bare:
                # The brace is Kafka 3.9's.
                head = (
                    f"| offset: {record.offset} {name}: {record.timestamp} "
                    f"keySize: {record.key_size} valueSize: {record.value_size} "
                    f"isValid: {truth(record.valid)} crc: {record.crc}}}"
                )
            reader = _with_fault(decoder, record.fault) if record.fault else decoder
            self._record(head, (record.offset, record.key, record.value), reader)

    def _record(
        self, head: str, record: tuple[int, bytes | None, bytes | None], decoder: Decoder | None
    ) -> None:
        """The rest of a line. A decoder that fails leaves what stands before it, as in Java."""
        parts = self.out.parts
        parts.append(head.encode())
        if self.content and decoder is not None:
            key, payload = decoder(*record)
            if key is not None:
                parts.append(
                    f"{'' if self.bare else ' '}{'| ' if self.bare else ''}key: {key}".encode()
                )
            if payload is not None:
                parts.append(f" payload: {payload}".encode())
        parts.append(b"\n")

    def decoder(self) -> Decoder:
        """The decoder the options ask for; the first of several counts."""
        args = self.args
        for name, (old, new) in decoders_of_topics().items():
            if args.has(name):
                return new if self.newest else old
        if any(args.has(name) for name in _FORMATS):
            return decoders.formatted(*formats_of(args))
        value = decoders.named(args.text("value-decoder-class") or "", self.out.text)
        key = decoders.named(args.text("key-decoder-class") or "", self.out.text)
        if value is key is java_text:
            return _TEXT
        return decoders.pair(key, value)


_TEXT = decoders.pair(java_text, java_text)


def decoders_of_topics() -> dict[str, tuple[Decoder, Decoder]]:
    """By option: as Kafka 3.9 shows records, and as Kafka 4 does; the first of several counts."""
    from pykafka_ops.commands.dump_log.printing import internal, metadata

    return {
        "offsets-decoder": (internal.offsets, internal.offsets_of_4),
        "transaction-log-decoder": (internal.transactions, internal.transactions_of_4),
        "cluster-metadata-decoder": (metadata.cluster_metadata,) * 2,
        "share-group-state-decoder": (internal.share_group_state,) * 2,
        "remote-log-metadata-decoder": (
            metadata.remote_log_metadata,
            metadata.remote_log_metadata_of_4,
        ),
    }


def _with_fault(decoder: Decoder, fault: str) -> Decoder:
    """What a decoder makes of a record whose value cannot be read: some say so, some die."""
    by_name = decoders_of_topics()

    def read(offset: int, key: bytes | None, value: bytes | None) -> tuple[str | None, str | None]:
        if decoder in by_name["cluster-metadata-decoder"]:
            return None, f"Error at {offset}, skipping. {fault}"
        if decoder in by_name["remote-log-metadata-decoder"]:
            return None, f"Error at offset {offset}, skipping. {fault}"
        if decoder not in by_name["offsets-decoder"]:
            raise illegal_argument(fault)
        if key is None:
            return decoder(offset, key, value)
        return f"Error at offset {offset}, skipping. {fault}", None

    return read
