"""When leader epochs are stored, and cut."""

from __future__ import annotations

from tests.support.memory.logs import World, filled


def test_an_epoch_is_stored_with_a_flush_or_at_the_end_and_batches_tell_it_until_then() -> None:
    w = World()
    checkpoint = "leader-epoch-checkpoint"
    w.log.assign_epoch(0, 0)
    w.append(b"a", epoch=0)
    assert checkpoint not in w.names()
    w.reopen()
    assert w.log.epochs.entries() == [(0, 0)]
    w.log.assign_epoch(4, 1)
    w.log.flush()
    assert w.files.read(f"{w.log.place.path}/{checkpoint}") == b"0\n2\n0 0\n4 1\n"
    w.log.assign_epoch(5, 1)
    w.log.close()
    assert w.files.read(f"{w.log.place.path}/{checkpoint}") == b"0\n2\n0 0\n5 1\n"


def test_truncation_drops_epochs_without_records_even_if_it_drops_nothing_else() -> None:
    w = filled(per_epoch=3)
    w.log.assign_epoch(7, 10)
    assert not w.log.truncate_to(10)
    assert w.log.latest_epoch == 3
