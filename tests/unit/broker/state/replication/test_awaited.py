"""Followers that should ask for partitions whose leader epoch has just begun."""

from __future__ import annotations

from pykafka_ops.broker.state.replication.awaited import PATIENCE_MS, SHORT_WAIT_MS, Awaited

A, B = ("t", 0), ("t", 1)


def test_a_follower_is_awaited_until_it_has_asked_for_every_partition() -> None:
    awaited = Awaited(lambda: 0.0)
    awaited.expect(A, (1, 2))
    awaited.expect(B, (1,))
    assert (list(awaited.take_news()), list(awaited.take_news())) == ([1, 2], [])
    awaited.came(1, A)
    awaited.came(2, A)
    awaited.came(3, A)
    assert [awaited.is_awaited(follower) for follower in (1, 2, 3, -1)] == [True] + [False] * 3
    assert (awaited.wait_ms(1, 500), awaited.wait_ms(1, 5)) == (SHORT_WAIT_MS, 5)
    assert awaited.wait_ms(2, 500) == 500


def test_it_is_awaited_for_a_while_after_the_last_epoch_began() -> None:
    now = 0.0
    awaited = Awaited(lambda: now)
    awaited.expect(A, (1,))
    now = PATIENCE_MS - 1
    awaited.expect(B, (1,))
    now += PATIENCE_MS
    assert awaited.is_awaited(1)
    now += 1
    assert not awaited.is_awaited(1)
