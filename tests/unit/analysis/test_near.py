"""Which name was meant."""

from __future__ import annotations

from pykafka_ops.analysis.near import did_you_mean


def test_a_misspelt_name_is_answered_with_the_one_that_is_near() -> None:
    assert did_you_mean("ordres", ["orders", "billing"]) == " (did you mean orders?)"
    assert did_you_mean("topc", ["topic"], "--") == " (did you mean --topic?)"
    assert did_you_mean("zebra", ["orders", "billing"]) == ""
