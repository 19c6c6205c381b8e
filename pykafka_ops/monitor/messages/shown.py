"""A record as it may be seen, and its form in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.monitor.messages.parts import DecodedPart
from pykafka_ops.payload.exact_json import write_json

MOST_HEADERS: Final = 100
LISTED: Final = 16 << 10
"""Characters of a key or value in a list."""
MOST_TEXT: Final = 400
"""Characters of its text where a record is shown as it comes."""


class ShownRecord(NamedTuple):
    """A record, decoded and masked. ``timestamp`` ms since 1970, -1 none; ``state``: committed,
    aborted, open (of a transaction whose end is not known) or control."""

    partition: int
    offset: int
    timestamp: int
    state: str
    key: DecodedPart
    value: DecodedPart
    headers: Sequence[tuple[str, DecodedPart]] = ()
    more_headers: int = 0

    def kept(self) -> ShownRecord:
        """The same, cut to what a list shows, without the bytes."""
        return self._replace(
            key=_cut(self.key),
            value=_cut(self.value),
            headers=[(name, _cut(part)) for name, part in self.headers],
        )

    @property
    def weight(self) -> int:
        """About how many bytes it holds."""
        parts = (self.key, self.value, *(part for _, part in self.headers))
        return 500 + sum(min(p.size or 0, LISTED) * 4 for p in parts)


def _cut(part: DecodedPart) -> DecodedPart:
    if part.format == "json" and (part.size or 0) <= LISTED:
        return part.without_raw()  # it is no longer than it was written
    text = part.text(LISTED)
    if len(text) <= LISTED:
        return part.without_raw()
    return DecodedPart(
        "json-text" if part.structured else part.format, text[:LISTED], part.size,
        schema_id=part.schema_id, schema=part.schema, error=part.error, masked=part.masked,
        cut=True,
    )  # fmt: skip


def part_body(part: DecodedPart) -> dict[str, Any]:
    """A key, value or header in JSON."""
    body: dict[str, Any] = {"format": part.format, "size": part.size, "data": part.data}
    if part.schema_id is not None:
        body["schema_id"] = part.schema_id
    if part.schema:
        body["schema"] = part.schema
    if part.error:
        body["error"] = part.error
    return {**body, "masked": part.masked, "cut": part.cut}


def record_body(record: ShownRecord) -> dict[str, Any]:
    """A record in JSON."""
    return {
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": None if record.timestamp < 0 else record.timestamp,
        "state": record.state,
        "key": part_body(record.key),
        "value": part_body(record.value),
        "headers": [{"name": name, **part_body(part)} for name, part in record.headers],
        "more_headers": record.more_headers,
    }


def record_json(record: ShownRecord) -> str:
    """A record as one line of JSON; ``text`` is the beginning of its key and value, for what reads
    numbers less exactly than they were written."""
    body = record_body(record)
    for name, part in (("key", record.key), ("value", record.value)):
        body[name]["text"] = part.text(MOST_TEXT)[:MOST_TEXT]
    return write_json(body)
