import pytest

from pykafka_ops.errors import SettingError
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.topic import TOPIC
from pykafka_ops.settings.validators import Range
from tests.support.raising import raises_nothing

REPLICAS = (
    "leader.replication.throttled.replicas must be the literal '*' or a list of replicas in the "
    "following format: [partitionId]:[brokerId],[partitionId]:[brokerId],..."
)
TABLES = {"topic": TOPIC, "broker": BROKER}


@pytest.mark.parametrize(
    ("table", "name", "text", "shown", "why"),
    [
        ("topic", "segment.bytes", "13", "13", "Value must be at least 14"),
        ("topic", "compression.lz4.level", "18", "18", "Value must be no more than 17"),
        ("topic", "min.cleanable.dirty.ratio", "-1", "-1.0", "Value must be at least 0"),
        ("topic", "min.cleanable.dirty.ratio", "1.5", "1.5", "Value must be no more than 1"),
        (
            "topic",
            "compression.gzip.level",
            "0",
            "0",
            "Value must be between 1 and 9 or equal to -1",
        ),
        ("topic", "cleanup.policy", "compact,x", "x", "String must be one of: compact, delete"),
        (
            "topic",
            "compression.type",
            "GZIP",
            "GZIP",
            "String must be one of: uncompressed, zstd, lz4, snappy, gzip, producer",
        ),
        ("topic", "message.format.version", "5.0", "5.0", "Version 5.0 is not a valid version"),
        ("topic", "leader.replication.throttled.replicas", "0:1,1:", "[0:1, 1:]", REPLICAS),
        ("topic", "leader.replication.throttled.replicas", "none", "[none]", REPLICAS),
        (
            "broker",
            "remote.log.storage.manager.class.name",
            "",
            "",
            "String must be non-empty",
        ),
        (
            "broker",
            "remote.log.manager.copier.thread.pool.size",
            "0",
            "0",
            "Value can be -1 or greater than 0",
        ),
        (
            "broker",
            "group.consumer.migration.policy",
            "x",
            "x",
            "String must be one of (case insensitive): DISABLED, DOWNGRADE, UPGRADE, BIDIRECTIONAL",
        ),
    ],
)
def test_a_value_out_of_range_is_refused_with_kafkas_words(
    table: str, name: str, text: str, shown: str, why: str
) -> None:
    with pytest.raises(SettingError) as caught:
        TABLES[table][name].parse(text)
    assert str(caught.value) == f"Invalid value {shown} for configuration {name}: {why}"


@pytest.mark.parametrize(
    ("table", "name", "text"),
    [
        ("topic", "compression.gzip.level", "-1"),
        ("topic", "cleanup.policy", ""),
        ("topic", "min.cleanable.dirty.ratio", "NaN"),
        ("topic", "leader.replication.throttled.replicas", "*"),
        ("topic", "leader.replication.throttled.replicas", ""),
        ("topic", "message.format.version", "3.0"),
        ("topic", "message.format.version", "0.10.2.1"),
        ("broker", "group.consumer.migration.policy", "upGrade"),
        ("broker", "controller.quorum.voters", "1@h:9,2@[::1]:9"),
        ("broker", "controller.quorum.bootstrap.servers", "h:9,[::1]:9"),
        ("broker", "remote.log.storage.manager.class.name", None),
    ],
)
def test_values_at_the_edge_are_accepted(table: str, name: str, text: str | None) -> None:
    with raises_nothing():
        TABLES[table][name].parse(text)


@pytest.mark.parametrize(
    "name", ["controller.quorum.voters", "controller.quorum.bootstrap.servers"]
)
def test_addresses_of_a_quorum_are_checked(name: str) -> None:
    with pytest.raises(SettingError, match="Each entry should be in the form"):
        BROKER[name].parse("foo")


def test_a_range_without_value_is_refused() -> None:
    with pytest.raises(SettingError, match="Value must be non-null"):
        Range(0)("x", None)
    with pytest.raises(SettingError, match="entry must be non null"):
        BROKER["authorizer.class.name"].validator("authorizer.class.name", None)  # type: ignore[misc]


def test_ranges_read_as_in_kafkas_documentation() -> None:
    assert str(Range(None, 5)) == "[...,5]"
    assert str(Range(0)) == "[0,...]"
    assert str(Range(0, 1)) == "[0,...,1]"
