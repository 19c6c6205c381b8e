"""What ``LogValidator`` looks at in every record of a batch v2: keys, timestamps, offsets.

The usual records are judged in columns (``columns``), others one after the other, by a loop that is
put together as that of ``walk`` is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.columns import MAX_SIZE, NO_TIMESTAMP, usual
from pykafka_ops.disk.fault import LATE_END
from pykafka_ops.disk.walk import compile_reader, skip_headers
from pykafka_ops.errors import CorruptBatchError, PkoError

ONE_BY_ONE = 512
FEW_HEADERS = 8
"""Records, and headers of each, that are looked at one by one in some ms."""


_NO_SIZE = ~(MAX_SIZE - 1)
"""Bits of a length, zig-zag, that is negative or takes more than two bytes."""


class Survey(NamedTuple):
    """What checking a batch record by record found; timestamps in ms, -1 where none."""

    records: int
    max_timestamp: int
    min_timestamp: int
    first_without_key: int | None
    offsets_in_order: bool


_SURVEY = """
def survey(data, at, header):
    base_time, time_factor = header.base_timestamp, 1
    if header.is_log_append_time:
        base_time, time_factor = header.max_timestamp, 0
    latest = earliest = -1
    keyless, in_order = None, True
    left, number, total = header.record_count, 0, len(data)
    while left:
        left -= 1
        start = at
        try:
            {size}
            end = at + size
            at += 1  # attributes, unused
            {time}
            {delta}
            {key_size}
            if key_size > 0:
                at += key_size
            {value_size}
            if value_size > 0:
                at += value_size
            at = skip_headers(data, at, end) if data[at] else at + 1
            if at != end or at > total:
                raise IndexError
        except (IndexError, CorruptBatchError):
            raise fault(data, start, streamed=header.attributes & 7 != 0) from None
        time = base_time + time * time_factor
        if not MIN_LONG <= time <= MAX_LONG:
            time = signed64(time)
        if time > latest:
            latest = time
        if time != -1 and (time < earliest or earliest == -1):
            earliest = time
        if key_size < 0 and keyless is None:
            keyless = number
        if delta != number:
            in_order = False
        number += 1
    if at != total:
        raise CorruptBatchError(LATE_END)
    return Survey(number, latest, earliest, keyless, in_order)
"""


def survey_records(data: bytes, at: int, header: BatchHeader) -> Survey:
    """Step through the records that fill ``data`` from ``at`` on.

    Raises CorruptBatchError, in Kafka's words, at the record that is wrong.
    """
    if not header.record_count and at != len(data):
        raise CorruptBatchError(LATE_END)
    return _compiled()(data, at, header)


def survey_quickly(data: bytes, at: int, header: BatchHeader) -> Survey | None:
    """As :func:`survey_records`; None if that takes long."""
    if header.record_count > ONE_BY_ONE:
        return None
    try:
        return _compiled_quick()(data, at, header)
    except _ManyHeadersError:
        return None


def as_promised(data: bytes, at: int, header: BatchHeader) -> bool:
    """Whether the records that fill ``data`` from ``at`` on are well formed, and number, offsets
    and latest timestamp are those of the header; with a CreateTime batch that is all there is to
    check where a topic sets no bounds and needs no keys. False, too, if finding out takes long."""
    if header.record_count == 1:
        if header.base_timestamp == header.max_timestamp >= NO_TIMESTAMP and _is_alone(data, at):
            return True
    elif usual(data, at, header) is not None:
        return True
    try:
        seen = survey_quickly(data, at, header)
    except CorruptBatchError:
        return False
    return seen is not None and seen.offsets_in_order and seen.max_timestamp == header.max_timestamp


def _is_alone(data: bytes, at: int) -> bool:
    """Whether ``data`` from ``at`` on is one well-formed record, first of its batch, of the batch's
    first timestamp, without headers and with a short key, as one that is sent alone mostly is."""
    try:
        size = data[at]
        at += 1
        if size > 127:
            size = size & 127 | data[at] << 7
            at += 1
        if size & _NO_SIZE or at + (size >> 1) != len(data) or data[at + 1] or data[at + 2]:
            return False
        size = data[at + 3]  # of the key
        at += 4 if size & 1 else 4 + (size >> 1)
        value_size = data[at]
        at += 1
        if value_size > 127:
            value_size = value_size & 127 | data[at] << 7
            at += 1
    except IndexError:
        return False
    if size > 127 or value_size > MAX_SIZE:
        return False
    if not value_size & 1:
        at += value_size >> 1
    return at == len(data) - 1 and not data[at]


def examine(data: bytes, header: BatchHeader) -> Survey | None:
    """As :func:`survey_records` from the start, but in columns; None where they do not suffice.

    The earliest timestamp is then that of the batch, and of records without key it is only known
    that there are some: 0.
    """
    timeless = header.base_timestamp == -1 != header.max_timestamp
    seen = None if header.is_log_append_time or timeless else usual(data, 0, header)
    if seen is None:
        return None
    without = 0 if seen.keyless else None
    return Survey(header.record_count, header.max_timestamp, header.base_timestamp, without, True)


class _ManyHeadersError(PkoError):
    """A record has more than a few headers."""


def _skip_few_headers(data: bytes, at: int, end: int) -> int:
    if data[at] > 2 * FEW_HEADERS:
        raise _ManyHeadersError
    return skip_headers(data, at, end)


_Compiled = Callable[[bytes, int, BatchHeader], Survey]
_PLACE = "pykafka_ops.disk.survey"


@cache
def _compiled() -> _Compiled:
    made: _Compiled = compile_reader(_SURVEY, _PLACE, "survey", Survey=Survey)
    return made


@cache
def _compiled_quick() -> _Compiled:
    made: _Compiled = compile_reader(
        _SURVEY, _PLACE, "survey", Survey=Survey, skip_headers=_skip_few_headers
    )
    return made
