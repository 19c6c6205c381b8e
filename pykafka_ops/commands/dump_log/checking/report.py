"""What ``pko dump-log verify`` found out about one file."""

from __future__ import annotations

from dataclasses import dataclass, field

#: Problems shown of one file; more are only counted.
_SHOWN = 100


@dataclass(slots=True, eq=False)
class FileDamage:
    """Where a log stops being readable as a broker reads it.

    ``position`` in bytes, ``offset`` the first that is lost there, ``batches`` the sound ones
    before it. ``torn``: nothing behind it can be read, as after a crash;
    ``resumes`` is the position of the first sound batch behind it, -1 if there is none;
    ``partial``: it was not looked for up to the end, as too much only looked like batches.
    """

    position: int
    offset: int
    batches: int
    torn: bool
    resumes: int = -1
    partial: bool = False


@dataclass(slots=True, eq=False)
class FileReport:
    """The verdict on one file. ``entries``: batches, index entries, producers, rows."""

    file: str
    kind: str
    entries: int = 0
    size: int = 0
    more: int = 0
    problems: list[str] = field(default_factory=list)
    damage: FileDamage | None = None
    unreadable: bool = False

    def unread(self, reason: str) -> None:
        """The operating system does not give the file's bytes."""
        self.unreadable = True
        self.problem(f"cannot be read: {reason}")

    def problem(self, text: str) -> None:
        """Something is wrong; of very many only the first are kept."""
        if len(self.problems) < _SHOWN:
            self.problems.append(text)
        else:
            self.more += 1

    @property
    def count(self) -> int:
        """How many problems there are."""
        return len(self.problems) + self.more

    def readable(self) -> int:
        """Batches that can be read behind the damage."""
        return self.entries - self.damage.batches if self.damage is not None else 0

    def item(self) -> dict[str, object]:
        """As JSON shows it."""
        item: dict[str, object] = {
            "file": self.file,
            "kind": self.kind or "unknown",
            "size": self.size,
            "entries": self.entries,
            "verdict": "unreadable" if self.unreadable else "damaged" if self.problems else "ok",
            "problems": self.problems,
            "more_problems": self.more,
            "damage": None,
        }
        if self.damage is not None:
            item["damage"] = {
                "position": self.damage.position,
                "offset": self.damage.offset,
                "torn_tail": self.damage.torn,
                "readable_again": self.damage.resumes if self.damage.resumes >= 0 else None,
                "readable_before": self.damage.batches,
                "readable_behind": self.readable(),
                "searched_to_end": not self.damage.partial,
            }
        return item
