"""Kerberos by the ``gssapi`` package (MIT's library): credentials and security contexts.

All of it may block: it reads files and asks the KDC. Errors are one line each.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from pykafka_ops.errors import PkoError, SettingError
from pykafka_ops.security.java import system_properties
from pykafka_ops.security.kerberos_login import EXTRA, KerberosLogin
from pykafka_ops.security.sasl import AuthenticationError, Dialogue
from pykafka_ops.security.sasl_gssapi import LayerError, initiate

if TYPE_CHECKING:
    from types import ModuleType

T = TypeVar("T")

CONF = "java.security.krb5.conf"
"""The system property of a JVM for what ``KRB5_CONFIG`` names otherwise."""
HINTS = {
    "Clock skew": "the clocks of this machine, the KDC and the broker differ by more than krb5.conf"
    " allows",
    "expired": "kinit gets a new ticket",
    "not found in Kerberos database": "is sasl.kerberos.service.name right, and the broker's host?",
    "No Kerberos credentials": "kinit gets a ticket",
    "No credentials cache found": "there is no ticket, or no key of that principal in the keytab",
    "Cannot contact any KDC": "is the KDC of krb5.conf up?",
    "Cannot find KDC": "krb5.conf names none for that realm",
    "Client not found": "does the KDC know that principal?",
    "Preauthentication failed": "is the keytab an old one?",
    "Password incorrect": "is the keytab an old one?",
}


_NOTHING = ("", "Success", "Unknown error")


class KerberosError(PkoError):
    """The library, or the KDC, says no."""

    exit_code = 3


def library() -> ModuleType:
    """The ``gssapi`` package, told of the JVM's krb5.conf. SettingError where it is not there."""
    conf = system_properties(os.environ).get(CONF)
    if conf:
        os.environ["KRB5_CONFIG"] = conf
    try:
        import gssapi
    except (ImportError, OSError):  # the package, or the library that it needs
        raise SettingError(f"GSSAPI (Kerberos) needs the package gssapi: {EXTRA}") from None
    found: ModuleType = gssapi
    return found


def default_realm() -> str:
    """Of krb5.conf, "" where it names none, as Kafka has it. SettingError without the library."""
    gssapi = library()
    try:
        name = gssapi.Name("x", gssapi.NameType.user).canonicalize(gssapi.MechType.kerberos)
    except gssapi.exceptions.GSSError:
        return ""
    return str(name).partition("@")[2]


def dialogue(login: KerberosLogin, service: str, host: str) -> Dialogue:
    """A client's login to ``service`` on ``host``, which asks to be its own principal as Kafka's
    clients do. Its steps raise AuthenticationError."""
    try:
        context, principal = _said(lambda: _begun(login, service, host))
        yield from initiate(context, principal)
    except (KerberosError, LayerError, SettingError) as error:
        text = f"Kerberos: {login} cannot log in to {service}@{host}: {error}"
        raise AuthenticationError(text) from None


def _begun(login: KerberosLogin, service: str, host: str) -> tuple[KerberosContext, str]:
    gssapi = library()
    creds = _to_initiate(gssapi, login)
    host = _named(host)
    flags = gssapi.RequirementFlag.mutual_authentication | gssapi.RequirementFlag.integrity
    context = gssapi.SecurityContext(
        name=gssapi.Name(f"{service}@{host}", gssapi.NameType.hostbased_service),
        creds=creds,
        flags=flags,
        mech=gssapi.MechType.kerberos,
        usage="initiate",
    )
    return KerberosContext(context), str(creds.name)


def _named(host: str) -> str:
    """Of an address its name, as Kafka's clients ask for (``InetAddress.getHostName``)."""
    import ipaddress
    import socket

    try:
        ipaddress.ip_address(host)
        return socket.getnameinfo((host, 0), 0)[0]
    except (ValueError, OSError):
        return host


def acceptor(login: KerberosLogin) -> Callable[[], KerberosContext]:
    """What makes a broker's context for each client. Raises KerberosError, SettingError."""
    gssapi = library()
    assert login.keytab is not None
    _readable(login.keytab)
    name = gssapi.Name(login.principal, gssapi.NameType.kerberos_principal)
    store = {"keytab": login.keytab}
    mechanisms = [gssapi.MechType.kerberos]
    creds = _said(
        lambda: gssapi.Credentials(name=name, usage="accept", store=store, mechs=mechanisms)
    )
    return lambda: KerberosContext(gssapi.SecurityContext(creds=creds, usage="accept"))


def _to_initiate(gssapi: ModuleType, login: KerberosLogin) -> Any:
    """The ticket cache first, as in Java; tickets of a keytab are kept in memory, and renewed."""
    name = None
    if login.principal:
        name = gssapi.Name(login.principal, gssapi.NameType.kerberos_principal)
    get = gssapi.Credentials
    mechanisms = [gssapi.MechType.kerberos]
    if login.cache is not None:
        store = {"ccache": f"FILE:{login.cache}"} if login.cache else None
        try:
            found = get(name=name, usage="initiate", store=store, mechs=mechanisms)
            if login.keytab is None or found.lifetime:
                return found
        except gssapi.exceptions.GSSError:
            if login.keytab is None:
                raise
    assert login.keytab is not None
    _readable(login.keytab)
    store = {"client_keytab": login.keytab, "ccache": f"MEMORY:{login.keytab}:{login.principal}"}
    return get(name=name, usage="initiate", store=store, mechs=mechanisms)


def _readable(path: str) -> None:
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise SettingError(f"the keytab {path} cannot be read: {error.strerror}") from None


class KerberosContext:
    """A security context; every method raises KerberosError."""

    def __init__(self, context: Any) -> None:
        context.__DEFER_STEP_ERRORS__ = False  # Kafka has no place for tokens that tell of errors
        self._context = context

    @property
    def complete(self) -> bool:
        """Whether both sides have proved who they are."""
        return bool(_said(lambda: self._context.complete))

    @property
    def peer(self) -> str:
        """The principal of the client."""
        return str(_said(lambda: self._context.initiator_name))

    def step(self, token: bytes) -> bytes:
        """Take a token of the other side, return the next one."""
        return _said(lambda: self._context.step(token or None)) or b""

    def wrap(self, message: bytes) -> bytes:
        """Sign, without encryption."""
        return bytes(_said(lambda: self._context.wrap(message, False)).message)

    def unwrap(self, token: bytes) -> bytes:
        """What the other side has signed."""
        return bytes(_said(lambda: self._context.unwrap(token)).message)


def _said(act: Callable[[], T]) -> T:
    gssapi: Any = sys.modules["gssapi"]
    try:
        return act()
    except gssapi.exceptions.GSSError as error:
        raise KerberosError(_line(error)) from None


def _line(error: Any) -> str:
    """The library's words in one line: the mechanism's, where it has any, and what to do."""
    try:
        said = error.get_all_statuses(error.min_code, False) if error.min_code else []
        said = [text for text in said if text not in _NOTHING] or error.get_all_statuses(
            error.maj_code, True
        )
    except Exception:  # another error, of the text
        said = [str(error)]
    text = " ".join(" ".join(said).split())
    hint = next((hint for words, hint in HINTS.items() if words in text), "")
    return f"{text} ({hint})" if hint else text
