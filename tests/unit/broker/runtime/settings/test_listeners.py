"""What brokers use among themselves follows from the listeners."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.runtime.settings.listeners import Listening
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
