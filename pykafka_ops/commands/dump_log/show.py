"""``pko dump-log show`` and Kafka's form of it: which files, and how to show them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from pykafka_ops.commands.dump_log.items import Content, Item, as_text, items
from pykafka_ops.commands.dump_log.java import JavaError
from pykafka_ops.commands.dump_log.log_file import MAX_INT
from pykafka_ops.commands.dump_log.paths import expand, kind_of
from pykafka_ops.commands.dump_log.printing.log import LogDump
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.payload.formats import PayloadFormat, formats_of
from pykafka_ops.errors import CorruptError, PkoError, UsageError

if TYPE_CHECKING:
    from pykafka_ops.commands.dump_log.printing.metadata import MetadataRecord
    from pykafka_ops.disk.internal import InternalRecord

_SMALL = ("leader-epochs", "offsets", "topic-id", "meta-properties")


def show(run: Run) -> int:
    """Print what the files hold; as Kafka's tool does, or in pko's form past what it stumbles on.

    In pko's form a file that cannot be read is an error on stderr, the others are shown, the exit
    code is 1.
    """
    args = run.args
    form = run.output
    _check_formats(args)
    if form not in ("table", "json"):
        raise UsageError(f"-o {form}: dump-log show knows table and json (one object a line)")
    paths = args.texts("files")
    if args.flags:
        paths = (args.text("files") or "").rstrip(",").split(",")
        if form == "table":
            LogDump(args).run(paths)
            return 0
    if form == "json":
        return _each(paths, _json_writer(args))
    dump = LogDump(args)
    return _each(paths, lambda path: _as_text(dump, path))


def _check_formats(args: Args) -> None:
    given = [o for o in ("key-format", "value-format") if args.has(o)]
    if given and any("decoder" in name for name in args.values):
        raise UsageError(f"--{given[0]} goes without decoder options")


def _each(paths: list[str], show_file: Callable[[str], None]) -> int:
    """Show file after file; 1 where one failed."""
    code = 0
    for path in expand(paths):
        try:
            show_file(path)
        except (JavaError, CorruptError) as e:
            sys.stdout.flush()
            text = str(e)
            named = text.startswith((f"{path}:", f"{path} ")) or text.endswith(f": {path}")
            sys.stderr.write(f"pko: {text}\n" if named else f"pko: {path}: {text}\n")
            code = 1
    return code


def _as_text(dump: LogDump, path: str) -> None:
    """Kafka's text for what Kafka's tool knows, its style for the rest."""
    kind = kind_of(path)
    if kind in _SMALL:
        lines = [f"Dumping {path}"]
        for item in items(path, deep=False, content=None, max_bytes=MAX_INT):
            shown = [f"{_camel(name)}: {value}" for name, value in item.items() if name != "kind"]
            lines.append(" ".join(shown))
        sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode())
        sys.stdout.buffer.flush()
    else:
        dump.one(path, kind)


def _camel(name: str) -> str:
    head, *words = name.split("_")
    return head + "".join(word.capitalize() for word in words)


def _json_writer(args: Args) -> Callable[[str], None]:
    """Writes one file's items as JSON lines."""
    import json

    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    dump = LogDump(args)
    content = _content(args) if dump.content else None
    given = args.number("max-bytes")
    max_bytes = MAX_INT if given is None else given

    def write(path: str) -> None:
        lines: list[str] = []
        emit = sys.stdout.buffer.write
        try:
            for item in items(path, deep=dump.deep, content=content, max_bytes=max_bytes):
                lines.append(encode({"file": path, **item}))
                if len(lines) > 1000:
                    emit(("\n".join(lines) + "\n").encode())
                    lines.clear()
        finally:
            if lines:
                emit(("\n".join(lines) + "\n").encode())
            sys.stdout.buffer.flush()

    return write


def _content(args: Args) -> Content:
    """How keys and values become JSON."""
    for name, decode in _DECODERS.items():
        if args.has(name):
            return _guarded(decode)
    formats = formats_of(args)
    return _formatted(*formats) if any(formats) else as_text


def _formatted(key: PayloadFormat | None, value: PayloadFormat | None) -> Content:
    """Keys and values by their formats, as text where there is none."""

    def content(key_bytes: bytes | None, value_bytes: bytes | None) -> Item:
        item = as_text(key_bytes, value_bytes)
        if key is not None:
            item |= key.shown("key", key_bytes)
        if value is not None:
            item |= value.shown("value", value_bytes)
        return item

    return content


def _guarded(decode: Content) -> Content:
    """Text where the decoder does not understand a record."""

    def content(key: bytes | None, value: bytes | None) -> Item:
        try:
            return decode(key, value)
        except PkoError as e:
            return {**as_text(key, value), "error": str(e)}

    return content


def _offsets(key: bytes | None, value: bytes | None) -> Item:
    from pykafka_ops.disk.internal import read_offsets_record

    return _coordinator(key, value, read_offsets_record)


def _share_group_state(key: bytes | None, value: bytes | None) -> Item:
    from pykafka_ops.disk.internal import read_share_record

    return _coordinator(key, value, read_share_record)


def _coordinator(
    key: bytes | None,
    value: bytes | None,
    read: Callable[[bytes, bytes | None], InternalRecord],
) -> Item:
    from pykafka_ops.commands.dump_log.printing.internal import offsets_value
    from pykafka_ops.disk.schema import to_json

    if key is None:
        raise CorruptError("no key")
    found = read(key, value)
    item: Item = {"key": to_json(found.key, 0), "type": found.type, "value": None}
    if found.value is not None:
        item |= {"value": offsets_value(found), "version": found.value_version}
    return item


def _transactions(key: bytes | None, value: bytes | None) -> Item:
    from pykafka_ops.disk import internal
    from pykafka_ops.disk.schema import to_json

    if key is None:
        raise CorruptError("no key")
    item: Item = {"key": to_json(internal.read_transaction_key(key), 0), "value": None}
    if value is not None:
        found = internal.read_transaction_value(value)
        status = found.transaction_status
        states = internal.TRANSACTION_STATES
        known = states[status] if 0 <= status < len(states) else None
        item["value"] = {**to_json(found, 0), "state": known}
    return item


def _cluster_metadata(key: bytes | None, value: bytes | None) -> Item:
    from pykafka_ops.commands.dump_log.printing.metadata import read_metadata

    return _framed(read_metadata(value))


def _remote_log_metadata(key: bytes | None, value: bytes | None) -> Item:
    from pykafka_ops.commands.dump_log.printing.metadata import read_remote

    return _framed(read_remote(value))


def _framed(found: MetadataRecord) -> Item:
    return {"type": found.type, "version": found.version, "value": found.fields()}


_DECODERS: dict[str, Content] = {
    "offsets-decoder": _offsets,
    "transaction-log-decoder": _transactions,
    "cluster-metadata-decoder": _cluster_metadata,
    "share-group-state-decoder": _share_group_state,
    "remote-log-metadata-decoder": _remote_log_metadata,
}
