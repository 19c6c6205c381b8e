"""What the demo writes: records by plan, and commits that tell each group's story."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from pykafka_ops.spark.demo.commits import offset
from pykafka_ops.spark.demo.plan import (
    DAY,
    GROUPS,
    HOUR,
    MINUTE,
    REWOUND,
    STOPPED,
    TOPICS,
    GroupPlan,
    TopicPlan,
    commit_times,
)
from pykafka_ops.spark.demo.records import WrittenTimes, records

NOW = 1_763_800_000_000


@pytest.mark.parametrize("plan", TOPICS, ids=lambda p: p.name)
def test_a_topic_has_its_records_in_order_of_time_in_every_partition(plan: TopicPlan) -> None:
    found = list(records(plan, NOW))
    assert len(found) == plan.records
    assert {p for p, *_ in found} == set(range(plan.partitions))
    times = [t for _, t, _, _ in found]
    assert times == sorted(times) and times[0] == NOW - int(plan.days * DAY) and times[-1] == NOW
    average = sum(len(v) for *_, v in found) / len(found)
    assert plan.size * 0.9 < average < plan.size * 1.3


def test_the_same_records_are_made_every_time() -> None:
    audit = TOPICS[-1]
    assert list(records(audit, NOW)) == list(records(audit, NOW))


@pytest.mark.parametrize("hours", [3, 16])
def test_the_hour_of_the_day_changes_nothing(hours: int) -> None:
    orders, later = TOPICS[2], hours * HOUR
    then = [time - later for _, time, *_ in records(orders, NOW + later)]
    now = [time for _, time, *_ in records(orders, NOW)]
    assert max(abs(a - b) for a, b in zip(then, now, strict=True)) <= 1
    busy = [sum(NOW - ago - HOUR < time <= NOW - ago for time in now) for ago in (0, 4 * HOUR)]
    assert busy[0] > busy[1]


def test_one_key_makes_one_partition_of_clicks_hot() -> None:
    clicks = next(t for t in TOPICS if t.keys == "zipf")
    keys: Counter[bytes | None] = Counter()
    partitions: Counter[int] = Counter()
    for partition, _, key, _ in records(clicks, NOW):
        keys[key] += 1
        partitions[partition] += 1
    (first, count), *_ = keys.most_common(1)
    assert first == b"user-1" and 0.15 < count / clicks.records < 0.2
    assert partitions.most_common(1)[0][1] > 2 * clicks.records / clicks.partitions


@cache
def log() -> WrittenTimes:
    """A record a minute in each of two partitions, twice as many in the second."""
    minutes = range(NOW - 3 * DAY, NOW + 1, MINUTE)
    return WrittenTimes([list(minutes), sorted([*minutes, *minutes])])


def committed(story: str, partition: int = 0) -> list[int]:
    """What a group with that story commits, moment by moment."""
    group = GroupPlan("g", "t", story)  # type: ignore[arg-type]
    found = (
        offset(group, log(), partition, (t, NOW - 3 * DAY, NOW)) for t in commit_times(2.5, NOW)
    )
    return [at for at in found if at is not None]


def test_who_keeps_up_has_read_everything() -> None:
    found = committed("keeps-up")
    assert found[-1] == len(log().partitions[0]) and found == sorted(found)


def test_who_lags_falls_further_behind_with_every_commit() -> None:
    written, times = log(), commit_times(2.5, NOW)
    behind = [written.end(0, t) - at for t, at in zip(times, committed("lags"), strict=True)]
    assert behind[-10:] == sorted(behind[-10:]) and behind[-1] > 3 * 60
    assert committed("lags") == sorted(committed("lags"))


def test_who_is_stalled_commits_the_same_offset_of_the_fullest_partition_alone() -> None:
    assert len(set(committed("stalls", 1)[-30:])) == 1
    assert committed("stalls", 0)[-1] == len(log().partitions[0])


def test_who_is_rewound_is_not_back_where_it_was() -> None:
    found = committed("rewinds")
    drop = next(i for i, (a, b) in enumerate(pairwise(found)) if b < a)
    assert len(found) - drop - 1 == REWOUND // MINUTE
    assert max(found[drop + 1 :]) < found[drop]


def test_who_stopped_has_no_commit_since() -> None:
    times = commit_times(2.5, NOW)
    assert len(committed("stops")) == len([t for t in times if t <= NOW - STOPPED])


def test_who_crawls_is_close_to_what_retention_deletes() -> None:
    payments = TOPICS[0]
    assert [g.topic for g in GROUPS if g.story == "crawls"] == [payments.name]
    position = log().partitions[0][committed("crawls")[-1]]
    left = position + int(payments.configs["retention.ms"]) - NOW
    assert 0 < left < 6 * HOUR


def test_every_group_reads_a_topic_of_the_plan() -> None:
    assert {g.topic for g in GROUPS} < {t.name for t in TOPICS}
    assert len({g.name for g in GROUPS}) == len(GROUPS)
