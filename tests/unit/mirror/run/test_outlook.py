"""What a link has to do, and what of it is this member's."""

from __future__ import annotations

from pykafka_ops.mirror.control.state import ControlState, MirrorPause, pause_entry
from pykafka_ops.mirror.copy.tasks import CopyProgress, CopyTask
from pykafka_ops.mirror.run.meter import Sample
from pykafka_ops.mirror.run.outlook import DeepFindings, LinkOutlook
from pykafka_ops.mirror.run.worker import samples_of, tasks_of
from pykafka_ops.mirror.sync.plan import SyncPlan
from pykafka_ops.mirror.work.seat import Seat, Seated

TASKS = {("t", n): CopyTask(("a.t", n), -2) for n in range(3)}
SEATED = Seated(Seat("g", "m", 1, 0), (("a.t", 0), ("a.t", 1), ("a.new", 0)), False, 0)


def outlook(*troubles: str, notes: tuple[str, ...] = ()) -> LinkOutlook:
    plan = SyncPlan(notes=list(notes))
    return LinkOutlook(0, plan, ControlState(), TASKS, dict.fromkeys(troubles, "why"))


def test_a_member_copies_what_it_was_given_as_far_as_it_knows_it() -> None:
    assert set(tasks_of(SEATED, outlook())) == {("t", 0), ("t", 1)}


def test_what_is_paused_is_not_copied() -> None:
    found = outlook()
    found.control.take([pause_entry(MirrorPause(topic="t", partition=1), 0, by="")])
    assert set(tasks_of(SEATED, found)) == {("t", 0)}
    found.control.take([pause_entry(MirrorPause(), 0, by="")])
    assert tasks_of(SEATED, found) == {}


def test_partitions_that_are_not_known_yet_are_not_measured() -> None:
    known = CopyProgress(5, 9, 0, 1, 2, 0, 0, 0, 0, 0, None, None)
    found = samples_of({("t", 0): known, ("t", 1): known._replace(position=-1)})
    assert found == {("t", 0): Sample(5, 9, 2)}


def test_what_a_deep_look_finds_stands_until_the_next_one() -> None:
    kept = DeepFindings()
    kept.add(outlook("access rules of a", "topic x cannot be made", notes=("user u",)), deep=True)
    shallow = outlook("topic y cannot be made", notes=("user u", "more"))
    kept.add(shallow, deep=False)
    assert set(shallow.troubles) == {"access rules of a", "topic y cannot be made"}
    assert shallow.plan.notes == ["user u", "more"]
    kept.add(outlook(), deep=True)
    later = outlook()
    kept.add(later, deep=False)
    assert not later.troubles and not later.plan.notes
