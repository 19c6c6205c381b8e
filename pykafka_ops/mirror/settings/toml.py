"""``mirror.toml``. Pure: bytes in, values out; UsageError with one line that names table and key.

::

    listen = "127.0.0.1:8084"
    [cluster.a]
    bootstrap-server = "a1:9092"
    [cluster.b]
    profile = "prod"
    [[link]]
    from = "a"
    to = "b"
    topics = ["orders.*"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.errors import UsageError
from pykafka_ops.mirror.settings.file import ClusterSource, MirrorFile, checked
from pykafka_ops.mirror.settings.model import LISTEN, LinkSettings
from pykafka_ops.mirror.settings.read import LINK_KEYS, Reader, flag, text

Table = Mapping[str, Any]
_TOP: Final = ("listen", "cluster", "link")
_TEXTS: Final = {True: "true", False: "false"}


def parse_toml(data: bytes, source: str) -> MirrorFile:
    """The file's content; ``source`` is its name in errors. Raises UsageError."""
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{source}: {error}") from None
    _known(table, _TOP, source)
    clusters, links = table.get("cluster", {}), table.get("link", [])
    if not isinstance(clusters, dict):
        raise UsageError(f"{source}: write clusters as [cluster.NAME] tables")
    if not isinstance(links, list) or not all(isinstance(one, dict) for one in links):
        raise UsageError(f"{source}: write each link as a [[link]] table")
    file = MirrorFile(
        clusters=tuple(_cluster(source, alias, one) for alias, one in clusters.items()),
        links=tuple(link for n, one in enumerate(links, 1) for link in _links(source, n, one)),
        listen=_value(table, "listen", text, source) if table.get("listen") != "" else None,
    )
    return checked(file if "listen" in table else replace(file, listen=LISTEN), source)


def _cluster(source: str, alias: str, table: object) -> ClusterSource:
    where = f"{source}: [cluster.{alias}]"
    if not isinstance(table, dict):
        raise UsageError(f"{where}: write it as a table")
    _known(table, ("profile", "bootstrap-server", "command-config", "settings"), where)
    found = ClusterSource(
        alias,
        _value(table, "profile", text, where),
        _value(table, "bootstrap-server", text, where),
        _value(table, "command-config", text, where),
        _value(table, "settings", _settings, where) or {},
    )
    if found.profile is None and found.bootstrap_server is None:
        raise UsageError(f"{where} needs bootstrap-server or profile")
    return found


def _links(source: str, number: int, table: Table) -> list[LinkSettings]:
    """The link of a table; with ``both-ways`` the other direction too."""
    where = f"{source}: [[link]] {number}"
    _known(table, ("from", "to", "both-ways", *LINK_KEYS), where)
    ends = [_value(table, key, text, where) for key in ("from", "to")]
    if None in ends:
        raise UsageError(f'{where}: write from = "CLUSTER" and to = "CLUSTER"')
    given = {
        key.field: _value(table, name, key.read, where)
        for name, key in LINK_KEYS.items()
        if name in table
    }
    link = replace(LinkSettings(str(ends[0]), str(ends[1])), **given)
    if not _value(table, "both-ways", flag, where):
        return [link]
    return [link, replace(link, source=link.target, target=link.source)]


def _value(table: Table, key: str, read: Reader, where: str) -> Any:
    """The value of a key, None where it is not there. UsageError."""
    if key not in table:
        return None
    try:
        return read(table[key])
    except TypeError as wanted:
        raise UsageError(f"{where} {key}: {wanted} is expected") from None


def _settings(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or any(isinstance(v, (dict, list)) for v in value.values()):
        raise TypeError("a table of client settings")
    return {k: _TEXTS[v] if isinstance(v, bool) else str(v) for k, v in value.items()}


def _known(table: Table, keys: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in keys:
            hint = did_you_mean(key, keys) or f"; known: {', '.join(keys)}"
            raise UsageError(f"{where}: {key} is not known{hint}")
