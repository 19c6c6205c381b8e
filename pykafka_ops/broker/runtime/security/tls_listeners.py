"""TLS of a broker: its listeners, its own connections to brokers, and renewed certificates."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any

from pykafka_ops.broker import jobs
from pykafka_ops.broker.runtime.security.handshakes import LIMITS, HandshakeLimits, Handshakes
from pykafka_ops.broker.runtime.security.login_counts import LoginCounts
from pykafka_ops.broker.runtime.security.rare_lines import RareLines
from pykafka_ops.broker.runtime.security.tls_door import Serve, TlsDoor
from pykafka_ops.broker.runtime.security.tls_keys import ListenerKeys
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.configs.running import BrokerConfigs

log = logging.getLogger("kafka.network.SocketServer")

PROTOCOLS = frozenset({"SSL", "SASL_SSL"})
LOOK_S = 5.0
"""How often it is looked whether a file of keys or certificates has changed."""
DELAY = "connection.failed.authentication.delay.ms"

RunInThread = Callable[..., Coroutine[Any, Any, Any]]


class TlsListeners:
    """Those of ``protocols`` (by listener) that speak TLS; brokers connect by ``inter_broker``.

    :meth:`load` comes first.
    """

    def __init__(
        self,
        configs: BrokerConfigs,
        protocols: Mapping[str, str],
        inter_broker: str,
        run_in_thread: RunInThread,
        *,
        limits: HandshakeLimits = LIMITS,
        look_s: float = LOOK_S,
    ) -> None:
        self._configs = configs
        self._run_in_thread = run_in_thread
        self._limits = limits
        self._look_s = look_s
        self._keys = {
            name: ListenerKeys(
                ListenerConfigs(configs, name), protocol, between_brokers=name == inter_broker
            )
            for name, protocol in protocols.items()
            if protocol in PROTOCOLS
        }
        self._inter_broker = self._keys.get(inter_broker)
        self._handshakes: Handshakes | None = None
        self._rare_lines: RareLines | None = None
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()

    async def load(self) -> None:
        """Read keys and certificates. Raises SettingError, TlsSettingError."""
        for keys in self._keys.values():
            await self._run_in_thread(keys.load)

    def start(self, timer: Callable[[], float]) -> None:
        """Follow changes of files and settings; ``timer()`` is a monotonic clock in ms."""
        loop = asyncio.get_running_loop()
        self._rare_lines = RareLines(timer)
        self._handshakes = Handshakes(loop, timer, self._rare_lines, self._limits)
        self._task = jobs.start("renewal of certificates", self._follow())

    def door(
        self,
        listener: str,
        serve: Serve,
        left: Callable[[str], None],
        counts: LoginCounts | None = None,
    ) -> TlsDoor | None:
        """What clients of a listener go through; None if it speaks no TLS. ``serve`` gets the
        principals of those who are in, ``left`` the addresses of those who never were; ``counts``
        is what counts logins there, if there are any."""
        keys = self._keys.get(listener)
        if keys is None:
            return None
        assert self._handshakes is not None and self._rare_lines is not None, "not started"
        return TlsDoor(
            keys,
            self._handshakes,
            self._rare_lines,
            serve=serve,
            left=left,
            delay_ms=lambda: int(self._configs.value(DELAY)),
            counts=counts,
        )

    def to_brokers(self) -> ssl.SSLContext | None:
        """For connections to other brokers; None if those are without TLS."""
        return None if self._inter_broker is None else self._inter_broker.now.client

    async def check(self, configs: BrokerConfigs) -> None:
        """Whether such settings may take the place of those of now. Raises SettingError."""
        for name, keys in self._keys.items():
            await self._run_in_thread(keys.check, ListenerConfigs(configs, name))

    def reconfigure(self, names: frozenset[str]) -> None:
        """These settings have other values."""
        if any("ssl." in name for name in names):
            self._changed.set()

    async def close(self) -> None:
        """Follow nothing more; handshakes end."""
        if self._handshakes is not None:
            self._handshakes.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), self._look_s)
            self._changed.clear()
            for keys in self._keys.values():
                try:
                    await self._run_in_thread(keys.renew)
                except Exception as error:
                    jobs.failed("renewal of certificates", error)
