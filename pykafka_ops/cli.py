"""``pko``: find the command, parse, run, turn what went wrong into one line and an exit code.

Loads nothing that the command at hand does not need: ``pko --help`` reads one table.
"""

from __future__ import annotations

import os
import sys

from pykafka_ops.errors import PkoError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.context import Context
    from pykafka_ops.commands.framework.options import Command

TOOLS_VERSION = "3.9.1"


def main(argv: list[str] | None = None) -> int:
    """Run one command line; the exit code. Ctrl-C gives 130, a closed pipe 141."""
    words = list(sys.argv[1:] if argv is None else argv)
    _make_printable()
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        from pykafka_ops.commands.framework.output import quiet_pipe

        quiet_pipe()
        return 141
    except PkoError as e:
        return _fail(e, "--debug" in words)
    except Exception as e:
        if "--debug" in words:
            raise
        sys.stderr.write(f"pko: internal error, please report it with --debug's output: {e!r}\n")
        return 1


def _make_printable() -> None:
    """Where the terminal is not UTF-8, show what it cannot as an escape instead of failing."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if encoding.lower().replace("-", "") != "utf8":
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")


def _fail(error: PkoError, debug: bool) -> int:
    """Our tongue's last word: one line on stderr."""
    if debug:
        import traceback

        traceback.print_exception(error)
    from pykafka_ops.commands.framework.failures import exit_code, in_one_line

    sys.stderr.write(f"pko: {in_one_line(error)}\n")
    return exit_code(error)


def _dispatch(words: list[str]) -> int:
    before: list[str] = []
    while words and words[0].startswith("-"):
        done = _global(words, before)
        if done is not None:
            return done
    if not words:
        return _print_overview()
    from pykafka_ops.commands import find

    found = find(words[0])
    if found is None:
        raise UsageError(f"no such command: {words[0]}{_near(words[0])}; pko --help lists them")
    row, tool = found
    import importlib

    command: Command = importlib.import_module(f"pykafka_ops.commands.{row[1]}").COMMAND
    return _run(command, before + words[1:], tool=tool)


def _global(words: list[str], before: list[str]) -> int | None:
    """Take one option before the command; an exit code where that was all."""
    word = words.pop(0)
    if word in ("--help", "-h"):
        return _print_overview()
    if word == "--version":
        from pykafka_ops import __version__

        sys.stdout.write(f"pko {__version__}\n")
        return 0
    before.append(word)
    takes = ("--profile", "--output", "--setting", "--bootstrap-server", "--command-config")
    if word in takes or word in ("-o", "-b", "-X"):
        if not words:
            raise UsageError(f"{word} needs a value")
        before.append(words.pop(0))
    elif word not in ("--debug", "--yes", "-y") and word.partition("=")[0] not in takes:
        raise UsageError(f"no such option: {word}; pko --help lists them")
    return None


def _print_overview() -> int:
    from pykafka_ops.commands.framework.help import overview

    sys.stdout.write(overview())
    return 0


def _near(word: str) -> str:
    import difflib

    from pykafka_ops.commands import TABLE

    close = difflib.get_close_matches(word, [row[0] for row in TABLE], 1)
    return f" (did you mean {close[0]}?)" if close else ""


def _run(command: Command, words: list[str], *, tool: bool) -> int:
    from pykafka_ops.commands.framework.context import Context, run
    from pykafka_ops.commands.framework.options import Args
    from pykafka_ops.commands.framework.parse import parse, settle, speaks_flags
    from pykafka_ops.commands.framework.profile import fill_bootstrap, profile_for

    flags = tool or (command.parser != "argparse" and speaks_flags(command, words))
    blank = Args(command, command.verbs[0], flags=flags)
    ctx = Context(blank, {}, os.environ)
    try:
        wants_help = command.parser != "argparse" if tool else not command.bare
        if wants_help and not words:
            return _print_help(ctx)
        ctx = Context(parse(command, words, force_flags=tool), {}, os.environ)
        if ctx.args.has("version"):
            return _print_version(tool=ctx.args.flags)
        if ctx.args.has("help"):
            return _print_help(ctx)
        ctx.profile = profile_for(ctx.args, os.environ)
        fill_bootstrap(ctx.args, ctx.profile, os.environ)
        settle(ctx.args)
        return run(ctx)
    except PkoError as e:
        if not flags:
            raise
        return _fail_flags(e, ctx, "--debug" in words)
    finally:
        ctx.close()


def _print_version(*, tool: bool) -> int:
    from pykafka_ops import __version__

    ours = "" if tool else f" (pko {__version__})"
    sys.stdout.write(f"{TOOLS_VERSION}{ours}\n")
    return 0


def _print_help(ctx: Context) -> int:
    """Help on stdout, 0; a Kafka tool called without arguments: on stderr, 1, as Kafka."""
    from pykafka_ops.commands.framework.help import command_help, flag_help

    if not ctx.args.flags:
        verb = ctx.args.verb if ctx.args.has("help") and ctx.args.verb.name else None
        sys.stdout.write(command_help(ctx.args.command, verb))
        return 0
    asked = ctx.args.has("help")
    (sys.stdout if asked else sys.stderr).write(flag_help(ctx.args.command))
    return 0 if asked else 1


def _fail_flags(error: PkoError, ctx: Context, debug: bool) -> int:
    """Kafka's tongue's last word: the message on stderr and 1, or as the command says."""
    if debug:
        import traceback

        traceback.print_exception(error)
    if ctx.args.command.failure:
        return ctx.args.command.failure(error, ctx)
    from pykafka_ops.commands.framework.failures import text_of

    sys.stderr.write(f"{text_of(error)}\n")
    return 1
