"""Where logs in directories ended at some moments, with no more look-ups than that takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.log_dirs import LogDirInputs
from pykafka_ops.spark.sources.log.seek import Seeker
from tests.support.spark.log_tables import write_log

ENDS = [(0, 0), (3, 1), (5, 1), (10, 1), (45, 5), (110, 10), (120, 10), (5000, 10)]
"""By moment (ms), of ten records, one every 10 ms from 0 on."""


def test_a_moment_that_an_earlier_look_up_tells_of_is_not_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_log(tmp_path, "orders", [[5], [5]])
    look, looked = Seeker.first_at, []

    def counted(seek: Seeker, moment: int) -> tuple[int, int] | None:
        looked.append(moment)
        return look(seek, moment)

    monkeypatch.setattr(Seeker, "first_at", counted)
    found = LogDirInputs(local_session(), [str(tmp_path)], InputQuery())
    frame = found.ends([moment for moment, _ in ENDS])
    assert frame is not None
    (row,) = frame.toArrow().to_pylist()
    assert [tuple(pair) for pair in row["ends"]] == ENDS
    assert looked == [0, 3, 45, 110]
