"""Connections to the other brokers of the cluster, by purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.image import BrokerInfo, MetadataDelta, MetadataImage
from pykafka_ops.errors import ConnectError

if TYPE_CHECKING:  # a broker alone asks nobody
    from ssl import SSLContext

    from pykafka_ops.broker.coordinators.elsewhere import AskBroker
    from pykafka_ops.broker.runtime.cluster.peer import LogIn, Peer

T = TypeVar("T")
Tls = Callable[[], "SSLContext | None"]

TIMEOUTS = {"fetcher": "replica.socket.timeout.ms", "controller": "controller.socket.timeout.ms"}
"""Settings that bound answers, by the first word of the purpose; else ``request.timeout.ms``."""


class Peers:
    """Connections to the brokers in ``image`` by ``inter.broker.listener.name``.

    Each lives until its broker is gone or listens elsewhere.
    """

    def __init__(
        self,
        image: MetadataImage,
        configs: BrokerConfigs,
        broker_id: int,
        listener: str,
        log_in: LogIn | None = None,
        *,
        tls: Tls | None = None,
    ) -> None:
        """``broker_id`` is this broker's; ``log_in`` is for a listener that asks for a login,
        ``tls`` gives a context for one that speaks TLS."""
        self._tls = tls
        self.listener = listener
        self._image = image
        self._configs = configs
        self._broker_id = broker_id
        self._log_in = log_in
        self._peers: dict[tuple[int, str], Peer] = {}
        image.listeners.append(self._changed)

    def peer(self, broker: int, purpose: str) -> Peer:
        """The connection to ``broker`` for ``purpose`` (``fetcher-0``, ``markers``).

        Raises ConnectError if no such broker is alive.
        """
        found = self._peers.get((broker, purpose))
        if found is None:
            info = self._image.brokers.get(broker)
            if info is None:
                raise ConnectError(f"broker {broker} is not alive")
            found = self._peers[broker, purpose] = self.connect(info, purpose)
        return found

    def asker(self, purpose: str) -> AskBroker:
        """Asks any broker by its id, over the connection for ``purpose``."""

        async def ask(broker: int, request: object, version: int, answer: type[T]) -> T:
            return await self.peer(broker, purpose).ask(request, version, answer)

        return ask

    def connect(self, broker: BrokerInfo, purpose: str) -> Peer:
        """A connection of its own, which the caller closes.

        Raises ConnectError if the broker has no listener for brokers.
        """
        endpoint = broker.endpoint(self.listener)
        if endpoint is None:
            raise ConnectError(f"broker {broker.id} has no listener {self.listener}")
        name = TIMEOUTS.get(purpose.partition("-")[0], "request.timeout.ms")
        client_id = f"broker-{self._broker_id}-{purpose}"
        from pykafka_ops.broker.runtime.cluster.peer import Peer

        seconds = self._configs.value(name) / 1000
        return Peer(broker.id, endpoint, client_id, seconds, self._log_in, tls=self._tls)

    def _changed(self, delta: MetadataDelta) -> None:
        for key, peer in list(self._peers.items()):
            info = self._image.brokers.get(key[0])
            if info is None or info.endpoint(self.listener) != peer.endpoint:
                del self._peers[key]
                peer.close()

    def close(self) -> None:
        """Hang up everywhere."""
        peers, self._peers = self._peers, {}
        for peer in peers.values():
            peer.close()
