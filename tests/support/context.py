"""A command's context from its words, as ``cli`` makes it."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.commands._context import Context
from pykafka_ops.commands._options import Command
from pykafka_ops.commands._parse import parse


def context_of(command: Command, words: Sequence[str]) -> Context:
    """No environment, no profile."""
    return Context(parse(command, list(words)), {}, {})
