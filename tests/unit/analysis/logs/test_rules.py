"""What must hold from batch to batch: producers, transactions, snapshots, leader epochs."""

from __future__ import annotations

from pykafka_ops.analysis.logs.rules import (
    EXPIRATION_MS,
    MAX_SEQUENCE,
    Aborted,
    EpochRules,
    ProducerRules,
    epoch_entries,
    epochs_rise,
)

PID = 7


def batch(
    rules: ProducerRules,
    offset: int,
    first: int,
    *,
    count: int = 1,
    epoch: int = 0,
    time: int = 0,
    transactional: bool = False,
    producer: int = PID,
) -> str:
    last = first + count - 1 & MAX_SEQUENCE if first >= 0 else -1
    span = (offset, offset + count - 1)
    return rules.batch(span, producer, epoch, (first, last), time, transactional=transactional)


def test_sequences_follow_each_other() -> None:
    rules = ProducerRules()
    assert batch(rules, 0, 40, count=3) == ""  # the first may be any
    assert batch(rules, 3, 43) == ""
    assert batch(rules, 4, 43) == "producer 7: sequence 43 where 44 comes next"
    assert batch(rules, 5, 50) == "producer 7: sequence 50 where 44 comes next"


def test_sequences_wrap_to_zero() -> None:
    rules = ProducerRules()
    assert batch(rules, 0, MAX_SEQUENCE - 1, count=2) == ""
    assert batch(rules, 2, 0) == ""


def test_a_new_epoch_begins_at_zero_and_an_old_one_does_not_come_back() -> None:
    rules = ProducerRules()
    assert batch(rules, 0, 5) == ""
    assert batch(rules, 1, 6, epoch=1) == "producer 7: sequence 6 where 0 comes next"
    assert batch(rules, 2, 0, epoch=2) == ""
    assert batch(rules, 3, 1, epoch=1) == "producer 7: epoch 1 after 2"


def test_nothing_is_said_where_compaction_or_expiry_may_explain_it() -> None:
    rules = ProducerRules()
    batch(rules, 0, 0)
    rules.gaps += 1
    assert batch(rules, 9, 30) == ""
    assert batch(rules, 10, 99, time=EXPIRATION_MS) == ""
    assert rules.marker(11, PID, 0, 0, aborted=False) == ("", None)
    rules.gaps += 1
    rules.marker(20, PID, 0, 0, aborted=False)
    assert batch(rules, 21, 500, time=EXPIRATION_MS) == ""


def test_a_coordinators_batches_have_no_sequences() -> None:
    rules = ProducerRules()
    assert batch(rules, 0, -1, transactional=True) == ""
    assert batch(rules, 1, -1, transactional=True) == ""


def test_an_aborted_transaction_is_told_with_its_span() -> None:
    rules = ProducerRules()
    batch(rules, 0, 0, transactional=True, producer=9)
    batch(rules, 1, 0, transactional=True)
    batch(rules, 2, 1, transactional=True)
    assert rules.marker(3, PID, 0, 5, aborted=True) == ("", Aborted(PID, 1, 3, 0, True, True))
    assert rules.marker(4, 9, 0, 5, aborted=False) == ("", None)
    unknown = rules.marker(5, PID, 0, 5, aborted=True)[1]
    assert unknown is not None and not unknown.first_known
    assert rules.marker(6, 9, -1, 5, aborted=False)[0].startswith("producer 9: marker of epoch -1")


def test_a_batch_outside_its_open_transaction() -> None:
    rules = ProducerRules()
    batch(rules, 0, 0, transactional=True)
    assert batch(rules, 1, 1) == "producer 7 writes outside its open transaction"


def entry(rules: ProducerRules, at: int, *stored: int, start: int = 0) -> str:
    epoch, sequence, last, txn = stored
    return rules.snapshot_entry(at, start, PID, (epoch, sequence, last, txn))


def test_snapshots_are_held_against_the_log() -> None:
    rules = ProducerRules()
    batch(rules, 0, 0, count=5)
    assert entry(rules, 5, 0, 4, 4, -1) == ""
    assert "not before the snapshot" in entry(rules, 4, 0, 4, 4, -1)
    assert "transaction from offset 9" in entry(rules, 5, 0, 4, 4, 9)
    assert "last offset 3, but the log has 4" in entry(rules, 5, 0, 3, 3, -1)
    assert "0, 2, 4, but the log has 0, 4, 4" in entry(rules, 5, 0, 2, 4, -1)
    rules.gaps += 1
    assert entry(rules, 5, 0, 2, 4, -1) == ""


def test_a_producer_that_the_log_does_not_know() -> None:
    rules = ProducerRules()
    assert "is not of this producer" in entry(rules, 5, 0, 4, 4, -1)
    assert entry(rules, 25, 0, 4, 4, -1, start=20) == ""  # its records were deleted


def test_epochs_agree_with_the_file() -> None:
    rules = EpochRules([(0, 0), (3, 10)])
    assert (rules.edge(0), rules.edge(10)) == (10, 1 << 63)
    assert rules.see(0, 0) == ("", "") and rules.see(3, 10) == ("", "")
    assert rules.see(4, 12)[1] == "epoch 3 for offset 12, but the log has 4 there"
    assert rules.see(2, 13)[0] == "leader epoch 2 after 4"
    assert rules.see(-1, 14) == ("", "")  # format 0 or 1, or not known
    assert rules.seen == [(0, 0), (3, 10), (4, 12)]


def test_epochs_that_the_file_does_not_have() -> None:
    assert EpochRules([]).see(2, 5)[1].endswith("from offset 5, is missing")
    assert EpochRules([(2, 9)]).see(2, 5) == ("", "")  # records before 9 were deleted
    assert EpochRules(None).see(2, 5) == ("", "")


def test_entries_of_a_checkpoint() -> None:
    assert epoch_entries([(0, 0), (1, 5), (2, 9)], 9) == [(0, 0), (1, 5)]
    assert epochs_rise([(0, 0), (1, 5)]) == ""
    assert epochs_rise([(0, 0), (1, 0)]) == "epoch 1 from offset 0 after epoch 0 from 0"
    assert epochs_rise([(2, 0), (1, 5)]) and epochs_rise([(0, -3)])
