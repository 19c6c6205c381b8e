"""One of Kafka's own tools as a click command: our options, read and worded its way."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.failures import execution_text, text_of
from pykafka_ops.commands.framework.params import Option, Switch, by_letter, named, offered
from pykafka_ops.commands.framework.run import Run, execute, run_of
from pykafka_ops.commands.kafka_syntax import jopt
from pykafka_ops.commands.options import COMMON, TOOLS_VERSION
from pykafka_ops.errors import PkoError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from pykafka_ops.commands.framework.verb import Verb

    Check = Callable[[Args], None]
    Enter = Callable[[Run], None]
    Failure = Callable[[PkoError, Run], int]
    Read = Callable[["Tool", list[str]], Args]

WIDTH = 100
COLUMN = 40


def on_stderr(error: PkoError, run: Run) -> int:
    """The message on stderr, 1."""
    sys.stderr.write(f"{text_of(error)}\n")
    return 1


def execution_on_stderr(error: PkoError, run: Run) -> int:
    """The message on stderr, with the exception's name where a call failed; 1."""
    sys.stderr.write(f"{execution_text(error)}\n")
    return 1


class Tool(click.Command):
    """``kafka-topics`` and its like.

    ``options``: those that no verb of ours has; ``required``: those that must be given. ``check``
    runs after reading and raises OptionError in Kafka's words. ``failure`` reports an error and
    returns the exit code. ``read`` turns the words into arguments; ``has_verbs``: in them the tool
    has verbs of its own, so its flags mean nothing without its name. ``enter``, if it is set, finds
    the brokers where ``--zookeeper`` is given, as before Kafka 3.0; ``program`` is what the tool
    calls itself in its usage, ``release`` the version it gives.
    """

    def __init__(
        self,
        name: str,
        purpose: str,
        *,
        options: Sequence[Option] = (),
        required: Sequence[str] = (),
        check: Check | None = None,
        failure: Failure = on_stderr,
        read: Read = jopt.read,
        has_verbs: bool = False,
    ) -> None:
        super().__init__(name, help=purpose, add_help_option=False)
        self.required, self.check, self.failure, self.read = required, check, failure, read
        self.has_verbs, self.program = has_verbs, f"{name}.sh"
        self.enter: Enter | None = None
        self.release = TOOLS_VERSION
        self.verbs: list[Verb] = []
        own = [*options, *COMMON, Switch("-h", "--help", help="show this help")]
        self.options = {option.kafka: option for option in reversed(own)}
        """All that it reads, by Kafka's names."""

    def add(self, verb: Verb) -> None:
        """One more verb that it can mean."""
        self.verbs.append(verb)
        for option in verb.options.values():
            self.options.setdefault(option.kafka, option)
        if verb.flag and verb.flag not in self.options:
            self.options[verb.flag] = Switch(f"--{verb.flag}", help=verb.help)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """For the completion of shells."""
        return list(self.options.values())

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Options, by Kafka's names."""
        return offered(super().shell_complete(ctx, incomplete), self.options)

    def is_meant(self, words: list[str]) -> bool:
        """Whether ``words`` behind the name of our command are in Kafka's form: an action's
        switch is there, or no word or option of ours alone and an option of Kafka's."""
        if self.has_verbs:
            return False
        options = self.options
        ours = {o.long for o in options.values() if o.ours} | {"help", "version"}
        actions = {f"--{v.flag}" for v in self.verbs if v.flag}
        letters = by_letter(options)
        elsewhere = {n for v in self.verbs for n, o in v.options.items() if n not in options}
        kafkas, at = False, 0
        while at < len(words):
            word = words[at]
            at += 1
            if word == "--" or not jopt.is_option(word):
                verb = any(word == v.name for v in self.verbs)
                return bool(actions) and not verb and not actions.isdisjoint(words)
            name = word.lstrip("-").partition("=")[0]
            if f"--{name}" in actions and word.startswith("--"):
                return True
            option, glued = named(word, options, letters)
            if option is None and name in elsewhere and actions.isdisjoint(words):
                return False
            if option is None:
                continue
            kafkas = kafkas or (word.startswith("--") and option.long not in ours)
            if option.value and not glued and option.bare is None:
                at += 1
        return kafkas

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Nothing yet: errors in the words look like other errors of the tool."""
        ctx.args = list(args)
        return ctx.args

    def invoke(self, ctx: click.Context) -> int:
        """Read, check, work; the exit code is Kafka's."""
        words: list[str] = ctx.args
        if not words and not self.has_verbs:
            sys.stderr.write(self.manual())
            return 1
        run = Run(Args(self.options, self.verbs[0].name or "", flags=True), {}, {})
        run.debug = "--debug" in words
        try:
            run.args = args = self.read(self, words)
            if args.has("version"):
                sys.stdout.write(f"{self.release}\n")
                return 0
            if args.has("help"):
                sys.stdout.write(self.manual())
                return 0
            run = run_of(args)
            if not (self.enter and args.has("zookeeper")):
                args.require(*self.required)
            if self.check:
                self.check(args)
            if self.enter and args.has("zookeeper"):
                self.enter(run)
            return execute(run, self.verb_of(args).work)
        except PkoError as error:
            if run.debug:
                import traceback

                traceback.print_exception(error)
            return self.failure(error, run)
        finally:
            run.close()

    def verb_of(self, args: Args) -> Verb:
        """The verb whose switch was given, else the one that reading found."""
        by_flag = [v for v in self.verbs if v.flag and args.has(v.flag)]
        verb = by_flag[0] if by_flag else next(v for v in self.verbs if v.name == args.verb)
        args.verb = verb.name or ""
        return verb

    def manual(self) -> str:
        """Its purpose, then a table of its options by name."""
        lines = [self.help or "", f"{'Option':{COLUMN}} Description",
                 f"{'------':{COLUMN}} -----------"]  # fmt: skip
        for name, option in sorted(self.options.items()):
            if not option.hidden:
                head = f"--{name} <{option.value}>" if option.value else f"--{name}"
                lines += _entry(head, option.text() if option.ours else option.summary())
        return "\n".join(lines) + "\n"

    def get_help(self, ctx: click.Context) -> str:
        """The manual."""
        return self.manual().rstrip("\n")


def _entry(head: str, text: str) -> list[str]:
    """Name left, text right, folded."""
    import textwrap

    indent = " " * (COLUMN + 1)
    lines = textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent,
                          break_on_hyphens=False, break_long_words=False)  # fmt: skip
    if len(head) > COLUMN or not lines:
        return [head, *lines]
    return [f"{head:{COLUMN}} {lines[0].strip()}", *lines[1:]]
