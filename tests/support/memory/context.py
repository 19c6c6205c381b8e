"""What a command line means, read as ``pko`` reads it, without running it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.group import Bilingual, VerbGroup
from pykafka_ops.commands.framework.mistakes import in_our_words
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.root import PKO
from pykafka_ops.errors import UsageError

if TYPE_CHECKING:
    from pykafka_ops.commands.framework.run import Work


def reader_of(command: click.Command, words: Sequence[str]) -> click.Context:
    """The context of the verb or tool that ``pko COMMAND WORDS`` ends in; click's errors."""
    ctx = command.make_context(command.name, list(words), parent=click.Context(PKO, None, "pko"))
    while isinstance(ctx.command, click.Group):
        name, found, rest = ctx.command.resolve_command(ctx, [*ctx._protected_args, *ctx.args])
        assert found is not None
        ctx = found.make_context(name, rest, parent=ctx)
    return ctx


def args_of(command: Bilingual, words: Sequence[str], *, tool: bool = False) -> Args:
    """What the words behind the command, or behind its tool's name, say; UsageError."""
    if tool:
        assert command.tool is not None
        return command.tool.read(command.tool, list(words))
    try:
        ctx = reader_of(command, words)
        if isinstance(ctx.command, Tool):
            return ctx.command.read(ctx.command, ctx.args)
        assert isinstance(ctx.command, Verb)
        return ctx.command.args(ctx)
    except click.UsageError as error:
        raise UsageError(in_our_words(error)) from None


def run_of(command: Bilingual, words: Sequence[str]) -> Run:
    """A run without environment or profile."""
    return Run(args_of(command, words), {}, {})


def work_of(command: Bilingual, args: Args) -> Work:
    """The work of the verb that was meant; what Kafka's flags say is checked first."""
    if args.flags:
        assert command.tool is not None
        args.require(*command.tool.required)
        if command.tool.check:
            command.tool.check(args)
        return command.tool.verb_of(args).work
    if isinstance(command, Verb):
        return command.work
    assert isinstance(command, VerbGroup)
    return next(v for v in command.verbs if v.name == args.verb).work
