import pytest

from pykafka_ops.broker.state.configs.dynamic import (
    check_step,
    check_type,
    only_per_broker,
    passwords,
    read_only,
    without_listener,
)
from pykafka_ops.errors import KafkaError, SettingError
from pykafka_ops.settings.broker import BROKER

NAMES = [
    "broker.rack",
    "log.segment.bytes",
    "listeners",
    "ssl.keystore.location",
    "listener.name.a.ssl.keystore.password",
    "listener.name.a.max.connections",
    "leader.replication.throttled.rate",
    "custom.thing",
]


def test_names_are_sorted_by_what_they_allow() -> None:
    assert read_only(NAMES) == ["broker.rack"]
    assert without_listener(NAMES) == ["ssl.keystore.location"]
    assert only_per_broker(NAMES) == [
        "listener.name.a.ssl.keystore.password",
        "listeners",
        "ssl.keystore.location",
    ]
    assert passwords(NAMES) == ["listener.name.a.ssl.keystore.password"]


def test_types_are_checked_below_a_listener_too() -> None:
    check_type("custom.thing", "anything")
    check_type("broker.rack", "anything")
    check_type("listener.name.a.max.connections", "5")
    for name in ("listener.name.a.max.connections", "max.connections"):
        with pytest.raises(SettingError, match=r"Invalid value x for configuration max"):
            check_type(name, "x")


@pytest.mark.parametrize(
    ("name", "new", "fits"),
    [
        ("num.replica.fetchers", 4, True),
        ("num.replica.fetchers", 1, False),
        ("num.replica.fetchers", 9, False),
        ("log.cleaner.threads", 8, True),
        ("log.cleaner.threads", 1, False),
        ("log.cleaner.threads", 0, False),
        ("log.cleaner.threads", 9, False),
    ],
)
def test_threads_at_most_double_or_halve(name: str, new: int, fits: bool) -> None:
    def old(key: str) -> object:
        return 4 if key == name else BROKER[key].default_value

    def wanted(key: str) -> object:
        return new if key == name else BROKER[key].default_value

    if fits:
        check_step(old, wanted)
        return
    with pytest.raises(KafkaError, match="for configuration Invalid dynamic configuration"):
        check_step(old, wanted)
