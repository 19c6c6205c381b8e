"""What the configuration says of who may do what: ``actions``, ``[login]``, ``[role.NAME]``,
``[token.NAME]``, and how the monitor is reached: ``tls-cert``, ``tls-key``, ``allowed-hosts``."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.access.model import EVERYTHING, Role
from pykafka_ops.monitor.access.rights import ACTIONS, RIGHTS
from pykafka_ops.monitor.access.sessions import IDLE_MS, LONGEST_MS
from pykafka_ops.monitor.alerts.settings.checked import CheckedTable, Complaints, named_tables
from pykafka_ops.monitor.alerts.settings.receivers import Secret

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
KEYS: Final = ("actions", "login", "role", "token", "tls-cert", "tls-key", "allowed-hosts")
"""The keys at the top of the configuration that are read here."""
NONE, USERS, HEADER, OIDC = "none", "users", "header", "oidc"
MODES: Final = (NONE, USERS, HEADER, OIDC)
OPEN: Final = ("metrics", "v3")
LOOPBACK: Final = ("127.0.0.0/8", "::1")
_LOGIN_KEYS: Final = {
    NONE: (),
    USERS: ("users-file", "proxies"),
    HEADER: ("user-header", "groups-header", "proxies"),
    OIDC: (
        "issuer",
        "client-id",
        "client-secret-env",
        "client-secret-file",
        "scopes",
        "name-claim",
        "groups-claim",
        "proxies",
    ),
}
_SHARED: Final = ("mode", "open", "session-idle", "session-longest", "url")
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9-]{1,64}")


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """A role, and who has it: persons by name (``*``: everybody who logs in), groups that a proxy
    or a provider names."""

    role: Role
    members: frozenset[str]
    groups: frozenset[str]

    def has(self, name: str, groups: tuple[str, ...]) -> bool:
        """Whether a person has it."""
        return "*" in self.members or name in self.members or not self.groups.isdisjoint(groups)


@dataclass(frozen=True, slots=True)
class LoginSettings:
    """``[login]``. ``url``: the address that browsers have for the monitor ("": that of the
    request); spans in ms; from ``issuer`` on: of mode ``oidc``."""

    mode: str = NONE
    users_file: str = ""
    user_header: str = "X-Forwarded-User"
    groups_header: str = "X-Forwarded-Groups"
    proxies: tuple[Network, ...] = ()
    open: frozenset[str] = frozenset()
    idle_ms: int = IDLE_MS
    longest_ms: int = LONGEST_MS
    url: str = ""
    issuer: str = ""
    client_id: str = ""
    client_secret: Secret | None = None
    scopes: str = "openid profile email"
    name_claim: str = "preferred_username"
    groups_claim: str = "groups"


@dataclass(frozen=True, slots=True)
class AccessSettings:
    """All of it. ``tokens``: by the SHA-256 of a token, in hexadecimal, its name and roles."""

    actions: frozenset[str] = frozenset()
    login: LoginSettings = LoginSettings()
    roles: tuple[RoleSettings, ...] = ()
    tokens: Mapping[str, tuple[str, tuple[Role, ...]]] = field(default_factory=dict)
    tls_cert: str = ""
    tls_key: str = ""
    allowed_hosts: tuple[str, ...] = ()


def read_access_settings(
    document: Mapping[str, object], where: str
) -> tuple[AccessSettings, list[str]]:
    """The settings, and a line for everything that is wrong with them; tables of others are left
    alone. What is wrong is left out."""
    problems = Complaints()
    top = CheckedTable(where, document)
    actions = problems.of(lambda: _some_of(top, "actions", tuple(ACTIONS))) or frozenset()
    login = problems.of(lambda: _login(document.get("login", {}), where))
    roles = _roles(document.get("role", {}), where, problems)
    tokens = _tokens(document.get("token", {}), where, roles, problems)
    if login is not None and login.mode == NONE:
        for key in ("role", "token"):
            if document.get(key):
                problems.lines.append(f"{where}: [{key}.NAME] needs a [login] with a mode")
    cert = problems.of(lambda: top.text("tls-cert") if "tls-cert" in document else "") or ""
    key = problems.of(lambda: top.text("tls-key") if "tls-key" in document else "") or ""
    if bool(cert) != bool(key):
        problems.lines.append(f"{where}: tls-cert and tls-key go together")
    hosts = problems.of(lambda: top.texts("allowed-hosts")) or ()
    made = AccessSettings(
        actions, login or LoginSettings(), tuple(roles.values()), tokens, cert, key,
        tuple(host.lower() for host in hosts),
    )  # fmt: skip
    return made, problems.lines


def access_settings(document: Mapping[str, object], where: str) -> AccessSettings:
    """As ``read_access_settings``; UsageError with the first thing that is wrong."""
    found, problems = read_access_settings(document, where)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise UsageError(problems[0] + more)
    return found


def _some_of(table: CheckedTable, key: str, known: tuple[str, ...]) -> frozenset[str]:
    """A list of known words; ``*`` is all of them."""
    found = frozenset() if table.values.get(key) == [] else frozenset(table.texts(key) or ())
    for word in sorted(found - {"*"} - set(known)):
        hint = did_you_mean(word, known) or f"; known: {', '.join(known)}"
        raise table.wrong(key, f"there is no {word[:40]!r}{hint}")
    return frozenset(known) if "*" in found else found


def _login(values: object, where: str) -> LoginSettings:
    if not isinstance(values, dict):
        raise UsageError(f"{where}: [login]: write it as a table")
    table = CheckedTable(f"{where}: [login]", values)
    mode = table.choice("mode", MODES) if values else NONE
    table.only((*_SHARED, *_LOGIN_KEYS[mode]))
    default = LoginSettings()
    return LoginSettings(
        mode,
        table.text("users-file") if mode == USERS else "",
        _header(table, "user-header", default.user_header),
        _header(table, "groups-header", default.groups_header),
        _networks(table, LOOPBACK if mode == HEADER else ()),
        _some_of(table, "open", OPEN),
        table.span("session-idle", IDLE_MS, 60_000),
        table.span("session-longest", LONGEST_MS, 60_000),
        _url(table),
        **(_provider(table, default) if mode == OIDC else {}),
    )


def _provider(table: CheckedTable, default: LoginSettings) -> dict[str, Any]:
    issuer = table.text("issuer").rstrip("/")
    host = urlsplit(issuer).hostname
    local = issuer.startswith("http://") and host in ("127.0.0.1", "localhost", "::1")
    if not host or not (issuer.startswith("https://") or local):
        raise table.wrong("issuer", "write the https address of the provider")
    table.text("url")  # the provider sends browsers back there
    scopes = table.text("scopes", default.scopes)
    if "openid" not in scopes.split():
        raise table.wrong("scopes", "openid has to be among them")
    return {
        "issuer": issuer,
        "client_id": table.text("client-id"),
        "client_secret": _secret(table),
        "scopes": scopes,
        "name_claim": table.text("name-claim", default.name_claim),
        "groups_claim": table.text("groups-claim", default.groups_claim),
    }


def _secret(table: CheckedTable) -> Secret | None:
    found = [s for s in ("env", "file") if f"client-secret-{s}" in table.values]
    if len(found) > 1:
        raise table.wrong("client-secret-env", "and client-secret-file: write one of them")
    return Secret(found[0], table.text(f"client-secret-{found[0]}").strip()) if found else None


def _header(table: CheckedTable, key: str, default: str) -> str:
    name = table.text(key, default)
    if not _HEADER_NAME.fullmatch(name):
        raise table.wrong(key, "is no name of a header: letters, digits and - alone")
    return name


def _networks(table: CheckedTable, default: tuple[str, ...]) -> tuple[Network, ...]:
    found = []
    for text in table.texts("proxies") or default:
        try:
            found.append(ipaddress.ip_network(text, strict=False))
        except ValueError:
            raise table.wrong(
                "proxies", f"{text[:60]!r} is no address: write 10.1.2.3 or 10.0.0.0/8"
            ) from None
    return tuple(found)


def _url(table: CheckedTable) -> str:
    url = (table.maybe("url") or "").rstrip("/")
    parts = urlsplit(url)
    plain = not (parts.path or parts.query or parts.fragment or parts.username)
    if url and not (parts.scheme in ("http", "https") and parts.hostname and plain):
        raise table.wrong("url", "write the monitor's address, such as https://monitor.example.com")
    return url


def _roles(values: object, where: str, problems: Complaints) -> dict[str, RoleSettings]:
    tables = problems.of(lambda: named_tables(values, f"{where}: [role]")) or {}
    found = {}
    for name, table in tables.items():
        made = problems.of(lambda n=name, t=table: _role(n, t, where))  # type: ignore[misc]
        if made is not None:
            found[name] = made
    return found


def _role(name: str, values: Mapping[str, object], where: str) -> RoleSettings:
    table = CheckedTable(f"{where}: [role.{name}]", values)
    table.only(("allow", "clusters", "names", "members", "groups"))
    rights = _some_of(table, "allow", RIGHTS)
    if not rights:
        raise table.wrong("allow", 'is missing: write allow = ["view"]')
    role = Role(
        name, rights, table.pattern("clusters") or EVERYTHING, table.pattern("names") or EVERYTHING
    )
    members, groups = table.texts("members"), table.texts("groups")
    if members is None and groups is None:
        groups = (name,)
    return RoleSettings(role, frozenset(members or ()), frozenset(groups or ()))


def _tokens(
    values: object, where: str, roles: Mapping[str, RoleSettings], problems: Complaints
) -> dict[str, tuple[str, tuple[Role, ...]]]:
    tables = problems.of(lambda: named_tables(values, f"{where}: [token]")) or {}
    found: dict[str, tuple[str, tuple[Role, ...]]] = {}
    for name, given in tables.items():
        table = CheckedTable(f"{where}: [token.{name}]", given)
        made = problems.of(lambda t=table: _token(t, roles))  # type: ignore[misc]
        if made is not None:
            found[made[0]] = (f"token:{name}", made[1])
    return found


def _token(table: CheckedTable, roles: Mapping[str, RoleSettings]) -> tuple[str, tuple[Role, ...]]:
    table.only(("sha256", "roles"))
    digest = table.text("sha256").lower()
    if not re.fullmatch("[0-9a-f]{64}", digest):
        raise table.wrong("sha256", "is no SHA-256 in hexadecimal: write that of the token")
    names = table.texts("roles") or ()
    for name in names:
        if name not in roles:
            raise table.wrong("roles", f"there is no role {name[:40]}{did_you_mean(name, roles)}")
    return digest, tuple(roles[name].role for name in names)
