"""Flags as jopt-simple 5 reads them without abbreviations, which is how Kafka's tools use it.

``--name v``, ``--name=v``, a single dash does too, stray words are kept aside, a value may look
like an option. Source: joptsimple.OptionParserState, AbstractOptionSpec.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.params import Option, by_letter, table
from pykafka_ops.commands.framework.types import Whole, java_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.verb import Verb

    class Flags(Protocol):
        """What a tool reads, and the verbs that it means."""

        @property
        def options(self) -> Mapping[str, Option]: ...
        @property
        def verbs(self) -> Sequence[Verb]: ...


ZOOKEEPER_HINT = (
    "\nKafka's tools dropped --zookeeper in 3.0: ask a broker, --bootstrap-server HOST:9092"
)

_EXCEPTIONS = (
    (" is not a recognized option", "UnrecognizedOptionException"),
    (" requires an argument", "OptionMissingRequiredArgumentException"),
    ("Found multiple arguments for option", "MultipleArgumentsForOptionException"),
    (" are unavailable given other options on the command line", "UnavailableOptionException"),
    ("Cannot parse argument ", "OptionArgumentConversionException"),
)


def exception(text: str) -> str:
    """The class of jopt-simple that complains so, "" where none does."""
    return next((f"joptsimple.{name}" for part, name in _EXCEPTIONS if part in text), "")


def uncaught(text: str) -> str:
    """The complaint as the JVM ends with it where a tool does not catch it, else ``text``."""
    name = exception(text)
    return f'Exception in thread "main" {name}: {text}' if name else text


def read(tool: Flags, words: list[str]) -> Args:
    """The arguments, unchecked; OptionError."""
    args = Args(table(tool.options.values()), tool.verbs[0].name or "", flags=True)
    args.said = list(words)
    _Walk(tool.options, args, words).run()
    return args


class _Walk:
    """One walk over the words."""

    def __init__(self, options: Mapping[str, Option], args: Args, words: list[str]) -> None:
        self.options, self.args, self.words, self.at = options, args, words, 0
        self.by_letter = by_letter(options)

    def run(self) -> None:
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            if word == "--":
                self.args.stray += self.words[self.at :]
                return
            if word.startswith("--"):
                self.long(word[2:])
            elif is_option(word):
                self.short(word[1:])
            else:
                self.args.stray.append(word)

    def long(self, body: str) -> None:
        name, eq, value = body.partition("=")
        option = self.options.get(name)
        if option is None:
            hint = ZOOKEEPER_HINT if name == "zookeeper" else ""
            raise OptionError(f"{name} is not a recognized option{hint}")
        self.handle(option, value if eq else None)

    def short(self, body: str) -> None:
        name, eq, value = body.partition("=")
        option = self.options.get(name)
        if option is not None:
            self.handle(option, value if eq else None)
            return
        for i, letter in enumerate(body):
            option = self.options.get(letter) or self.by_letter.get(letter)
            if option is None:
                raise OptionError(f"{letter} is not a recognized option")
            if option.value:
                self.handle(option, body[i + 1 :] or None)
                return
            self.handle(option, None)

    def handle(self, option: Option, value: str | None) -> None:
        self.args.order.append(option.long)
        got = self.args.values.setdefault(option.long, [])
        if not option.value:
            return
        if value is None:
            value = self.following(option)
        if value is None:
            if option.bare:
                got.append(option.bare)
            return
        parts = [p for p in value.split(option.separator) if p] if option.separator else []
        got += parts or [value]

    def following(self, option: Option) -> str | None:
        more = self.at < len(self.words)
        if option.bare is None:
            if not more:
                raise OptionError(f"Option {option.kafka} requires an argument")
        elif not more or not _may_follow(option, self.words[self.at]):
            return None
        self.at += 1
        return self.words[self.at - 1]


def _may_follow(option: Option, word: str) -> bool:
    """Whether the word is the value of an option that can do without one: any number, and nothing
    else, where it wants a number."""
    if isinstance(option.type, Whole):
        return java_integer(word, option.bits) is not None
    return not is_option(word)


def is_option(word: str) -> bool:
    """Whether jopt takes the word for an option."""
    return word.startswith("-") and word != "-"
