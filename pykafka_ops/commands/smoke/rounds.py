"""One round of ``pko smoke``, or one after the other."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.smoke.leftovers import make_room
from pykafka_ops.client.smoke.names import name_of
from pykafka_ops.client.smoke.plan import StepOutcome, run_steps
from pykafka_ops.client.smoke.site import SmokeSite, Wording
from pykafka_ops.client.smoke.steps.delete import sweep
from pykafka_ops.commands.console.ending import ending_well
from pykafka_ops.commands.framework.run import PATIENCE, Run, show
from pykafka_ops.commands.smoke import reports
from pykafka_ops.commands.smoke.figures import Figures
from pykafka_ops.commands.smoke.limits import FIELDS, judged
from pykafka_ops.errors import UsageError

if TYPE_CHECKING:
    from pykafka_ops.analysis.conditions import Condition

WORDING = Wording("--topic", "--brokers", "--read-only", "--timeout 30s")
MOST_MS = 60_000
"""Longest time for a step: no round may last as long as what is taken to be left behind."""


def smoke(run: Run) -> int:
    """All rounds; 4 where a step failed, or a limit was met, in any of them."""
    args = run.args
    every, rounds = args.span("every"), args.number("rounds")
    _check(run, every)
    work = Rounds(run)
    with ending_well():
        try:
            while True:
                work.round()
                if every is None or work.count == rounds:
                    break
                time.sleep(every / 1000)
        except KeyboardInterrupt:
            if every is None:
                raise
    return work.code


def _check(run: Run, every: int | None) -> None:
    args = run.args
    if (args.span("timeout") or 0) > MOST_MS:
        raise UsageError(f"--timeout {args.text('timeout')}: a step may wait 1m at most")
    if args.has("rounds") and every is None:
        raise UsageError("--rounds goes with --every")
    if every is not None and run.output == "junit":
        raise UsageError("-o junit is one document: it does not go with --every")


SOON_SECONDS = 0.02
"""What is not ready yet is asked for again so soon, as times are measured here."""


def _condition(run: Run) -> Condition | None:
    """That of ``--fail-on``; what reads it is only loaded where it is given."""
    if not run.args.has("fail-on"):
        return None
    from pykafka_ops.commands.framework.watch import fail_on

    return fail_on(run, FIELDS)


class Rounds:
    """``code`` is the exit code so far."""

    def __init__(self, run: Run) -> None:
        self.run, self.code, self.count = run, 0, 0
        self.condition = _condition(run)
        self.figures: defaultdict[str, Figures] = defaultdict(Figures)
        self.transactional_id = ""
        self.first = run.cluster()
        """Nothing is sent through it: each round connects anew."""
        self.timeout = (run.args.span("timeout") or 0) / 1000
        self.wait = (run.args.span("wait") or 0) / 1000
        config = self.first.config
        config.request_timeout = min(config.request_timeout, self.timeout)
        config.silence = min(config.silence, self.timeout)
        config.backoff = min(config.backoff, SOON_SECONDS)

    def round(self) -> None:
        """Run the steps and show how they went."""
        cluster = Cluster(self.first.config, trace=self.first.trace, notice=self.first.notice)
        site = self._site(cluster)
        try:
            outcomes = run_steps(site, lambda step: self._before(step, site))
        finally:
            if site.made or site.group_made:
                sweep(site)
            cluster.close()
        self.transactional_id = site.transactional_id
        if self.condition is not None:
            text = self.run.args.text("fail-on") or ""
            outcomes.append(judged(outcomes, len(site.nodes), text, self.condition))
        for outcome in outcomes:
            self.figures[outcome.step].add(outcome)
        self.count += 1
        self.code = max(self.code, reports.code(outcomes))
        self._show(outcomes)

    def _site(self, cluster: Cluster) -> SmokeSite:
        args = self.run.args
        return SmokeSite(
            cluster,
            name_of(int(time.time() * 1000)),
            named=args.text("topic"),
            read_only=args.has("read-only"),
            brokers=args.number("brokers"),
            replication_factor=args.number("replication-factor"),
            wording=WORDING,
        )

    def _before(self, step: str, site: SmokeSite) -> None:
        """Once the cluster is known and before anything is made: what was left behind goes."""
        first, config = step == "metadata", site.cluster.config
        config.api_timeout = max(self.timeout, self.wait) if first else self.timeout
        config.patience = self.wait if first else min(self.timeout, PATIENCE)
        if step == "create":
            site.cluster.nodes = dict(site.nodes)  # those that answer
            for line in make_room(site, self.transactional_id, int(time.time() * 1000)):
                self.run.note(f"removed what a run that ended left behind: {line}")

    def _show(self, outcomes: Sequence[StepOutcome]) -> None:
        form = self.run.output
        table = reports.table(outcomes, self.figures, so_far=self.run.args.has("every"))
        if form == "junit":
            servers = ",".join(str(a) for a in self.first.config.bootstrap)
            sys.stdout.write(reports.junit(outcomes, servers))
            return
        if form == "table" and sys.stdout.isatty() and self.run.args.has("every"):
            from pykafka_ops.commands.framework.watch import CLEAR

            sys.stdout.write(f"{CLEAR}{time.strftime('%H:%M:%S')}\n")
        show(table, self.run, "table" if form == "github" else form)
        if form == "github":
            sys.stdout.write(reports.github(outcomes))
        sys.stdout.flush()
