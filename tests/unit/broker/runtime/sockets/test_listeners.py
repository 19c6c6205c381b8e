"""Listeners are bound to every address of their host, on one port."""

from __future__ import annotations

import socket

import pytest

from pykafka_ops.broker.runtime.sockets.listeners import Listening, bind
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.errors import SettingError


def close(sockets: list[socket.socket]) -> None:
    for each in sockets:
        each.close()


def test_any_host_means_every_family_on_one_port() -> None:
    bound = bind("", 0)
    ports = {each.getsockname()[1] for each in bound}
    families = [each.family for each in bound]
    close(bound)
    assert len(ports) == 1
    assert 0 not in ports
    assert socket.AF_INET in families
    assert len(set(families)) == len(families)


def test_an_address_is_bound_alone() -> None:
    (bound,) = bind("127.0.0.1", 0)
    assert bound.getsockname()[0] == "127.0.0.1"
    bound.close()


def test_a_port_that_is_taken_is_named() -> None:
    (taken,) = bind("127.0.0.1", 0)
    taken.listen()
    port = taken.getsockname()[1]
    with pytest.raises(OSError, match=f"127.0.0.1:{port}: Address already in use"):
        bind("127.0.0.1", port)
    taken.close()


def test_a_host_that_is_not_known_is_an_error() -> None:
    with pytest.raises(OSError, match=r"not known|failure"):
        bind("nowhere.invalid", 0)


TWO = {
    "listeners": "INSIDE://a:1,OUTSIDE://b:2",
    "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT",
}


def test_brokers_use_the_listener_named_for_them() -> None:
    settings = {**TWO, "inter.broker.listener.name": "inside"}
    assert Listening(BrokerConfigs(settings)).inter_broker == "INSIDE"
    assert Listening(BrokerConfigs({"listeners": "PLAINTEXT://:1"})).inter_broker == "PLAINTEXT"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (TWO, "valid options based on currently configured listeners are INSIDE,OUTSIDE"),
        ({**TWO, "inter.broker.listener.name": "X"}, "must be a listener name defined in"),
        (
            {
                **TWO,
                "inter.broker.listener.name": "INSIDE",
                "advertised.listeners": "OUTSIDE://b:2",
            },
            "currently configured listeners are OUTSIDE",
        ),
        (
            {
                **TWO,
                "inter.broker.listener.name": "INSIDE",
                "security.inter.broker.protocol": "PLAINTEXT",
            },
            "Only one of inter.broker.listener.name and security.inter.broker.protocol",
        ),
    ],
)
def test_a_listener_for_brokers_that_is_not_there_is_refused(
    settings: dict[str, str], text: str
) -> None:
    with pytest.raises(SettingError, match=text):
        Listening(BrokerConfigs(settings))
