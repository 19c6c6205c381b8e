"""``--fail-on 'lag>1000|status!=OK'``: a condition over the fields of a row.

``|`` or ``||`` is or, ``&`` or ``&&`` is and (which binds closer); ``= == != < <= > >=`` compare.
What is not known meets every comparison: a check must not pass because nobody could look.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Literal

from pykafka_ops.analysis.moments import moment
from pykafka_ops.errors import UsageError

_TERM = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*(==|!=|<=|>=|=|<|>)\s*([^\s|&<>=!][^|&]*?)\s*")
_OPS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}
_EQUAL = ("=", "==", "!=")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,6})?", re.ASCII)
_LONGEST_NUMBER = 1_000

Row = Mapping[str, object]
Unknown = Callable[[Row, str], bool]
"""Whether a field of a row says less than the truth, although it has a value."""
FieldKind = Literal["number", "moment", "text", "flag", "any"]


class ConditionError(ValueError):
    """The text is not a condition; the message says why."""


@dataclass(frozen=True, slots=True)
class ConditionField:
    """What a field of a row holds: a number, a moment (ms since 1970), a text, or yes and no; any
    of these where a row decides: numbers are compared exactly, texts by their characters.

    ``values`` are the only texts there are (none: any). ``spare``: a row without a value has
    nothing there; of all other fields no value means that it is not known. ``band`` names the
    fields with the ends of what a number may be: > and >= ask the lower end, < and <= the upper
    one, so that a row meets them where it surely does.
    """

    kind: FieldKind = "number"
    values: tuple[str, ...] = ()
    spare: bool = False
    band: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class _Comparison:
    """One comparison: of which field, and whether a row meets it; None: that is not known."""

    field: str
    holds: Callable[[Row], bool | None]


@dataclass(frozen=True, slots=True)
class Condition:
    """Call it with a row. ``alternatives``: all comparisons of one of them must hold."""

    alternatives: Sequence[Sequence[_Comparison]]

    def __call__(self, row: Row) -> bool:
        """Whether the row meets it, or might: what is not known meets every comparison."""
        return any(all(c.holds(row) is not False for c in every) for every in self.alternatives)

    def judged(self, row: Row) -> bool | None:
        """Whether the row meets it; None where that depends on what is not known."""
        open_ = False
        for every in self.alternatives:
            found = [c.holds(row) for c in every]
            if all(found):
                return True
            open_ = open_ or False not in found
        return None if open_ else False

    @property
    def fields(self) -> list[str]:
        """The fields it asks for, each once."""
        return list(dict.fromkeys(c.field for every in self.alternatives for c in every))


def parse_condition(
    text: str, fields: Mapping[str, ConditionField], unknown: Unknown | None = None
) -> Condition:
    """The condition in ``text`` over rows with ``fields`` (a dash may be written for _).

    Raises ConditionError for a field there is not, an operator that its kind has not got, and a
    value that it never has.
    """
    return Condition(
        [
            [_comparison(term, fields, unknown) for term in re.split(r"&&?", part)]
            for part in re.split(r"\|\|?", text)
        ]
    )


def _comparison(
    text: str, fields: Mapping[str, ConditionField], unknown: Unknown | None
) -> _Comparison:
    match = _TERM.fullmatch(text)
    if match is None:
        raise ConditionError(
            f"'{text.strip()}' is not a condition: write FIELD>NUMBER or FIELD=TEXT"
        )
    name, sign, wanted = match[1].replace("-", "_"), match[2], match[3].strip("'\"")
    field = fields.get(name)
    if field is None:
        raise ConditionError(f"there is no field {match[1]}: choose from {', '.join(fields)}")
    numeric = field.kind in ("number", "moment")
    if not numeric and field.kind != "any" and sign not in _EQUAL:
        raise ConditionError(
            f"{match[1]} {sign} {wanted}: {match[1]} is not a number: write = or !="
        )
    try:
        if field.kind == "any":
            meets = _any(sign, wanted)
        else:
            meets = _number(field, sign, wanted) if numeric else _text(field, sign, wanted)
    except ConditionError as error:
        raise ConditionError(f"{match[1]} {sign} {wanted}: {error}") from None

    asked = name if field.band is None or sign in _EQUAL else field.band[sign in ("<", "<=")]

    def holds(row: Row) -> bool | None:
        value = row.get(asked)
        if unknown is not None and unknown(row, name):
            # the truth is greater than the figure
            return True if value is not None and sign in (">", ">=") and meets(value) else None
        if value is None:
            return sign == "!=" if field.spare else None
        return meets(value)

    return _Comparison(name, holds)


def _number(field: ConditionField, sign: str, wanted: str) -> Callable[[object], bool]:
    compare = _OPS[sign]
    try:
        limit = float(moment(wanted, 0)[0]) if field.kind == "moment" else float(wanted)
        if not isfinite(limit) or (field.kind == "moment" and limit < 0):
            raise ValueError(wanted)
    except (UsageError, ValueError):
        times = "time: write 2026-11-21T08:00 (UTC) or ms since 1970"
        what = times if field.kind == "moment" else "number"
        raise ConditionError(f"{wanted} is not a {what}") from None
    return lambda value: compare(float(str(value)), limit)


def _text(field: ConditionField, sign: str, wanted: str) -> Callable[[object], bool]:
    values = ("true", "false") if field.kind == "flag" else field.values
    known = {value.lower() for value in values}
    if known and wanted.lower() not in known:
        raise ConditionError(f"choose one of {', '.join(values)}")
    return lambda value: (str(value).lower() == wanted.lower()) == (sign != "!=")


def _any(sign: str, wanted: str) -> Callable[[object], bool]:
    """Numbers as numbers, however large or fine they are; all else as text. A number and a text
    are neither less nor greater than each other."""
    limit = _decimal(wanted)

    def meets(value: object) -> bool:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        number = None if limit is None else _decimal(text)
        if limit is not None and number is not None:
            return bool(_OPS[sign](number, limit))  # type: ignore[arg-type]
        if sign in _EQUAL:
            return (text == wanted) == (sign != "!=")
        return limit is None and bool(_OPS[sign](text, wanted))  # type: ignore[arg-type]

    return meets


def _decimal(text: str) -> Decimal | None:
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    return Decimal(text)
