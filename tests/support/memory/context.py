"""A command's context from its words, as ``cli`` makes it."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.commands.framework.context import Context
from pykafka_ops.commands.framework.options import Command
from pykafka_ops.commands.framework.parse import parse


def context_of(command: Command, words: Sequence[str]) -> Context:
    """No environment, no profile."""
    return Context(parse(command, list(words)), {}, {})
