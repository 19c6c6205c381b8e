"""The types of options' values, as click's types, with the names that a shell completes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pykafka_ops.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Live(click.ParamType[str]):
    """A name that exists in the cluster: a topic, a group, a broker's id or a setting."""

    def __init__(self, kind: str) -> None:
        self.name = kind

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so; none where the cluster does not answer soon."""
        return _live(self.name, ctx, incomplete)


class Whole(click.ParamType[int]):
    """A whole number of Java: ``bits`` 31 for an int, 63 for a long; ``live`` as in ``Live``.

    In pko's form one from ``least`` on; None: any, where negative ones mean something.
    """

    name = "integer"

    def __init__(self, bits: int, live: str = "", *, least: int | None) -> None:
        self.bits, self._kind, self.least = bits, live, least

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The numbers of that kind in the cluster."""
        return _live(self._kind, ctx, incomplete) if self._kind else []

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; click's BadParameter for anything else."""
        number = java_integer(str(value), self.bits)
        if number is None:
            self.fail(f"{value}: give a whole number{self._up_to(str(value))}", param, ctx)
        if self.least is not None and number < self.least:
            self.fail(f"{value}: write a number from {self.least} on", param, ctx)
        return number

    def _up_to(self, text: str) -> str:
        """What is wrong with a number that Java has no room for."""
        return f" up to {(1 << self.bits) - 1}" if text.isdigit() else ""


class Several(Whole):
    """Whole numbers by comma; a single one in Kafka's form."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text as it is; click's BadParameter where a part of it is no number."""
        for part in str(value).split(","):
            super().convert(part, param, ctx)
        return value


class Amount(Whole):
    """A whole number of ms, minutes or bytes (``unit``); in pko's form another unit may follow it.

    Kafka's form takes the number alone.
    """

    def __init__(self, bits: int, unit: str, *, least: int) -> None:
        super().__init__(bits, least=least)
        self.unit = unit

    @property
    def how(self) -> str:
        """What to write."""
        return _measures()[self.unit].how

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of ``unit``; click's BadParameter for anything else."""
        text = str(value)
        if not text[-1:].isalpha():
            return super().convert(text, param, ctx)
        measure = _measures()[self.unit]
        try:
            number, rest = divmod(measure.read(text), measure.size)
        except UsageError as error:
            self.fail(f"{str(error).partition(':')[0]}: write {self.how}", param, ctx)
        if rest:
            self.fail(f"{value}: write whole {self.unit}", param, ctx)
        return super().convert(number, param, ctx)


class Choices(click.Choice[str]):
    """One of some words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word; click's BadParameter for any other."""
        if value not in self.choices:
            self.fail(f"{value}: choose one of {', '.join(self.choices)}", param, ctx)
        return str(value)


class Matching(click.ParamType[str]):
    """Text of one shape.

    An option that may stand without a value takes the next word only if it has this shape.
    """

    def __init__(self, name: str, pattern: str) -> None:
        self.name, self._pattern = name, re.compile(pattern, re.IGNORECASE)

    def fits(self, word: str) -> bool:
        """Whether ``word`` is a value of this type."""
        return self._pattern.fullmatch(word) is not None


class Spelling(NamedTuple):
    """``read`` raises UsageError for what it cannot read; ``how`` says what to write."""

    read: Callable[[str], object]
    how: str


class Spelled(click.ParamType[str]):
    """Text that some function reads, which is found late, as help needs none.

    An option that may stand without a value takes the next word only if it can be read.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def how(self) -> str:
        """What to write."""
        return _spelling(self.name).how

    def fits(self, word: str) -> bool:
        """Whether ``word`` is a value of this type."""
        try:
            _spelling(self.name).read(word)
        except UsageError:
            return False
        return True

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text as it is; click's BadParameter where it cannot be read."""
        try:
            _spelling(self.name).read(str(value))
        except UsageError as error:
            self.fail(str(error), param, ctx)
        return str(value)


def java_integer(text: str, bits: int = 31) -> int | None:
    """Integer.valueOf / Long.valueOf: None where Java throws NumberFormatException."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()):
        return None
    value = int(text) if len(digits) < 4000 else 1 << 64
    return value if -(1 << bits) <= value < 1 << bits else None


def _live(kind: str, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """``ctx.obj`` finds the names of a kind; nothing does where no shell completes."""
    from click.shell_completion import CompletionItem

    names = ctx.obj(kind, ctx) if ctx.obj else ()
    return [CompletionItem(n) for n in names if n.startswith(incomplete)]


ANY_LONG = Whole(63, least=None)
COUNT, POSITIVE = Whole(31, least=0), Whole(31, least=1)
LONG_COUNT = Whole(63, least=0)
MILLIS, SHORT_MILLIS = Amount(63, "ms", least=0), Amount(31, "ms", least=0)
POSITIVE_MILLIS, MINUTES = Amount(31, "ms", least=1), Amount(31, "minutes", least=0)
BYTES, SHORT_BYTES = Amount(63, "bytes", least=0), Amount(31, "bytes", least=0)
POSITIVE_BYTES = Amount(31, "bytes", least=1)
OR_MINUS_ONE = Whole(31, least=-1)
BYTES_OR_MINUS_ONE = Amount(31, "bytes", least=-1)
LONG_BYTES_OR_MINUS_ONE = Amount(63, "bytes", least=-1)
"""-1 means something of its own."""
INTS = Several(31, least=0)
BROKER_ID = Whole(31, "brokers", least=0)
TOPIC_NAME, GROUP_NAME, BROKER_NAME = Live("topics"), Live("groups"), Live("brokers")
FILE_PATH = click.Path()


class Measure(NamedTuple):
    """``read`` gives ms or bytes, so many of which are ``size`` to the unit."""

    read: Callable[[str], int]
    size: int
    how: str


def _measures() -> dict[str, Measure]:
    """By unit."""
    from pykafka_ops.analysis import amounts, moments

    spans = moments.SPANS.partition(";")[0]
    sizes = amounts.SIZES.removeprefix("1500, ")
    return {
        "ms": Measure(moments.span, 1, f"{spans}; ms without a unit"),
        "minutes": Measure(moments.span, moments.UNITS["m"], f"{spans}; minutes without a unit"),
        "bytes": Measure(amounts.size_of, 1, f"{sizes}; bytes without a unit"),
    }


def _spelling(name: str) -> Spelling:
    if name == "size":
        from pykafka_ops.analysis import amounts

        return Spelling(amounts.size_of, amounts.SIZES)
    from pykafka_ops.analysis import moments

    if name == "time":
        return Spelling(lambda text: moments.moment(text, 0), moments.MOMENTS)
    if name == "period":
        return Spelling(lambda text: moments.period(text, 0), moments.PERIODS)
    if name == "wait":
        return Spelling(moments.span_or_none, moments.SPANS)
    return Spelling(moments.span, moments.SPANS)


SIZE, TIME, PERIOD, SPAN, WAIT = map(Spelled, ("size", "time", "period", "span", "wait"))
"""Bytes, a moment, FROM..TO, a length of time, and one that may be 0; ``Args`` has a method to read
each."""
