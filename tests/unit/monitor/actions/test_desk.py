"""The rules of changes, whatever the change: rights, one-time plans, what is written down."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import ConnectError, KafkaError, PkoError, UsageError
from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.model import Person, Role
from pykafka_ops.monitor.actions import desk as desk_module
from pykafka_ops.monitor.actions import promises
from pykafka_ops.monitor.actions.desk import ActionRefusedError, Asker, ChangeDesk
from pykafka_ops.monitor.actions.plan import Action, ActionPlan, PlannedChange
from pykafka_ops.monitor.actions.promises import Promises
from pykafka_ops.monitor.audit.log import AuditLog
from pykafka_ops.wire.codes import ErrorCode

ROLE = Role("mover", frozenset({"seek", "config"}), re.compile("prod"), re.compile("orders-.*"))
ANNA = Asker(Person("anna", (ROLE,), "users", "session-1"), "192.0.2.1")


class FakeCluster:
    """Has one value; ``closed`` says how often somebody hung up."""

    def __init__(self) -> None:
        self.value, self.closed = "old", 0
        self.fails: PkoError | None = None

    def brokers(self) -> dict[int, object]:
        return {}

    def close(self) -> None:
        self.closed += 1


class World:
    """A desk with one action ``seek`` that sets the value of a fake cluster."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000_000
        self.cluster = FakeCluster()
        self.silent = False
        self.directory = directory
        action = Action("seek", "Seek", "group", (), self._plan, self._run)
        typed = action._replace(right="config", typed=True)
        monkeypatch.setattr(desk_module, "EVERY", {"seek": action, "config": typed})
        self.audit = AuditLog(directory, lambda: self.now)
        self.access = MonitorAccess(["seek", "config"])
        self.desk = ChangeDesk(self.access, self.audit, self._connect, directory, lambda: self.now)

    def _connect(self, name: str) -> Cluster:
        assert name == "prod"
        if self.silent:
            raise ConnectError("nobody answers")
        return cast("Cluster", self.cluster)

    def _plan(self, cluster: Any, params: Any, ground: Any) -> ActionPlan:
        if params.get("to") == "nowhere":
            raise UsageError("to is missing")
        wanted = params.get("to", "new")
        changes = (PlannedChange("offset", cluster.value, wanted),)
        said = {"group": params["group"], "to": wanted}
        same = cluster.value == wanted
        return ActionPlan(params["group"], () if same else changes, wanted, said, said, ())

    def _run(self, cluster: Any, plan: ActionPlan, ground: Any) -> dict[str, PkoError]:
        assert self.audit.entries(lambda _: True, 1)[0]["result"] == "begun"
        if cluster.fails is not None:
            raise cluster.fails
        cluster.value = plan.steps
        return {}

    def token(self, asker: Asker = ANNA, action: str = "seek", **params: str) -> str:
        wanted = {"group": "orders-1", **params}
        return self.desk.preview(asker, "prod", action, wanted).token

    def results(self) -> list[tuple[str, str]]:
        return [(e["who"], e["result"]) for e in self.audit.entries(lambda _: True, 100)]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def refusal(made: Callable[[], object]) -> ActionRefusedError:
    with pytest.raises(ActionRefusedError) as said:
        made()
    return said.value


def test_what_was_shown_is_done_once_and_written_down(world: World) -> None:
    token = world.token()
    assert world.cluster.value == "old"
    outcome = world.desk.carry_out(ANNA, "prod", "seek", token)
    assert (outcome.result, world.cluster.value) == ("done", "new")
    again = refusal(lambda: world.desk.carry_out(ANNA, "prod", "seek", token))
    assert (again.status, again.code) == (409, "UNKNOWN_TOKEN")
    (entry,) = world.audit.entries(lambda _: True, 10)
    assert entry["who"] == "anna"
    assert entry["address"] == "192.0.2.1"
    assert (entry["before"], entry["after"]) == ({"offset": "old"}, {"offset": "new"})
    assert world.cluster.closed == 2


def test_a_token_is_for_its_person_session_cluster_and_action_alone(world: World) -> None:
    token = world.token()
    other = Asker(Person("anna", (ROLE,), "users", "session-2"), "192.0.2.1")
    ben = Asker(Person("ben", (ROLE,), "users", "session-1"), "192.0.2.1")
    for asker, cluster, action in (
        (other, "prod", "seek"), (ben, "prod", "seek"), (ANNA, "dev", "seek"),
        (ANNA, "prod", "config"),
    ):  # fmt: skip
        error = refusal(lambda a=asker, c=cluster, n=action: world.desk.carry_out(a, c, n, token))
        assert error.code == "UNKNOWN_TOKEN", (asker, cluster, action)
    assert refusal(lambda: world.desk.carry_out(ANNA, "prod", "seek", "x")).code == "UNKNOWN_TOKEN"
    assert world.cluster.value == "old"
    assert world.desk.carry_out(ANNA, "prod", "seek", token).result == "done"


def test_a_token_grows_old(world: World) -> None:
    token = world.token()
    world.now += promises.VALID_MS
    error = refusal(lambda: world.desk.carry_out(ANNA, "prod", "seek", token))
    assert error.code == "UNKNOWN_TOKEN"


