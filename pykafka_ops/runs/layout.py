"""How the runs of reports are kept.

``DIR/kind=lag/section=groups/date=2026-11-21/MS-SOURCE-HASH.parquet``: one file per run and
section. The files of one run have one name, also if it is made again; SOURCE separates runs over
different clusters or directories. ``FIRST_MS-LAST_MS-SOURCE-HASH.parquet`` has many runs of a day
that is over (``merged.py``); where a run has a file of its own beside it, that one counts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

KINDS: Final = ("lag", "skew", "retention", "cost", "slo", "formats", "audit")
NAME: Final = re.compile(r"(?P<now>\d{1,15})-(?P<source>[0-9a-f]{8})-[0-9a-f]{8}\.parquet")
SCHEMA_VERSION: Final = 2
"""Of the columns and footers of files; before 2 there was no such number in them."""
STAMPS: Final = ("now", "run_id", "schema_version")
"""Columns that say which run a row is of, before those of the section."""
_DAY: Final = re.compile(
    r"(?P<first>\d{1,15})-(?P<last>\d{1,15})-(?P<source>[0-9a-f]{8})-[0-9a-f]{8}\.parquet"
)

TRENDS: Final[Mapping[str, Mapping[str, tuple[tuple[str, ...], str]]]] = {
    "lag": {
        "groups": (("group",), "lag"),
        "topics": (("topic",), "lag"),
        "partitions": (("group", "topic", "partition"), "lag"),
    },
    "skew": {
        "topics": (("topic",), "bytes"),
        "partitions": (("topic", "partition"), "bytes"),
        "brokers": (("broker",), "bytes"),
        "log_dirs": (("broker", "log_dir"), "bytes"),
    },
    "retention": {
        "topics": (("topic",), "bytes"),
        "dirs": (("broker", "log_dir"), "bytes"),
        "compaction": (("topic", "partition"), "dirty_bytes"),
    },
    "cost": {
        "topics": (("topic",), "cost"),
        "owners": (("owner", "team"), "cost"),
    },
    "slo": {
        "objectives": (("group", "topic"), "budget_left"),
    },
    "formats": {
        "topics": (("topic",), "saved_bytes"),
    },
    "audit": {
        "partitions": (("topic", "partition"), "missing"),
    },
}
"""Per kind and section: the fields that identify a row, and that whose change is shown."""

COMPARED: Final[Mapping[str, Mapping[str, tuple[tuple[str, ...], str]]]] = {
    "lag": {
        **TRENDS["lag"],
        "silent_groups": (("group",), "lag"),
        "unread_topics": (("topic",), "records"),
    },
    "skew": {
        **TRENDS["skew"],
        "racks": (("rack",), "bytes"),
        "keys": (("topic", "key"), "bytes"),
    },
    "retention": {
        **TRENDS["retention"],
        "at_risk": (("group", "topic", "partition"), "records_lost"),
        "leaving": (("topic", "within_seconds"), "bytes"),
    },
    "cost": {
        **TRENDS["cost"],
        "savings": (("topic", "kind"), "bytes"),
    },
    "slo": TRENDS["slo"],
    "formats": {
        **TRENDS["formats"],
        "kinds": (("topic", "side", "kind", "schema"), "share"),
        "codecs": (("topic", "codec"), "stored"),
    },
    "audit": {
        **TRENDS["audit"],
        "counted": (("topic", "partition"), "records"),
    },
}
"""The same of all sections that two runs can be compared by: what is no series over time."""


class RunName(NamedTuple):
    """One run: the name of its files, when it was (ms since 1970), what it was over."""

    name: str
    now: int
    source: str


def run_name(text: str) -> RunName | None:
    """What a file's name says; None for another file."""
    found = NAME.fullmatch(text)
    return None if found is None else RunName(text, int(found["now"]), found["source"])


class DayName(NamedTuple):
    """A file of many runs: its name, when the first and the last of them were (ms), over what."""

    name: str
    first: int
    last: int
    source: str


def day_name(text: str) -> DayName | None:
    """What the name of a file of many runs says; None for another file."""
    found = _DAY.fullmatch(text)
    if found is None:
        return None
    return DayName(text, int(found["first"]), int(found["last"]), found["source"])


def run_id(now: int, source: str) -> str:
    """What identifies a run: it is the same if it is made again."""
    return f"{source}-{now}"


def file_of_run(now: int, source: str) -> str:
    """The name of the files of a run."""
    return f"{now}-{source}-{_hash(run_id(now, source))}.parquet"


def file_of_day(runs: Sequence[RunName]) -> str:
    """The name of the file of these runs, oldest first: that of other runs is another."""
    names = "\n".join(run.name for run in runs)
    return f"{runs[0].now}-{runs[-1].now}-{runs[0].source}-{_hash(names)}.parquet"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
