import json
import re
from pathlib import Path

import pytest

from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.configs.sources import DescribedConfig
from pykafka_ops.errors import SettingError
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.settings.topic import TOPIC
from pykafka_ops.settings.types import Type

GOLDEN = Path(__file__).parents[4] / "golden/cli/configs.jsonl"


def line(entry: DescribedConfig) -> str:
    """As kafka-configs prints an entry."""
    chain = ", ".join(f"{s.source.name}:{s.name}={_null(s.value)}" for s in entry.synonyms)
    return (
        f"  {entry.name}={_null(entry.value)} sensitive={str(entry.sensitive).lower()} "
        f"synonyms={{{chain}}}"
    )


def _null(value: str | None) -> str:
    return "null" if value is None else value


def golden(*argv: str) -> list[list[str]]:
    """The lines below the header of each transcript whose arguments end so."""
    found = []
    for text in GOLDEN.read_text("utf-8").splitlines():
        transcript = json.loads(text)
        if tuple(transcript["argv"][3:]) == argv:
            found.append(transcript["stdout"].splitlines()[1:])
    return found


def entry(configs: BrokerConfigs, name: str) -> DescribedConfig:
    (found,) = configs.describe_broker([name])
    return found


# -- against transcripts of Apache Kafka -----------------------------------------------------------


def static_of(lines: list[str]) -> dict[str, str]:
    """The server.properties of a broker, read back from its description."""
    found = {}
    for text in lines:
        match = re.search(r"STATIC_BROKER_CONFIG:([^=]+)=(.*?)(, [A-Z_]+:|}$)", text)
        if match:
            found[match[1]] = match[2]
    return found


def test_a_broker_describes_itself_as_apache_kafka_does() -> None:
    (lines,) = golden("--describe", "--entity-type", "brokers", "--entity-name", "0", "--all")
    configs = BrokerConfigs(static_of(lines))
    configs.set_dynamic_broker({"log.cleaner.threads": "2"})
    configs.set_dynamic_default({"log.retention.ms": "7200000", "max.connections": "500"})
    assert [line(e) for e in configs.describe_broker()] == lines


def test_a_topic_is_described_as_apache_kafka_does() -> None:
    argv = ("--describe", "--entity-type", "topics", "--entity-name", "fares", "--all")
    configs = BrokerConfigs({})
    own = {
        "retention.ms": "3600000",
        "cleanup.policy": "compact,delete",
        "segment.bytes": "1048576",
    }
    found = sorted(line(e) for e in configs.describe_topic(own))
    assert found == golden(*argv)[0]


def test_a_topic_shows_the_dynamic_default_behind_its_own_value() -> None:
    argv = ("--describe", "--entity-type", "topics", "--entity-name", "refunds", "--all")
    configs = BrokerConfigs({})
    configs.set_dynamic_default({"log.retention.ms": "7200000", "max.connections": "500"})
    assert sorted(line(e) for e in configs.describe_topic({})) == golden(*argv)[0]


def test_the_cluster_defaults_are_described_as_apache_kafka_does() -> None:
    configs = BrokerConfigs({"log.retention.ms": "1"})
    configs.set_dynamic_default({"log.retention.ms": "7200000", "max.connections": "500"})
    lines = golden("--describe", "--entity-type", "brokers", "--entity-default")[0]
    assert [line(e) for e in configs.describe_default()] == lines


# -- values ----------------------------------------------------------------------------------------


def test_values_are_typed_and_default_to_kafkas() -> None:
    configs = BrokerConfigs({"num.partitions": " 3 ", "log.dirs": "/a,/b"})
    assert configs.value("num.partitions") == 3
    assert configs.value("socket.request.max.bytes") == 104857600
    assert configs.value("zookeeper.connect") is None
    assert configs.value("log.cleanup.policy") == ("delete",)
    assert configs.value("leader.replication.throttled.rate") == 2**63 - 1


