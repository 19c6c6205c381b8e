"""What topics cost: what is not known is never nothing, and no reader loses what it needs."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.cost import (
    FOUND,
    GIB,
    MEASURED,
    RETENTION,
    SCALED,
    UNREAD,
    CostRules,
    RetentionCut,
    copies,
    cost_says_less,
    money,
    shorter,
    total,
)
from pykafka_ops.analysis.retention import RetentionPolicy

HOUR = 3_600_000
DAY = 24 * HOUR
RULES = CostRules(keep_ms=DAY)
WEEK = RetentionPolicy(retention_ms=7 * DAY)
AGES = {-1: 1, 0: 10, 23: 100, 24: 1_000, 47: 10_000, 48: 100_000, 168: 1_000_000}


def test_money_is_bytes_times_the_price_of_a_gib() -> None:
    assert money(3 * GIB, 0.08) == 0.24
    assert money(0, 0.08) == 0
    assert money(None, 0.08) is None
    assert money(GIB, None) is None


def test_a_total_is_not_known_once_a_part_with_a_price_is_not() -> None:
    assert total([(1.5, 0.1), (None, None), (2.0, 0.2)]) == 3.5
    assert total([(1.5, 0.1), (None, 0.3)]) is None
    assert total([]) == 0


def test_replicas_count_as_found_and_missing_ones_as_one_copy() -> None:
    assert copies([(10, [10, 9], 2), (5, [5, 5], 2)]) == (29, 2, MEASURED)
    assert copies([(10, [10, 9], 3), (5, [5, 5, 5], 3)]) == (44, 3, SCALED)
    assert copies([(10, [10, 9], 3), (5, [5], None)]) == (34, None, FOUND)
    assert copies([(None, [7, 7], 2), (5, [5, 5], 2)]) == (24, 2, MEASURED)
    assert copies([(None, [7], 2), (5, [5, 5], 2)]) == (None, 2, SCALED)
    assert copies([(None, [], None), (5, [5], None)]) == (None, None, FOUND)


@pytest.mark.parametrize(
    ("policy", "needed", "is_read", "cut"),
    [
        (WEEK, 0, True, RetentionCut(RETENTION, DAY, 1_111_000)),
        (WEEK, 20 * HOUR, True, RetentionCut(RETENTION, 40 * HOUR, 1_110_000)),
        (WEEK, 24 * HOUR - 1, True, RetentionCut(RETENTION, 48 * HOUR, 1_100_000)),
        (WEEK, 4 * DAY, True, None),
        (WEEK, None, True, None),
        (WEEK, None, False, RetentionCut(UNREAD, DAY, 1_111_000)),
        (WEEK, 5 * DAY, False, RetentionCut(UNREAD, DAY, 1_111_000)),
        (RetentionPolicy(retention_ms=-1), 0, True, RetentionCut(RETENTION, DAY, 1_111_000)),
        (RetentionPolicy(retention_ms=DAY), 0, True, None),
        (RetentionPolicy(delete=False, compact=True), 0, True, None),
    ],
)
def test_retention_is_cut_to_twice_what_readers_need(
    policy: RetentionPolicy, needed: int | None, is_read: bool, cut: RetentionCut | None
) -> None:
    assert shorter(policy, AGES, needed, RULES, is_read=is_read) == cut


def test_nothing_is_proposed_where_nothing_would_go() -> None:
    assert shorter(WEEK, {0: 10, 23: 5}, 0, RULES, is_read=True) is None


def test_what_may_be_more_meets_every_condition() -> None:
    assert cost_says_less({"basis": FOUND}, "cost")
    assert cost_says_less({"unknown_topics": 1}, "storage_cost")
    assert not cost_says_less({"basis": SCALED, "unknown_topics": 0}, "cost")
    assert not cost_says_less({"basis": FOUND}, "bytes")
