"""Set and unset one setting of a topic, of a broker or of all brokers."""

from __future__ import annotations

from functools import partial
from typing import Final

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client import configs
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import AlterOp, ConfigResource, alter_configs
from pykafka_ops.client.setting_values import (
    HIDDEN,
    PresentValue,
    is_secret,
    present_values,
    value_after,
)
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.monitor.actions.plan import (
    Action,
    ActionField,
    ActionPlan,
    Failures,
    Ground,
    Params,
    PlannedChange,
)
from pykafka_ops.monitor.actions.words import needed, topic_of, whole
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.quotas import BROKER_QUOTAS
from pykafka_ops.settings.topic import TOPIC

SET, UNSET = "set", "unset"
ALL: Final = "default"
"""Instead of a broker: what holds for all brokers that say nothing else."""


def plan_config(subject: str, cluster: Cluster, params: Params, ground: Ground) -> ActionPlan:
    """The value before and after; brokers say first whether they would take it."""
    resource = _resource(subject, cluster, needed(params, subject))
    key = _known(subject, needed(params, "setting").strip())
    op = params.get("do", SET)
    if op not in (SET, UNSET):
        raise UsageError(f"do {op[:40]!r}: choose one of {SET}, {UNSET}")
    value = params.get("value", "").strip()
    if op == SET and not value:
        raise UsageError("value is missing")
    held = present_values(cluster, resource)
    old = held.get(key, PresentValue(None, own=False))
    if op == UNSET and not old.own:
        raise UsageError(f"{key} is not set")
    secret = subject == "broker" and is_secret(key)
    change = (AlterOp.SET, key, value) if op == SET else (AlterOp.DELETE, key, None)
    error = alter_configs(cluster, {resource: [change]}, validate_only=True)[resource]
    if error is not None:
        raise error
    shown = _shown(change, old, secret)
    name = needed(params, subject)
    public = {subject: name, "setting": key, "do": op}
    if op == SET:
        public["value"] = HIDDEN if secret else value
    same = op == SET and old.own and old.value == value and not secret
    steps = [op, key, "" if secret else value, old.own, "" if secret else old.value]
    return ActionPlan(
        name,
        () if same else (shown,),
        steps,
        {**public, "value": value},
        public,
        _command(subject, name, op, key, HIDDEN if secret else value),
        _undo(subject, name, key, old, secret),
    )


def run_config(subject: str, cluster: Cluster, plan: ActionPlan, ground: Ground) -> Failures:
    """Change the one setting."""
    resource = _resource(subject, cluster, plan.name)
    op, key = plan.steps[:2]
    value = plan.again["value"]
    change = (AlterOp.SET, key, value) if op == SET else (AlterOp.DELETE, key, None)
    error: PkoError | None = alter_configs(cluster, {resource: [change]})[resource]
    return {key: error} if error is not None else {}


def _resource(subject: str, cluster: Cluster, name: str) -> ConfigResource:
    if subject == "topic":
        return ConfigResource(configs.TOPIC, topic_of(cluster, name).name)
    if name == ALL:
        return ConfigResource(configs.BROKER, "")
    number = whole(name, "broker")
    live = cluster.brokers()
    if number not in live:
        there = ", ".join(map(str, sorted(live)))
        raise UsageError(f"broker {number} is not there; brokers: {there}; or {ALL}")
    return ConfigResource(configs.BROKER, str(number))


def _known(subject: str, key: str) -> str:
    known = TOPIC if subject == "topic" else {**BROKER, **BROKER_QUOTAS}
    near = did_you_mean(key, known)
    if key not in known and near and not key.startswith("listener.name."):
        raise UsageError(f"{key[:100]} is no setting of a {subject}{near}")
    return key


def _shown(
    change: tuple[AlterOp, str, str | None], old: PresentValue, secret: bool
) -> PlannedChange:
    op, key, value = change
    before, after = old.value, value_after(op, value, old)
    if secret:
        before = HIDDEN if old.own or old.value else None
        after = None if op is AlterOp.DELETE else HIDDEN
    note = "" if old.own else "not set until now"
    return PlannedChange(key, before, after, "the default again" if op is AlterOp.DELETE else note)


def _command(subject: str, name: str, op: str, key: str, value: str) -> tuple[str, ...]:
    whose = ("--default",) if name == ALL and subject == "broker" else (name,)
    words = (key,) if op == UNSET else (f"{key}={value}",)
    return ("pko", "configs", op, f"{subject}s", *whose, *words)


def _undo(subject: str, name: str, key: str, old: PresentValue, secret: bool) -> tuple[str, ...]:
    if not old.own:
        return _command(subject, name, UNSET, key, "")
    if secret or old.value is None:
        return ()
    return _command(subject, name, SET, key, old.value)


def _fields(subject: str, hint: str) -> tuple[ActionField, ...]:
    return (
        ActionField(subject, subject.capitalize(), hint, required=True),
        ActionField("setting", "Setting", required=True),
        ActionField("do", "Do", choices=(SET, UNSET), required=True),
        ActionField("value", "Value", "for set"),
    )


CONFIG = Action(
    "config", "Change a setting of a topic", "topic", _fields("topic", ""),
    partial(plan_config, "topic"), partial(run_config, "topic"),
)  # fmt: skip
BROKER_CONFIG = Action(
    "broker-config", "Change a setting of a broker", "broker",
    _fields("broker", f"its id, or {ALL} for all brokers"),
    partial(plan_config, "broker"), partial(run_config, "broker"),
)  # fmt: skip
