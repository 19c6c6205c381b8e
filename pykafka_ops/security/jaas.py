"""JAAS: login modules and their options, of one line or of a file with sections.

Source: javax.security.auth.login.Configuration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pykafka_ops.errors import UsageError

_OPTION = re.compile(
    r"""([A-Za-z][\w.]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;]+))"""
)
_TOKEN = re.compile(
    r"""(?P<gap>\s+|//[^\n]*|/\*.*?\*/)|"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<mark>[{};=])"""
    r"""|(?P<word>[^\s{};="]+)""",
    re.DOTALL,
)
_PROPERTY = re.compile(r"\$\{([^{}]+)\}")
FLAGS = ("required", "requisite", "sufficient", "optional")


class JaasError(UsageError):
    """The text is not a JAAS file that Java would accept."""


class Module(NamedTuple):
    """A login module."""

    name: str
    flag: str
    options: dict[str, str]

    def __repr__(self) -> str:
        """Without the values of options: a password is among them."""
        return f"{self.name} {self.flag} ({', '.join(self.options)})"


def options(text: str) -> dict[str, str]:
    """The options of a JAAS line (a login module and its options)."""
    found = {}
    for key, double, single, bare in _OPTION.findall(text):
        found[key] = _unescaped(double or single) or bare
    return found


def line(module: Module) -> str:
    """A module as the line of ``sasl.jaas.config`` that means it."""
    said = "".join(f' {key}="{quoted(value)}"' for key, value in module.options.items())
    return f"{module.name} {module.flag}{said};"


def quoted(text: str) -> str:
    """A value as it stands between double quotes."""
    return re.sub(r'(["\\])', r"\\\1", text)


def sections(text: str, properties: Mapping[str, str] | None = None) -> dict[str, list[Module]]:
    """The modules of every section, by its name.

    ``${name}`` in a quoted value is the system property of that name. Raises JaasError with the
    line where the text is not that of a JAAS file.
    """
    reader = _Reader(text, properties or {})
    found: dict[str, list[Module]] = {}
    while not reader.at_end():
        name = reader.word("the name of a section")
        reader.mark("{")
        modules = []
        while not reader.is_mark("}"):
            modules.append(_module(reader))
        reader.mark("}")
        reader.mark(";")
        if name in found:
            raise reader.wrong(f"a second section {name}")
        found[name] = modules
    return found


def _module(reader: _Reader) -> Module:
    name = reader.word("a login module")
    flag = reader.word(f"one of {', '.join(FLAGS)}").lower()
    if flag not in FLAGS:
        raise reader.wrong(f"one of {', '.join(FLAGS)} is needed behind {name}")
    found: dict[str, str] = {}
    while not reader.is_mark(";"):
        key = reader.word("an option, or ;")
        reader.mark("=")
        found[key] = reader.word(f"a value of {key}")
    reader.mark(";")
    return Module(name, flag, found)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


class _Reader:
    """The tokens of a JAAS file, one after the other."""

    def __init__(self, text: str, properties: Mapping[str, str]) -> None:
        self._text = text
        self._properties = properties
        self._at = 0
        self._tokens = self._all()
        self._next: re.Match[str] | None = next(self._tokens, None)

    def _all(self) -> Iterator[re.Match[str]]:
        at = 0
        while at < len(self._text):
            found = _TOKEN.match(self._text, at)
            if found is None:
                self._at = at
                raise self.wrong("a quote is left open")
            if found["gap"] is None:
                yield found
            at = found.end()

    def at_end(self) -> bool:
        return self._next is None

    def is_mark(self, mark: str) -> bool:
        return self._next is not None and self._next["mark"] == mark

    def mark(self, mark: str) -> None:
        """Go over ``mark``."""
        if not self.is_mark(mark):
            raise self.wrong(f"{mark} is needed")
        self._step()

    def word(self, what: str) -> str:
        """The word, or the text in quotes, that is next."""
        found = self._next
        if found is None or found["mark"] is not None:
            raise self.wrong(f"{what} is needed")
        self._step()
        if found["quoted"] is None:
            return str(found["word"])
        return _PROPERTY.sub(self._property, _unescaped(found["quoted"]))

    def _property(self, found: re.Match[str]) -> str:
        if found[1] not in self._properties:
            raise self.wrong(f"the system property {found[1]} is not set")
        return self._properties[found[1]]

    def wrong(self, why: str) -> JaasError:
        """That ``why``, with the line."""
        return JaasError(f"line {self._text.count(chr(10), 0, self._at) + 1}: {why}")

    def _step(self) -> None:
        assert self._next is not None
        self._at = self._next.start()
        self._next = next(self._tokens, None)
        self._at = self._next.start() if self._next else len(self._text)
