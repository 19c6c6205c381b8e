"""The logins of one broker: a desk for each listener that asks for one."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from functools import partial

from pykafka_ops.broker.metadata.znodes.config import USERS, EntityConfig, desanitize
from pykafka_ops.broker.runtime.cluster.peer import LogIn
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.runtime.security.login_desk import CallLater, LoginDesk
from pykafka_ops.broker.runtime.security.login_exchange import LoginExchange, NewExchange
from pykafka_ops.broker.runtime.security.login_modules import LoginModules
from pykafka_ops.broker.runtime.security.login_sources import LoginSources
from pykafka_ops.broker.runtime.security.offers import offer_of
from pykafka_ops.broker.runtime.security.outgoing import outgoing_login
from pykafka_ops.broker.runtime.security.token_upkeep import TokenUpkeep
from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.dispatch import Dispatch
from pykafka_ops.broker.services.delegation_tokens import TokenAdmin
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.logins.authenticator import Now
from pykafka_ops.broker.state.logins.credentials import ScramCredentials
from pykafka_ops.broker.state.logins.delegation import DelegationTokens, TokenLimits
from pykafka_ops.broker.storage.clocks import monotonic_clock, wall_clock
from pykafka_ops.errors import SettingError
from pykafka_ops.random_uuid import random_uuid
from pykafka_ops.wire.types import uuid_text

log = logging.getLogger("kafka.network.SocketServer")

SASL = "SASL_"
SECRET_KEYS = ("delegation.token.secret.key", "delegation.token.master.key")


def _gate(
    desk: LoginDesk, connection: Connection, dispatch: Dispatch, new_exchange: NewExchange
) -> LoginExchange:
    return LoginExchange(connection, desk, dispatch, new_exchange)


def asks(protocol: str) -> bool:
    """Whether a listener of this protocol asks for a login."""
    return protocol.startswith(SASL)


def secret_key(configs: BrokerConfigs) -> str:
    """What signs delegation tokens, "" where there are none."""
    return next((text for name in SECRET_KEYS if (text := configs.value(name))), "")


class Logins:
    """``protocols`` are those of the listeners by name, of which ``inter_broker`` is for brokers;
    ``env`` names the JVM's options.

    Raises SettingError where a setting is wrong, or asks for what is not supported.
    """

    def __init__(
        self,
        configs: BrokerConfigs,
        protocols: Mapping[str, str],
        *,
        inter_broker: str,
        env: Mapping[str, str],
        call_later: CallLater,
    ) -> None:
        self._configs = configs
        self.credentials = ScramCredentials()
        key = secret_key(configs)
        self._tokens = DelegationTokens(key) if key else None
        self._upkeep: TokenUpkeep | None = None
        salts = secrets.token_bytes(32)
        self._sources = LoginSources(LoginModules(env), self.credentials, salts, self._tokens)
        self._protocols = {name: text for name, text in protocols.items() if asks(text)}
        self.desks = {name: self._desk(name, call_later) for name in self._protocols}
        self.outgoing: LogIn | None = None
        """How this broker logs in to others."""
        if inter_broker in self.desks and configs.value("zookeeper.connect"):
            settings = ListenerConfigs(configs, inter_broker)
            self.outgoing = outgoing_login(settings, self._sources.modules)

    def _desk(self, listener: str, call_later: CallLater) -> LoginDesk:
        get = self._configs.value
        settings = ListenerConfigs(self._configs, listener)
        return LoginDesk(
            listener,
            offer_of(settings, self._protocols[listener], self._sources),
            delay_ms=lambda: int(get("connection.failed.authentication.delay.ms")),
            most_bytes=lambda: int(settings.value("sasl.server.max.receive.size")),
            now=lambda: Now(wall_clock(), monotonic_clock()),
            call_later=call_later,
        )

    def guard(self, parts: Parts) -> None:
        """Have the clients of these listeners log in, by what the broker's settings say now."""
        parts.server.gates = {name: partial(_gate, desk) for name, desk in self.desks.items()}
        parts.server.login_counts = {name: desk.counts for name, desk in self.desks.items()}
        parts.settings.quotas.observers.append(self.user_changed)
        assert parts.settings.effects is not None
        parts.settings.effects.copies.append(self.reconfigure)
        if self._tokens is not None:
            self._serve_tokens(parts, self._tokens)

    def _serve_tokens(self, parts: Parts, tokens: DelegationTokens) -> None:
        get, store = self._configs.value, parts.membership.store
        limits = TokenLimits(
            get("delegation.token.max.lifetime.ms"), get("delegation.token.expiry.time.ms")
        )
        admin = TokenAdmin(
            store,
            tokens,
            limits=limits,
            clock=wall_clock,
            new_id=lambda: uuid_text(random_uuid()),
        )
        parts.services.delegation_tokens = admin
        self._upkeep = TokenUpkeep(
            store,
            admin,
            is_controller=lambda: parts.controller.is_active,
            check_ms=get("delegation.token.expiry.check.interval.ms"),
        )

    async def start(self) -> None:
        """Read signing keys, follow what the tree says of delegation tokens. Raises SettingError,
        StoreError."""
        await self._sources.start()
        if self._upkeep is not None:
            await self._upkeep.start()

    async def close(self) -> None:
        """Stop following."""
        await self._sources.close()
        if self._upkeep is not None:
            await self._upkeep.close()

    def reconfigure(self, changed: frozenset[str]) -> None:
        """These settings have other values: new logins go by them."""
        for listener, desk in self.desks.items():
            prefix = f"listener.name.{listener.lower()}."
            if not any(name.startswith(prefix) for name in changed):
                continue
            settings = ListenerConfigs(self._configs, listener)
            try:
                desk.offer = offer_of(settings, self._protocols[listener], self._sources)
            except SettingError as error:
                log.error("logins on listener %s stay as they are: %s", listener, error)

    def user_changed(self, path: str, settings: Mapping[str, str]) -> None:
        """These are all settings of an entity (``users/alice``) now."""
        kind, _, name = path.partition("/")
        if kind != USERS or "/" in name:
            return
        user = desanitize(name)
        if user is not None:
            for mechanism in self.credentials.changed(user, settings):
                where = EntityConfig.path(path)
                log.error("%s: the credential of %s is none and ignored", where, mechanism)
