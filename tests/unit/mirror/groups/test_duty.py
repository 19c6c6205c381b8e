"""What the leader does for offsets: when it is due, and what trouble does to it."""

from __future__ import annotations

from typing import Any, cast

from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.groups.duty import OffsetDuty
from pykafka_ops.mirror.settings.model import LinkSettings


class AwayCluster:
    """A cluster that does not answer; ``asked`` counts."""

    def __init__(self) -> None:
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        def refuse(*_: object, **__: object) -> Any:
            self.asked += 1
            raise PkoError("nobody answers")

        return refuse


def _duty(**settings: Any) -> tuple[OffsetDuty, AwayCluster]:
    target = AwayCluster()
    link = LinkSettings("a", "b", **settings)
    return OffsetDuty(cast("Any", AwayCluster()), cast("Any", target), link), target


def test_trouble_is_told_and_stops_nothing_else() -> None:
    duty, _ = _duty(mm2=True, offset_syncs="target")
    assert duty.status() == {}
    duty.step(1_000)
    assert sorted(duty.troubles) == ["groups", "heartbeats", "offset syncs", "upkeep"]
    assert "groups: nobody answers" in duty.status()["troubles"]


def test_what_failed_is_tried_again_when_it_is_due() -> None:
    duty, target = _duty(groups_every_ms=60_000)
    duty.step(1_000)
    asked = target.asked
    duty.step(2_000)
    assert target.asked == asked
    duty.step(61_000)
    assert target.asked > asked


def test_groups_are_left_alone_where_the_link_says_so() -> None:
    duty, _ = _duty(sync_groups=False)
    duty.step(1_000)
    assert "groups" not in duty.troubles
