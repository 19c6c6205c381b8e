"""RE2's syntax, as RE2/J reads it with its default flags."""

from __future__ import annotations

from typing import Final, NamedTuple

from pykafka_ops.broker.state.groups.consumer.regex.classes import PERL, POSIX, unicode_class
from pykafka_ops.broker.state.groups.consumer.regex.nodes import (
    LAST,
    At,
    Chars,
    Either,
    Empty,
    Node,
    Ranges,
    RegexError,
    Repeat,
    Sequence,
    all_but,
    either_case,
    merged,
)

MOST_REPEATS: Final = 1000
MOST_NESTED: Final = 100
"""Groups inside groups; more could not be read by a program that calls itself."""
_NEWLINE: Final[Ranges] = ((10, 10),)
_CONTROLS: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_HEX: Final = frozenset("0123456789abcdefABCDEF")


class _Flags(NamedTuple):
    fold: bool = False
    dot_all: bool = False
    lines: bool = False


class Parser:
    """Reads one expression."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._names: set[str] = set()

    def parse(self) -> Node:
        """The whole expression. Raises RegexError."""
        found, _ = self._choice(_Flags())
        if self._at < len(self._text):
            raise RegexError("regexp/syntax: internal error")  # RE2/J's words
        return found

    def _peek(self, more: int = 0) -> str:
        at = self._at + more
        return self._text[at] if at < len(self._text) else ""

    def _takes(self, text: str) -> bool:
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    # -- structure -----------------------------------------------------------------------------

    def _choice(self, flags: _Flags) -> tuple[Node, _Flags]:
        """Alternatives up to the end or a closing parenthesis, and the flags that hold there."""
        branches: list[Node] = []
        parts: list[Node] = []
        while (sign := self._peek()) and sign != ")":
            if sign == "|":
                self._at += 1
                branches.append(Sequence(tuple(parts)))
                parts = []
            elif sign in "*+?" or (sign == "{" and self._counts() is not None):
                self._repeat(parts)
            elif self._text.startswith("(?", self._at) and not self._text.startswith(
                ("(?P<", "(?<"), self._at
            ):
                flags = self._flagged(flags, parts)
            elif sign == "(":
                self._at += 1
                self._name()
                parts.append(self._group(flags))
            else:
                parts.extend(self._single(flags))
        branches.append(Sequence(tuple(parts)))
        return (branches[0] if len(branches) == 1 else Either(tuple(branches))), flags

    def _group(self, flags: _Flags) -> Node:
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise RegexError("expression nests too deeply")
        found, _ = self._choice(flags)
        self._depth -= 1
        if not self._takes(")"):
            raise RegexError("missing closing )")
        return found

    def _name(self) -> None:
        if not (self._takes("?P<") or self._takes("?<")):
            return
        end = self._text.find(">", self._at)
        name = self._text[self._at : end] if end >= 0 else ""
        if not name or not name.isascii() or not name.replace("_", "a").isalnum():
            raise RegexError("invalid named capture")
        if name in self._names:
            raise RegexError("duplicate capture group name")
        self._names.add(name)
        self._at = end + 1

    def _flagged(self, flags: _Flags, parts: list[Node]) -> _Flags:
        """``(?i)`` changes the flags from here on, ``(?i:...)`` those of a group."""
        self._at += 2
        on, changed = True, flags
        while True:
            sign = self._peek()
            self._at += 1
            if sign == ":":
                parts.append(self._group(changed))
                return flags
            if sign == ")":
                return changed
            if sign == "-" and on:
                on = False
            elif sign and sign in "imsU":
                name = {"i": "fold", "m": "lines", "s": "dot_all"}.get(sign)
                if name is not None:
                    changed = changed._replace(**{name: on})
            else:
                raise RegexError("invalid or unsupported Perl syntax")

    # -- repetition ----------------------------------------------------------------------------

    def _counts(self) -> tuple[int, int | None, int] | None:
        """``{2}``, ``{2,}`` or ``{2,3}`` from here on and where it ends; None for plain text."""
        end = self._text.find("}", self._at)
        inner = self._text[self._at + 1 : end] if end >= 0 else ""
        least, comma, most = inner.partition(",")
        if not _is_number(least) or (most and not _is_number(most)):
            return None
        low = _number(least)
        high = _number(most) if most else (None if comma else low)
        return low, high, end + 1

    def _repeat(self, parts: list[Node]) -> None:
        least: int
        most: int | None
        sign = self._peek()
        if sign == "{":
            counts = self._counts()
            assert counts is not None
            least, most, end = counts
            high = least if most is None else most
            if least > MOST_REPEATS or high > MOST_REPEATS or high < least:
                raise RegexError("invalid repeat count")
        else:
            end = self._at + 1
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        if not parts:
            raise RegexError("missing argument to repetition operator")
        self._at = end
        self._takes("?")  # likes few: which text is matched makes no difference here
        following = self._peek()
        if following and (following in "*+?" or (following == "{" and self._counts())):
            raise RegexError("invalid nested repetition operator")
        parts.append(Repeat(parts.pop(), least, most))

    # -- single characters ---------------------------------------------------------------------

    def _single(self, flags: _Flags) -> list[Node]:
        sign = self._peek()
        self._at += 1
        if sign == ".":
            return [Chars(((0, LAST),) if flags.dot_all else all_but(_NEWLINE))]
        if sign == "^":
            return [Empty(At.BEGIN_LINE if flags.lines else At.BEGIN)]
        if sign == "$":
            return [Empty(At.END_LINE if flags.lines else At.END)]
        if sign == "[":
            return [Chars(self._class(flags))]
        if sign == "\\":
            return self._escaped(flags)
        return [_char(ord(sign), flags)]

    def _escaped(self, flags: _Flags) -> list[Node]:
        sign = self._peek()
        at = {"A": At.BEGIN, "z": At.END, "b": At.WORD_EDGE, "B": At.NO_WORD_EDGE}.get(sign)
        if at is not None:
            self._at += 1
            return [Empty(at)]
        if self._takes("Q"):
            end = self._text.find("\\E", self._at)
            text = self._text[self._at : end] if end >= 0 else self._text[self._at :]
            self._at = len(self._text) if end < 0 else end + 2
            return [_char(ord(each), flags) for each in text]
        ranges = self._named()
        if ranges is not None:
            return [Chars(either_case(ranges) if flags.fold else ranges)]
        return [_char(self._code(), flags)]

    def _named(self) -> Ranges | None:
        """``\\d``, ``\\pN``, ``\\p{Greek}`` behind the backslash; None for anything else."""
        sign = self._peek()
        if sign.lower() in PERL:
            self._at += 1
            found = PERL[sign.lower()]
            return all_but(found) if sign.isupper() else found
        if sign not in ("p", "P"):
            return None
        self._at += 1
        negated = sign == "P"
        if self._takes("{"):
            end = self._text.find("}", self._at)
            if end < 0:
                raise RegexError("invalid character class range")
            name = self._text[self._at : end]
            self._at = end + 1
        else:
            name = self._peek()
            self._at += 1
        if name.startswith("^"):
            negated, name = not negated, name[1:]
        found = unicode_class(name)
        return all_but(found) if negated else found

    def _code(self) -> int:
        """The character that an escape stands for."""
        sign = self._peek()
        if not sign:
            raise RegexError("trailing backslash at end of expression")
        self._at += 1
        if sign in _CONTROLS:
            return _CONTROLS[sign]
        if sign == "x":
            return self._hex()
        if sign in "01234567":
            if sign != "0" and self._peek() not in tuple("01234567"):
                raise RegexError("invalid escape sequence")
            digits = sign
            while len(digits) < 3 and self._peek() in tuple("01234567"):
                digits += self._peek()
                self._at += 1
            return int(digits, 8)
        if sign.isascii() and not sign.isalnum():
            return ord(sign)
        raise RegexError("invalid escape sequence")

    def _hex(self) -> int:
        if self._takes("{"):
            end = self._text.find("}", self._at)
            digits = self._text[self._at : end] if end >= 0 else ""
            self._at = end + 1
        else:
            digits = self._text[self._at : self._at + 2]
            self._at += 2
            if len(digits) < 2:
                digits = ""
        if not digits or not _HEX.issuperset(digits) or len(digits) > 8 or int(digits, 16) > LAST:
            raise RegexError("invalid escape sequence")
        return int(digits, 16)

    def _class(self, flags: _Flags) -> Ranges:
        negated = self._takes("^")
        found: list[tuple[int, int]] = []
        first = True
        while first or self._peek() != "]":
            if not self._peek():
                raise RegexError("missing closing ]")
            first = False
            found.extend(self._class_item())
        self._at += 1
        ranges = merged(found)
        if flags.fold:
            ranges = either_case(ranges)
        return all_but(ranges) if negated else ranges

    def _class_item(self) -> Ranges:
        if self._takes("[:"):
            end = self._text.find(":]", self._at)
            name = self._text[self._at : end] if end >= 0 else ""
            found = POSIX.get(name.removeprefix("^"))
            if found is None:
                raise RegexError("invalid character class range")
            self._at = end + 2
            return all_but(found) if name.startswith("^") else found
        if self._peek() == "\\":
            self._at += 1
            named = self._named()
            if named is not None:
                return named
            low = self._code()
        else:
            low = ord(self._peek())
            self._at += 1
        if self._peek() != "-" or self._peek(1) in ("]", ""):
            return ((low, low),)
        self._at += 1
        if self._takes("\\"):
            high = self._code()
        else:
            high = ord(self._peek())
            self._at += 1
        if high < low:
            raise RegexError("invalid character class range")
        return ((low, high),)


def _char(code: int, flags: _Flags) -> Chars:
    ranges: Ranges = ((code, code),)
    return Chars(either_case(ranges) if flags.fold else ranges)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")


def _number(text: str) -> int:
    return int(text) if len(text) < 9 else MOST_REPEATS + 1
