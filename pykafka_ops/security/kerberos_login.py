"""By which principal and keys a login by Kerberos goes, from options of ``Krb5LoginModule``.

Counterpart of ``com.sun.security.auth.module.Krb5LoginModule`` and ``KerberosLogin``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from pykafka_ops.errors import SettingError
from pykafka_ops.security.java import is_true
from pykafka_ops.security.kerberos_names import NoUserError, parsed

NAME: Final = "GSSAPI"
MODULE: Final = "com.sun.security.auth.module.Krb5LoginModule"
SERVICE: Final = "sasl.kerberos.service.name"
EXTRA: Final = "pip install 'pykafka-ops[kerberos]' (on Debian after apt-get install libkrb5-dev)"


class KerberosLogin(NamedTuple):
    """``principal`` None: the ticket cache's own. ``keytab`` None: no keytab. ``cache`` None: no
    ticket cache, "": the default one (KRB5CCNAME)."""

    principal: str | None
    keytab: str | None
    cache: str | None

    def __str__(self) -> str:
        return self.principal or "the ticket cache"


def login_of(options: Mapping[str, str]) -> KerberosLogin:
    """Raises SettingError where the options name neither a keytab nor a ticket cache."""
    principal = options.get("principal") or None
    keytab = cache = None
    if is_true(options.get("useTicketCache", "")):
        cache = _path(options.get("ticketCache", ""))
    if is_true(options.get("useKeyTab", "")):
        keytab = _path(options.get("keyTab", ""))
        if not keytab or not principal:
            raise SettingError(f"{MODULE}: useKeyTab needs keyTab and principal, too")
    if keytab is None and cache is None:
        raise SettingError(
            f'{MODULE} has no keys: set useKeyTab="true" keyTab="FILE" principal="NAME@REALM", or '
            'useTicketCache="true" and run kinit; passwords are not asked for'
        )
    return KerberosLogin(principal, keytab, cache)


def acceptor_of(options: Mapping[str, str]) -> KerberosLogin:
    """The same for a broker, which needs a keytab, and a principal with its host. Raises
    SettingError."""
    login = login_of(options)
    if login.keytab is None:
        raise SettingError(f"{MODULE} of a broker needs useKeyTab, keyTab and principal")
    try:
        host = parsed(login.principal or "").host
    except NoUserError as error:
        raise SettingError(f"{MODULE}: {error}") from None
    if not host:
        raise SettingError(f"{MODULE}: the principal of a broker is SERVICE/HOST@REALM")
    return login


def service_name(setting: str | None, options: Mapping[str, str]) -> str:
    """The brokers' Kerberos name. Raises SettingError, in Kafka's words."""
    of_jaas = options.get("serviceName") or None
    if of_jaas and setting and of_jaas != setting:
        raise SettingError(
            "Conflicting serviceName values found in JAAS and Kafka configs value in JAAS file "
            f"{of_jaas}, value in Kafka config {setting}"
        )
    found = of_jaas or setting
    if not found:
        raise SettingError(f"No serviceName defined in either JAAS or Kafka config: set {SERVICE}")
    return found


def _path(text: str) -> str:
    """Java writes ``file:/path``, too."""
    scheme, colon, rest = text.partition(":")
    return rest if colon and scheme.lower() == "file" else text
