"""What a command's function gets: its arguments, the cluster, the user."""

from __future__ import annotations

import importlib
import sys

from pykafka_ops.commands.framework.output import ItemError, Table, say, write
from pykafka_ops.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pykafka_ops.client.cluster import Cluster
    from pykafka_ops.commands.framework.options import Args, Handler, Verb


PATIENCE = 3.0
"""Seconds our tongue keeps trying a cluster that does not answer; Kafka's takes 60."""


class Context:
    """One run of one command. ``close`` ends what it opened."""

    def __init__(self, args: Args, profile: Mapping[str, object], env: Mapping[str, str]) -> None:
        self.args, self.profile, self.env = args, profile, env
        self.debug = args.has("debug")
        self.started = False
        """Whether options and checks are behind us (Kafka words later errors differently)."""
        self._cluster: Cluster | None = None

    @property
    def output(self) -> str:
        """The format asked for: -o, PKO_OUTPUT, the profile, table.

        In Kafka's tongue -o alone counts, so that no setting of a person breaks a script.
        """
        given = self.args.values.get("output")
        if given:
            return given[-1]
        if self.args.flags:
            return "table"
        return self.env.get("PKO_OUTPUT") or str(self.profile.get("output") or "table")

    def properties(self) -> dict[str, str]:
        """The client properties (Kafka's names) from all sources."""
        from pykafka_ops.commands.framework.profile import properties

        return properties(self.args, self.profile, self.env)

    def cluster(self) -> Cluster:
        """The cluster of this command, made at first use; nothing is sent yet."""
        if self._cluster is None:
            from pykafka_ops.client.cluster import Cluster
            from pykafka_ops.client.config import ClientConfig

            props = self.properties()
            if not props.get("bootstrap.servers"):
                raise UsageError(
                    "which cluster? give -b HOST:PORT, set PKO_BOOTSTRAP_SERVER or make a profile"
                )
            trace = (lambda line: say(f"trace: {line}")) if self.debug else None
            config = ClientConfig.of(props)
            if not self.args.flags and "default.api.timeout.ms" not in props:
                config.patience = min(PATIENCE, config.api_timeout)
            notice = say if sys.stderr.isatty() else None
            self._cluster = Cluster(config, trace=trace, notice=notice)
        return self._cluster

    def confirm(self, question: str, items: Sequence[str]) -> bool:
        """Ask before destroying ``items``; Kafka's tongue never asks."""
        if self.args.flags:
            return True
        from pykafka_ops.commands.framework.terminal import ask

        return ask(question, items, yes=self.args.has("yes"))

    def note(self, text: str) -> None:
        """Tell the user something that is not data."""
        say(text)

    def close(self) -> None:
        """Hang up."""
        if self._cluster is not None:
            self._cluster.close()


def handler(verb: Verb) -> Handler:
    """The function of a verb, its module loaded now."""
    if not isinstance(verb.run, str):
        return verb.run
    module, _, name = verb.run.partition(":")
    found: Handler = getattr(importlib.import_module(f"pykafka_ops.commands.{module}"), name)
    return found


def run(ctx: Context) -> int:
    """Run the verb, write its table, tell its errors; the exit code."""
    form = ctx.output
    known = ctx.args.command.opt("output")
    if known and known.choices and form not in known.choices:
        raise UsageError(f"-o {form}: choose one of {', '.join(known.choices)}")
    ctx.started = True
    result = handler(ctx.args.verb)(ctx)
    if result is None:
        return 0
    if isinstance(result, int):
        return result
    show(result, ctx, form)
    return result.code


def show(table: Table, ctx: Context, form: str) -> None:
    """Data to stdout; notes, and in our tongue the failed items, to stderr."""
    write(table, form, flags=ctx.args.flags)
    for note in table.notes:
        say(note)
    if not ctx.args.flags:
        for error in table.errors:
            say(error_line(error))


def error_line(error: ItemError) -> str:
    """One line for a failed item."""
    return f"pko: {error.item}: {error.message} [{error.error}]"
