import dataclasses

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.errors import SettingError
from pykafka_ops.settings.topic import TOPIC


def test_defaults_are_those_of_the_settings_table() -> None:
    assert TopicConfig.of({n: s.default for n, s in TOPIC.items() if s.default is not None}) == (
        TopicConfig()
    )


def test_every_topic_setting_has_a_field_and_the_other_way_round() -> None:
    fields = {f.name for f in dataclasses.fields(TopicConfig)}
    assert fields == {name.replace(".", "_") for name in TOPIC}


def test_values_are_typed() -> None:
    config = TopicConfig.of(
        {
            "cleanup.policy": "compact, delete",
            "retention.ms": " 1000 ",
            "preallocate": "TRUE",
            "min.cleanable.dirty.ratio": "1e-1",
            "leader.replication.throttled.replicas": "0:1,1:2",
            "message.timestamp.type": "LogAppendTime",
        }
    )
    assert config.cleanup_policy == {"compact", "delete"}
    assert config.compacts
    assert config.deletes
    assert config.retention_ms == 1000
    assert config.preallocate is True
    assert config.min_cleanable_dirty_ratio == 0.1
    assert config.leader_replication_throttled_replicas == ("0:1", "1:2")
    assert config.log_append_time


def test_names_of_a_newer_release_are_ignored() -> None:
    assert TopicConfig.of({"some.future.setting": "x"}) == TopicConfig()


def test_a_bad_value_is_refused_with_kafkas_text() -> None:
    with pytest.raises(SettingError, match=r"Invalid value 13 for configuration segment.bytes: "):
        TopicConfig.of({"segment.bytes": "13"})


def test_the_old_timestamp_limit_counts_where_the_new_ones_are_not_set() -> None:
    old = TopicConfig.of({"message.timestamp.difference.max.ms": "5"})
    assert (old.before_max_ms, old.after_max_ms) == (5, 5)
    both = TopicConfig.of(
        {"message.timestamp.difference.max.ms": "5", "message.timestamp.before.max.ms": "7"}
    )
    assert (both.before_max_ms, both.after_max_ms) == (7, 5)


@pytest.mark.parametrize(
    ("version", "magic"), [("0.9.0", 0), ("0.10.2", 1), ("0.11.0-IV0", 2), ("3.9", 2)]
)
def test_the_format_version_gives_the_record_format(version: str, magic: int) -> None:
    assert TopicConfig.of({"message.format.version": version}).magic == magic
