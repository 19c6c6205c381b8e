"""The bodies of CMAK's ``/api/status``, fields by its names and in its order.

Source: controllers/api/KafkaStateCheck.scala, model/ActorModel.scala. Pure. Fields that CMAK leaves
out where it has no value are left out; what only ZooKeeper knows (``readVersion``) is -1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from math import ceil, log
from typing import Any

from pykafka_ops.analysis.lag.rows import Sample
from pykafka_ops.client.topics import PartitionDescription
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedGroup, WatchedTopic

Body = dict[str, Any]
Ends = Callable[[str, int], Sequence[Sample]]
"""Where a log ended at the last rounds, by topic and partition."""
NO_OFFSET = -1
CONSUMER_TYPE = "KF"
"""Groups whose offsets are in Kafka; those of ZooKeeper (``ZK``) are not watched."""
NO_JMX = -1


def clusters(names: Sequence[str]) -> Body:
    """All clusters; of CMAK's own settings only those that mean something here."""
    return {"clusters": {"active": [_config(name) for name in names], "pending": []}}


def _config(name: str) -> Body:
    return {
        "name": name,
        "enabled": True,
        "jmxEnabled": False,
        "jmxSsl": False,
        "pollConsumers": True,
        "filterConsumers": False,
        "logkafkaEnabled": False,
        "activeOffsetCacheEnabled": True,
        "displaySizeEnabled": True,
    }


def broker_ids(view: ClusterView) -> Body:
    """The brokers that are in the cluster."""
    return {"brokers": sorted(_alive(view))}


def _alive(view: ClusterView) -> dict[int, str]:
    """Addresses by broker id."""
    return {
        int(str(row["id"])): str(row["address"]) for row in view.brokers if row["state"] != "down"
    }


def brokers_extended(view: ClusterView, protocol: str) -> Body:
    """The brokers by the listener that the monitor uses, whose protocol that is."""
    rows = []
    for number, address in sorted(_alive(view).items()):
        host, _, port = address.rpartition(":")
        rows.append(
            {
                "id": number,
                "host": host,
                "jmxPort": NO_JMX,
                "secure": protocol != "PLAINTEXT",
                "nonSecure": protocol == "PLAINTEXT",
                "endpoints": {"endpoints": [f"{protocol}:{port}"]},
            }
        )
    return {"brokers": rows}


def under_replicated(topic: WatchedTopic) -> Body:
    """Partitions whose replicas are not all in sync."""
    partitions = topic.description.partitions
    found = [p.number for p in partitions if len(p.isr) != len(p.replicas)]
    return {"topic": topic.description.name, "underReplicatedPartitions": found}


def unavailable(topic: WatchedTopic) -> Body:
    """Partitions without a leader; CMAK asks for an empty ISR, which Kafka never leaves behind."""
    found = [p.number for p in topic.description.partitions if p.leader < 0 or not p.isr]
    return {"topic": topic.description.name, "unavailablePartitions": found}


# -- topics ---------------------------------------------------------------------------------------


def topic_identities(view: ClusterView, ends: Ends) -> Body:
    """All topics with their partitions."""
    sizes = _leader_sizes(view)
    brokers = len(_alive(view))
    found = [
        _topic(view.name, topic, brokers, sizes, ends)
        for topic in (view.topics or {}).values()
        if topic.description.partitions
    ]
    return {"topicIdentities": found}


def _leader_sizes(view: ClusterView) -> dict[tuple[str, int, int], int]:
    """Bytes by topic, partition and broker."""
    return {
        (replica.topic, replica.partition, broker): replica.size
        for broker, dirs in (view.dirs or {}).items()
        for directory in dirs
        for replica in directory.replicas
        if not replica.future
    }


