"""What ``pko groups seek`` did last to a group, kept on this machine so that it can be undone.

A JSON file per cluster and group in ``$XDG_STATE_HOME/pko/seek`` (default ``~/.local/state``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from pykafka_ops.analysis.offset_reset import Partition
from pykafka_ops.errors import PkoError
from pykafka_ops.state_home import state_folder

ELSEWHERE: Final = "set XDG_STATE_HOME to a directory that can be written, or use reset-offsets"


class NothingToUndoError(PkoError):
    """There is no usable note of an earlier seek."""


class SeekNote(NamedTuple):
    """The offsets before (None: there was no commit) and those that were committed instead."""

    before: dict[Partition, int | None]
    after: dict[Partition, int]


def note_path(env: Mapping[str, str], cluster_id: str | None, group: str) -> Path:
    """Where the note on a group of a cluster lies."""
    name = f"{quote(cluster_id or 'unknown', safe='')}.{quote(group, safe='')}.json"
    return state_folder(env, "seek") / name


def keep(path: Path, note: SeekNote, otherwise: str = ELSEWHERE) -> None:
    """Write the note, whole or not at all. PkoError when it cannot be written, with what to do
    ``otherwise``."""
    rows = [
        {"topic": t, "partition": p, "before": old, "after": note.after[t, p]}
        for (t, p), old in sorted(note.before.items())
    ]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp")
        temporary.write_text(json.dumps({"version": 1, "offsets": rows}), encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise PkoError(
            f"cannot note the old offsets in {path}: {error.strerror}; {otherwise}"
        ) from None


def last(path: Path, group: str) -> SeekNote:
    """The note of the last seek. Raises NothingToUndoError."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["offsets"]
        before = {(str(r["topic"]), int(r["partition"])): r["before"] for r in rows}
        after = {(str(r["topic"]), int(r["partition"])): int(r["after"]) for r in rows}
        return SeekNote({p: None if o is None else int(o) for p, o in before.items()}, after)
    except FileNotFoundError:
        raise NothingToUndoError(
            f"nothing to undo: no seek of group {group} was made from here"
        ) from None
    except (OSError, ValueError, KeyError, TypeError):
        raise NothingToUndoError(f"nothing to undo: {path} cannot be read") from None


def forget(path: Path) -> None:
    """The seek was undone."""
    path.unlink(missing_ok=True)
