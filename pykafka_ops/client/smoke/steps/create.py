"""A topic is made, and every broker leads a partition of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.analysis.counted import counted
from pykafka_ops.client.cluster import Question, metadata_request
from pykafka_ops.client.smoke.site import NothingToDoError, SmokeSite, StepError
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.metadata import MetadataResponse


def create(site: SmokeSite) -> str:
    """Make the topic, with a partition for each broker to lead."""
    if site.named:
        raise NothingToDoError(f"{site.wording.topic} {site.named}")
    brokers = sorted(site.nodes)
    replicas = site.replicas()
    if replicas > len(brokers):
        raise StepError(
            "cluster", f"{replicas} replicas need more than {counted(brokers, 'broker')}"
        )
    assignment = {n: (brokers[n:] + brokers[:n])[:replicas] for n in range(len(brokers))}
    leaders = make(site, site.name, assignment)
    for number, leader in sorted(leaders.items(), reverse=True):
        site.places[leader] = (site.name, number)
    idle = [b for b in brokers if b not in site.places]
    if idle:
        number = brokers.index(idle[0])
        reason = f"does not lead {site.name}-{number}, of which it is the first replica"
        raise StepError(site.broker(idle[0]), reason, partly=True)
    return f"{counted(brokers, 'partition')}, {counted(range(replicas), 'replica')} each"


def make(
    site: SmokeSite,
    name: str,
    assignment: Mapping[int, Sequence[int]],
    configs: Mapping[str, str] | None = None,
) -> dict[int, int]:
    """Make a topic and wait until every broker knows all leaders, which are returned."""
    site.made.append(name)
    topic = NewTopic(name, assignment=assignment, configs=configs or {})
    try:
        made = create_topics(site.cluster, [topic])[name]
        if isinstance(made, PkoError):
            raise made
    except PkoError as error:
        if isinstance(error, KafkaError) and error.code != ErrorCode.REQUEST_TIMED_OUT:
            site.made.remove(name)
        raise StepError(f"topic {name}", site.in_words(error)) from None
    return site.until(
        lambda: _leaders(site, name, len(assignment)), lambda: _leaderless(site, name)
    )


def _leaders_by_broker(site: SmokeSite, name: str) -> dict[int, dict[int, int]]:
    """By broker the leader of each partition, as that broker names it; -1 for none."""
    brokers = sorted(site.nodes)
    questions = [Question(b, metadata_request([name], ()), MetadataResponse) for b in brokers]
    answers = site.cluster.call_each(questions, name="metadata", once=True)
    return {
        b: {}
        if isinstance(answer, PkoError)
        else {p.partition_index: p.leader_id for t in answer.topics for p in t.partitions}
        for b, answer in zip(brokers, answers, strict=True)
    }


def _leaders(site: SmokeSite, name: str, count: int) -> dict[int, int] | None:
    found = list(_leaders_by_broker(site, name).values())
    whole = all(len(leaders) == count and min(leaders.values()) >= 0 for leaders in found)
    return found[0] if whole and all(leaders == found[0] for leaders in found) else None


def _leaderless(site: SmokeSite, name: str) -> StepError:
    for broker, leaders in _leaders_by_broker(site, name).items():
        for number, leader in sorted(leaders.items()):
            if leader < 0:
                return StepError(f"{name}-{number}", f"has no leader, says broker {broker}")
        if not leaders:
            return StepError(site.broker(broker), f"does not know of topic {name}")
    return StepError(f"topic {name}", "the brokers do not agree on its leaders")