def _topic(
    cluster: str,
    topic: WatchedTopic,
    brokers: int,
    sizes: Mapping[tuple[str, int, int], int],
    ends: Ends,
) -> Body:
    name, partitions = topic.description.name, topic.description.partitions
    rows = [
        _partition(topic, p, ends(name, p.number), sizes.get((name, p.number, p.leader)))
        for p in partitions
    ]
    spread = _spread(partitions)
    led = [row["leaderSize"] for row in rows if "leaderSize" in row]
    rate = sum((Decimal(repr(row.get("rateOfChange", 0.0))) for row in rows), Decimal(0))
    return {
        "topic": name,
        "readVersion": -1,
        "partitions": len(partitions),
        "partitionsIdentity": rows,
        "numBrokers": brokers,
        "configReadVersion": -1,
        "config": [list(pair) for pair in topic.settings.items()],
        "clusterContext": {"clusterFeatures": {"features": []}, "config": _config(cluster)},
        **({"size": size_text(sum(led))} if led else {}),
        "replicationFactor": len(partitions[0].replicas),
        "partitionsByBroker": spread,
        "summedTopicOffsets": sum(row.get("latestOffset", 0) for row in rows),
        "preferredReplicasPercentage": _percent(
            sum(row["isPreferredLeader"] for row in rows), len(rows)
        ),
        "underReplicatedPercentage": _percent(
            sum(row["isUnderReplicated"] for row in rows), len(rows)
        ),
        "topicBrokers": len(spread),
        "brokersSkewPercentage": _percent(sum(b["isSkewed"] for b in spread), len(spread)),
        "brokersSpreadPercentage": _percent(len(spread), brokers, 100),
        "producerRate": str(rate.quantize(Decimal("0.01"), ROUND_HALF_UP)),
    }


def _percent(part: int, whole: int, otherwise: int = 0) -> int:
    return 100 * part // whole if whole else otherwise


def _partition(
    topic: WatchedTopic, p: PartitionDescription, ends: Sequence[Sample], size: int | None
) -> Body:
    found: Body = {"partNum": p.number, "leader": p.leader}
    if p.number < len(topic.ends) and topic.ends[p.number] >= 0:
        found["latestOffset"] = topic.ends[p.number]
    if len(ends) > 1 and ends[-1][0] > ends[-2][0]:
        (before, first), (at, last) = ends[-2:]
        found["rateOfChange"] = (last - first) * 1000 / (at - before)
    found |= {
        "isr": list(p.isr),
        "replicas": list(p.replicas),
        "isPreferredLeader": bool(p.replicas) and p.leader == p.replicas[0],
        "isUnderReplicated": len(p.isr) != len(p.replicas),
    }
    if size is not None:
        found |= {"leaderSize": size, "size": size_text(size)}
    return found


def _spread(partitions: Sequence[PartitionDescription]) -> list[Body]:
    """By broker the partitions that are in sync there; skewed: more than its share."""
    held: dict[int, list[int]] = {}
    led: dict[int, list[int]] = {}
    for p in partitions:
        for broker in p.isr:
            held.setdefault(broker, []).append(p.number)
            if broker == p.leader:
                led.setdefault(broker, []).append(p.number)
    if not held:
        return []
    share = ceil(len(partitions) / len(held) * len(partitions[0].replicas))
    leaders = ceil(len(partitions) / len(held))
    return [
        {
            "id": broker,
            "partitions": sorted(numbers),
            "isSkewed": len(numbers) > share,
            "leaders": sorted(led.get(broker, [])),
            "isLeaderSkewed": len(led.get(broker, [])) > leaders,
        }
        for broker, numbers in sorted(held.items())
    ]


def size_text(size: int) -> str:
    """Bytes as CMAK writes them (``FormatMetric.sizeFormat``): thousands, one digit."""
    if size < 1000:
        return f"{size} B"
    power = min(int(log(size) / log(1000)), 6)
    return f"{size / 1000**power:.1f} {'kMGTPE'[power - 1]}B"


# -- groups ---------------------------------------------------------------------------------------


def topic_summary(
    topic: WatchedTopic | None, group: WatchedGroup, name: str, committed: Sequence[int]
) -> Body:
    """What a group has read of a topic; ``committed`` by partition, ``NO_OFFSET`` for none."""
    latest = [] if topic is None else list(topic.ends)
    owners = {
        n: f"{member.id}:{member.host}"
        for member in group.members
        for t, n in member.assigned
        if t == name
    }
    numbers = range(max(len(latest), len(committed)))
    offsets = [committed[n] if n < len(committed) else NO_OFFSET for n in numbers]
    known = len(latest) == len(offsets) and min(latest, default=0) >= 0
    lags = [max(0, end - at) for end, at in zip(latest, offsets, strict=False) if at >= 0]
    return {
        "totalLag": sum(lags) if known else None,
        "percentageCovered": _percent(len(owners), len(offsets), 100),
        "partitionOffsets": offsets,
        "partitionLatestOffsets": [end for end in latest if end >= 0],
        "owners": [owners[n] for n in sorted(owners)],
    }


def consumer(name: str, summaries: Mapping[str, Body]) -> Body:
    """A group in the list of all."""
    lags = {topic: body["totalLag"] for topic, body in summaries.items()}
    return {
        "name": name,
        "type": CONSUMER_TYPE,
        "topics": list(summaries),
        "lags": {topic: lag for topic, lag in lags.items() if lag is not None},
    }
