"""``[notify.NAME]``: where messages go. Settings hold names of secrets; ``delivery`` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from pykafka_ops.analysis import moments
from pykafka_ops.monitor.alerts.settings.checked import CheckedTable

HTTP, EMAIL, COMMAND = "http", "email", "command"
RECEIVER_KINDS: Final = (HTTP, EMAIL, COMMAND)
GENERIC, SLACK, TEAMS, PAGERDUTY, ALERTMANAGER = (
    "generic", "slack", "teams", "pagerduty", "alertmanager",
)  # fmt: skip
SHAPES: Final = (GENERIC, SLACK, TEAMS, PAGERDUTY, ALERTMANAGER)
PAGERDUTY_URL: Final = "https://events.pagerduty.com/v2/enqueue"
HEARTBEAT_MS: Final = 60_000
"""How often Alertmanager gets open alerts again; it resolves those that it hears no more of."""
PORTS: Final = {"none": 25, "starttls": 587, "tls": 465}
_COMMON: Final = ("kind", "default", "timeout", "give_up")
_LOGIN: Final = (
    "username", "password_env", "password_file", "ca_file", "verify",
)  # fmt: skip
RECEIVER_KEYS: Final = {
    HTTP: (*_COMMON, *_LOGIN, "shape", "url", "url_env", "url_file", "headers", "headers_env",
           "routing_key_env", "routing_key_file", "heartbeat"),
    EMAIL: (*_COMMON, *_LOGIN, "host", "port", "tls", "from", "to"),
    COMMAND: (*_COMMON, "command"),
}  # fmt: skip


class Secret(NamedTuple):
    """Where a secret is: ``env`` or ``file`` and its name; ``given``: the configuration has the
    value itself. Its text never shows a value."""

    source: str
    name: str

    def __repr__(self) -> str:
        return "Secret(given)" if self.source == "given" else f"Secret({self.source} {self.name})"

    def __str__(self) -> str:
        return repr(self)


@dataclass(frozen=True, slots=True)
class Receiver:
    """Where to send messages, and in which form. Spans in ms.

    ``default``: gets messages of rules that name no receiver; ``give_up_ms``: how long to try
    before giving a message up.
    """

    name: str
    kind: str
    default: bool = True
    timeout_ms: int = 10_000
    give_up_ms: int = 86_400_000
    shape: str = GENERIC
    url: Secret | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secret_headers: Mapping[str, Secret] = field(default_factory=dict)
    routing_key: Secret | None = None
    heartbeat_ms: int = 0
    username: str = ""
    password: Secret | None = None
    ca_file: str = ""
    verify: bool = True
    host: str = ""
    port: int = 0
    tls: str = "starttls"
    sender: str = ""
    to: tuple[str, ...] = ()
    command: tuple[str, ...] = ()


def receiver(name: str, values: Mapping[str, object], where: str) -> Receiver:
    """The receiver of a table; UsageError."""
    table = CheckedTable(f"{where}: [notify.{name}]", values)
    kind = table.choice("kind", RECEIVER_KINDS, _guessed(values))
    table.only(RECEIVER_KEYS[kind])
    common = {
        "name": name,
        "kind": kind,
        "default": table.flag("default", default=True),
        "timeout_ms": table.span("timeout", 10_000, 100),
        "give_up_ms": table.span("give_up", moments.UNITS["d"], 1_000),
    }
    more = {HTTP: _http, EMAIL: _email, COMMAND: _command}[kind](table)
    return Receiver(**common, **more)  # type: ignore[arg-type]


def _guessed(values: Mapping[str, object]) -> str | None:
    """The kind that other keys imply; None if they do not."""
    if "command" in values:
        return COMMAND
    if "to" in values:
        return EMAIL
    return HTTP if any(key in values for key in ("url", "url_env", "url_file", "shape")) else None


def _http(table: CheckedTable) -> dict[str, object]:
    shape = table.choice("shape", SHAPES, GENERIC)
    url = _secret(table, "url", given=True)
    routing_key = _secret(table, "routing_key")
    if shape == PAGERDUTY:
        url = url or Secret("given", PAGERDUTY_URL)
        if routing_key is None:
            raise table.wrong("routing_key_env", "is missing: PagerDuty's integration key")
    elif routing_key is not None:
        raise table.wrong("routing_key_env", f'goes with shape = "{PAGERDUTY}" only')
    if url is None:
        raise table.wrong("url", "is missing: write url, url_env or url_file")
    if url.source == "given":
        why = url_fault(url.name)
        if why:
            raise table.wrong("url", why)
    headers = table.pairs("headers")
    secret = {n: Secret("env", v) for n, v in table.pairs("headers_env").items()}
    for name, value in [*headers.items(), *((n, "") for n in secret)]:
        if not _header_name(name) or "\n" in value or "\r" in value:
            raise table.wrong("headers", f"{name!r} is not a valid header")
    beat = table.span("heartbeat", HEARTBEAT_MS if shape == ALERTMANAGER else 0)
    found = {"shape": shape, "url": url, "routing_key": routing_key, "heartbeat_ms": beat}
    return {**found, "headers": headers, "secret_headers": secret, **_login(table)}


def url_fault(url: str) -> str:
    """Why messages cannot go to this URL, without showing it; "" where nothing is wrong."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    plain = url.isascii() and not any(c.isspace() or ord(c) < 32 for c in url)
    if good and plain and "@" in parts.netloc:
        return "it contains a user: write username and password_env instead"
    return "" if good and plain else "it is not an http or https URL"


