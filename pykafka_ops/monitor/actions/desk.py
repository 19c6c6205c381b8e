"""Where changes are asked for: allowed, planned, promised, done once, and written down."""

from __future__ import annotations

import logging
import shlex
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import KafkaError, PkoError, StorageError, UsageError
from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.model import Person
from pykafka_ops.monitor.actions.every import EVERY
from pykafka_ops.monitor.actions.plan import Action, ActionPlan, Ground, Params
from pykafka_ops.monitor.actions.promises import Promises
from pykafka_ops.monitor.audit.log import DONE, FAILED, PARTLY, AuditLog
from pykafka_ops.wire.codes import ErrorCode

MOST_TEXT: Final = 1_000_000
BUSY_SECONDS: Final = 30.0
log = logging.getLogger(__name__)


class Asker(NamedTuple):
    """Who asks, and from which address."""

    person: Person
    address: str

    @property
    def key(self) -> str:
        """What a promise is bound to."""
        return f"{self.person.how}\n{self.person.name}\n{self.person.session}"


class Preview(NamedTuple):
    """A plan, and the token that has it done; "" where it changes nothing. ``until`` in ms."""

    plan: ActionPlan
    token: str
    until: int


class ActionOutcome(NamedTuple):
    """What was done; ``errors`` by the name of the change that failed."""

    plan: ActionPlan
    result: str
    errors: Mapping[str, str]


