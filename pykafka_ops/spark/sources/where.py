"""The option ``where``: what of a source is wanted, in the words of SQL.

``topic = 'orders' AND offset >= 1200 AND timestamp >= '2026-11-21 08:00' AND partition IN (0, 3)``
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.sources import conditions as c
from pykafka_ops.spark.sources.conditions import Conditions, RowCondition

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<bytes>[xX]'[0-9a-fA-F]*')|(?P<text>'(?:[^']|'')*')|(?P<number>[+-]?\d+)
    |`(?P<quoted>[^`]+)`|(?P<word>[A-Za-z_]\w*)|(?P<sign><=>|<=|>=|<>|!=|==|[=<>(),]))""",
    re.VERBOSE,
)
_SIGNS: Final = {
    "=": c.EQUAL, "==": c.EQUAL, "<=>": c.SAME, "<": c.BELOW, "<=": c.UP_TO, ">": c.ABOVE,
    ">=": c.FROM,
}  # fmt: skip
_HOW: Final = "write COLUMN = VALUE, joined by AND; also <, <=, >, >=, <>, IN, LIKE, BETWEEN, IS"
_ZERO: Final = datetime(1970, 1, 1, tzinfo=UTC)
Token = tuple[str, str]


def conditions_of(text: str, columns: pa.Schema) -> Conditions:
    """The conditions on some of ``columns``; UsageError for what is none, and where a value does
    not fit its column. Times are text (UTC, or with an offset) or ms since 1970."""
    return Conditions(_Parser(text, columns).every())


class _Parser:
    """Takes tokens one by one."""

    def __init__(self, text: str, columns: pa.Schema) -> None:
        self._text, self._columns = text, columns
        self._tokens, self._at = list(self._split()), 0

    def _split(self) -> list[Token]:
        found: list[Token] = []
        at, text = 0, self._text.rstrip()
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None or token.lastgroup is None:
                raise self._wrong(text[at : at + 20].strip())
            found.append((token.lastgroup, token[token.lastgroup]))
            at = token.end()
        return found

    def every(self) -> list[RowCondition]:
        """All conditions."""
        found = self._one()
        while self._at < len(self._tokens):
            self._expect("AND")
            found += self._one()
        return found

    def _one(self) -> list[RowCondition]:
        if self._word("NOT"):
            (inner,) = self._one()
            return [RowCondition(inner.column, inner.test, inner.value, not inner.negated)]
        if self._sign("("):
            found = self._one()
            while self._word("AND"):
                found += self._one()
            self._expect(")")
            return found
        kind, name = self._next()
        if kind not in ("word", "quoted"):
            raise self._wrong(name)
        if name not in self._columns.names:
            raise UsageError(f"option where: no column {name}: {', '.join(self._columns.names)}")
        field = self._columns.field(name)
        made = self._test(field)
        for one in made:
            if not one.fits(field.type):
                raise UsageError(f"option where: {one.test} cannot be asked of the column {name}")
        return made

    def _test(self, field: pa.Field) -> list[RowCondition]:
        if self._word("IS"):
            negated = self._word("NOT")
            self._expect("NULL")
            return [RowCondition(field.name, c.NULL, None, negated)]
        negated = self._word("NOT")
        if self._word("IN"):
            return [RowCondition(field.name, c.AMONG, self._list(field), negated)]
        if self._word("LIKE"):
            return [self._like(field, negated)]
        if not negated and self._word("BETWEEN"):
            low = self._value(field)
            self._expect("AND")
            return [
                RowCondition(field.name, c.FROM, low),
                RowCondition(field.name, c.UP_TO, self._value(field)),
            ]
        kind, sign = self._next()
        if negated or kind != "sign" or sign not in (*_SIGNS, "<>", "!="):
            raise self._wrong(sign)
        unequal = sign in ("<>", "!=")
        return [RowCondition(field.name, _SIGNS.get(sign, c.EQUAL), self._value(field), unequal)]

    def _list(self, field: pa.Field) -> tuple[Any, ...]:
        self._expect("(")
        found = [self._value(field)]
        while self._sign(","):
            found.append(self._value(field))
        self._expect(")")
        return tuple(found)

    def _like(self, field: pa.Field, negated: bool) -> RowCondition:
        pattern = self._value(field)
        if not isinstance(pattern, str):
            raise self._wrong(str(pattern))
        inner = pattern.strip("%")
        if "%" in inner or "_" in inner or "\\" in inner:
            raise UsageError(f"option where: LIKE '{pattern}': only 'a%', '%a', '%a%' and 'a'")
        begins, ends = pattern.endswith("%"), pattern.startswith("%")
        test = {(True, True): c.CONTAINS, (True, False): c.STARTS, (False, True): c.ENDS}
        return RowCondition(field.name, test.get((begins, ends), c.EQUAL), inner, negated)

    def _value(self, field: pa.Field) -> Any:
        kind, text = self._next()
        if kind == "word" and text.upper() == "TIMESTAMP":
            kind, text = self._next()
        value: Any = None
        if pa.types.is_timestamp(field.type):
            value = _micros(kind, text)
        elif pa.types.is_integer(field.type) and kind == "number":
            value = _within(int(text), field.type)
        elif pa.types.is_string(field.type) and kind == "text":
            value = _unquoted(text)
        elif pa.types.is_boolean(field.type) and text.lower() in ("true", "false"):
            value = text.lower() == "true"
        elif pa.types.is_binary(field.type) and kind == "text":
            value = _unquoted(text).encode()
        elif pa.types.is_binary(field.type) and kind == "bytes" and len(text) % 2:
            value = bytes.fromhex(text[2:-1])
        if value is None:
            raise UsageError(f"option where: {text} is no value of the column {field.name}")
        return value

    def _next(self) -> Token:
        if self._at == len(self._tokens):
            raise self._wrong("the end")
        self._at += 1
        return self._tokens[self._at - 1]

    def _word(self, word: str) -> bool:
        return self._take("word", word)

    def _sign(self, sign: str) -> bool:
        return self._take("sign", sign)

    def _take(self, kind: str, text: str) -> bool:
        if self._at < len(self._tokens):
            found, said = self._tokens[self._at]
            if found == kind and said.upper() == text:
                self._at += 1
                return True
        return False

    def _expect(self, text: str) -> None:
        if not (self._word(text) or self._sign(text)):
            raise self._wrong(self._next()[1])

    def _wrong(self, what: str) -> UsageError:
        return UsageError(f"option where={self._text}: not understood at {what}: {_HOW}")


def _unquoted(text: str) -> str:
    return text[1:-1].replace("''", "'")


def _within(value: int, kind: pa.DataType) -> int | None:
    return value if -(1 << kind.bit_width - 1) <= value < 1 << kind.bit_width - 1 else None


def _micros(kind: str, text: str) -> int | None:
    """Microseconds since 1970."""
    if kind == "number":
        return _within(int(text) * 1000, pa.int64())
    if kind != "text":
        return None
    try:
        moment = datetime.fromisoformat(_unquoted(text).strip())
    except ValueError:
        return None
    known = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (known - _ZERO) // timedelta(microseconds=1)
