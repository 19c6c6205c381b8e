"""One run of a probe after the other, in the thread of the caller."""

from __future__ import annotations

import time
from collections.abc import Callable

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.smoke.leftovers import make_room
from pykafka_ops.client.smoke.names import name_of
from pykafka_ops.client.smoke.plan import FAILED, StepOutcome, run_steps
from pykafka_ops.client.smoke.site import SmokeSite, Wording
from pykafka_ops.client.smoke.steps.delete import sweep
from pykafka_ops.monitor.probes.model import ProbeRun
from pykafka_ops.monitor.probes.settings import ProbeSettings

STEP_SECONDS = 10.0
"""The longest that a step may wait for an answer."""
LEAST_SECONDS = 0.05
SOON_SECONDS = 0.02
"""What is not ready yet is asked for again so soon, as times are measured here."""
WORDING = Wording("topic", "brokers", "read-only", "a longer timeout")


class ProbeRunner:
    """Connects anew for each run, as a client that starts does. Any thread may call ``hurry``."""

    def __init__(self, settings: ProbeSettings, config: ClientConfig) -> None:
        self.settings = settings
        self._properties = dict(config.properties)
        self._properties.setdefault("client.id", "pko-monitor-probe")
        self._transactional_id = ""
        self._deadline = 0.0

    def run(self, at_step: Callable[[str], None]) -> ProbeRun:
        """One run; ``at_step`` hears the name of every step before it is run."""
        began, at = time.monotonic(), _now_ms()
        self._deadline = began + self.settings.timeout_ms / 1000
        cluster = Cluster(ClientConfig.of(self._properties))
        cluster.config.backoff = min(cluster.config.backoff, SOON_SECONDS)
        site = self._site(cluster, at)
        try:
            outcomes = run_steps(
                site, lambda step: self._before(step, site, at_step), self.settings.steps
            )
        finally:
            if site.made or site.group_made:
                sweep(site)
            cluster.close()
        self._transactional_id = site.transactional_id
        took = round((time.monotonic() - began) * 1000, 1)
        return ProbeRun(at, took, self._in_time(outcomes, took))

    def hurry(self) -> None:
        """What is under way has no more time."""
        self._deadline = 0.0

    def _in_time(self, outcomes: list[StepOutcome], took: float) -> list[StepOutcome]:
        """A run that went well, but took too long, did not."""
        limit = self.settings.timeout_ms
        if took <= limit or any(o.verdict == FAILED for o in outcomes):
            return outcomes
        slowest = max(outcomes, key=lambda o: o.ms or 0)
        reason = f"the run took {took:.0f} ms, {limit} are allowed; this step took longest"
        late = slowest._replace(verdict=FAILED, reason=reason)
        return [late if o is slowest else o for o in outcomes]

    def _site(self, cluster: Cluster, now_ms: int) -> SmokeSite:
        return SmokeSite(
            cluster,
            name_of(now_ms),
            named=self.settings.topic,
            read_only=self.settings.read_only,
            brokers=self.settings.brokers,
            replication_factor=self.settings.replication_factor,
            wording=WORDING,
        )

    def _before(self, step: str, site: SmokeSite, at_step: Callable[[str], None]) -> None:
        at_step(step)
        left = max(LEAST_SECONDS, self._deadline - time.monotonic())
        config = site.cluster.config
        config.api_timeout = config.patience = min(left, STEP_SECONDS)
        config.request_timeout = config.silence = min(left, STEP_SECONDS)
        if step == "create":
            site.cluster.nodes = dict(site.nodes)  # those that answer
            make_room(site, self._transactional_id, _now_ms())


def _now_ms() -> int:
    return int(time.time() * 1000)
