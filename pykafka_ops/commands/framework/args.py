"""The parsed command line, the same for both forms."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.params import Option

    Value = str | int | float


class OptionError(UsageError):
    """The command line itself is wrong; the text is Kafka's where Kafka has one."""


class Args:
    """The values of a command line, by the long names of the options.

    ``options``: what may be given. ``verb``: the name of the action. ``flags``: Kafka's form was
    spoken; its values stay text until they are asked for, as in jopt-simple. ``stray``: words that
    belong to no option. ``order``: the options of Kafka's form as they came. ``said``: all its
    words. ``filled``: options whose value comes from the environment or a profile.
    """

    __slots__ = ("filled", "flags", "options", "order", "said", "stray", "values", "verb")

    def __init__(self, options: Mapping[str, Option], verb: str, *, flags: bool) -> None:
        self.options, self.verb, self.flags = options, verb, flags
        self.values: dict[str, list[Value]] = {}
        self.stray: list[str] = []
        self.order: list[str] = []
        self.said: list[str] = []
        self.filled: set[str] = set()

    def has(self, name: str) -> bool:
        """Whether the option was given (a default does not count)."""
        return name in self.values

    def given(self, name: str) -> list[str]:
        """Every value given, as text; no default."""
        return [str(value) for value in self.values.get(name, ())]

    def texts(self, name: str) -> list[str]:
        """Every value given, else the default as the only one."""
        option = self.options.get(name)
        default = [] if option is None or option.fallback is None else [option.fallback]
        return self.given(name) or default

    def names(self, name: str) -> list[str]:
        """Every value given, each once; one may hold several, by comma."""
        parts = (part for text in self.texts(name) for part in text.split(","))
        return list(dict.fromkeys(part for part in parts if part))

    def pairs(self, name: str) -> dict[str, str]:
        """The values ``KEY=VALUE`` of an option; OptionError for another one."""
        found = {}
        for text in self.texts(name):
            key, equals, value = text.partition("=")
            if not equals or not key.strip():
                raise OptionError(f"--{name} {text}: write it as key=value")
            found[key.strip()] = value.strip()
        return found

    def text(self, name: str) -> str | None:
        """The one value, its default, or None; OptionError where several were given."""
        found = self.texts(name)
        if len(found) > 1 and not self.flags:
            raise OptionError(f"--{name} was given twice")
        if len(found) > 1:
            raise OptionError(
                f"Found multiple arguments for option {self._kafka(name)}, but you asked for only "
                "one"
            )
        return found[0] if found else None

    def number(self, name: str) -> int | None:
        """``text`` as a Java int or long, jopt's complaint where it is none."""
        value = self.text(name)
        if value is None:
            return None
        option = self.options.get(name)
        parsed = java_integer(value, option.bits if option else 63)
        if parsed is None:
            raise OptionError(f"Cannot parse argument '{value}' of option {self._kafka(name)}")
        return parsed

    def size(self, name: str) -> int | None:
        """``text`` as bytes."""
        from pykafka_ops.analysis.amounts import size_of

        value = self.text(name)
        return None if value is None else size_of(value)

    def span(self, name: str) -> int | None:
        """``text`` as a length of time, in ms."""
        from pykafka_ops.analysis.moments import span

        value = self.text(name)
        return None if value is None else span(value)

    def wait(self, name: str) -> int | None:
        """``text`` as a length of time that may be 0, in ms."""
        from pykafka_ops.analysis.moments import span_or_none

        value = self.text(name)
        return None if value is None else span_or_none(value)

    def silence(self) -> int | None:
        """``--timeout`` of every command in ms, if given; not what Kafka's tools call so."""
        from pykafka_ops.analysis.moments import span

        if self.flags and not self.options["timeout"].ours:
            return None
        given = self.given("timeout")
        return span(given[-1]) if given else None

    def moment(self, name: str, now: int) -> tuple[int, int] | None:
        """``text`` as (first ms, first ms after it), ms since 1970; ``2h`` counts from ``now``."""
        from pykafka_ops.analysis.moments import moment

        value = self.text(name)
        return None if value is None else moment(value, now)

    def period(self, name: str, now: int) -> tuple[int | None, int | None] | None:
        """``text`` as [first, end) in ms since 1970, None where a side is open."""
        from pykafka_ops.analysis.moments import period

        value = self.text(name)
        return None if value is None else period(value, now)

    def require(self, *names: str) -> None:
        """Kafka's CommandLineUtils.checkRequiredArgs."""
        for name in names:
            if name not in self.values:
                raise OptionError(f'Missing required argument "[{self._kafka(name)}]"')

    def forbid(self, used: str, *others: str) -> None:
        """Kafka's CommandLineUtils.checkInvalidArgs: ``others`` cannot stand beside ``used``."""
        if used in self.values:
            for other in others:
                if other in self.values:
                    raise OptionError(
                        f'Option "[{self._kafka(used)}]" can\'t be used with option '
                        f'"[{self._kafka(other)}]"'
                    )

    def _kafka(self, name: str) -> str:
        """The name of an option in Kafka's form."""
        option = self.options.get(name)
        return option.kafka if option else name
