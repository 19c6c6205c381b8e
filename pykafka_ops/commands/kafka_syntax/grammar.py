"""Tools whose options argparse4j reads by a grammar of their own: letters, lists, groups, types.

A tool gives a list of arguments for each of its subcommands, or one list. Usage and complaints are
folded and justified as argparse4j's ArgumentParserImpl and TextHelper do it, for 75 columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.params import Option, table
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.commands.kafka_syntax.tool import Tool

_WIDTH = 75
_PIECE = re.compile(r"\s*[^\s-]*(?:-+|\s+|$)")
_NEGATIVE = re.compile(r"-\d+(\.\d*)?")
_MAX_WORDS = 10_000
_MAX_HEAD = 30
"""Behind a longer one the usage begins on a line of its own."""


class Argument(NamedTuple):
    """An option as argparse4j knows it.

    ``kind`` is Java's name of its type, ``many`` that it may come again, ``several`` that it takes
    words up to the next option; those of one ``group`` exclude each other.
    ``letterless``: its letter is of pko's form alone.
    """

    option: Option
    required: bool = False
    many: bool = False
    several: bool = False
    kind: str = ""
    choices: tuple[str, ...] = ()
    group: str = ""
    metavar: str = ""
    hidden: bool = False
    letterless: bool = False

    @property
    def long(self) -> str:
        """``--name``."""
        return f"--{self.option.kafka}"

    @property
    def names(self) -> str:
        """As complaints name it."""
        return f"{self.long}/-{self.short}" if self.short else self.long

    @property
    def short(self) -> str:
        """Its letter, ""."""
        return "" if self.letterless else self.option.short

    @property
    def form(self) -> str:
        """With its value."""
        if not self.option.value:
            return self.long
        value = self.metavar or self.option.kafka.upper().replace("-", "_")
        return f"{self.long} {value} [{value} ...]" if self.several else f"{self.long} {value}"


Grammar = Mapping[str, Sequence[Argument]]
"""By the names of subcommands; by "" alone where there are none."""


def reader(
    grammar: Grammar, required_groups: Sequence[str] = ()
) -> Callable[[Tool, list[str]], Args]:
    """What ``Tool.read`` is for ``grammar``; one of each of ``required_groups`` must be given."""

    def read(tool: Tool, words: list[str]) -> Args:
        args = Args(table(tool.options.values()), tool.verbs[0].name or "", flags=True)
        args.said = list(words)
        walk = _Walk(tool, grammar, required_groups, args)
        walk.run(words[:_MAX_WORDS])
        return args

    return read


class _Walk:
    def __init__(self, tool: Tool, grammar: Grammar, groups: Sequence[str], args: Args) -> None:
        self.tool, self.grammar, self.groups, self.args = tool, grammar, groups, args
        self.name = "" if "" in grammar else None
        self.arguments: Sequence[Argument] = grammar.get("", ())

    def run(self, words: list[str]) -> None:
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            if word in ("-h", "--help"):
                self.args.values["help"] = []
                return
            if self.name is None:
                self.choose(word)
            elif _is_option(word):
                at = self.take(word, words, at)
            else:
                self.fail(f"unrecognized arguments: '{word}'")
        if self.name is None:
            self.fail("too few arguments")
        self.complete()

    def choose(self, word: str) -> None:
        """The subcommand."""
        if _is_option(word):
            self.fail(f"unrecognized arguments: '{word}'")
        if word not in self.grammar:
            self.fail(f"invalid choice: '{word}' (choose from "
                      f"{', '.join(repr(n) for n in self.grammar)})")  # fmt: skip
        self.name, self.arguments = word, self.grammar[word]
        self.args.verb = next(v.name or "" for v in self.tool.verbs if v.tool_name == word)

    def find(self, word: str) -> tuple[Argument, str | None]:
        name, eq, value = word.partition("=")
        for argument in self.arguments:
            short = argument.short
            if name == argument.long or (short and word == f"-{short}"):
                return argument, value if eq else None
            if short and word.startswith(f"-{short}") and not word.startswith("--"):
                return argument, word[2:] if argument.option.value else None
        near = [a for a in self.arguments if word.startswith("--") and a.long.startswith(name)]
        if len(near) > 1:
            could = ", ".join(a.long for a in near)
            self.fail(f"ambiguous option: {name} could match {could}")
        if not near:
            self.fail(f"unrecognized arguments: '{word}'")
        return near[0], value if eq else None

    def take(self, word: str, words: list[str], at: int) -> int:
        """One option with what belongs to it; where to go on."""
        argument, value = self.find(word)
        option = argument.option
        for other in self.others(argument):
            if self.args.has(other.option.long):
                self.fail(f"argument {argument.names}: not allowed with argument {other.names}")
        got = self.args.values.setdefault(option.long, [])
        self.args.order.append(option.long)
        if not option.value:
            return at
        if not argument.many:
            got.clear()
        if value is not None:
            got.append(self.checked(argument, value))
            return at
        first = at
        while at < len(words) and not _is_option(words[at]) and (argument.several or at == first):
            got.append(self.checked(argument, words[at]))
            at += 1
        if at == first:
            count = "at least one argument" if argument.several else "one argument"
            self.fail(f"argument {argument.names}: expected {count}")
        return at

    def others(self, argument: Argument) -> list[Argument]:
        """Those of its group."""
        group = argument.group
        return [a for a in self.arguments if group and a.group == group and a is not argument]

    def checked(self, argument: Argument, text: str) -> str:
        """The value, if it is of its type."""
        if argument.choices and text not in argument.choices:
            shown = ",".join(argument.choices)
            self.fail(f"argument {argument.names}: invalid choice: '{text}' "
                      f"(choose from {{{shown}}})")  # fmt: skip
        if argument.kind and not _fits(argument.kind, text):
            self.fail(f"argument {argument.names}: could not convert '{text}' to {argument.kind} "
                      f'(For input string: "{text}")')  # fmt: skip
        return text

    def complete(self) -> None:
        for argument in self.arguments:
            if argument.required and not self.args.has(argument.option.long):
                self.fail(f"argument {argument.names} is required")
        for group in self.groups:
            members = [a for a in self.arguments if a.group == group]
            if members and not any(self.args.has(a.option.long) for a in members):
                self.fail("one of the arguments " + " ".join(a.names for a in members)
                          + " is required")  # fmt: skip

    def fail(self, text: str) -> None:
        said = folded(f"{self.tool.program}: error: {text}")
        raise OptionError(
            f"{usage(self.tool.program, self.grammar, self.name, self.groups)}\n{said}"
        )


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-" and not _NEGATIVE.fullmatch(word)


def _fits(kind: str, text: str) -> bool:
    if kind in ("Integer", "Long"):
        return java_integer(text, 31 if kind == "Integer" else 63) is not None
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def usage(program: str, grammar: Grammar, name: str | None, groups: Sequence[str] = ()) -> str:
    """The usage of the tool, or of a subcommand, folded."""
    head = f"usage: {program}"
    indent = " " * len(head)
    if name is None:
        parts = ["[-h]", f"{{{','.join(grammar)}}}", "..."]
    else:
        parts = [f"{name} [-h]" if name else "[-h]", *_forms(grammar[name], groups)]
    lines, line = [], f"{head} {parts[0]}"
    if len(head) > _MAX_HEAD:
        indent = " " * 6
        lines, line = [head], f"{indent} {parts[0]}"
    for part in parts[1:]:
        if len(line) + 1 + len(part) > _WIDTH:
            lines.append(line)
            line = indent
        line += f" {part}"
    return "\n".join([*lines, line])


def _forms(arguments: Sequence[Argument], groups: Sequence[str]) -> list[str]:
    shown = [a for a in arguments if not a.hidden]
    found = [a.form if a.required else f"[{a.form}]" for a in shown if not a.group]
    for group in dict.fromkeys(a.group for a in shown if a.group):
        members = [a for a in shown if a.group == group]
        if len(members) == 1:
            found.append(members[0].form if members[0].required else f"[{members[0].form}]")
            continue
        first, last = ("(", ")") if group in groups else ("[", "]")
        *others, end = [a.form for a in members]
        forms = [*(f"{form} |" for form in others), f"{end}{last}"]
        found += [first + forms[0], *forms[1:]]
    return found


def folded(text: str) -> str:
    """``TextHelper.wrap``: lines of 75 columns, all but the last filled up with blanks."""
    lines: list[str] = []
    line = ""
    for piece in (m[0] for m in _PIECE.finditer(f"{text}\n") if m[0]):  # Java counts the end, too
        if len(line) + len(piece) > _WIDTH:
            lines.append(_justified(line))
            line = ""
        line += piece
    return "\n".join([*lines, line.removesuffix("\n")])


def _justified(line: str) -> str:
    line = line.strip(" ")
    words = re.split(" +", line)
    blocks = len(words) - 1
    missing = _WIDTH - len(line)
    if not blocks or missing <= 0:
        return line
    each, more = divmod(missing, blocks)
    first = (blocks - more + 1) // 2
    out = words[0]
    for number, word in enumerate(words[1:]):
        extra = each + (1 if first <= number < first + more else 0)
        out += " " * (1 + extra) + word
    return out
