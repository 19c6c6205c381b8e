"""What nobody may see of records: fields, whole keys, headers. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pykafka_ops.monitor.messages.parts import DecodedPart

HIDDEN: Final = "a mask covers this topic: what has no fields to mask is hidden"
STARS: Final = "***"
FieldPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MaskRule:
    """``[mask.NAME]``. ``topics`` match whole names; ``fields`` are paths in lower case, which hold
    at any depth; ``headers`` are names in lower case; ``key``: keys are hidden whole."""

    name: str
    topics: tuple[re.Pattern[str], ...]
    fields: tuple[FieldPath, ...] = ()
    headers: tuple[str, ...] = ()
    key: bool = False
    stars: str = STARS


class TopicMask:
    """All rules that cover a topic; no rule: nothing is hidden."""

    def __init__(self, rules: Sequence[MaskRule], topic: str) -> None:
        self._rules = [r for r in rules if any(p.fullmatch(topic) for p in r.topics)]

    @property
    def covers(self) -> bool:
        """Whether anything is hidden."""
        return bool(self._rules)

    def key(self, part: DecodedPart) -> DecodedPart:
        """A key as it may be seen: whole, where no rule hides keys and it has no fields."""
        for rule in self._rules:
            if rule.key:
                return _hidden(part, rule.stars)
        if not self.covers or not part.structured:
            return part
        return self._fields(part)

    def value(self, part: DecodedPart) -> DecodedPart:
        """A value as it may be seen: fields without those masked, anything else hidden."""
        if not self.covers or part.data is None:
            return part
        if not part.structured:
            return _hidden(part, self._rules[0].stars)
        return self._fields(part)

    def header(self, name: str, part: DecodedPart) -> DecodedPart:
        """A header as it may be seen."""
        for rule in self._rules:
            if name.lower() in rule.headers:
                return _hidden(part, rule.stars)
        return part

    def _fields(self, part: DecodedPart) -> DecodedPart:
        data = part.data
        for rule in self._rules:
            data = _masked(data, rule, (), inside=False)
        return replace(part, data=data, raw=None, masked=True)


def _hidden(part: DecodedPart, stars: str) -> DecodedPart:
    if part.data is None:
        return part
    return DecodedPart(
        "hidden", stars, part.size, schema_id=part.schema_id, error=HIDDEN, masked=True
    )


def _masked(value: object, rule: MaskRule, path: FieldPath, *, inside: bool) -> object:
    """``path``: the names of the fields around; ``inside``: there is one, so a scalar is named."""
    if isinstance(value, dict):
        found = {}
        for name, inner in value.items():
            here = (*path, str(name).lower())
            hit = any(here[-len(field) :] == field for field in rule.fields)
            found[name] = rule.stars if hit else _masked(inner, rule, here, inside=True)
        return found
    if isinstance(value, list):
        return [_masked(inner, rule, path, inside=inside) for inner in value]
    return value if inside or value is None else rule.stars
