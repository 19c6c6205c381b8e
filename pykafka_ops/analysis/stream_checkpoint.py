"""Where a Structured Streaming job stands, from the files of its checkpoint.

Such a job commits nothing to Kafka: ``offsets/N`` says up to where batch N reads, ``commits/N``
that it is done. Source: Spark's OffsetSeqLog (versions 1 and 2), CommitLog, KafkaSourceOffset.
Times in ms since 1970.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Final, NamedTuple

_VERSIONS: Final = ("v1", "v2")
_MOST: Final = 2**63


class CheckpointError(ValueError):
    """The text is no file of a checkpoint; says why."""


class MicroBatch(NamedTuple):
    """A batch of a job: its begin (None: not recorded), the next offset by topic and partition."""

    began: int | None
    offsets: Mapping[tuple[str, int], int]


class FinishedBatch(NamedTuple):
    """A batch that is done: its number, when it was done, up to where it read."""

    number: int
    time: int
    offsets: Mapping[tuple[str, int], int]


def read_offsets(text: str) -> MicroBatch:
    """The text of ``offsets/N``; sources that are not Kafka are left out.

    Raises CheckpointError.
    """
    version, _, rest = text.partition("\n")
    if version.strip() not in _VERSIONS:
        raise CheckpointError(f"it begins with {version[:20]!r}, not with v1 or v2")
    first, *sources = rest.split("\n")
    head = _json(first)
    began = head.get("batchTimestampMs") if isinstance(head, dict) else None
    offsets: dict[tuple[str, int], int] = {}
    for line in sources:
        body = line[line.find("{") :] if "{" in line else ""
        found = _kafka(_json(body)) if body else None
        for place, offset in (found or {}).items():
            offsets[place] = min(offset, offsets.get(place, offset))
    return MicroBatch(began if _is_count(began) else None, offsets)


def _json(text: str) -> object:
    try:
        return json.loads(text) if text.strip() else None
    except (ValueError, RecursionError):
        raise CheckpointError(f"not JSON: {text[:40]!r}") from None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST


def _kafka(found: object) -> dict[tuple[str, int], int] | None:
    """``{"topic":{"0":5}}``; None for the offsets of another source."""
    if not isinstance(found, dict):
        return None
    offsets: dict[tuple[str, int], int] = {}
    for topic, partitions in found.items():
        if not isinstance(partitions, dict):
            return None
        for number, offset in partitions.items():
            if not (number.isascii() and number.isdigit() and int(number[:11]) < 2**31):
                return None
            if not _is_count(offset):
                return None
            offsets[topic, int(number)] = offset
    return offsets


def progress(batches: Mapping[int, MicroBatch], done: Mapping[int, int]) -> list[FinishedBatch]:
    """The batches that are done, in order.

    ``done`` are the times at which the files in ``commits`` were written. Such a time counts if it
    lies between the begin of the batch and that of the next; else (the files were copied) the
    batch counts as done when the next began, the last one when it began itself.
    """
    numbers = sorted(n for n in batches if n in done)
    following = {a: b for a, b in pairwise(sorted(batches)) if b == a + 1}
    made = []
    for number in numbers:
        began = batches[number].began
        later = batches[following[number]].began if number in following else None
        time = done[number]
        if began is None:
            began = time
        if time < began or (later is not None and time > later):
            time = began if later is None else max(began, later)
        made.append(FinishedBatch(number, time, batches[number].offsets))
    return made
