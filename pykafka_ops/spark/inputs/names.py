"""Which topics or groups are meant: names, a pattern, or all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pykafka_ops.errors import UsageError


@dataclass(frozen=True, slots=True)
class Names:
    """``name in names``: whether it is meant; without names and pattern every one is."""

    names: frozenset[str] = field(default_factory=frozenset)
    pattern: str | None = None

    @classmethod
    def of(cls, words: Sequence[str] = (), *, regex: bool = False) -> Names:
        """From the words of an option; with ``regex`` any of them must match in full.

        Raises UsageError for a pattern that does not compile.
        """
        if not regex or not words:
            return cls(frozenset(words))
        for word in words:
            try:
                re.compile(word)
            except re.error as error:
                raise UsageError(f"{word} is an invalid regex: {error}") from None
        return cls(pattern="|".join(f"(?:{word})" for word in words))

    @property
    def every(self) -> bool:
        """Whether nothing is left out."""
        return not self.names and self.pattern is None

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if self.pattern is not None:
            return re.fullmatch(self.pattern, name) is not None
        return not self.names or name in self.names

    def option(self, listed: str, pattern: str) -> dict[str, object]:
        """The option of a source that says so: ``listed`` with a JSON list, or ``pattern``."""
        if self.pattern is not None:
            return {pattern: self.pattern}
        return {listed: json.dumps(sorted(self.names))} if self.names else {}

    def among(self, known: Iterable[str]) -> list[str]:
        """Those of ``known`` that are meant, sorted."""
        return sorted(name for name in set(known) if name in self)


ALL = Names()

INTERNAL = ("__consumer_offsets", "__transaction_state")
"""Topics of Kafka's own: their load does not come from producers' keys."""
