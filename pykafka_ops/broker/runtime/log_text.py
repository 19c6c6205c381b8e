"""Words for the log."""

from __future__ import annotations

import logging
from collections.abc import Sequence


def first_of(names: Sequence[str]) -> str:
    """The first of some names and how many more there are: one line for thousands."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


class Troubles:
    """Errors of partitions, one line for all that have the same one."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._of: dict[tuple[int, str], list[str]] = {}

    def add(self, level: int, text: str, name: str) -> None:
        """Remember it until :meth:`write`."""
        self._of.setdefault((level, text), []).append(name)

    def write(self) -> None:
        """Log the remembered errors."""
        found, self._of = self._of, {}
        for (level, text), names in found.items():
            self._log.log(level, "%s: %s", first_of(names), text)
