"""Python source that the codec writes, and its way into a function with readable tracebacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from struct import Struct
from typing import Any

from pykafka_ops.wire.message import Function

STEP = 16
"""Items of an array between two pauses; a power of two."""


def pause_after(number: str) -> str:
    """The line of a generator that pauses after every so many items; ``number`` counts them."""
    return f"if {number} & {STEP - 1} == {STEP - 1}: yield"


class _Loader:
    """Hands the source of a compiled function to ``traceback`` and ``inspect`` (PEP 302)."""

    def __init__(self, source: str) -> None:
        self.source = source

    def get_source(self, name: str) -> str:
        """The whole source; there is one module per function."""
        return self.source


class FunctionSource:
    """Lines of one function under construction, and the globals they refer to."""

    def __init__(self, title: str, head: str, scope: dict[str, Any]) -> None:
        self.title = title
        self.lines = [head]
        self.scope = scope
        self.depth = 1
        self.used = 0

    def add(self, line: str) -> None:
        """One line at the current depth."""
        self.lines.append(" " * self.depth + line)

    @contextmanager
    def block(self, line: str) -> Iterator[None]:
        """A line that starts a block; what is added meanwhile is in it."""
        self.add(line)
        self.depth += 1
        yield
        self.depth -= 1

    def name(self, stem: str) -> str:
        """A local name not used so far."""
        self.used += 1
        return f"{stem}{self.used}"

    def constant(self, stem: str, value: object) -> str:
        """A global that holds ``value``."""
        name = self.name(f"{stem}_")
        self.scope[name] = value
        return name

    def packer(self, stem: str, formats: str, method: str) -> str:
        """A global for ``Struct(formats).method``, one per format."""
        name = stem + formats.replace("?", "t")
        if name not in self.scope:
            self.scope[name] = getattr(Struct(">" + formats), method)
        return name

    def compile(self, function: str) -> Function:
        """The function, compiled; tracebacks through it show these lines."""
        text = "\n".join(self.lines) + "\n"
        self.scope["__name__"] = self.title
        self.scope["__loader__"] = _Loader(text)
        exec(compile(text, f"wire/{self.title}", "exec"), self.scope)
        made: Function = self.scope[function]
        return made
