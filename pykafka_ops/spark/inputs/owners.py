"""Who owns which topics, from a file.

TOML or JSON: ``TOPIC = "OWNER"`` or ``TOPIC = {owner, team, tags}``. CSV with a header, JSON lines,
or a JSON list: ``topic``, ``owner``, and if wanted ``team`` and ``tags``. TOPIC is a name or a
pattern with ``*`` and ``?``.
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pykafka_ops.analysis.owners import OwnerRules, TopicOwner
from pykafka_ops.errors import UsageError

_MOST: Final = 16 << 20
_FIELDS: Final = ("topic", "owner", "team", "tags")
_BETWEEN: Final = re.compile(r"[;,\s]+")
Rule = tuple[str, TopicOwner]


def read_owners(file: str) -> OwnerRules:
    """The rules of a file; UsageError says what is wrong with it."""
    path = Path(file).expanduser()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    if len(data) > _MOST:
        raise UsageError(f"{file}: more than {_MOST >> 20} MiB: not a file of owners")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{file}: not UTF-8") from None
    rules: dict[str, TopicOwner] = {}
    try:
        for topic, owner in _rules(text, path.suffix.lower()):
            if rules.setdefault(topic, owner) != owner:
                raise ValueError(f"{topic} has two owners")
    except ValueError as error:
        raise UsageError(f"{file}: {error}") from None
    if not rules:
        raise UsageError(f"{file}: no topic has an owner there")
    return OwnerRules(rules.items())


def _rules(text: str, suffix: str) -> Iterator[Rule]:
    """ValueError for what is no rule."""
    if suffix == ".csv":
        yield from _listed(_csv(text))
    elif suffix == ".toml":
        try:
            found = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"not TOML: {error}") from None
        _no_dotted(found)
        yield from _named(found)
    elif text.lstrip()[:1] in ("{", "["):
        found = _json(text)
        yield from _listed(found) if isinstance(found, list) else _named(found)
    else:
        raise ValueError("neither JSON nor named .toml or .csv")


def _json(text: str) -> Any:
    """An object or a list; lines of objects become a list."""
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    if isinstance(whole, dict) and whole.keys() >= {"topic", "owner"}:
        return [whole]
    if whole is not None:
        return whole
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except ValueError as error:
                raise ValueError(f"line {number}: not JSON: {error}") from None
    return found


def _csv(text: str) -> Iterator[dict[str, Any]]:
    lines = csv.DictReader(text.splitlines())
    missing = [name for name in _FIELDS[:2] if name not in (lines.fieldnames or ())]
    if missing:
        raise ValueError(f"no column {missing[0]}: the first line names topic, owner, team, tags")
    for row in lines:
        yield {name: value for name, value in row.items() if name in _FIELDS and value}


def _listed(rows: Iterable[Any]) -> Iterator[Rule]:
    for number, row in enumerate(rows, 1):
        topic = row.get("topic") if isinstance(row, Mapping) else None
        if not isinstance(topic, str) or not topic:
            raise ValueError(f"entry {number} names no topic")
        yield topic, _owner(topic, row)


def _no_dotted(found: Mapping[str, Any]) -> None:
    """TOML takes the dots of a bare name for tables in tables."""
    for topic, said in found.items():
        for name in said if isinstance(said, Mapping) else ():
            if name not in _FIELDS[1:]:
                raise ValueError(
                    f"{topic}: {name} is none of {', '.join(_FIELDS[1:])};"
                    f' a topic with dots in its name needs quotes: "{topic}.{name}"'
                )


def _named(found: Any) -> Iterator[Rule]:
    for topic, said in found.items():
        yield topic, _owner(topic, {"owner": said} if isinstance(said, str) else said)


def _owner(topic: str, row: Any) -> TopicOwner:
    owner = row.get("owner") if isinstance(row, Mapping) else None
    if not isinstance(owner, str) or not owner.strip():
        raise ValueError(f"{topic}: no owner")
    team, tags = row.get("team", ""), row.get("tags", ())
    tags = _BETWEEN.split(tags.strip()) if isinstance(tags, str) else tags
    if not isinstance(team, str):
        raise ValueError(f"{topic}: team is no text")
    if not isinstance(tags, list | tuple) or not all(isinstance(tag, str) for tag in tags):
        raise ValueError(f"{topic}: tags are no list of texts")
    return TopicOwner(owner.strip(), team.strip(), tuple(tag for tag in tags if tag))
