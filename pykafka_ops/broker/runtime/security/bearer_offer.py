"""OAUTHBEARER on a listener: which tokens it takes, from its settings.

Counterpart of ``OAuthBearerValidatorCallbackHandler`` where ``sasl.oauthbearer.jwks.endpoint.url``
is set, else of ``OAuthBearerUnsecuredValidatorCallbackHandler``.
"""

from __future__ import annotations

import logging

from pykafka_ops.broker.runtime.security.login_sources import LoginSources
from pykafka_ops.broker.runtime.security.signing_keys import KeyTimes
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.logins import unsecured_jws
from pykafka_ops.broker.state.logins.dialogue import NewDialogue
from pykafka_ops.broker.state.logins.oauthbearer import NAME, Validate, new_login
from pykafka_ops.errors import SettingError
from pykafka_ops.security.provider_calls import ProviderCalls

log = logging.getLogger("kafka.network.SocketServer")

KEYS_URL = "sasl.oauthbearer.jwks.endpoint.url"
SCHEMES = ("https://", "http://", "file:///")


def make(sources: LoginSources, configs: ListenerConfigs) -> NewDialogue:
    """Raises SettingError."""
    url = configs.text(KEYS_URL, NAME)
    return new_login(_unsecured(sources, configs) if not url else _signed(url, sources, configs))


def _unsecured(sources: LoginSources, configs: ListenerConfigs) -> Validate:
    options = sources.modules.options(configs, NAME)
    if options is None or not unsecured_jws.is_allowed(options):
        raise SettingError(
            f"listener {configs.listener} cannot check tokens of {NAME}: set "
            f"{configs.name(KEYS_URL, NAME)} to the address of the keys that sign them; for tests, "
            "options unsecuredValidator... of the login module allow unsigned tokens"
        )
    log.warning(
        "listener %s takes unsigned tokens: everybody may log in as anybody", configs.listener
    )
    return unsecured_jws.validator(options)


def _signed(url: str, sources: LoginSources, configs: ListenerConfigs) -> Validate:
    if not url.startswith(SCHEMES):
        raise SettingError(f"{KEYS_URL}={url}: write an address of https, http or file")
    try:
        from pykafka_ops.broker.runtime.security.signed_tokens import TokenChecker, TokenRules
    except ImportError:
        raise SettingError(
            f"{KEYS_URL} needs PyJWT: install it with pip install 'pykafka-ops[security]'"
        ) from None

    def get(name: str) -> object:
        return configs.value(f"sasl.oauthbearer.{name}", NAME)

    times = KeyTimes(
        configs.value(f"{REFRESH}.refresh.ms", NAME),
        configs.value(f"{REFRESH}.retry.backoff.ms", NAME),
        configs.value(f"{REFRESH}.retry.backoff.max.ms", NAME),
    )
    rules = TokenRules(
        audiences=list(configs.value("sasl.oauthbearer.expected.audience", NAME) or ()),
        issuer=configs.text("sasl.oauthbearer.expected.issuer", NAME),
        name_claim=str(get("sub.claim.name")),
        scope_claim=str(get("scope.claim.name")),
        skew=configs.value("sasl.oauthbearer.clock.skew.seconds", NAME),
    )
    calls = ProviderCalls(sources.modules.options(configs, NAME) or {}, configs.listener)
    return TokenChecker(sources.keys_at(url, times, calls).find, rules)


REFRESH = "sasl.oauthbearer.jwks.endpoint"
