"""Levels of features, held against what Kafka 4.4.0's kafka-features says."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.feature_levels import (
    FEATURES,
    LATEST,
    VERSIONS,
    level_text,
    levels_at,
    release_level,
)


@pytest.mark.parametrize(
    ("name", "level"),
    [("3.3-IV3", 7), ("3.5-IV2", 11), ("3.7-IV4", 19), ("3.9-IV0", 21), ("4.0-IV0", 22),
     ("4.0-IV3", 25), ("4.1-IV1", 27), ("4.2-IV1", 29), ("4.3-IV0", 30), (LATEST, 33),
     ("4.5-IV0", 34)],
)  # fmt: skip
def test_versions_have_the_numbers_of_kafka(name: str, level: int) -> None:
    assert (VERSIONS[name], level_text("metadata.version", level)) == (level, name)


@pytest.mark.parametrize(
    ("text", "level"),
    [("3.9", 21), ("3.9.1", 21), ("4.0", 25), ("4.0.x-IV0", 25), ("4.4-IV0", 31), ("4.4", 33),
     ("4.5-IV0", 34), ("4.5", None),
     ("3.2-IV0", None), ("", None), ("4", None)],
)  # fmt: skip
def test_a_release_means_the_last_version_in_it_that_is_out(text: str, level: int | None) -> None:
    assert release_level(text) == level


def test_what_a_new_cluster_of_a_release_has() -> None:
    assert list(levels_at(30).values()) == [1, 2, 1, 1, 1, 1]
    assert levels_at(33) == {**levels_at(30), "share.version": 2}
    assert levels_at(21) == {**dict.fromkeys(FEATURES, 0), "kraft.version": 1}
    assert levels_at(25)["eligible.leader.replicas.version"] == 0


def test_a_level_that_is_not_known_has_no_name() -> None:
    assert level_text("metadata.version", 99) == "UNKNOWN 99"
    assert level_text("kraft.version", 1) == "1"
