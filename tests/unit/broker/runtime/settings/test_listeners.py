"""What brokers use among themselves follows from the listeners."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.runtime.settings.listeners import Endpoint, Listening, open_to_all
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.errors import SettingError

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


def test_a_protocol_that_is_not_served_is_refused_in_one_line() -> None:
    settings = {**TWO, "inter.broker.listener.name": "INSIDE"}
    settings["listener.security.protocol.map"] = "INSIDE:SSL,OUTSIDE:KERBEROS"
    with pytest.raises(
        SettingError, match=r"^listener OUTSIDE asks for KERBEROS: choose one of PLAINTEXT"
    ):
        Listening(BrokerConfigs(settings))
    settings["listener.security.protocol.map"] = "INSIDE:SSL,OUTSIDE:PLAINTEXT"
    assert Listening(BrokerConfigs(settings)).used_protocols == {
        "INSIDE": "SSL",
        "OUTSIDE": "PLAINTEXT",
    }


@pytest.mark.parametrize(
    ("host", "protocol", "client_auth", "said"),
    [
        ("", "PLAINTEXT", "none", "X://:1 names no address: every network here reaches it"),
        ("0.0.0.0", "PLAINTEXT", "required", "is for other machines, too"),
        ("b.example", "SSL", "requested", "set ssl.client.auth=required"),
        ("b.example", "SSL", "required", None),
        ("b.example", "SASL_SSL", "none", None),
        ("127.0.0.1", "PLAINTEXT", "none", None),
        ("::1", "SSL", "none", None),
        ("localhost", "SSL", "none", None),
    ],
)
def test_a_listener_that_lets_everybody_in_is_told(
    host: str, protocol: str, client_auth: str, said: str | None
) -> None:
    line = open_to_all(Endpoint("X", host, 1), protocol, client_auth)
    assert (line is None) if said is None else (line is not None and said in line)
