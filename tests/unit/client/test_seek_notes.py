"""Notes of seeks: kept whole, read back, and useless ones told."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.client import seek_notes
from pykafka_ops.errors import PkoError

NOTE = seek_notes.SeekNote({("t", 0): 5, ("t", 1): None}, {("t", 0): 9, ("t", 1): 3})


def test_a_note_is_read_as_it_was_kept(tmp_path: Path) -> None:
    path = seek_notes.note_path({"XDG_STATE_HOME": str(tmp_path)}, "cluster/1", "my group")
    seek_notes.keep(path, NOTE)
    assert seek_notes.last(path, "my group") == NOTE
    assert [p.name for p in path.parent.iterdir()] == ["cluster%2F1.my%20group.json"]
    seek_notes.forget(path)
    with pytest.raises(seek_notes.NothingToUndoError, match="no seek of group my group"):
        seek_notes.last(path, "my group")


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"offsets": [{}]}', '{"offsets": 5}'])
def test_a_damaged_note_is_nothing_to_undo(tmp_path: Path, text: str) -> None:
    path = tmp_path / "note.json"
    path.write_text(text)
    with pytest.raises(seek_notes.NothingToUndoError, match="cannot be read"):
        seek_notes.last(path, "g")


def test_where_no_note_can_be_written_nothing_is_moved(tmp_path: Path) -> None:
    (tmp_path / "pko").write_text("in the way")
    path = seek_notes.note_path({"XDG_STATE_HOME": str(tmp_path)}, "c", "g")
    with pytest.raises(PkoError, match="cannot note the old offsets"):
        seek_notes.keep(path, NOTE)


def test_notes_lie_in_the_home_directory_by_default() -> None:
    path = seek_notes.note_path({"HOME": "/home/user"}, "c", "g")
    assert path == Path("/home/user/.local/state/pko/seek/c.g.json")
