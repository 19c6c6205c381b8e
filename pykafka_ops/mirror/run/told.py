"""What is said once: a trouble when it comes, and that it is over when it goes."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

log = logging.getLogger("pko.mirror")


class Told:
    """One line for each fact of a link."""

    def __init__(self, link: str) -> None:
        self._link = link
        self._troubles: dict[str, str] = {}
        self._notes: set[str] = set()

    def fact(self, text: str) -> None:
        """Say it."""
        log.info("%s: %s", self._link, text)

    def trouble(self, about: str, text: str | None) -> None:
        """Say a trouble that is new, or another one than before, or over (None)."""
        before = self._troubles.get(about)
        if text == before:
            return
        if text is None:
            del self._troubles[about]
            log.info("%s: %s goes on", self._link, about)
        else:
            self._troubles[about] = text
            log.warning("%s: %s: %s", self._link, about, text)

    def troubles(self, kind: str, found: Mapping[str, str]) -> None:
        """The troubles of all things of a kind; the others have none."""
        for about in [a for a in self._troubles if a.startswith(kind)]:
            if about.removeprefix(kind) not in found:
                self.trouble(about, None)
        for about, text in found.items():
            self.trouble(kind + about, text)

    def notes(self, lines: Iterable[str]) -> None:
        """Say those lines that were not there the last time."""
        found = set(lines)
        for line in sorted(found - self._notes):
            log.warning("%s: %s", self._link, line)
        self._notes = found
