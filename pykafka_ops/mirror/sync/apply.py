"""Makes the changes of a plan at the target; what fails does not keep the rest from being made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pykafka_ops.client.acls import create_acls
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import TOPIC, ConfigResource, alter_configs
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.quotas import alter_quotas
from pykafka_ops.client.topic_changes import (
    NewTopic,
    create_partitions,
    create_topics,
    delete_topics,
)
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.control.state import Entry, TopicOrigin, forgotten_entry, origin_entry
from pykafka_ops.mirror.control.topic import ControlTopic
from pykafka_ops.mirror.sync.plan import MakeTopic, SetConfigs, SyncPlan
from pykafka_ops.wire.codes import ErrorCode


class Done(NamedTuple):
    """A change that was made, or ``trouble`` says why not."""

    what: str
    trouble: str | None = None


def apply_plan(
    plan: SyncPlan, target: Cluster, control: ControlTopic, now_ms: int, *, identity: bool
) -> list[Done]:
    """Make all changes; how each went. Raises PkoError where the target cannot be reached.

    What the control topic is to say of a topic is written before the topic is made: else one that
    was made and not noted would look like somebody else's.
    """
    control.write([_entry(*one) for one in plan.origins.items()], now_ms)
    done = [one for make in _parts(plan.makes) for one in _make(make, target)]
    taken = [one for one in done if one.trouble == _TAKEN]
    if identity:
        control.write([forgotten_entry(one.what) for one in taken], now_ms)
    else:  # another process of the link: the name says so
        done = [one for one in done if one not in taken]
    done += _grow(plan, target)
    done += _drop(plan, target, control, now_ms)
    done += [one for change in plan.configs for one in _configs(change, target)]
    done += _rules(plan, target)
    done += _quotas(plan, target)
    return done


def _entry(topic: str, origin: TopicOrigin | None) -> Entry:
    return forgotten_entry(topic) if origin is None else origin_entry(topic, origin)


_TAKEN = "somebody else made it at the same time"
_MOST = 100


def _parts(makes: list[MakeTopic]) -> Iterator[list[MakeTopic]]:
    for at in range(0, len(makes), _MOST):
        yield makes[at : at + _MOST]


def _make(makes: list[MakeTopic], target: Cluster) -> list[Done]:
    """Topics; those whose settings the target refuses are made without them, and get them one by
    one later."""
    answers = dict(_created(makes, target))
    refused = [m._replace(configs={}) for m in makes if _is_code(answers.get(m.topic), _CONFIG)]
    answers.update(_created(refused, target))
    done = []
    for make in makes:
        error = answers.get(make.topic)
        what = f"made topic {make.topic} with {make.partitions} partitions"
        if not isinstance(error, KafkaError):
            done.append(Done(what))
        elif error.code == ErrorCode.TOPIC_ALREADY_EXISTS:
            done.append(Done(make.topic, _TAKEN))
        else:
            done.append(Done(f"topic {make.topic} cannot be made", in_one_line(error)))
    return done


_CONFIG = ErrorCode.INVALID_CONFIG


def _is_code(error: object, code: ErrorCode) -> bool:
    return isinstance(error, KafkaError) and error.code == code


def _created(makes: list[MakeTopic], target: Cluster) -> Mapping[str, object]:
    if not makes:
        return {}
    return create_topics(
        target,
        [NewTopic(m.topic, m.partitions, m.replication_factor, configs=m.configs) for m in makes],
    )


def _grow(plan: SyncPlan, target: Cluster) -> list[Done]:
    if not plan.grows:
        return []
    answers = create_partitions(target, {g.topic: (g.wanted, None) for g in plan.grows})
    return [
        _done(f"topic {g.topic} has {g.wanted} partitions instead of {g.now}", answers[g.topic])
        for g in plan.grows
    ]


def _drop(plan: SyncPlan, target: Cluster, control: ControlTopic, now_ms: int) -> list[Done]:
    if not plan.drops:
        return []
    answers = delete_topics(target, [d.topic for d in plan.drops])
    gone = [d.topic for d in plan.drops if answers[d.topic] is None]
    control.write([forgotten_entry(topic) for topic in gone], now_ms)
    return [_done(f"deleted topic {d.topic}: {d.why}", answers[d.topic]) for d in plan.drops]


def _configs(change: SetConfigs, target: Cluster) -> list[Done]:
    """The settings of a topic: together, or one by one where the target refuses some."""
    place = ConfigResource(TOPIC, change.topic)
    keys = ", ".join(key for _, key, _ in change.changes)
    error = alter_configs(target, {place: change.changes})[place]
    if error is None:
        return [Done(f"settings of {change.topic}: {keys}")]
    if len(change.changes) == 1 or not isinstance(error, KafkaError):
        return [_done(f"settings of {change.topic}: {keys}", error)]
    done = []
    for one in change.changes:
        error = alter_configs(target, {place: [one]})[place]
        done.append(_done(f"settings of {change.topic}: {one[1]}", error))
    return done


def _rules(plan: SyncPlan, target: Cluster) -> list[Done]:
    if not plan.acls:
        return []
    try:
        answers = create_acls(target, plan.acls)
    except KafkaError as error:
        return [Done(f"{len(plan.acls)} access rules", in_one_line(error))]
    return [
        _done(f"access rule on {rule.resource.name} for {rule.entry.principal}", error)
        for rule, error in zip(plan.acls, answers, strict=True)
    ]


def _quotas(plan: SyncPlan, target: Cluster) -> list[Done]:
    if not plan.quotas:
        return []
    answers = alter_quotas(target, {q.entity: q.values for q in plan.quotas})
    return [
        _done("quota of " + ", ".join(f"{k} {n}" for k, n in q.entity), answers.get(q.entity))
        for q in plan.quotas
    ]


def _done(what: str, error: PkoError | None) -> Done:
    return Done(what, None if error is None else in_one_line(error))
