"""What a listener takes logins by, from its settings.

Counterpart of ``ChannelBuilders`` and ``SaslChannelBuilder``.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from pykafka_ops.broker.runtime.security.login_sources import LoginSources
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.logins import plain
from pykafka_ops.broker.state.logins.authenticator import Offer
from pykafka_ops.broker.state.logins.dialogue import NewDialogue
from pykafka_ops.broker.state.logins.scram import ScramLogin, ScramSide
from pykafka_ops.errors import SettingError
from pykafka_ops.settings.scram import MECHANISMS, Mechanism

ENABLED = "sasl.enabled.mechanisms"
REAUTH = "connections.max.reauth.ms"
HANDLER = "sasl.server.callback.handler.class"


Make = Callable[[LoginSources, ListenerConfigs], NewDialogue]


def offer_of(configs: ListenerConfigs, protocol: str, sources: LoginSources) -> Offer:
    """The offer of a listener. Raises SettingError where one of its settings is wrong."""
    names = [name.strip() for name in configs.value(ENABLED) if name.strip()]
    if not names:
        raise SettingError(f"{ENABLED} of listener {configs.listener} is empty: name a mechanism")
    made = {name: _make(name, configs, sources) for name in dict.fromkeys(names)}
    reauth = {name: configs.value(REAUTH, name) for name in made}
    return Offer(protocol, made, reauth)


def _make(name: str, configs: ListenerConfigs, sources: LoginSources) -> NewDialogue:
    make = MAKERS.get(name)
    if make is None:
        raise SettingError(
            f"listener {configs.listener}: {name} is not supported: set {ENABLED} to some of "
            f"{', '.join(MAKERS)}"
        )
    handler = configs.text(HANDLER, name)
    if handler and handler not in HANDLERS.get(name, ()):
        raise SettingError(
            f"{configs.name(HANDLER, name)}={handler} is a Java class, which is not supported by "
            "this broker: remove it"
        )
    return make(sources, configs)


def _plain(sources: LoginSources, configs: ListenerConfigs) -> NewDialogue:
    options = sources.modules.options(configs, plain.NAME)
    if options is None:
        raise sources.modules.missing(configs, plain.NAME)
    return plain.new_login(plain.checker(plain.users_of(options)))


def _scram(mechanism: Mechanism) -> Make:
    def make(sources: LoginSources, configs: ListenerConfigs) -> NewDialogue:
        def find(name: str, by_token: bool, now: int) -> ScramLogin | None:
            if by_token:
                tokens = sources.tokens
                return None if tokens is None else tokens.login(mechanism, name, now)
            found = sources.credentials.find(mechanism.name, name)
            return None if found is None else ScramLogin(found, name)

        side = ScramSide(mechanism, find, lambda: secrets.token_hex(16), sources.secret)
        return side.new_login()

    return make


def _bearer(sources: LoginSources, configs: ListenerConfigs) -> NewDialogue:
    from pykafka_ops.broker.runtime.security import bearer_offer  # few ask for it

    return bearer_offer.make(sources, configs)


def _kerberos(sources: LoginSources, configs: ListenerConfigs) -> NewDialogue:
    from pykafka_ops.broker.runtime.security import kerberos_offer  # few ask for it

    return kerberos_offer.make(sources, configs)


_OAUTH = "org.apache.kafka.common.security.oauthbearer."
HANDLERS = {
    "OAUTHBEARER": (
        f"{_OAUTH}OAuthBearerValidatorCallbackHandler",
        f"{_OAUTH}secured.OAuthBearerValidatorCallbackHandler",
    )
}
"""Classes of Kafka that stand for what is done here; an address of keys is needed as well."""

MAKERS: dict[str, Make] = {
    plain.NAME: _plain,
    **{name: _scram(mechanism) for name, mechanism in MECHANISMS.items()},
    "OAUTHBEARER": _bearer,
    "GSSAPI": _kerberos,
}
