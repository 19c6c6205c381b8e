"""A verb of pko's form as a click command: it reads words and options, then runs its work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.params import Option, Words, offered, table
from pykafka_ops.commands.framework.run import Work, execute, run_of
from pykafka_ops.commands.options import COMMON

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 102}


class Verb(click.Command):
    """One action.

    ``words``: what stands without an option, in their order. ``options``: those of its own; the
    common ones come with every verb. ``flag``: the switch that means it in Kafka's form.
    ``tool_name``: its name where Kafka's tool has verbs, too. ``verbatim``: what stands behind its
    first word is for another program, options and all.
    """

    def __init__(
        self,
        name: str,
        work: Work,
        *,
        words: Sequence[Words] = (),
        options: Sequence[Option] = (),
        flag: str = "",
        tool_name: str = "",
        examples: Sequence[str] = (),
        verbatim: bool = False,
        **attrs: Any,
    ) -> None:
        self.work, self.words, self.flag, self.tool_name = work, tuple(words), flag, tool_name
        self.examples = tuple(examples)
        self.own = tuple(option.long for option in options)
        self.options = table([*options, *(w.option for w in words), *COMMON])
        """By their long names; a word can be given as the option that it fills, too."""
        self.known = self.options
        """Those and what else the command has: the work may ask for their defaults."""
        settings = {**SETTINGS, "allow_interspersed_args": not verbatim}
        params = [*self.words, *self.options.values()]
        super().__init__(name, params=params, context_settings=settings, **attrs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click; an option whose value may be left out takes only what looks like one."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        words = self._explicit(args)
        try:
            *_, order = self.make_parser(ctx).parse_args(args=list(words))
        except click.UsageError as error:
            error.ctx = ctx
            raise
        for param in order:
            once = isinstance(param, Option) and param.value and not param.multiple
            if once and order.count(param) > 1:
                raise click.UsageError(f"{param.opts[-1]} was given twice", ctx)
        return super().parse_args(ctx, words)

    def _explicit(self, args: list[str]) -> list[str]:
        """``--watch orders`` as ``--watch=5s orders``."""
        bare = {f"--{o.long}": o for o in self.options.values() if o.bare is not None}
        bare |= {f"-{o.short}": o for o in bare.values() if o.short}
        found = []
        for word, behind in zip(args, [*args[1:], ""], strict=False):
            option = bare.get(word)
            if option is not None and not option.takes(behind):
                word = f"--{option.long}={option.bare}"
            found.append(word)
        return found

    def args(self, ctx: click.Context) -> Args:
        """What was said; click's UsageError where a word is missing."""
        args = Args(self.known, self.name or "", flags=False)
        for option in self.options.values():
            source = ctx.get_parameter_source(option.name or "")
            if source is click.core.ParameterSource.COMMANDLINE:
                value = ctx.params[option.name or ""]
                many = value if isinstance(value, tuple) else (value,)
                args.values[option.long] = list(many) if option.value else []
        for words in self.words:
            value = ctx.params.get(words.name or "")
            given = value if isinstance(value, tuple) else () if value is None else (value,)
            if given:
                args.values.setdefault(words.option.long, []).extend(given)
            elif words.count in "1+" and not args.has(words.option.long):
                raise click.UsageError(f"which {words.metavar}? {ctx.get_usage()}", ctx)
        return args

    def invoke(self, ctx: click.Context) -> int:
        """Do the work; the exit code."""
        run = run_of(self.args(ctx))
        try:
            return execute(run, self.work)
        finally:
            run.close()

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Options, without their old names."""
        return offered(super().shell_complete(ctx, incomplete), self.options)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Words first, as they are written."""
        return [*(w.form for w in self.words), "[options]"]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """``usage: pko topics create TOPIC... [options]``."""
        pieces = " ".join(self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, pieces, prefix="usage: ")

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Nothing: the words stand behind the examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, words, the options of the verb, those of every command."""
        if self.examples:
            with formatter.section("examples"):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")
        filled = {w.option.long for w in self.words}
        common = {o.long for o in COMMON}
        mine = [o for o in self.options.values() if o.long not in filled | common]
        listed(ctx, formatter, "words", self.words)
        listed(ctx, formatter, "options", mine)
        listed(ctx, formatter, "everywhere", [self.options[o.long] for o in COMMON])


def listed(
    ctx: click.Context, formatter: click.HelpFormatter, title: str, params: Sequence[Option | Words]
) -> None:
    """A section of help with a line for each of ``params`` that is not hidden, then one for each
    spelling of their values."""
    rows = [row for param in params if (row := param.get_help_record(ctx))]
    shown = [p for p in params if isinstance(p, Option) and not p.hidden]
    rows += {o.value: (f"    {o.value}", o.how) for o in shown if o.how}.values()
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows, col_max=34, col_spacing=1)
