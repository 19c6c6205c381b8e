"""``pko`` itself: the click group of all commands, loaded one by one when they are asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from pykafka_ops.commands import ROWS, find, find_tool, not_ours
from pykafka_ops.commands.framework.live import COMPLETE, names
from pykafka_ops.commands.framework.mistakes import in_our_words
from pykafka_ops.commands.framework.params import split, table
from pykafka_ops.commands.framework.verb import SETTINGS, listed
from pykafka_ops.commands.options import COMMON
from pykafka_ops.errors import PkoError, UsageError

EXIT_CODES = "exit codes: 0 done, 1 some item failed, 2 usage, 3 cannot connect, 4 a check failed"
SETTINGS_TEXT = (
    "settings: ~/.config/pko/config.toml (profiles), PKO_BOOTSTRAP_SERVER, PKO_COMMAND_CONFIG,\n"
    "  PKO_PROFILE, PKO_OUTPUT, PKO_ZOOKEEPER, NO_COLOR\n"
)


class Pko(click.Group):
    """All commands, by their names, their short names and those of Kafka's tools."""

    def __init__(self) -> None:
        super().__init__("pko", params=list(COMMON), context_settings=SETTINGS)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return [row.name for row in ROWS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the command, or the tool of Kafka, of that name."""
        found = find(cmd_name)
        if found is None:
            return find_tool(cmd_name)
        row, is_tool = found
        command = row.load()
        return command.tool if is_tool else command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click; an unknown name is compared with those that help shows."""
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None and not_ours(name):
            raise PkoError(f"{name} {not_ours(name)}: that is Java's, pko does not have it")
        if command is None and not ctx.resilient_parsing:
            raise click.NoSuchCommand(name, possibilities=self.list_commands(ctx), ctx=ctx)
        return (command.name if command else None), command, args[1:]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Options may stand before the command; all but ``--help`` and ``--version`` are its."""
        front, rest = split(table(COMMON), args)
        if not rest:
            if not front and not ctx.resilient_parsing:
                click.echo(ctx.get_help())
                ctx.exit()
            super().parse_args(ctx, front)
            if ctx.resilient_parsing:
                return []
            raise click.UsageError("which command? pko --help lists them", ctx)
        if not ctx.resilient_parsing:
            self.make_parser(ctx).parse_args(args=list(front))
        if {"--help", "-h", "--version"} & set(front):
            return super().parse_args(ctx, front)
        return super().parse_args(ctx, [rest[0], *front, *rest[1:]])

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """The context; its ``obj`` finds names of the cluster for the completion of shells."""
        return super().make_context(info_name, args, parent, **{"obj": names, **extra})

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run one command line and exit; click's tests enter here."""
        sys.exit(self.run(list(sys.argv[1:] if args is None else args), **extra))

    def run(self, words: list[str], **extra: Any) -> int:
        """One command line; the exit code. What went wrong is one line on stderr."""
        wish = os.environ.get(COMPLETE)
        if wish:
            from click.shell_completion import shell_complete

            return shell_complete(self, {}, "pko", COMPLETE, wish)
        try:
            with self.make_context("pko", words, **extra) as ctx:
                code: int = self.invoke(ctx)
            return code
        except click.exceptions.Exit as done:
            return done.exit_code
        except click.Abort:
            return 130
        except click.UsageError as error:
            return report(UsageError(in_our_words(error)), "--debug" in words)
        except PkoError as error:
            return report(error, "--debug" in words)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line."""
        formatter.write("usage: pko COMMAND [VERB] [options]      operate Apache Kafka\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands from the table alone, and what holds everywhere."""
        with formatter.section("commands"):
            formatter.write_dl([(row.name, row.summary) for row in ROWS])
        formatter.write(
            "\n  pko COMMAND --help     verbs, options and examples\n"
            "  pko kafka-topics ...   any of Kafka's own tools, with its own flags\n"
        )
        listed(ctx, formatter, "everywhere", COMMON)
        formatter.write(f"\n{SETTINGS_TEXT}{EXIT_CODES}\n")


def report(error: PkoError, debug: bool) -> int:
    """Pko's form's last word: one line on stderr; the exit code."""
    if debug:
        import traceback

        traceback.print_exception(error)
    from pykafka_ops.commands.framework.failures import exit_code, in_one_line

    sys.stderr.write(f"pko: {in_one_line(error)}\n")
    return exit_code(error)


PKO = Pko()
