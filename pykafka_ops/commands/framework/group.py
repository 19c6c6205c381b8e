"""Commands of ``pko``: those with verbs, those that are one verb; both know Kafka's form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from pykafka_ops.commands.framework.params import Option, split, table
from pykafka_ops.commands.framework.run import Work
from pykafka_ops.commands.framework.verb import SETTINGS, Verb, listed
from pykafka_ops.commands.options import COMMON

if TYPE_CHECKING:
    from pykafka_ops.commands.kafka_syntax.tool import Tool


class Bilingual(click.Command):
    """A command that hands a line in Kafka's form over to ``tool``."""

    tool: Tool | None = None

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """The context of this command, or of the tool where its flags are spoken."""
        if self.tool is not None and self.tool.is_meant(args):
            return self.tool.make_context(info_name, args, parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def _tool_note(self, formatter: click.HelpFormatter) -> None:
        if self.tool is not None:
            formatter.write_paragraph()
            formatter.write_text(f"Kafka's flags work too: pko {self.tool.name} --help")


class Single(Bilingual, Verb):
    """A command that is one verb. ``bare``: it does something without any word, too."""

    def __init__(
        self, name: str, work: Work, *, tool: Tool | None = None, bare: bool = False, **attrs: Any
    ) -> None:
        super().__init__(name, work, **attrs)
        self.tool, self.bare = tool, bare
        if tool is not None:
            tool.add(self)
            self.known = tool.options

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Help where nothing was said and something must be."""
        if not args and not self.bare and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Where Kafka's flags are."""
        self._tool_note(formatter)


class VerbGroup(Bilingual, click.Group):
    """A command with verbs; ``work`` does each of them, as ``Args.verb`` says.

    ``implied`` says whether a word that is not a verb may be the first word of the first verb. Then
    that verb may be left out.
    """

    def __init__(
        self,
        name: str,
        purpose: str,
        work: Work,
        *,
        tool: Tool | None = None,
        implied: Callable[[str], bool] | None = None,
    ) -> None:
        super().__init__(name, help=purpose, params=list(COMMON), context_settings=SETTINGS)
        self.work, self.tool, self.implied = work, tool, implied
        self.options = table(COMMON)

    @property
    def verbs(self) -> list[Verb]:
        """The verbs in the order of their declarations."""
        return [v for v in self.commands.values() if isinstance(v, Verb)]

    def verb(self, name: str, summary: str, **attrs: Any) -> None:
        """Declare a verb."""
        verb = Verb(name, self.work, help=summary, **attrs)
        self.add_command(verb)
        if self.tool is not None:
            self.tool.add(verb)
            verb.known = self.tool.options
        self.options = table([*self.options.values(), *verb.options.values()])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of their declarations."""
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Options may stand before the verb; those belong to it."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        front, rest = split(self.options, args)
        if rest and rest[0] not in self.commands and self.implied and self.implied(rest[0]):
            rest = [next(iter(self.commands)), *rest]
        left = super().parse_args(ctx, [*rest[:1], *front, *rest[1:]])
        if not rest and not ctx.resilient_parsing:
            raise click.UsageError(
                f"say what to do: pko {self.name} {', '.join(self.commands)}", ctx
            )
        return left

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """``usage: pko topics VERB [options]``."""
        formatter.write_usage(ctx.command_path, "VERB [options]", prefix="usage: ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Verbs, an example of each, every option, where Kafka's flags are."""
        with formatter.section("verbs"):
            rows = [(" ".join([v.name or "", *(w.form for w in v.words)]), v.help or "")
                    for v in self.verbs]  # fmt: skip
            formatter.write_dl(rows, col_max=40, col_spacing=1)
        examples = [e for v in self.verbs for e in v.examples[:1]]
        if examples:
            with formatter.section("examples"):
                for example in examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")
        common = {o.long for o in COMMON}
        words = {w.option.long for v in self.verbs for w in v.words}
        own: Sequence[Option] = [o for o in self.options.values() if o.long not in common | words]
        listed(ctx, formatter, f"options (pko {self.name} VERB --help shows which go with a verb)",
               own)  # fmt: skip
        listed(ctx, formatter, "everywhere", COMMON)
        self._tool_note(formatter)
