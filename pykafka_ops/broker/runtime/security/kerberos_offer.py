"""GSSAPI on a listener: its keytab, its principal, its rules, from its settings.

The library's steps are done on the event loop: with a client's token it decrypts and looks into the
keytab and the replay cache, which takes a fifth of a millisecond; it asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pykafka_ops.broker.runtime.security.login_sources import LoginSources
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.logins.dialogue import NewDialogue
from pykafka_ops.broker.state.logins.gssapi import new_login
from pykafka_ops.errors import LoginError, SettingError
from pykafka_ops.security import kerberos
from pykafka_ops.security.kerberos_login import NAME, SERVICE, acceptor_of, service_name
from pykafka_ops.security.kerberos_names import SETTING, ShortNames

T = TypeVar("T")


def make(sources: LoginSources, configs: ListenerConfigs) -> NewDialogue:
    """Raises SettingError."""
    options = sources.modules.options(configs, NAME)
    if options is None:
        raise sources.modules.missing(configs, NAME)
    try:
        login = acceptor_of(options)
        service_name(configs.text(SERVICE), options)
        new_context = kerberos.acceptor(login)
        rules = [rule.strip() for rule in configs.value(SETTING)]
        names = ShortNames(rules, kerberos.default_realm())
    except (SettingError, kerberos.KerberosError) as error:
        raise SettingError(f"listener {configs.listener}: {error}") from None
    return new_login(lambda: _LoginContext(new_context()), names.user)


class _LoginContext:
    """A context whose errors are those of a login."""

    def __init__(self, context: kerberos.KerberosContext) -> None:
        self._context = context

    @property
    def complete(self) -> bool:
        return self._context.complete

    @property
    def peer(self) -> str:
        return _as_login(lambda: self._context.peer)

    def step(self, token: bytes) -> bytes:
        return _as_login(lambda: self._context.step(token))

    def wrap(self, message: bytes) -> bytes:
        return _as_login(lambda: self._context.wrap(message))

    def unwrap(self, token: bytes) -> bytes:
        return _as_login(lambda: self._context.unwrap(token))


def _as_login(act: Callable[[], T]) -> T:
    try:
        return act()
    except kerberos.KerberosError as error:
        raise LoginError(f"Kerberos: {error}") from None
