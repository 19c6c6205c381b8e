"""Which topics or groups an option means."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.inputs.names import ALL, Names


def test_without_words_every_name_is_meant() -> None:
    assert "orders" in ALL
    assert ALL.every
    assert Names.of([], regex=True).every


def test_names_are_meant_exactly() -> None:
    names = Names.of(["orders", "pay.ments"])
    assert names.among(["payxments", "pay.ments", "orders", "orders2"]) == ["orders", "pay.ments"]
    assert 7 not in names


def test_patterns_match_in_full_and_any_of_them_is_enough() -> None:
    names = Names.of(["ord.*", "a|b"], regex=True)
    assert names.among(["orders", "b", "ab", "reorders"]) == ["b", "orders"]


def test_a_wrong_pattern_is_named() -> None:
    with pytest.raises(UsageError, match=r"\(x is an invalid regex"):
        Names.of(["(x"], regex=True)