def test_the_stronger_source_counts() -> None:
    configs = BrokerConfigs({"max.connections": "1"})
    configs.set_dynamic_default({"max.connections": "2"})
    assert configs.value("max.connections") == 2
    configs.set_dynamic_broker({"max.connections": "3"})
    assert configs.value("max.connections") == 3
    configs.set_dynamic_broker({})
    configs.set_dynamic_default({})
    assert configs.value("max.connections") == 1


def test_a_dynamic_value_beats_a_static_synonym() -> None:
    configs = BrokerConfigs({"log.retention.minutes": "5"})
    assert configs.topic_config({}).retention_ms == 300_000
    configs.set_dynamic_default({"log.retention.ms": "77"})
    assert configs.topic_config({}).retention_ms == 77


def test_broker_id_and_node_id_are_one() -> None:
    assert BrokerConfigs({"broker.id": "4"}).value("node.id") == 4
    assert BrokerConfigs({"node.id": "4"}).value("broker.id") == 4
    with pytest.raises(SettingError, match=r"same value as `broker\.id`"):
        BrokerConfigs({"node.id": "4", "broker.id": "5"})


def test_a_wrong_file_is_refused() -> None:
    with pytest.raises(SettingError, match=r"Invalid value x for configuration num.partitions"):
        BrokerConfigs({"num.partitions": "x"})
    with pytest.raises(SettingError, match=r"requirement failed: log.retention.ms"):
        BrokerConfigs({"log.retention.ms": "0"})


def test_what_changed_is_told() -> None:
    configs = BrokerConfigs({})
    applied = configs.set_dynamic_broker({"max.connections": "9", "custom.thing": "x"})
    assert applied.changed == {"max.connections", "custom.thing"}
    assert configs.set_dynamic_broker({"custom.thing": "x"}).changed == {"max.connections"}
    assert configs.text("custom.thing") == "x"
    assert configs.text("max.connections") == "2147483647"


def test_stored_settings_that_cannot_be_used_are_left_out_and_told() -> None:
    configs = BrokerConfigs({})
    applied = configs.set_dynamic_default(
        {
            "broker.rack": "r",
            "num.io.threads": "x",
            "ssl.client.auth": "none",
            "ssl.keystore.location": "/k",
            "listener.name.a.ssl.keystore.password": "enc",
            "max.connections": "8",
        }
    )
    assert configs.dynamic_default == {"max.connections": "8"}
    assert [text.partition(":")[0] for text in applied.ignored] == [
        "num.io.threads",
        "broker.rack",
        "ssl.keystore.location",
        "listener.name.a.ssl.keystore.password",
        "ssl.client.auth",
    ]


def test_settings_that_contradict_each_other_are_shown_but_do_not_count() -> None:
    configs = BrokerConfigs({})
    applied = configs.set_dynamic_broker({"log.retention.ms": "0"})
    assert "requirement failed" in applied.ignored[0]
    assert configs.value("log.retention.ms") is None
    assert entry(configs, "log.retention.ms").synonyms[0].value == "0"


# -- topics ----------------------------------------------------------------------------------------


def test_a_topic_takes_the_brokers_values_as_defaults() -> None:
    configs = BrokerConfigs(
        {
            "log.roll.hours": "2",
            "log.flush.scheduler.interval.ms": "5000",
            "log.message.timestamp.difference.max.ms": "777",
            "min.insync.replicas": "2",
            "log.message.format.version": "0.9.0",
            "log.retention.ms": "-7",
        }
    )
    topic = configs.topic_config({"segment.bytes": "100"})
    assert (topic.segment_ms, topic.flush_ms, topic.min_insync_replicas) == (7_200_000, 5000, 2)
    assert (topic.message_timestamp_before_max_ms, topic.message_timestamp_after_max_ms) == (
        777,
        777,
    )
    assert (topic.retention_ms, topic.segment_bytes) == (-1, 100)
    assert topic.magic == 2


