"""Lines of text to records, by the rules of Kafka's ``LineMessageReader`` (KIP-798, KIP-810).

Bytes stay bytes: a line that is not UTF-8 arrives as it was typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pykafka_ops.commands.produce.kafka import LineError

Headers = list[tuple[str, bytes | None]]
Line = tuple[bytes | None, bytes | None, Headers]

NAMES = ("headers.delimiter", "headers.separator", "headers.key.separator")


class LineReader:
    """``properties`` are those of ``--property`` and ``--reader-config``.

    Raises LineError for separators that collide.
    """

    def __init__(self, properties: Mapping[str, str]) -> None:
        get = properties.get
        self.parse_key = get("parse.key", "false").strip().lower() == "true"
        self.parse_headers = get("parse.headers", "false").strip().lower() == "true"
        self.ignore_error = get("ignore.error", "false").strip().lower() == "true"
        self.key_separator = get("key.separator", "\t").encode()
        self.delimiter = get("headers.delimiter", "\t").encode()
        self.separator = get("headers.separator", ",").encode()
        self.pair_separator = get("headers.key.separator", ":").encode()
        marker = get("null.marker")
        self.null_marker = None if marker is None else marker.encode()
        self._check()

    @property
    def plain(self) -> bool:
        """Whether every line is a value as it stands."""
        return not (self.parse_key or self.parse_headers or self.null_marker is not None)

    def _check(self) -> None:
        values = (self.delimiter, self.separator, self.pair_separator)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            if values[i] == values[j]:
                raise LineError(f"{NAMES[i]} and {NAMES[j]} may not be equal")
        if self.null_marker is not None:
            order = ((self.key_separator, "key.separator"), (self.separator, NAMES[1]),
                     (self.delimiter, NAMES[0]), (self.pair_separator, NAMES[2]))  # fmt: skip
            for value, name in order:
                if self.null_marker == value:
                    raise LineError(f"null.marker and {name} may not be equal")

    def record(self, line: bytes, number: int) -> Line:
        """(key, value, headers) of a line without its end; LineError names its ``number``."""
        at = 0
        headers = self._part(
            self.parse_headers, line, at, self.delimiter, "headers delimiter", number
        )
        if headers is not None:
            at += len(headers) + len(self.delimiter)
        key = self._part(self.parse_key, line, at, self.key_separator, "key separator", number)
        if key is not None:
            at += len(key) + len(self.key_separator)
        found: Headers = []
        if headers is not None and headers != self.null_marker:
            found = self._headers(headers, number)
        return self._null(key), self._null(line[at:]), found

    def _part(
        self, wanted: bool, line: bytes, at: int, end: bytes, name: str, number: int
    ) -> bytes | None:
        if not wanted:
            return None
        index = line.find(end, at)
        if index >= 0:
            return line[at:index]
        if self.ignore_error:
            return None
        text = line.decode("utf-8", "replace")
        raise LineError(f"No {name} found on line number {number}: '{text}'")

    def _headers(self, text: bytes, number: int) -> Headers:
        pairs = text.split(self.separator)
        while len(pairs) > 1 and not pairs[-1]:
            pairs.pop()  # Java's String.split drops empty strings at the end
        return [self._header(pair, number) for pair in pairs]

    def _header(self, pair: bytes, number: int) -> tuple[str, bytes | None]:
        index = pair.find(self.pair_separator)
        if index < 0:
            if self.ignore_error:
                return pair.decode("utf-8", "replace"), None
            raise LineError(
                f"No header key separator found in pair '{pair.decode('utf-8', 'replace')}' "
                f"on line number {number}"
            )
        key = pair[:index]
        if key == self.null_marker:
            raise LineError(
                f"Header keys should not be equal to the null marker '{key.decode()}' "
                "as they can't be null"
            )
        return key.decode("utf-8", "replace"), self._null(pair[index + len(self.pair_separator) :])

    def _null(self, value: bytes | None) -> bytes | None:
        return None if value is None or value == self.null_marker else value


def text_lines(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines that each chunk completes, cut as Java's ``readLine`` cuts them.

    A line ends with ``\\n``, ``\\r\\n`` or a lone ``\\r``; the last one may have no end.
    """
    begun: list[bytes] = []
    for chunk in chunks:
        halved = bool(begun) and begun[-1].endswith(b"\r")  # perhaps one half of \r\n
        if not halved and b"\n" not in chunk and b"\r" not in chunk:
            begun.append(chunk)
            continue
        text = b"".join([*begun, chunk])
        end = b"\r" if text.endswith(b"\r") else b""
        if b"\r" in text:
            text = text[: len(text) - len(end)].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = text.split(b"\n")
        begun = [rest + end] if rest or end else []
        if lines:
            yield lines
    if begun:
        yield [b"".join(begun).removesuffix(b"\r")]
