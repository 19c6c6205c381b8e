"""How the runs of reports are kept.

``DIR/kind=lag/section=groups/date=2026-11-21/MS-SOURCE-RANDOM.parquet``: one file per run and
section. The files of one run have one name; SOURCE separates runs over different clusters or
directories.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

KINDS: Final = ("lag", "skew", "retention", "cost", "audit")
NAME: Final = re.compile(r"(?P<now>\d{1,15})-(?P<source>[0-9a-f]{8})-[0-9a-f]{8}\.parquet")

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
