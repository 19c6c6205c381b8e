"""What members tell each other, whole and damaged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.mirror.work.protocol import (
    MemberSaid,
    Share,
    read_share_bytes,
    read_subscription_bytes,
    share_bytes,
    subscription_bytes,
)
from tests.support.raising import raises_nothing


def test_a_subscription_comes_back() -> None:
    said = MemberSaid(("t", "u"), (("t", 0), ("t", 2)), {("t", 0): 5.0}, 1, 3)
    assert read_subscription_bytes(subscription_bytes(said)) == said


def test_a_share_comes_back() -> None:
    share = Share((("t", 1), ("u", 0)), 0, 1)
    assert read_share_bytes(share_bytes(share)) == share


def test_only_the_busiest_partitions_are_told() -> None:
    rates = {("t", n): float(n) for n in range(5000)}
    told = read_subscription_bytes(subscription_bytes(MemberSaid(rates=rates))).rates
    assert len(told) == 1000 and min(told.values()) == 4000


def test_bytes_of_others_say_nothing() -> None:
    assert read_subscription_bytes(b"") == MemberSaid()
    assert read_share_bytes(b"nonsense") == Share()


@given(st.binary(max_size=60), st.integers(0, 60))
def test_damage_raises_nothing(data: bytes, at: int) -> None:
    for whole, read in (
        (
            subscription_bytes(MemberSaid(("t",), (("t", 0),), {("t", 0): 1.0})),
            read_subscription_bytes,
        ),
        (share_bytes(Share((("t", 1),), 0, 1)), read_share_bytes),
    ):
        with raises_nothing():
            read(whole[:at] + data + whole[at + len(data) :])