def _email(table: CheckedTable) -> dict[str, object]:
    tls = table.choice("tls", tuple(PORTS), "starttls")
    to = table.texts("to")
    if not to:
        raise table.wrong("to", 'is missing: write to = ["ops@example.com"]')
    for address in to:
        _address(table, "to", address)
    found = {
        "tls": tls,
        "host": table.text("host", "localhost"),
        "port": table.number("port", PORTS[tls], 1, 65_535),
        "sender": _address(table, "from", table.text("from")),
        "to": to,
    }
    login = _login(table)
    if login["password"] and tls == "none":
        raise table.wrong("password_env", 'goes with tls = "starttls" or "tls" only')
    return {**found, **login}


def _command(table: CheckedTable) -> dict[str, object]:
    words = table.values.get("command")
    command = [w for w in words if isinstance(w, str)] if isinstance(words, list) else []
    whole = isinstance(words, list) and len(command) == len(words)
    if not whole or "" in (command or [""])[:1] or any("\0" in word for word in command):
        raise table.wrong("command", 'write it as a list of words: ["/usr/bin/notify", "ops"]')
    return {"command": tuple(command)}


def _login(table: CheckedTable) -> dict[str, object]:
    username, password = table.maybe("username") or "", _secret(table, "password")
    if bool(username) != bool(password):
        missing = "password_env" if username else "username"
        raise table.wrong(missing, "is missing: username and password go together")
    ca_file, verify = table.maybe("ca_file") or "", table.flag("verify", default=True)
    return {"username": username, "password": password, "ca_file": ca_file, "verify": verify}


def _secret(table: CheckedTable, key: str, *, given: bool = False) -> Secret | None:
    """``KEY_env`` or ``KEY_file``, and ``KEY`` itself where that is ``given``."""
    named = {"env": f"{key}_env", "file": f"{key}_file"}
    if given:
        named["given"] = key
    found = [source for source, name in named.items() if name in table.values]
    if len(found) > 1:
        raise table.wrong(named[found[0]], f"and {named[found[1]]}: write one of them")
    return Secret(found[0], table.text(named[found[0]]).strip()) if found else None


def _address(table: CheckedTable, key: str, address: str) -> str:
    name, at, host = address.strip().rpartition("@")
    if not (name and at and host) or any(c in "\r\n\0" for c in address):
        raise table.wrong(key, f"{address!r} is not an e-mail address")
    return address.strip()


def _header_name(name: str) -> bool:
    """A token of RFC 9110."""
    return bool(name) and all(c.isascii() and (c.isalnum() or c in "!#$%&'*+-.^_`|~") for c in name)
