"""When the controller gives leadership back to preferred replicas (``auto.leader.rebalance``)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pykafka_ops.broker.runtime.controller.event_kinds import ControllerEventKind
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.steps import Steps

log = logging.getLogger("kafka.controller.KafkaController")

FIRST_S = 5.0

Rule = Callable[[Controller], Steps[None]]
Find = Callable[[], Awaitable[Rule | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RebalanceSettings:
    """``leader.imbalance.per.broker.percentage`` and ``leader.imbalance.check.interval.seconds``;
    ``first_s`` is how long a new controller waits."""

    percentage: int
    interval_s: float
    first_s: float = FIRST_S

    @classmethod
    def of(cls, value: Callable[[str], Any]) -> RebalanceSettings | None:
        """As the broker's settings have it; None without ``auto.leader.rebalance.enable``."""
        if not value("auto.leader.rebalance.enable"):
            return None
        return cls(
            percentage=value("leader.imbalance.per.broker.percentage"),
            interval_s=value("leader.imbalance.check.interval.seconds"),
        )


class LeaderRebalance:
    """The timer of one term; without ``settings`` it never goes off."""

    def __init__(
        self, settings: RebalanceSettings | None, event: Callable[[ControllerEventKind, Find], None]
    ) -> None:
        self._settings = settings
        self._event = event
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Check soon, then regularly."""
        if self._settings is not None:
            self._arm(self._settings.first_s)

    def stop(self) -> None:
        """Check no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        kind = ControllerEventKind.AUTO_LEADER_BALANCE
        self._timer = loop.call_later(seconds, self._event, kind, self._due)

    async def _due(self) -> Rule | None:
        settings = self._settings
        assert settings is not None
        self._arm(settings.interval_s)

        def rule(controller: Controller) -> Steps[None]:
            moved = yield from controller.elections.rebalance(settings.percentage)
            if moved:
                log.info("preferred replicas lead %d partitions again", len(moved))

        return rule
