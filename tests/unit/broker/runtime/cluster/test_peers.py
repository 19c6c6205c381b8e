"""Connections to the other brokers follow what the controller says of them."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.runtime.cluster.peers import Peers
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.image import BrokerEndpoint, BrokerInfo, MetadataDelta, MetadataImage
from pykafka_ops.errors import ConnectError


def broker(id_: int, port: int, listener: str = "INSIDE") -> BrokerInfo:
    endpoints = (
        BrokerEndpoint("outer", 1, "OUTSIDE", "PLAINTEXT"),
        BrokerEndpoint("h", port, listener, "PLAINTEXT"),
    )
    return BrokerInfo(id=id_, endpoints=endpoints)


def tell(image: MetadataImage, *brokers: BrokerInfo) -> None:
    image.apply(MetadataDelta(controller_id=0, controller_epoch=1, brokers=brokers))


def peers_of(image: MetadataImage) -> Peers:
    settings = BrokerConfigs(
        {"replica.socket.timeout.ms": "7000", "controller.socket.timeout.ms": "9000"}
    )
    return Peers(image, settings, 0, "INSIDE")


def test_one_connection_for_each_purpose_by_the_listener_for_brokers() -> None:
    image = MetadataImage()
    peers = peers_of(image)
    tell(image, broker(1, 11))
    found = peers.peer(1, "fetcher-0")
    assert found.endpoint == BrokerEndpoint("h", 11, "INSIDE", "PLAINTEXT")
    assert peers.peer(1, "fetcher-0") is found
    assert peers.peer(1, "controller") is not found


def test_a_connection_lives_while_its_broker_stays_where_it_is() -> None:
    image = MetadataImage()
    peers = peers_of(image)
    tell(image, broker(1, 11), broker(2, 21))
    one, two = peers.peer(1, "markers"), peers.peer(2, "markers")
    tell(image, broker(1, 11), broker(2, 22))
    assert peers.peer(1, "markers") is one
    assert peers.peer(2, "markers") is not two
    assert peers.peer(2, "markers").endpoint.port == 22
    tell(image, broker(2, 22))
    with pytest.raises(ConnectError, match="broker 1 is not alive"):
        peers.peer(1, "markers")


def test_a_broker_without_the_listener_cannot_be_reached() -> None:
    image = MetadataImage()
    peers = peers_of(image)
    tell(image, broker(1, 11, "OTHER"))
    with pytest.raises(ConnectError, match="broker 1 has no listener INSIDE"):
        peers.peer(1, "fetcher-0")


def test_unknown_brokers_cannot_be_reached() -> None:
    with pytest.raises(ConnectError, match="broker 5 is not alive"):
        peers_of(MetadataImage()).peer(5, "fetcher-0")
