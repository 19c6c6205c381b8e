"""Records to bytes on standard output: Kafka's message formatters.

A formatter makes one line of a message (``format``) or the lines of many (``batch``, the fast way:
a console consumer spends its time here). Messages are those of confluent_kafka.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from pykafka_ops.commands.payload.deserializers import Deserializer, deserializer
from pykafka_ops.commands.payload.formats import PayloadFormat

Formats = tuple[PayloadFormat | None, PayloadFormat | None]


class Consumed(Protocol):
    """What a formatter needs of a message; of ``timestamp`` the type is 0 none, 1 CreateTime,
    2 LogAppendTime, the time in ms."""

    def topic(self) -> str: ...
    def partition(self) -> int: ...
    def offset(self) -> int: ...
    def timestamp(self) -> tuple[int, int]: ...
    def key(self) -> bytes | None: ...
    def value(self) -> bytes | None: ...
    def headers(self) -> list[tuple[str, bytes | None]] | None: ...
    def error(self) -> Any: ...


Part = Callable[[Consumed], bytes]
TIMES = (b"NO_TIMESTAMP", b"CreateTime:%d", b"LogAppendTime:%d")
TIME_TYPES = ("null", '"CreateTime"', '"LogAppendTime"')


class Formatter:
    """Base of all; raises DeserializeError where a record cannot be shown."""

    def format(self, message: Consumed) -> bytes:
        """The line of one message, its end included; b"" where there is nothing to show."""
        raise NotImplementedError

    def batch(self, messages: Sequence[Consumed]) -> bytes:
        """The lines of all."""
        return b"".join([self.format(message) for message in messages])


class DefaultFormatter(Formatter):
    """``DefaultMessageFormatter``: the parts asked for, in Kafka's fixed order.

    ``formats`` of key and value stand before deserializers; a key with a format is shown.
    """

    def __init__(self, properties: Mapping[str, str], formats: Formats = (None, None)) -> None:
        get = properties.get

        def on(name: str, default: str = "false") -> bool:
            return get(name, default).strip().lower() == "true"

        self.between = get("key.separator", "\t").encode()
        self.end = get("line.separator", "\n").encode()
        self.null = get("null.literal", "null").encode()
        self.parts: list[Part] = []
        if on("print.timestamp"):
            self.parts.append(_timestamp)
        if on("print.partition"):
            self.parts.append(lambda message: b"Partition:%d" % message.partition())
        if on("print.offset"):
            self.parts.append(lambda message: b"Offset:%d" % message.offset())
        if on("print.delivery"):
            self.parts.append(_delivery)
        if on("print.epoch"):  # which librdkafka does not tell, nor Kafka's tool for share groups
            self.parts.append(lambda message: b"Epoch:NOT_PRESENT")
        if on("print.headers"):
            between = get("headers.separator", ",").encode()
            self.parts.append(_headers(between, deserializer(properties, "headers"), self.null))
        of_key = _of_format(formats[0]) or deserializer(properties, "key")
        of_value = _of_format(formats[1]) or deserializer(properties, "value")
        if on("print.key", "true" if formats[0] else "false"):
            self.parts.append(_key(of_key, self.null))
        only_value = not self.parts
        if on("print.value", "true"):
            self.parts.append(_value(of_value, self.null))
        self.plain = only_value and bool(self.parts) and of_value is None

    def format(self, message: Consumed) -> bytes:
        """One line."""
        return self.between.join([part(message) for part in self.parts]) + self.end

    def batch(self, messages: Sequence[Consumed]) -> bytes:
        """The lines of all; only values, none of them null, are the fastest."""
        end = self.end
        if self.plain:
            try:
                lines: list[bytes] = [message.value() for message in messages]  # type: ignore[misc] # null: TypeError below
                return end.join(lines) + end
            except TypeError:
                pass
        join, parts = self.between.join, self.parts
        return b"".join([join([part(m) for part in parts]) + end for m in messages])


def _of_format(made: PayloadFormat | None) -> Deserializer | None:
    if made is None:
        return None
    text = made.text
    return lambda data: text(data).encode()


def _timestamp(message: Consumed) -> bytes:
    kind, time = message.timestamp()
    return TIMES[kind] % time if kind else TIMES[0]


def _delivery(message: Consumed) -> bytes:
    """How often a record of a share group was delivered (KIP-932)."""
    count = getattr(message, "deliveries", None)
    return b"Delivery:NOT_PRESENT" if count is None else b"Delivery:%d" % count


def _key(convert: Deserializer | None, null: bytes) -> Part:
    def part(message: Consumed) -> bytes:
        data = message.key()
        if data is None:
            return null
        return convert(data) if convert else data

    return part


def _value(convert: Deserializer | None, null: bytes) -> Part:
    def part(message: Consumed) -> bytes:
        data = message.value()
        if data is None:
            return null
        return convert(data) if convert else data

    return part


def _headers(between: bytes, convert: Deserializer | None, null: bytes) -> Part:
    def payload(data: bytes | None) -> bytes:
        if data is None:
            return null
        return convert(data) if convert else data

    def part(message: Consumed) -> bytes:
        headers = message.headers()
        if not headers:
            return b"NO_HEADERS"
        return between.join([name.encode() + b":" + payload(value) for name, value in headers])

    return part


class JsonFormatter(Formatter):
    """One JSON object a line; the keys are a contract (``pko produce --json`` reads them).

    ``*_encoding`` says how the text stands for the bytes: utf-8, base64, null for none. The text
    is put together by hand, which is several times as fast as encoding a dict.
    """

    def __init__(self, formats: Formats = (None, None)) -> None:
        """``formats`` of key and value; their names then stand in ``*_encoding``."""
        from json.encoder import encode_basestring

        self.quote = encode_basestring
        self.formats = dict(zip(("key", "value"), formats, strict=True))

    def format(self, message: Consumed) -> bytes:
        """One line."""
        kind, time = message.timestamp()
        headers = message.headers()
        return (
            f'{{"topic":{self.quote(message.topic())},"partition":{message.partition()},'
            f'"offset":{message.offset()},"timestamp":{time if kind else "null"},'
            f'"timestamp_type":{TIME_TYPES[kind]},{self._payload("key", message.key())},'
            f"{self._payload('value', message.value())},"
            f'"headers":[{self._headers(headers) if headers else ""}]}}\n'
        ).encode()

    def _payload(self, name: str, data: bytes | None) -> str:
        made = self.formats[name]
        if made is None:
            return self._text(name, data)
        import json

        shown = made.shown(name, data)
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))[1:-1]

    def _text(self, name: str, data: bytes | None) -> str:
        if data is None:
            return f'"{name}":null,"{name}_encoding":null'
        try:
            return f'"{name}":{self.quote(data.decode())},"{name}_encoding":"utf-8"'
        except UnicodeDecodeError:
            import base64

            return f'"{name}":"{base64.b64encode(data).decode()}","{name}_encoding":"base64"'

    def _headers(self, headers: list[tuple[str, bytes | None]]) -> str:
        return ",".join(
            f'{{"key":{self.quote(name)},{self._text("value", data)}}}' for name, data in headers
        )


class NoFormatter(Formatter):
    """``NoOpMessageFormatter``: counts, prints nothing."""

    def format(self, message: Consumed) -> bytes:
        """Nothing."""
        return b""
