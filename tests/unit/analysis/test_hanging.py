"""Which open transactions hang."""

from __future__ import annotations

from pykafka_ops.analysis.hanging import Open, hanging, old_enough

MINUTE = 60_000
NOW = 100 * MINUTE
P, Q = ("t", 0), ("t", 1)


def made(producer: int, partition: tuple[str, int] = P, age: int = 60) -> Open:
    return Open(partition, producer, 0, -1, 5, NOW - age * MINUTE)


def test_a_transaction_that_is_still_allowed_to_run_is_no_candidate() -> None:
    found = [made(1, age=15), made(2, age=16)]
    assert old_enough(found, NOW, 15 * MINUTE) == [found[1]]


def test_a_producer_without_a_transactional_id_hangs() -> None:
    assert hanging([made(1)], {}, {}) == [made(1)]


def test_a_partition_the_coordinator_does_not_count_in_hangs() -> None:
    candidates = [made(1), made(1, Q), made(2)]
    ids = {1: "one", 2: "two"}
    assert hanging(candidates, ids, {"one": [P], "two": []}) == [made(1, Q), made(2)]
    assert hanging(candidates, ids, {"one": [P]}) == [made(1, Q), made(2)]
