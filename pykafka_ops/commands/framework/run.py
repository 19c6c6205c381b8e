"""One run of one verb: its arguments, the cluster, the user, the answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from pykafka_ops.commands.framework.output import Table, say, write
from pykafka_ops.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.client.cluster import Cluster
    from pykafka_ops.commands.framework.args import Args

Result: TypeAlias = Table | int | None
Work: TypeAlias = Callable[["Run"], Result]

SILENCE = 4.0
PATIENCE = 3.0
"""Seconds pko's form keeps trying a cluster that does not answer; Kafka's takes 60."""
HIDING = ("topics", "groups", "transactions", "tokens")
"""What brokers leave out of a list, without a word, where a login may not describe it."""
MAY_SEE = " that this login may see"


class Run:
    """What the work of a verb gets. ``close`` ends what it opened."""

    def __init__(self, args: Args, profile: Mapping[str, object], env: Mapping[str, str]) -> None:
        self.args, self.profile, self.env = args, profile, env
        self.debug = args.has("debug")
        self.started = False
        """Whether options and checks are behind us (Kafka words later errors differently)."""
        self._cluster: Cluster | None = None

    @property
    def output(self) -> str:
        """The format asked for: -o, PKO_OUTPUT, the profile, table.

        In Kafka's form -o alone counts, so that no setting of a person breaks a script.
        """
        given = self.args.given("output")
        if given:
            return given[-1]
        if self.args.flags:
            return "table"
        return self.env.get("PKO_OUTPUT") or str(self.profile.get("output") or "table")

    def properties(self) -> dict[str, str]:
        """The client properties (Kafka's names) from all sources."""
        from pykafka_ops.commands.framework.profile import properties

        return properties(self.args, self.profile, self.env)

    @property
    def silence(self) -> float:
        """Seconds that a ZooKeeper may be silent: ``--timeout``, else ``SILENCE``."""
        given = self.args.silence()
        return SILENCE if given is None else given / 1000

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

    @property
    def is_known(self) -> bool:
        """Whether brokers that were asked know who asks: by a login, or a certificate."""
        return self._cluster is not None and self._cluster.config.is_known

    def confirm(self, question: str, items: Sequence[str]) -> bool:
        """Ask before destroying ``items``; Kafka's form never asks."""
        if self.args.flags:
            return True
        from pykafka_ops.commands.framework.terminal import ask

        return ask(question, items, yes=self.args.has("yes"))

    def note(self, text: str) -> None:
        """Show the user something that is not data."""
        say(text)

    def close(self) -> None:
        """Close the connections."""
        if self._cluster is not None:
            self._cluster.close()


def run_of(args: Args) -> Run:
    """A run with the environment, and with the profile that the command line means."""
    from pykafka_ops.commands.framework.profile import fill_bootstrap, profile_for

    profile = profile_for(args, os.environ)
    fill_bootstrap(args, profile, os.environ)
    return Run(args, profile, os.environ)


def execute(run: Run, work: Work) -> int:
    """Do the work, write its table, report its errors; the exit code."""
    form = run.output
    known = run.args.options.get("output")
    if known and form not in known.choices:
        raise UsageError(f"-o {form}: choose one of {', '.join(known.choices)}")
    run.started = True
    result = work(run)
    if result is None:
        return 0
    if isinstance(result, int):
        return result
    show(result, run, form)
    return result.code


def show(table: Table, run: Run, form: str) -> None:
    """Data to stdout; notes, and in pko's form the failed items, to stderr."""
    write(table, form, flags=run.args.flags)
    people = not run.args.flags and form in ("table", "wide", "csv", "name")
    if people and table.is_empty and not run.args.has("if-exists"):
        hidden = run.is_known and table.kind in HIDING
        say(f"pko: no {table.kind.replace('-', ' ')}{MAY_SEE if hidden else ''}")
    for note in table.notes:
        say(note)
    if not run.args.flags:
        for error in table.errors:
            say(f"pko: {error.item}: {error.message} [{error.error}]")
