"""A listener's own setting wins over the broker's."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.errors import SettingError

REAUTH = "connections.max.reauth.ms"


def of(**settings: str) -> ListenerConfigs:
    texts = {k.replace("__", "-").replace("_", "."): v for k, v in settings.items()}
    return ListenerConfigs(BrokerConfigs(texts), "INSIDE")


def test_without_anything_set_kafkas_default_counts() -> None:
    assert of().value(REAUTH) == 0
    assert of().text("sasl.jaas.config") is None


def test_the_nearest_setting_wins() -> None:
    plain = {"connections_max_reauth_ms": "1"}
    listener = {**plain, "listener_name_inside_connections_max_reauth_ms": "2"}
    mechanism = {**listener, "listener_name_inside_plain_connections_max_reauth_ms": "3"}
    assert [of(**each).value(REAUTH, "PLAIN") for each in (plain, listener, mechanism)] == [1, 2, 3]
    assert of(**mechanism).value(REAUTH, "SCRAM-SHA-256") == 2
    assert of(**plain).own(REAUTH) is None


def test_a_value_that_does_not_fit_is_refused() -> None:
    with pytest.raises(SettingError, match="soon"):
        of(listener_name_inside_connections_max_reauth_ms="soon").value(REAUTH)
