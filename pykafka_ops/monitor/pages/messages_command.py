"""The ``pko consume`` that reads what a page shows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pykafka_ops.monitor.messages.query import READ_UNCOMMITTED, SearchQuery
from pykafka_ops.monitor.pages.frame import command

_FORMATS = ("utf-8", "hex", "base64", "json", "int", "long")


def consume_command(
    topic: str, words: Mapping[str, str], query: SearchQuery | None, *, follow: bool = False
) -> str:
    """Of a search; conditions of ``where`` are the page's alone, and left out."""
    given = {name: value.strip() for name, value in words.items() if value.strip()}
    options: list[str] = []
    if "partition" in given:
        options += [f"--partition={given['partition']}"]
    if not follow and query is not None:
        options += _place(given, query)
    if "key" in given:
        options += [f"--key={given['key']}"]
    if "text" in given:
        options += [f"--value-regex=(?i){re.escape(given['text'])}"]
    for part in ("key", "value"):
        if given.get(f"{part}_format") in _FORMATS:
            options += [f"--{part}-format={given[f'{part}_format']}"]
    if given.get("isolation") != READ_UNCOMMITTED:
        options += ["--isolation-level=read_committed"]
    return command("pko", "consume", *options, "--output=table", topic)


def _place(given: Mapping[str, str], query: SearchQuery) -> list[str]:
    """Where reading begins and ends."""
    options = [f"--{name}={given[name]}" for name in ("since", "until", "last") if name in given]
    if "offset" in given:
        at = given["offset"]
        options += [f"--offset={at if '..' in at else f'{at}..'}"]
    if not {"since", "last", "offset"} & given.keys():
        if query.newest:
            options += [f"--last={query.limit}"]
        elif "until" not in given:
            options += ["--from-beginning"]
    return options if query.newest else [*options, f"--max-messages={query.limit}"]


def record_command(topic: str, partition: int, offset: int) -> str:
    """Of one record."""
    return command(
        "pko", "consume", f"--partition={partition}", f"--offset={offset}..{offset}",
        "--output=json", topic,
    )  # fmt: skip
