"""Who may reach a monitor: what is wrong with that, and the names that it may be called by."""

from __future__ import annotations

import ipaddress
import os
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

from pykafka_ops.commands.framework.output import say
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.access.rights import ACTIONS
from pykafka_ops.monitor.access.settings import (
    HEADER,
    NONE,
    AccessSettings,
    access_settings,
    read_access_settings,
)
from pykafka_ops.monitor.access.users import UsersFile
from pykafka_ops.monitor.config import MonitorConfig, listen_address

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def access_problems(tables: Mapping[str, object], path: str) -> list[str]:
    """A line for everything that is wrong, with the files that are named, too."""
    access, problems = read_access_settings(tables, path)
    try:
        _check_files(access)
    except UsageError as error:
        problems.append(str(error))
    for role in access.roles:
        off = sorted((role.role.rights & set(ACTIONS)) - access.actions)
        if off and not problems:
            say(
                f"[role.{role.role.name}] allows {', '.join(off)}, which actions does not switch on"
            )
    return problems


def checked_access(config: MonitorConfig, path: str, *, insecure: bool) -> AccessSettings:
    """The settings, where they fit the address to listen on. UsageError."""
    access = access_settings(config.others, path)
    host, _ = listen_address(config.listen)
    if access.login.mode == NONE and not is_loopback(host):
        if not insecure:
            raise UsageError(
                f"listen {config.listen}: everybody who reaches this address could read the "
                "clusters; listen on 127.0.0.1, set [login], or say --insecure"
            )
        if access.actions:
            raise UsageError(
                f"listen {config.listen}: everybody who reaches this address could change the "
                "clusters; set [login], or actions = []"
            )
    _check_files(access)
    clear = not access.tls_cert and not access.login.proxies and not is_loopback(host)
    if access.login.mode not in (NONE, HEADER) and clear:
        say("pko: passwords travel in clear text: set tls-cert and tls-key, or name the proxy that "
            "speaks TLS in proxies of [login]")  # fmt: skip
    return access


def known_hosts(
    config: MonitorConfig, access: AccessSettings, *, insecure: bool
) -> tuple[str, ...] | None:
    """The names that the monitor may be called by; None: any. Without a session of its own a
    browser could be led here by the name of another site, so names are checked."""
    has_sessions = access.login.mode not in (NONE, HEADER)
    if insecure or (has_sessions and not access.allowed_hosts):
        return None
    host, _ = listen_address(config.listen)
    own = urlsplit(access.login.url).hostname
    return (*LOOPBACK, host, *((own,) if own else ()), *access.allowed_hosts)


def is_loopback(host: str) -> bool:
    """Whether this machine alone reaches the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_files(access: AccessSettings) -> None:
    if access.login.users_file:
        UsersFile(os.path.expanduser(access.login.users_file))
    if access.tls_cert and access.tls_key:
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(access.tls_cert, access.tls_key, password=lambda: "")
        except OSError as error:
            in_files = isinstance(error, ssl.SSLError)
            why = "no certificate and key that fit" if in_files else error.strerror
            raise UsageError(
                f"tls-cert {access.tls_cert}, tls-key {access.tls_key}: {why}"
            ) from None
