"""``--fail-on 'lag>1000|status!=OK'``: a condition over the fields of a row.

``|`` or ``||`` is or, ``&`` or ``&&`` is and (which binds closer); ``= == != < <= > >=`` compare,
numbers as numbers, all else as text. A field without a value (None) meets only ``!=``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping

_TERM = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*(==|!=|<=|>=|=|<|>)\s*([^\s|&][^|&]*?)\s*")
_OPS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Row = Mapping[str, object]
Condition = Callable[[Row], bool]


class ConditionError(ValueError):
    """The text is not a condition; the message says why."""


def parse_condition(text: str, fields: Collection[str]) -> Condition:
    """The condition in ``text`` over rows with ``fields`` (a dash may be written for _).

    Raises ConditionError.
    """
    alternatives = [
        [_term(term, fields) for term in re.split(r"&&?", part)]
        for part in re.split(r"\|\|?", text)
    ]

    def holds(row: Row) -> bool:
        return any(all(term(row) for term in terms) for terms in alternatives)

    return holds


def _term(text: str, fields: Collection[str]) -> Condition:
    match = _TERM.fullmatch(text)
    if match is None:
        raise ConditionError(f"'{text.strip()}' is no condition: write FIELD>NUMBER or FIELD=TEXT")
    field, sign, wanted = match[1].replace("-", "_"), match[2], match[3].strip("'\"")
    if field not in fields:
        raise ConditionError(f"there is no field {match[1]}: choose from {', '.join(fields)}")
    number = _number(wanted)
    if sign in _OPS:
        if number is None:
            raise ConditionError(f"{match[1]} {sign} {wanted}: {wanted} is no number")
        compare, limit = _OPS[sign], number
        return lambda row: (value := _number(row.get(field))) is not None and compare(value, limit)
    negated = sign == "!="
    return lambda row: _equal(row.get(field), wanted, number) != negated


def _equal(value: object, wanted: str, number: float | None) -> bool:
    found = _number(value)
    if found is not None and number is not None:
        return found == number
    return str(value).lower() == wanted.lower() if value is not None else False


def _number(value: object) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        return float(str(value))
    except ValueError:
        return None
