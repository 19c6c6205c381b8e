"""Settings of topics where no cluster is asked: from a file, or from our broker's own store.

A file is JSON, ``{"TOPIC": {"KEY": "VALUE"}}`` with ``*`` for what holds for all, or lines of
``TOPIC.KEY=VALUE``; lines of a broker's ``server.properties`` give the defaults.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from pykafka_ops.errors import SettingError, UsageError
from pykafka_ops.settings.properties import parse_properties
from pykafka_ops.settings.topic import TOPIC

EVERY: Final = "*"
STORE: Final = "metadata.db"
_SELECT: Final = "SELECT name, data FROM nodes WHERE parent = ?"
_MOST: Final = 64 << 20
Row = tuple[str, str, str | None, str]
Settings = dict[str, dict[str, str]]


def read_settings(file: str) -> Settings:
    """Settings by topic, ``*`` for all; UsageError says what is wrong with the file."""
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    if len(data) > _MOST:
        raise UsageError(f"{file}: more than {_MOST >> 20} MiB: not a file of settings")
    if data.lstrip()[:1] == b"{":
        return _from_json(file, data)
    try:
        lines = parse_properties(data)
    except SettingError as error:
        raise UsageError(f"{file}: {error}") from None
    return _from_lines(lines)


def _from_json(file: str, data: bytes) -> Settings:
    try:
        found = json.loads(data)
    except ValueError as error:
        raise UsageError(f"{file}: not JSON: {error}") from None
    made: Settings = {}
    for topic, values in found.items():
        if not isinstance(values, dict):
            raise UsageError(f'{file}: {topic}: not {{"KEY": "VALUE"}}')
        made[topic] = {str(k): _text(v) for k, v in values.items()}
    return made


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _from_lines(lines: Mapping[str, str]) -> Settings:
    """``TOPIC.KEY=VALUE``; the settings of a broker become the defaults of topics."""
    made: Settings = {}
    for line, value in lines.items():
        for name in TOPIC:
            if line.endswith(f".{name}") and (topic := line.removesuffix(f".{name}")) != "log":
                made.setdefault(topic, {})[name] = value.strip()
    every = _defaults(lines)
    if every:
        made[EVERY] = {**every, **made.get(EVERY, {})}
    return made


def _defaults(lines: Mapping[str, str]) -> dict[str, str]:
    """By the first synonym of each topic setting that the lines have."""
    found: dict[str, str] = {}
    for name, setting in TOPIC.items():
        for synonym in setting.synonyms:
            if synonym.name in lines:
                try:
                    found[name] = synonym.convert(lines[synonym.name].strip())
                except ValueError:
                    raise UsageError(
                        f"{synonym.name}={lines[synonym.name]}: not a number"
                    ) from None
                break
    return found


def stored_settings(directories: Iterable[str]) -> Settings:
    """What our own brokers keep of topics in these local log directories; {} where none does.

    Read beside a running broker, and without changing anything.
    """
    made: Settings = {}
    for directory in directories:
        file = Path(directory, STORE)
        if not file.is_file():
            continue
        for mode in ("mode=ro", "immutable=1"):
            try:
                rows = _rows(file, mode)
            except sqlite3.Error:
                continue
            for topic, data in rows:
                made.setdefault(topic, {}).update(_config(data))
            break
    return made


def _rows(file: Path, mode: str) -> list[tuple[str, bytes]]:
    uri = f"{file.absolute().as_uri()}?{mode}"
    with closing(sqlite3.connect(uri, uri=True, timeout=5)) as db:
        return list(db.execute(_SELECT, ("/config/topics",)))


def _config(data: bytes | None) -> dict[str, str]:
    """The settings in a znode of ``/config/topics``."""
    try:
        found = json.loads(data or b"{}").get("config", {})
    except (ValueError, AttributeError):
        return {}
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def config_rows(topics: Sequence[str], settings: Settings) -> list[Row]:
    """CONFIGS of the topics; settings given nowhere have Kafka's default."""
    every = settings.get(EVERY, {})
    rows: list[Row] = []
    for topic in topics:
        own = settings.get(topic, {})
        for name in [*TOPIC, *(n for n in {**every, **own} if n not in TOPIC)]:
            if name in own:
                rows.append((topic, name, own[name], "DYNAMIC_TOPIC_CONFIG"))
            elif name in every:
                rows.append((topic, name, every[name], "STATIC_BROKER_CONFIG"))
            else:
                rows.append((topic, name, TOPIC[name].default, "DEFAULT_CONFIG"))
    return rows
