"""``[mask.NAME]``, ``[decode.NAME]``, ``[schema-registry.CLUSTER]`` of the configuration. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.alerts.settings.checked import CheckedTable, named_tables
from pykafka_ops.monitor.alerts.settings.receivers import Secret
from pykafka_ops.monitor.messages.formats import NAMES
from pykafka_ops.monitor.messages.masks import STARS, MaskRule

MESSAGE_TABLES: Final = ("mask", "decode", "schema-registry")
"""The keys at the top of the configuration that are read here."""
TIMEOUT_MS: Final = 3_000
FILES: Final = ("avro", "protobuf")


@dataclass(frozen=True, slots=True)
class RegistrySettings:
    """Where the schemas of a cluster are. ``timeout_ms``: for a whole answer."""

    url: str
    username: str = ""
    password: Secret | None = None
    ca_file: str = ""
    verify: bool = True
    timeout_ms: int = TIMEOUT_MS


@dataclass(frozen=True, slots=True)
class DecodeRule:
    """``[decode.NAME]``: formats of topics whose whole name matches."""

    name: str
    topics: tuple[re.Pattern[str], ...]
    key: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class MessageSettings:
    """All of it; ``registries`` by cluster."""

    masks: tuple[MaskRule, ...] = ()
    decode: tuple[DecodeRule, ...] = ()
    registries: Mapping[str, RegistrySettings] = field(default_factory=dict)


def message_settings(
    document: Mapping[str, object], where: str, clusters: Collection[str]
) -> MessageSettings:
    """The settings in a configuration; ``where`` is the file's name. UsageError."""

    def tables(name: str) -> dict[str, CheckedTable]:
        found = named_tables(document.get(name, {}), f"{where}: [{name}]")
        return {n: CheckedTable(f"{where}: [{name}.{n}]", t) for n, t in found.items()}

    registries = {}
    for cluster, table in tables("schema-registry").items():
        if cluster not in clusters:
            raise UsageError(
                f"{table.place}: there is no cluster {cluster}{did_you_mean(cluster, clusters)}"
            )
        registries[cluster] = _registry(table)
    return MessageSettings(
        tuple(_mask(name, table) for name, table in tables("mask").items()),
        tuple(_decode(name, table) for name, table in tables("decode").items()),
        registries,
    )


def _topics(table: CheckedTable) -> tuple[re.Pattern[str], ...]:
    texts = table.texts("topics")
    if not texts:
        raise table.wrong("topics", 'is missing: write topics = "payments.*"')
    found = []
    for text in texts:
        try:
            found.append(re.compile(text))
        except (re.error, RecursionError, OverflowError) as error:
            raise table.wrong("topics", f"{text!r} is not a regular expression: {error}") from None
    return tuple(found)


def _mask(name: str, table: CheckedTable) -> MaskRule:
    table.only(("topics", "fields", "headers", "key", "with"))
    fields = table.texts("fields") or ()
    paths = tuple(tuple(text.lower().split(".")) for text in fields)
    if any(not step for path in paths for step in path):
        raise table.wrong("fields", 'write names, or paths such as "customer.card"')
    headers = tuple(text.lower() for text in table.texts("headers") or ())
    key = table.flag("key", default=False)
    if not (paths or headers or key):
        raise table.wrong("fields", 'is missing: write fields = ["card"], headers or key = true')
    return MaskRule(name, _topics(table), paths, headers, key, table.text("with", STARS))


def _decode(name: str, table: CheckedTable) -> DecodeRule:
    table.only(("topics", "key", "value"))
    found = DecodeRule(name, _topics(table), _format(table, "key"), _format(table, "value"))
    if not (found.key or found.value):
        raise table.wrong("value", 'is missing: write value = "avro:orders.avsc", or key')
    return found


def _format(table: CheckedTable, key: str) -> str:
    spec = table.maybe(key) or ""
    kind, _, rest = spec.partition(":")
    if not spec or spec in NAMES:
        return spec
    if kind not in FILES:
        choices = (*NAMES, "avro:FILE", "protobuf:FILE:MESSAGE")
        hint = did_you_mean(spec, NAMES)
        raise table.wrong(key, f"{spec!r}: choose one of {', '.join(choices)}{hint}")
    if not rest or (kind == "protobuf" and not all(rest.rpartition(":"))):
        wanted = "avro:orders.avsc" if kind == "avro" else "protobuf:orders.desc:shop.Order"
        raise table.wrong(key, f"{spec!r}: write {wanted}")
    return spec


def _registry(table: CheckedTable) -> RegistrySettings:
    table.only(("url", "username", "password_env", "password_file", "ca_file", "verify", "timeout"))
    url = table.text("url").strip().rstrip("/")
    if fault := _url_fault(url):
        raise table.wrong("url", fault)
    username = table.maybe("username") or ""
    secrets = [s for s in ("env", "file") if f"password_{s}" in table.values]
    if len(secrets) > 1:
        raise table.wrong("password_env", "and password_file: write one of them")
    if bool(username) != bool(secrets):
        missing = "password_env" if username else "username"
        raise table.wrong(missing, "is missing: username and password go together")
    password = Secret(secrets[0], table.text(f"password_{secrets[0]}").strip()) if secrets else None
    return RegistrySettings(
        url, username, password, table.maybe("ca_file") or "", table.flag("verify", default=True),
        table.span("timeout", TIMEOUT_MS, 100),
    )  # fmt: skip


def _url_fault(url: str) -> str:
    if not url.isascii() or not url.isprintable() or " " in url:
        return "it holds what no URL may"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return str(error)
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        return "write http://HOST:PORT or https://HOST:PORT"
    if "@" in parts.netloc:
        return "no user belongs into it: write username and password_env"
    return "it has a query" if parts.query or parts.fragment else ""
