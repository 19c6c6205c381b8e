"""Options and words of commands: one declaration for both forms, help, man pages and shells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from pykafka_ops.commands.framework.types import Amount, Matching, Spelled, Whole

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Option(click.Option):
    """An option with a value, declared as click's own.

    The first long name is the one that help shows; the others are old ones, which still work.
    ``ours``: not an option of Kafka's tool. ``kafka``: its name there, if that is another;
    pko's form takes both. ``bare``: what the option means without a value
    (jopt's optional argument). ``separator`` splits one value into several, as jopt's
    withValuesSeparatedBy. ``stands_for``: the option that this one is an old name of. ``newer``:
    Kafka's tool has it since 4.0: the usage of 3.9's, which ours prints, does not name it.
    """

    def __init__(
        self,
        *decls: str,
        ours: bool = False,
        kafka: str = "",
        bare: str | None = None,
        separator: str = "",
        stands_for: str = "",
        newer: bool = False,
        **attrs: Any,
    ) -> None:
        self.long = next(d[2:] for d in decls if d.startswith("--"))
        self.short = next((d[1:] for d in decls if not d.startswith("--")), "")
        self.kafka = kafka or self.long
        self.ours, self.bare, self.separator, self.stands_for = ours, bare, separator, stands_for
        self.newer = newer
        self.fallback: str | None = attrs.get("default")
        if bare is not None:
            attrs |= {"is_flag": False, "flag_value": bare}
        names = [*decls, f"--{kafka}"] if kafka else decls
        super().__init__([*names, self.long.replace("-", "_").replace(".", "_")], **attrs)

    @property
    def value(self) -> str:
        """The name of its value in help; "" for a switch."""
        return "" if self.is_flag else self.metavar or self.long.upper()

    @property
    def bits(self) -> int:
        """Of a whole number how many bits Java has for it, its sign aside."""
        return self.type.bits if isinstance(self.type, Whole) else 63

    @property
    def choices(self) -> tuple[str, ...]:
        """The values there are; () where any text will do."""
        return tuple(self.type.choices) if isinstance(self.type, click.Choice) else ()

    def takes(self, word: str) -> bool:
        """Whether the word behind it is its value though it can do without."""
        if isinstance(self.type, (Matching, Spelled)):
            return self.type.fits(word)
        return word in self.choices

    @property
    def how(self) -> str:
        """What to write for a value that has a spelling of its own; ""."""
        return self.type.how if isinstance(self.type, (Spelled, Amount)) else ""

    def text(self) -> str:
        """All that there is to say of it."""
        return f"{self.summary()}: {self.how}" if self.how else self.summary()

    def summary(self) -> str:
        """What ``--help`` says of it, where ``how`` stands once for all options."""
        text = self.help or ""
        if self.choices:
            text += f": {', '.join(self.choices)}"
        if self.fallback is not None:
            text += f" (default: {self.fallback})"
        return f"{text} (may be repeated)" if self.multiple else text

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Its line in ``--help``."""
        if self.hidden:
            return None
        short = f"-{self.short}, " if self.short else "    "
        return f"{short}--{self.long} {self.value}".rstrip(), self.summary()


class Switch(Option):
    """An option without a value."""

    def __init__(self, *decls: str, **attrs: Any) -> None:
        super().__init__(*decls, is_flag=True, **attrs)


class Words(click.Argument):
    """Words of pko's form that fill ``option``; ``count`` is 1, ?, + or *."""

    def __init__(self, option: Option, count: str = "1", metavar: str = "") -> None:
        self.option, self.count = option, count
        super().__init__(
            [f"{option.name}_words"],
            nargs=-1 if count in "+*" else 1,
            required=False,
            type=option.type,
            metavar=metavar or option.metavar or option.long.upper(),
        )

    @property
    def form(self) -> str:
        """As the usage line shows it."""
        forms = {"1": "{}", "?": "[{}]", "+": "{}...", "*": "[{}...]"}
        return forms[self.count].format(self.metavar)

    def make_metavar(self, ctx: click.Context) -> str:
        """As the usage line shows it."""
        return self.form

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Its line in ``--help``."""
        return f"    {self.form}", f"{self.option.text()}; or --{self.option.long}"


def table(options: Iterable[Option]) -> dict[str, Option]:
    """Options by their long names; the first of a name counts."""
    found: dict[str, Option] = {}
    for option in options:
        found.setdefault(option.long, option)
    return found


def offered(items: Iterable[CompletionItem], options: Mapping[str, Option]) -> list[CompletionItem]:
    """What a shell shows of ``items``: no name of an option that is not in ``options``."""
    known = {"--help", *(f"--{name}" for name in options)}
    return [i for i in items if not i.value.startswith("--") or i.value in known]


def by_letter(options: Mapping[str, Option]) -> dict[str, Option]:
    """Those that have a letter, by it."""
    return {o.short: o for o in options.values() if o.short}


def named(
    word: str, options: Mapping[str, Option], letters: Mapping[str, Option]
) -> tuple[Option | None, str]:
    """The option that ``word`` names, with one dash or two; not "" where the word has its value."""
    name, glued, _ = word.lstrip("-").partition("=")
    option = options.get(name)
    if option is None and not word.startswith("--"):
        return letters.get(name[:1]), glued or name[1:]
    return option, glued


def split(options: dict[str, Option], words: list[str]) -> tuple[list[str], list[str]]:
    """The options in front, with their values, and the rest from the first plain word on."""
    letters = by_letter(options)
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-", "--"):
        word = words[at]
        at += 1
        option, glued = named(word, options, letters)
        if option is None or glued or not option.value:
            continue
        if option.bare is None or (at < len(words) and option.takes(words[at])):
            at += 1
    return words[:at], words[at:]