def test_tokens_are_bounded() -> None:
    all_ = Promises(lambda: 0)
    plan = ActionPlan("x", (), None, {}, {}, ())
    tokens = [all_.give("anna", "c", "seek", plan)[0] for _ in range(promises.MOST_EACH + 1)]
    assert all_.take(tokens[0], "anna", "c", "seek") is None
    assert all_.take(tokens[1], "anna", "c", "seek") is plan
    first = all_.give("ben", "c", "seek", plan)[0]
    for n in range(promises.MOST):
        all_.give(f"person {n}", "c", "seek", plan)
    assert all_.take(first, "ben", "c", "seek") is None


def test_without_the_right_nothing_is_asked_and_the_try_is_written_down(world: World) -> None:
    def tried(group: str, action: str = "seek") -> ActionRefusedError:
        return refusal(lambda: world.desk.preview(ANNA, "prod", action, {"group": group}))

    assert (tried("billing").status, tried("billing").code) == (403, "FORBIDDEN")
    assert "no right seek on billing" in str(tried("billing"))
    assert tried("orders-1", "elect").status == 404
    assert tried("", "seek").code == "FORBIDDEN"
    assert world.cluster.closed == 0
    assert set(world.results()) == {("anna", "refused")}
    world.access.actions = frozenset()
    assert "switches on" in str(tried("orders-1"))


def test_a_right_that_is_gone_since_the_plan_was_shown_counts(world: World) -> None:
    token = world.token()
    world.access.actions = frozenset()
    error = refusal(lambda: world.desk.carry_out(ANNA, "prod", "seek", token))
    assert error.code == "FORBIDDEN"
    assert world.cluster.value == "old"
    assert world.results() == [("anna", "refused")]


def test_a_cluster_that_changed_meanwhile_gets_a_new_plan_first(world: World) -> None:
    token = world.token()
    world.cluster.value = "moved by another"
    error = refusal(lambda: world.desk.carry_out(ANNA, "prod", "seek", token))
    assert (error.status, error.code) == (409, "PLAN_CHANGED")
    assert world.cluster.value == "moved by another"
    assert world.results() == [("anna", "refused")]
    assert error.preview is not None
    assert error.preview.plan.changes[0].before == "moved by another"
    done = world.desk.carry_out(ANNA, "prod", "seek", error.preview.token)
    assert (done.result, world.cluster.value) == ("done", "new")


def test_what_is_dangerous_is_confirmed_by_its_name(world: World) -> None:
    token = world.token(action="config")
    for typed in ("", "orders", "ORDERS-1"):
        error = refusal(lambda t=token, w=typed: world.desk.carry_out(ANNA, "prod", "config", t, w))
        assert (error.status, error.code) == (400, "NOT_CONFIRMED")
        assert error.preview is not None
        token = error.preview.token
    assert world.cluster.value == "old"
    assert world.desk.carry_out(ANNA, "prod", "config", token, " orders-1 ").result == "done"


def test_nothing_is_changed_that_cannot_be_written_down(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = world.token()
    monkeypatch.setattr(world.audit._changes, "_path", world.directory / "none" / "audit.jsonl")
    error = refusal(lambda: world.desk.carry_out(ANNA, "prod", "seek", token))
    assert (error.status, error.code) == (503, "NO_AUDIT")
    assert world.cluster.value == "old"


def test_what_fails_is_told_and_written_down(world: World) -> None:
    world.cluster.fails = KafkaError(ErrorCode.NOT_COORDINATOR, "not here")
    outcome = world.desk.carry_out(ANNA, "prod", "seek", world.token())
    assert outcome.result == "failed"
    assert outcome.errors == {"orders-1": "not here [NOT_COORDINATOR]"}
    assert world.results() == [("anna", "failed")]


def test_a_fault_of_ours_is_written_down_as_a_failure(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = world.token()
    broken = desk_module.EVERY["seek"]._replace(run=lambda *_: {}["x"])  # type: ignore[dict-item]
    monkeypatch.setitem(desk_module.EVERY, "seek", broken)
    with pytest.raises(KeyError):
        world.desk.carry_out(ANNA, "prod", "seek", token)
    assert world.results() == [("anna", "failed")]


def test_wrong_parameters_and_silence_are_told_apart(world: World) -> None:
    wrong = {"group": "orders-1", "to": "nowhere"}
    error = refusal(lambda: world.desk.preview(ANNA, "prod", "seek", wrong))
    assert (error.status, error.code) == (400, "INVALID_REQUEST")
    world.silent = True
    error = refusal(lambda: world.desk.preview(ANNA, "prod", "seek", {"group": "orders-1"}))
    assert (error.status, error.code) == (503, "NO_ANSWER")
    long = {"group": "orders-1", "to": "x" * 2_000_000}
    assert refusal(lambda: world.desk.preview(ANNA, "prod", "seek", long)).status == 413


def test_a_plan_that_changes_nothing_has_no_token(world: World) -> None:
    shown = world.desk.preview(ANNA, "prod", "seek", {"group": "orders-1", "to": "old"})
    assert (shown.plan.changes, shown.token) == ((), "")