class ActionRefusedError(Exception):
    """Nothing was changed. ``status`` as in HTTP; ``preview``: what it would be now."""

    def __init__(
        self, status: int, code: str, message: str, preview: Preview | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.preview = status, code, preview


class ChangeDesk:
    """One change of a cluster at a time. ``connect`` opens a cluster by its name, ``notes`` is the
    directory where moves of groups are noted; ``now`` in ms."""

    def __init__(
        self,
        access: MonitorAccess,
        audit: AuditLog,
        connect: Callable[[str], Cluster],
        notes: Path,
        now: Callable[[], int],
    ) -> None:
        self.access, self.audit, self._connect = access, audit, connect
        self._notes, self._now = notes, now
        self._promises = Promises(now)
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def preview(self, asker: Asker, cluster: str, name: str, params: Params) -> Preview:
        """What it would change, and a token. ActionRefusedError."""
        action = self._allowed(asker, cluster, name, params)
        with self._connected(cluster) as connected:
            try:
                plan = action.plan(connected, params, self._ground())
            except PkoError as error:
                raise _refusal(error) from None
        return self._promised(asker, cluster, name, plan)

    def carry_out(
        self, asker: Asker, cluster: str, name: str, token: str, typed: str = ""
    ) -> ActionOutcome:
        """Do what a token stands for, if it still would change the same. ActionRefusedError."""
        plan = self._promises.take(token, asker.key, cluster, name)
        if plan is None:
            message = "this plan is not known: it was done, is too old, or was shown to others"
            raise ActionRefusedError(409, "UNKNOWN_TOKEN", f"{message}; look at it once more")
        entry = _entry(asker, cluster, name, plan)
        action = self._allowed(asker, cluster, name, plan.again, entry)
        if action.typed and typed.strip() != plan.name:
            raise ActionRefusedError(
                400, "NOT_CONFIRMED", f"to confirm, write {plan.name} exactly",
                self._promised(asker, cluster, name, plan),
            )  # fmt: skip
        with self._alone(cluster), self._connected(cluster) as connected:
            self._check_same(connected, action, plan, asker, entry, cluster)
            return self._do(connected, action, plan, entry)

    def _check_same(
        self, connected: Cluster, action: Action, plan: ActionPlan, asker: Asker,
        entry: Mapping[str, Any], cluster: str,
    ) -> None:  # fmt: skip
        try:
            now = action.plan(connected, plan.again, self._ground())
        except PkoError as error:
            refusal = _refusal(error)
            self.audit.refuse(entry, str(refusal))
            raise refusal from None
        if now.digest == plan.digest:
            return
        why = "the cluster has changed since the plan was shown"
        self.audit.refuse(entry, why)
        preview = self._promised(asker, cluster, action.right, now)
        raise ActionRefusedError(409, "PLAN_CHANGED", why, preview)

    def _do(
        self, connected: Cluster, action: Action, plan: ActionPlan, entry: Mapping[str, Any]
    ) -> ActionOutcome:
        try:
            id_ = self.audit.begin(entry)
        except StorageError as error:
            log.error("nothing is changed without the audit log: %s", error)
            raise ActionRefusedError(503, "NO_AUDIT", f"nothing was changed: {error}") from None
        result, errors = FAILED, {plan.name: "it failed; the log of the monitor says why"}
        try:
            failed = action.run(connected, plan, self._ground())
            errors = {what: _said(error) for what, error in failed.items()}
            some = PARTLY if len(errors) < len(plan.changes) else FAILED
            result = some if errors else DONE
        except PkoError as error:
            errors = {plan.name: _said(error)}
        finally:
            self.audit.end(id_, result, errors)
        return ActionOutcome(plan, result, errors)

    def _allowed(
        self, asker: Asker, cluster: str, name: str, params: Params,
        entry: Mapping[str, Any] | None = None,
    ) -> Action:  # fmt: skip
        action = EVERY.get(name)
        if action is None:
            raise ActionRefusedError(404, "UNKNOWN_ACTION", f"there is no action {name[:40]}")
        if sum(len(key) + len(value) for key, value in params.items()) > MOST_TEXT:
            raise ActionRefusedError(413, "BODY_TOO_LARGE", "the parameters are too long")
        subject = params.get(action.subject, "")
        if self.access.may(asker.person, name, cluster, subject):
            return action
        why = f"{asker.person.name} has no right {name} on {subject[:100]} in cluster {cluster}"
        if name not in self.access.actions:
            why = f"{name} is not among the actions that the configuration switches on"
        self.audit.refuse(entry or _wanted(asker, cluster, name, subject), why)
        raise ActionRefusedError(403, "FORBIDDEN", why)

    def _promised(self, asker: Asker, cluster: str, name: str, plan: ActionPlan) -> Preview:
        if not plan.changes:
            return Preview(plan, "", 0)
        return Preview(plan, *self._promises.give(asker.key, cluster, name, plan))

    def _ground(self) -> Ground:
        return Ground(self._now(), self._notes)

    @contextmanager
    def _connected(self, cluster: str) -> Iterator[Cluster]:
        try:
            connected = self._connect(cluster)
        except PkoError as error:
            raise _refusal(error) from None
        try:
            connected.brokers()  # the cluster's id is known from here on
            yield connected
        except PkoError as error:
            raise _refusal(error) from None
        finally:
            connected.close()

    @contextmanager
    def _alone(self, cluster: str) -> Iterator[None]:
        with self._guard:
            lock = self._locks.setdefault(cluster, threading.Lock())
        if not lock.acquire(timeout=BUSY_SECONDS):
            raise ActionRefusedError(409, "BUSY", "another change is under way: try again")
        try:
            yield
        finally:
            lock.release()


def _wanted(asker: Asker, cluster: str, name: str, subject: str) -> dict[str, Any]:
    return {
        "who": asker.person.name,
        "how": asker.person.how,
        "address": asker.address,
        "cluster": cluster,
        "action": name,
        "resource": subject[:1000],
    }


def _entry(asker: Asker, cluster: str, name: str, plan: ActionPlan) -> dict[str, Any]:
    return {
        **_wanted(asker, cluster, name, plan.name),
        "params": dict(plan.public),
        "before": {change.what: change.before for change in plan.changes},
        "after": {change.what: change.after for change in plan.changes},
        "undo": shlex.join(plan.undo) or (plan.undone_by and f"action {plan.undone_by}") or None,
    }


def _refusal(error: PkoError) -> ActionRefusedError:
    if isinstance(error, UsageError):
        return ActionRefusedError(400, "INVALID_REQUEST", str(error))
    if isinstance(error, KafkaError):
        return ActionRefusedError(409, _code(error), _said(error))
    return ActionRefusedError(503, "NO_ANSWER", str(error))


def _code(error: KafkaError) -> str:
    try:
        return ErrorCode(error.code).name
    except ValueError:
        return str(error.code)


def _said(error: PkoError) -> str:
    if isinstance(error, KafkaError):
        return f"{error.message} [{_code(error)}]" if error.message else _code(error)
    return str(error)
