"""How Kafka's DumpLogSegments ends when something is wrong: Java exceptions, by name and text."""

from __future__ import annotations

import os

from pykafka_ops.errors import PkoError


class JavaError(PkoError):
    """The exception that ends Kafka's tool; ``plain`` is the text in pko's form."""

    def __init__(self, name: str, message: str | None = None, plain: str = "") -> None:
        super().__init__(plain or message or name)
        self.java = f"{name}: {message}" if message is not None else name


def illegal_argument(message: str) -> JavaError:
    """IllegalArgumentException."""
    return JavaError("java.lang.IllegalArgumentException", message)


def corrupt_record(message: str) -> JavaError:
    """CorruptRecordException: the log cannot be walked further."""
    return JavaError("org.apache.kafka.common.errors.CorruptRecordException", message)


def invalid_record(message: str) -> JavaError:
    """InvalidRecordException: a record cannot be read."""
    return JavaError("org.apache.kafka.common.InvalidRecordException", message)


def kafka_exception(message: str) -> JavaError:
    """KafkaException."""
    return JavaError("org.apache.kafka.common.KafkaException", message)


_ZLIB = {
    "unknown compression method": "Unsupported compression method",
    "incorrect data check": "Corrupt GZIP trailer",
    "incorrect length check": "Corrupt GZIP trailer",
    "incorrect header check": "Not in GZIP format",
}


def decompression_cause(reason: str) -> str:
    """The IOException behind our own words for a stream that cannot be decompressed."""
    if reason.startswith("gzip: "):
        text = reason.rpartition(": ")[2]
        return f"java.util.zip.ZipException: {_ZLIB.get(text, text)}"
    if reason.startswith("gzip data ends"):
        return "java.io.EOFException: Unexpected end of ZLIB input stream"
    if reason.startswith("gzip data does not"):
        return "java.util.zip.ZipException: Not in GZIP format"
    if reason == "lz4 data does not start with a frame header":
        return "java.io.IOException: Stream unsupported (invalid magic bytes)"
    if reason.startswith("lz4") and ("remain" in reason or "end mark" in reason):
        return "java.io.IOException: Stream ended prematurely"
    if reason.startswith("snappy"):
        return "java.io.IOException: FAILED_TO_UNCOMPRESS(5)"
    return f"java.io.IOException: {reason}"


def inflated(stored: bytes, limit: int) -> bytes:
    """What a gzip stream holds although its trailer does not fit; b"" where nothing can be had."""
    import zlib

    try:
        return zlib.decompressobj(-15).decompress(stored[10:], limit)
    except zlib.error:
        return b""


def java_path(path: str) -> str:
    """``new File(path).toString()``: no doubled and no trailing slashes."""
    while "//" in path:
        path = path.replace("//", "/")
    return path if len(path) < 2 else path.removesuffix("/")


def absolute(path: str) -> str:
    """``getAbsolutePath``: below the working directory, not made canonical."""
    return path if path.startswith("/") else f"{os.getcwd()}/{path}"


def first_number(name: str) -> int:
    """The number before the first dot of a file name (Long.parseLong)."""
    text = name.partition(".")[0]
    digits = text[1:] if text[:1] in ("+", "-") else text
    if digits.isascii() and digits.isdigit() and -(2**63) <= int(text) < 2**63:
        return int(text)
    raise JavaError(
        "java.lang.NumberFormatException",
        f'For input string: "{text}"',
        f"{name}: its name does not start with an offset",
    )


def suffix_of(name: str) -> str:
    """The part from the last dot on; a name without one ends Kafka's tool."""
    at = name.rfind(".")
    if at < 0:
        size = len(name)
        raise JavaError(
            "java.lang.StringIndexOutOfBoundsException",
            f"begin -1, end {size}, length {size}",
            f"{name}: neither a log, an index nor a snapshot",
        )
    return name[at:]