def test_topics_with_equal_settings_share_one_object_until_the_defaults_change() -> None:
    configs = BrokerConfigs({})
    first = configs.topic_config({"retention.ms": "1"})
    assert configs.topic_config({"retention.ms": "1"}) is first
    configs.set_dynamic_default({"log.segment.bytes": "100"})
    assert configs.topic_config({"retention.ms": "1"}).segment_bytes == 100


def test_a_stored_topic_value_that_does_not_fit_is_left_out() -> None:
    configs = BrokerConfigs({})
    own = {"retention.ms": "x", "message.format.version": "0.9.0", "new.in.4.0": "y"}
    assert configs.topic_config(own) == configs.topic_config({})
    described = {e.name: e for e in configs.describe_topic(own)}
    assert described["retention.ms"].value == "x"
    assert described["new.in.4.0"] == DescribedConfig(
        "new.in.4.0",
        None,
        ConfigSource.DYNAMIC_TOPIC_CONFIG,
        True,
        False,
        Type.UNKNOWN,
        described["new.in.4.0"].synonyms,
    )


def test_a_value_is_shown_as_it_was_understood() -> None:
    configs = BrokerConfigs({})
    (found,) = configs.describe_topic({"retention.ms": " 0500 "}, ["retention.ms"])
    assert (found.value, found.synonyms[0].value) == ("500", "500")
    assert found.type is Type.LONG
    assert not found.read_only


def test_documentation_comes_when_asked() -> None:
    configs = BrokerConfigs({})
    assert entry(configs, "broker.id").documentation is None
    (found,) = configs.describe_broker(["broker.id"], docs=True)
    assert found.documentation
    (found,) = configs.describe_topic({}, ["retention.ms"], docs=True)
    assert found.documentation == TOPIC["retention.ms"].doc


# -- how a single setting is described -------------------------------------------------------------


def test_secrets_and_unknown_settings_hide_their_values() -> None:
    configs = BrokerConfigs({"ssl.keystore.password": "pw", "custom.thing": "1"})
    for name in ("ssl.keystore.password", "custom.thing"):
        found = entry(configs, name)
        assert found.sensitive
        assert found.value is None
        assert found.synonyms[0].value is None
    assert entry(configs, "custom.thing").type is Type.UNKNOWN
    assert entry(configs, "custom.thing").read_only


def test_a_chain_begins_at_the_setting_asked_for() -> None:
    configs = BrokerConfigs({"log.retention.hours": "100"})
    configs.set_dynamic_default({"log.retention.ms": "1234567"})
    hours, millis = entry(configs, "log.retention.hours"), entry(configs, "log.retention.ms")
    assert line(hours).endswith(
        "{STATIC_BROKER_CONFIG:log.retention.hours=100, DEFAULT_CONFIG:log.retention.hours=168}"
    )
    assert hours.type is Type.INT
    assert line(millis).endswith(
        "{DYNAMIC_DEFAULT_BROKER_CONFIG:log.retention.ms=1234567, "
        "STATIC_BROKER_CONFIG:log.retention.hours=100, DEFAULT_CONFIG:log.retention.hours=168}"
    )


def test_internal_settings_are_shown_only_where_set() -> None:
    assert BrokerConfigs({}).describe_broker(["log.initial.task.delay.ms"]) == []
    configs = BrokerConfigs({"log.initial.task.delay.ms": "5"})
    assert entry(configs, "log.initial.task.delay.ms").value == "5"


def test_a_listener_setting_falls_back_to_the_plain_one() -> None:
    name = "listener.name.a.ssl.client.auth"
    configs = BrokerConfigs({name: "required", "ssl.client.auth": "none"})
    assert [s.name for s in entry(configs, name).synonyms] == [
        name,
        "ssl.client.auth",
        "ssl.client.auth",
    ]
    assert entry(configs, name).type is Type.STRING
