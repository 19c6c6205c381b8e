"""Throttles of moves of a topic: set as ``pko reassign-partitions`` sets them, and taken away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from pykafka_ops.analysis.amounts import size_of
from pykafka_ops.analysis.moves import throttles as rt
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import BROKER, TOPIC, ConfigResource
from pykafka_ops.client.own_settings import alter_own, own_settings
from pykafka_ops.client.reassignments import list_reassignments
from pykafka_ops.client.topics import all_topics
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.monitor.actions.plan import (
    TOPIC_FIELD,
    Action,
    ActionField,
    ActionPlan,
    Failures,
    Ground,
    Params,
    PlannedChange,
)
from pykafka_ops.monitor.actions.words import needed, topic_of

RATES: Final = (rt.LEADER_RATE, rt.FOLLOWER_RATE)
KEYS: Final = (*RATES, *rt.TOPIC_THROTTLES)
ALL: Final = "*"
"""Instead of replicas: every one of the topic."""
Wanted = Mapping[tuple[ConfigResource, str], str | None]


def plan_throttle(cluster: Cluster, params: Params, ground: Ground) -> ActionPlan:
    """Which replicas of the moves under way are throttled, and the rate of their brokers."""
    topic = topic_of(cluster, needed(params, "topic"))
    rate = size_of(needed(params, "rate"))
    if rate < 1:
        raise UsageError("rate: nothing would ever be copied; unthrottle lifts the limit")
    moving = list_reassignments(cluster, [(topic.name, p.number) for p in topic.partitions])
    if not moving:
        raise UsageError(f"nothing of {topic.name} moves: a throttle slows moves alone")
    moves = rt.copying({key: (m.replicas, m.adding) for key, m in moving.items()}, {}, {})
    place = ConfigResource(TOPIC, topic.name)
    wanted: dict[tuple[ConfigResource, str], str | None] = {}
    for key, replicas in (
        (rt.LEADER_REPLICAS, rt.leader_throttles(moves)),
        (rt.FOLLOWER_REPLICAS, rt.follower_throttles(moves)),
    ):
        if replicas.get(topic.name):
            wanted[place, key] = replicas[topic.name]
    live = cluster.brokers()
    brokers = [id_ for id_ in rt.brokers_of(moves) if id_ in live]
    wanted |= {(ConfigResource(BROKER, str(id_)), key): str(rate) for id_ in brokers
               for key in RATES}  # fmt: skip
    held = _held(cluster, (resource for resource, _ in wanted))
    for key in rt.TOPIC_THROTTLES:
        if (place, key) in wanted:
            wanted[place, key] = _joined(held.get((place, key)), wanted[place, key] or "")
    made = _plan(topic.name, held, wanted, params)
    notes = (
        "the rate of a broker holds for all topics that are throttled on it",
        "it stays when the moves are over, until it is taken away",
    )
    public = {"topic": topic.name, "rate": str(rate)}
    return replace(made, public=public, notes=notes, undone_by=UNTHROTTLE.right)


def plan_unthrottle(cluster: Cluster, params: Params, ground: Ground) -> ActionPlan:
    """The throttled replicas of the topic, and the rates of brokers that throttle no other."""
    topic = topic_of(cluster, needed(params, "topic"))
    place = ConfigResource(TOPIC, topic.name)
    names = [one.name for one in all_topics(cluster)]
    held = _held(cluster, (ConfigResource(TOPIC, name) for name in names))
    others = {resource.name for resource, _ in held} - {topic.name}
    wanted: dict[tuple[ConfigResource, str], str | None] = {
        found: None for found in held if found[0] == place
    }
    notes: tuple[str, ...] = ()
    if others:
        notes = (f"rates of brokers stay: {len(others)} other topics are throttled",)
    else:
        brokers = [ConfigResource(BROKER, str(id_)) for id_ in sorted(cluster.brokers())]
        rates = _held(cluster, brokers)
        held |= rates
        wanted |= dict.fromkeys(rates)
    return replace(_plan(topic.name, held, wanted, params), notes=notes)


def run_throttles(cluster: Cluster, plan: ActionPlan, ground: Ground) -> Failures:
    """Set and unset what the plan says."""
    values: dict[ConfigResource, dict[str, str | None]] = {}
    for kind, name, key, value in plan.steps:
        values.setdefault(ConfigResource(kind, name), {})[key] = value
    found = alter_own(cluster, values)
    return {_called(place, key): error for place, error in found.items() if error is not None
            for key in values[place]}  # fmt: skip


def _held(
    cluster: Cluster, places: Iterable[ConfigResource]
) -> dict[tuple[ConfigResource, str], str | None]:
    """The throttles that are set there. PkoError."""
    found: dict[tuple[ConfigResource, str], str | None] = {}
    for place, values in own_settings(cluster, list(dict.fromkeys(places)), KEYS).items():
        if isinstance(values, PkoError):
            raise values
        found |= {(place, key): value for key, value in values.items() if value}
    return found


def _joined(before: str | None, value: str) -> str:
    """Replicas to throttle, besides those that are."""
    if before == ALL:
        return ALL
    return ",".join(sorted({*(before or "").split(","), *value.split(",")} - {""}))


def _plan(name: str, held: Wanted, wanted: Wanted, params: Params) -> ActionPlan:
    news = {place: value for place, value in wanted.items() if held.get(place) != value}
    changes = tuple(
        PlannedChange(_called(*place), held.get(place), value) for place, value in news.items()
    )
    steps = [[place.type, place.name, key, value] for (place, key), value in news.items()]
    again = {k: v for k, v in params.items() if k in ("topic", "rate")}
    return ActionPlan(name, changes, steps, again, {"topic": name}, ())


def _called(place: ConfigResource, key: str) -> str:
    return f"{'broker' if place.type == BROKER else 'topic'} {place.name}: {key}"


THROTTLE = Action(
    "throttle", "Throttle moves of replicas", "topic",
    (TOPIC_FIELD, ActionField("rate", "Rate", "bytes a second: 10MB", required=True)),
    plan_throttle, run_throttles,
)  # fmt: skip
UNTHROTTLE = Action(
    "unthrottle", "Take throttles of moves away", "topic", (TOPIC_FIELD,),
    plan_unthrottle, run_throttles,
)  # fmt: skip
