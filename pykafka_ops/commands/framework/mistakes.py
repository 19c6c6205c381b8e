"""Errors in a command line, each as one line that says what to do."""

from __future__ import annotations

import click

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.commands.framework.params import Option, Words


def in_our_words(error: click.UsageError) -> str:
    """click's complaint, shorter, with a way out."""
    if isinstance(error, click.NoSuchOption):
        return _no_such_option(error)
    if isinstance(error, click.NoSuchCommand):
        return _no_such_command(error)
    if isinstance(error, click.BadOptionUsage):
        return _bad_option(error)
    if isinstance(error, click.BadParameter):
        return _bad_value(error)
    message = error.format_message()
    extra = "Got unexpected extra argument"
    if message.startswith(extra) and error.ctx:
        words = message.partition("(")[2].rstrip(")")
        return f"one word too many: {words.split()[0]}; {error.ctx.get_usage()}"
    return message


def _no_such_option(error: click.NoSuchOption) -> str:
    name, ctx = error.option_name, error.ctx
    if name.startswith("--") and ctx is not None:
        group = ctx.parent.command if ctx.parent else None
        long = name.removeprefix("--")
        if long in getattr(group, "options", {}):
            return f"{name} does not go with '{ctx.command_path}'"
        known = [p.long for p in ctx.command.params if isinstance(p, Option) and not p.hidden]
        return f"no such option: {name}{did_you_mean(long, known, '--')}"
    if name[1:].isdigit():
        return f"{name} looks like a number: write it as --option={name}"
    return f"no such option: {name}"


def _no_such_command(error: click.NoSuchCommand) -> str:
    word, ctx = error.command_name, error.ctx
    group = ctx.command if ctx else None
    names = group.list_commands(ctx) if ctx and isinstance(group, click.Group) else []
    near = did_you_mean(word, names)
    if ctx is None or ctx.parent is None:
        return f"no such command: {word}{near}; pko --help lists them"
    return f"{ctx.command_path}: no such verb: {word}{near}; one of {', '.join(names)}"


def _bad_option(error: click.BadOptionUsage) -> str:
    params = error.ctx.command.params if error.ctx else []
    for param in params:
        if isinstance(param, Option) and error.option_name in param.opts:
            if param.value:
                return f"--{param.long} needs a value: --{param.long} {param.value}"
            return f"--{param.long} takes no value"
    return error.format_message()


def _bad_value(error: click.BadParameter) -> str:
    param = error.param
    if isinstance(param, Words):
        return error.message
    if isinstance(param, Option):
        quoted = ":" if error.message.startswith("'") else ""
        return f"--{param.long}{quoted} {error.message}"
    return error.format_message()
