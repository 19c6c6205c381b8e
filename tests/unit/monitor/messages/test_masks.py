"""Masks hide fields wherever they stand, and never show what they cannot look into."""

from __future__ import annotations

import re

import pytest

from pykafka_ops.monitor.messages.formats import guessed_part, plain_part
from pykafka_ops.monitor.messages.masks import MaskRule, TopicMask
from pykafka_ops.monitor.messages.parts import DecodedPart, SoughtText

PAYMENTS = (re.compile("payments.*"),)
CARDS = MaskRule("cards", PAYMENTS, (("card",), ("customer", "cvv")))


def masked(data: bytes, *rules: MaskRule) -> DecodedPart:
    return TopicMask(rules or (CARDS,), "payments.eu").value(guessed_part(data))


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        (b'{"card":"4111","n":1}', '{"card":"***","n":1}'),
        (b'{"Card":{"no":"4111"}}', '{"Card":"***"}'),
        (b'{"a":[{"b":{"card":[4111]}}]}', '{"a":[{"b":{"card":"***"}}]}'),
        (b'{"customer":{"cvv":1,"x":{"cvv":2}},"cvv":3}',
         '{"customer":{"cvv":"***","x":{"cvv":2}},"cvv":3}'),
        (b'{"order":{"customer":[{"cvv":1}]}}', '{"order":{"customer":[{"cvv":"***"}]}}'),
        (b'[{"card":1},4111,null,["x"]]', '[{"card":"***"},"***",null,["***"]]'),
        (b'{"card":1,"card":2}', '{"card":"***"}'),
    ],
)  # fmt: skip
def test_fields_are_masked_at_any_depth(written: bytes, seen: str) -> None:
    part = masked(written)
    assert part.text() == seen
    assert part.masked
    assert part.raw is None


@pytest.mark.parametrize(
    "data", [b"4111", b"\xff4111", b"{half 4111", b'"4111"', b"[" * 9999, b"4111" * 1_000_000]
)
def test_what_has_no_fields_is_hidden_whole(data: bytes) -> None:
    for part in (
        masked(data),
        TopicMask((CARDS,), "payments").value(plain_part("hex", b'{"card":"4111"}')),
    ):
        assert part.data == "***"
        assert part.raw is None
        assert "4111" not in f"{part.error}{part.text()}"
        assert not part.contains(SoughtText("4111"))


def test_nothing_of_another_topic_is_hidden() -> None:
    for topic in ("orders", "old-payments"):
        mask = TopicMask((CARDS,), topic)
        part = guessed_part(b'{"card":1}')
        assert not mask.covers
        assert mask.value(part) is part


def test_null_stays_null() -> None:
    null = DecodedPart("null", None, None)
    key = MaskRule("keys", PAYMENTS, key=True)
    for mask in (TopicMask((CARDS,), "payments"), TopicMask((key,), "payments")):
        assert mask.value(null).data is None
        assert mask.key(null).data is None


def test_keys_and_headers_are_hidden_where_a_rule_says_so() -> None:
    key = guessed_part(b"4111")
    assert TopicMask((CARDS,), "payments").key(key).data == "4111"
    assert TopicMask((CARDS,), "payments").key(guessed_part(b'{"card":1}')).text() == (
        '{"card":"***"}'
    )
    rule = MaskRule("keys", PAYMENTS, (), ("x-card",), key=True, stars="#")
    mask = TopicMask((CARDS, rule), "payments")
    assert mask.key(key).data == "#"
    assert mask.header("X-Card", key).data == "#"
    assert mask.header("trace", key).data == "4111"


def test_every_rule_that_covers_a_topic_counts() -> None:
    other = MaskRule("names", PAYMENTS, (("name",),), stars="?")
    part = masked(b'{"card":1,"name":"x"}', CARDS, other)
    assert part.text() == '{"card":"***","name":"?"}'
