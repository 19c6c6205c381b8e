"""What keys, values and headers are looked for: the same options of every command that searches."""

from __future__ import annotations

from pykafka_ops.analysis.logs.query import Pattern, RecordQuery, compiled
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.payload.formats import PayloadFormat, payload_format
from pykafka_ops.errors import DeserializeError, UsageError


def content_query(
    args: Args, key_format: PayloadFormat | None, value_format: PayloadFormat | None
) -> RecordQuery:
    """What ``--key``, ``--key-regex``, ``--value-regex`` and ``--header`` ask for.

    UsageError for what cannot be read.
    """
    key = args.text("key")
    return RecordQuery(
        key=None if key is None else _encoded(key, key_format),
        key_pattern=_pattern(args, "key-regex", key_format),
        value_pattern=_pattern(args, "value-regex", value_format),
        headers=tuple(_header(text) for text in args.texts("header")),
    )


def _encoded(key: str, made: PayloadFormat | None) -> bytes:
    encode = (made or payload_format("utf-8", "")).encode
    if encode is None:
        assert made is not None
        raise UsageError(
            f"--key with --key-format {made.name}: the same key can be written in several ways; "
            "use --key-regex, which sees its text"
        )
    return encode(key)


def _pattern(args: Args, option: str, made: PayloadFormat | None) -> Pattern | None:
    text = args.text(option)
    if text is None:
        return None
    decode = (made or payload_format("utf-8", "")).text

    def shown(data: bytes) -> str | None:
        try:
            return decode(data)
        except DeserializeError:
            return None

    bytewise = made is None or made.name == "utf-8"
    return Pattern(compiled(text, f"--{option}"), shown, bytewise)


def _header(text: str) -> tuple[str, bytes | None]:
    name, equals, value = text.partition("=")
    return name, value.encode("utf-8", "surrogateescape") if equals else None
