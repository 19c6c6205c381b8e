"""Opening a log whose end is torn."""

from __future__ import annotations

from tests.support.memory.logs import filled, values


def test_opening_a_log_whose_end_is_torn_repairs_it() -> None:
    w = filled(per_epoch=3)
    w.log.close()
    w.files.inodes["/data/t-0/00000000000000000008.log"].data += b"torn"
    w.reopen(clean=True)
    assert [o for o, _ in values(w.log)] == list(range(10))
    assert w.append(b"a").first_offset == 10
    assert values(w.log, 10) == [(10, b"a")]
