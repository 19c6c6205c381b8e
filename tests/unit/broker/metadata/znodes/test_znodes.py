"""Every znode in the golden trees of Apache Kafka 3.9.1 decodes and encodes to the same data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.metadata.znodes import acl, admin, brokers, cluster, config, topics
from pykafka_ops.broker.metadata.znodes.json_data import ZnodeError
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr, ReplicaAssignment
from pykafka_ops.broker.state.image import BrokerEndpoint, BrokerInfo
from pykafka_ops.broker.state.quotas.entities import QuotaEntity
from pykafka_ops.security.acls.rules import PatternType, ResourcePattern, ResourceType
from pykafka_ops.wire.types import ZERO_UUID, parse_uuid

GOLDEN = Path(__file__).resolve().parents[4] / "golden" / "zk"
MOMENTS = sorted(path for path in GOLDEN.glob("*.json") if path.name != "moments.json")
WITHOUT_DATA = {
    "/",
    "/admin",
    "/brokers",
    "/cluster",
    "/config",
    "/kafka-acl",
    "/kafka-acl-extended",
    "/kafka-acl-extended/prefixed",
    "/latest_producer_id_block",
    *cluster.PERSISTENT_PATHS,
    *acl.PERSISTENT_PATHS,
}

Again = Callable[[bytes, dict[str, Any]], bytes]


def _broker(path: str, data: bytes) -> bytes:
    id_ = int(path.rpartition("/")[2])
    info = brokers.BrokerIdZNode.decode(id_, data, epoch=7)
    assert (info.id, info.epoch) == (id_, 7)
    return brokers.BrokerIdZNode.encode(info, int(json.loads(data)["timestamp"]))


def _topic(path: str, data: bytes) -> bytes:
    record = topics.TopicZNode.decode(path.rpartition("/")[2], data)
    return topics.TopicZNode.encode(record.topic_id, record.partitions)


def _acl(path: str, data: bytes) -> bytes:
    *root, type_, name = path.split("/")
    pattern = PatternType.PREFIXED if "prefixed" in root else PatternType.LITERAL
    resource = ResourcePattern(acl.RESOURCE_TYPES[type_], name, pattern)
    assert acl.AclRules.path(resource) == path
    return acl.AclRules.encode(acl.AclRules.decode(resource, data))


def _acl_change(path: str, data: bytes) -> bytes:
    changes = acl.AclChanges
    literal = path.startswith(changes.literal_path)
    resource = changes.decode_literal(data) if literal else changes.decode_extended(data)
    assert path.startswith(changes.prefix(resource))
    return changes.encode(resource)


def _config(path: str, data: bytes) -> bytes:
    entity = path.removeprefix("/config/")
    assert config.EntityConfig.path(entity) == path
    codec = config.EntityConfig
    return codec.encode(codec.decode(entity, data))


def _again(path: str, data: bytes) -> bytes | None:
    """Decoded and encoded anew; None for a path that no class knows."""
    parts = path.split("/")
    if path == cluster.ClusterId.path:
        return cluster.ClusterId.encode(cluster.ClusterId.decode(data))
    if path == cluster.ControllerZNode.path:
        now = int(json.loads(data)["timestamp"])
        return cluster.ControllerZNode.encode(cluster.ControllerZNode.decode(data), now)
    if path == cluster.ControllerEpoch.path:
        return cluster.ControllerEpoch.encode(cluster.ControllerEpoch.decode(data))
    if path == cluster.Feature.path:
        return cluster.Feature.encode(cluster.Feature.decode(data))
    if path == cluster.ProducerIdBlockZNode.path:
        block = cluster.ProducerIdBlockZNode.decode(data)
        assert block is not None
        return cluster.ProducerIdBlockZNode.encode(block)
    if path.endswith("/state"):
        assert path == topics.PartitionState.path(parts[3], int(parts[5]))
        state = topics.PartitionState.decode(parts[3], int(parts[5]), data, 3)
        assert state.partition_epoch == 3
        return topics.PartitionState.encode(state)
    return _again_of_a_family(path, data)


def _again_of_a_family(path: str, data: bytes) -> bytes | None:
    families: list[tuple[str, Callable[[str, bytes], bytes]]] = [
        ("/brokers/ids/", _broker),
        ("/brokers/topics/", _topic),
        ("/kafka-acl/", _acl),
        ("/kafka-acl-extended/", _acl),
        ("/kafka-acl-changes/", _acl_change),
        ("/kafka-acl-extended-changes/", _acl_change),
        (
            config.ConfigChanges.prefix,
            lambda _, d: config.ConfigChanges.encode(config.ConfigChanges.decode(d)),
        ),
        ("/config/", _config),
    ]
    for prefix, again in families:
        if path.startswith(prefix):
            return again(path, data)
    return None


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda path: path.stem)
def test_every_znode_is_known_and_round_trips(moment: Path) -> None:
    for path, znode in json.loads(moment.read_text()).items():
        if not znode["data"]:
            bare = path in WITHOUT_DATA or path.split("/")[-2] in ("partitions", "delete_topics")
            assert bare or path.endswith(("/partitions", "/clients")), path
            continue
        again = _again(path, znode["data"].encode())
        assert again is not None, path
        assert json.loads(again) if again[:1] == b"{" else again, path
        wanted = znode["data"].encode()
        if wanted[:1] == b"{":
            assert json.loads(again) == json.loads(wanted), path
            # One field order per format; the partitions of big topics are in hash order there.
            if "partitions" not in json.loads(wanted) or len(json.loads(wanted)["partitions"]) < 11:
                assert again == wanted, path
        else:
            assert again == wanted, path


def test_moments_exist() -> None:
    assert len(MOMENTS) == 11


def test_a_broker_with_several_listeners_and_an_ipv6_host() -> None:
    info = BrokerInfo(
        id=4,
        endpoints=(
            BrokerEndpoint("::1", 9093, "CLIENT", "SASL_SSL"),
            BrokerEndpoint("h", 9092, "REPL", "PLAINTEXT"),
        ),
        features={"f": (1, 2)},
    )
    data = brokers.BrokerIdZNode.encode(info, 5, jmx_port=7)
    value = json.loads(data)
    assert value["endpoints"] == ["CLIENT://[::1]:9093", "REPL://h:9092"]
    assert (value["host"], value["port"], value["jmx_port"]) == ("h", 9092, 7)
    assert "rack" not in value
    assert brokers.BrokerIdZNode.decode(4, data) == info


def test_old_registrations_can_be_read() -> None:
    one = b'{"version":1,"host":"h","port":9092,"jmx_port":-1,"timestamp":"1"}'
    assert brokers.BrokerIdZNode.decode(1, one).endpoints == (
        BrokerEndpoint("h", 9092, "PLAINTEXT", "PLAINTEXT"),
    )
    two = b'{"version":2,"host":null,"port":-1,"jmx_port":-1,"endpoints":["SSL://h:1"]}'
    assert brokers.BrokerIdZNode.decode(1, two).endpoints == (BrokerEndpoint("h", 1, "SSL", "SSL"),)


def test_a_topic_of_before_2_8_has_no_id() -> None:
    record = topics.TopicZNode.decode("t", b'{"version":1,"partitions":{"0":[1,2]}}')
    assert record == (ZERO_UUID, {0: ReplicaAssignment((1, 2))})
    assert b"topic_id" not in topics.TopicZNode.encode(*record)


def test_a_recovering_leader_is_marked() -> None:
    state = LeaderAndIsr(1, 2, (1,), 3, 0, recovering=True)
    data = topics.PartitionState.encode(state)
    assert json.loads(data)["leader_recovery_state"] == 1
    assert topics.PartitionState.decode("t", 0, data, 0) == state


def test_notifications_and_tool_requests_round_trip() -> None:
    partitions = [("a", 0), ("b", 3)]
    assert (
        admin.IsrChangeNotifications.decode(admin.IsrChangeNotifications.encode(partitions))
        == partitions
    )
    elect = admin.PreferredElection
    assert elect.decode(elect.encode(partitions)) == partitions
    assert admin.LogDirEvents.decode(admin.LogDirEvents.encode(5)) == 5
    moves = {("a", 0): [1, 2]}
    assert admin.Reassignments.decode(admin.Reassignments.encode(moves)) == moves
    assert cluster.ProducerIdBlockZNode.decode(None) is None
    assert (
        config.ConfigChanges.decode(b'{"version":1,"entity_type":"topics","entity_name":"t"}')
        == "topics/t"
    )


@pytest.mark.parametrize(
    ("name", "znode"),
    [
        ("o'neil&co", "o%27neil%26co"),
        ("a b*~", "a%20b%2A%7E"),
        (None, "<default>"),
        ("<default>", "%3Cdefault%3E"),
        ("ü/x", "%C3%BC%2Fx"),
    ],
)
def test_entity_names_are_url_encoded(name: str | None, znode: str) -> None:
    assert config.sanitize(name) == znode
    assert config.desanitize(znode) == name


@pytest.mark.parametrize(
    ("entity", "path"),
    [
        (QuotaEntity("a b"), "users/a%20b"),
        (QuotaEntity(None, "c/d"), "users/<default>/clients/c%2Fd"),
        (QuotaEntity(client_id=None), "clients/<default>"),
        (QuotaEntity(ip="10.0.0.1"), "ips/10.0.0.1"),
    ],
)
def test_quotas_are_kept_at_the_path_of_their_entity(entity: QuotaEntity, path: str) -> None:
    assert config.quota_path(entity) == path
    assert config.quota_entity(path) == entity


@pytest.mark.parametrize(
    "path", ["topics/t", "users", "users/a/clients", "users/a/ips/b", "clients/a/users/b", "ips/"]
)
def test_other_paths_have_no_quotas(path: str) -> None:
    assert config.quota_entity(path) is None


@given(st.text(alphabet="users/clientips<>%41.") | st.text())
def test_any_path_of_an_entity_can_be_read(path: str) -> None:
    entity = config.quota_entity(path)
    assert entity is None or config.quota_entity(config.quota_path(entity)) == entity


DECODERS: list[Callable[[bytes], object]] = [
    cluster.ClusterId.decode,
    cluster.ControllerZNode.decode,
    cluster.ControllerEpoch.decode,
    lambda data: brokers.BrokerIdZNode.decode(0, data),
    lambda data: topics.TopicZNode.decode("t", data),
    lambda data: topics.PartitionState.decode("t", 0, data, 0),
    admin.IsrChangeNotifications.decode,
    admin.LogDirEvents.decode,
    admin.Reassignments.decode,
    admin.PreferredElection.decode,
    cluster.ProducerIdBlockZNode.decode,
    cluster.Feature.decode,
    lambda data: config.EntityConfig.decode("topics/t", data),
    config.ConfigChanges.decode,
    lambda data: acl.AclRules.decode(ResourcePattern(ResourceType.TOPIC, "t"), data),
    acl.AclChanges.decode_literal,
    acl.AclChanges.decode_extended,
]

_KEYS = st.sampled_from(
    ["version", "partitions", "leader", "isr", "endpoints", "config", "acls", "id", "features"]
)
_VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(_KEYS, _VALUES, max_size=6).map(lambda v: json.dumps(v).encode()) | st.binary()
)
def test_a_znode_written_by_hand_is_reported_not_fatal(data: bytes) -> None:
    for decode in DECODERS:
        try:
            decode(data)
        except ZnodeError as error:
            assert str(error)


def test_topic_ids_are_the_16_bytes() -> None:
    text = "UBC7YDkETzmKaYbaq7VKsA"
    record = topics.TopicZNode.decode(
        "t", json.dumps({"topic_id": text, "partitions": {}}).encode()
    )
    assert record.topic_id == parse_uuid(text)


HUGE = 2**31
GOOD_STATE = {"leader": 1, "leader_epoch": 0, "isr": [1], "controller_epoch": 1, "version": 1}


@pytest.mark.parametrize(
    "change",
    [
        {"leader": HUGE},
        {"leader": -3},
        {"leader_epoch": HUGE},
        {"isr": [1, HUGE]},
        {"isr": [-1]},
        {"controller_epoch": HUGE},
    ],
)
def test_a_state_that_no_request_could_carry_is_refused(change: dict[str, object]) -> None:
    assert topics.PartitionState.decode("t", 0, json.dumps(GOOD_STATE).encode(), 0).leader == 1
    with pytest.raises(ZnodeError, match="is out of range"):
        topics.PartitionState.decode("t", 0, json.dumps(GOOD_STATE | change).encode(), 0)


@pytest.mark.parametrize("partitions", [{"-1": [0]}, {str(HUGE): [0]}, {"0": [HUGE]}, {"0": [-1]}])
def test_a_topic_that_no_request_could_carry_is_refused(partitions: dict[str, list[int]]) -> None:
    data = json.dumps({"version": 1, "partitions": partitions}).encode()
    with pytest.raises(ZnodeError, match="is out of range"):
        topics.TopicZNode.decode("t", data)


@pytest.mark.parametrize("name", ["bad name", "x" * 250, "\u00e9"])
def test_a_topic_that_no_directory_could_hold_is_refused(name: str) -> None:
    with pytest.raises(ZnodeError, match=r"longer than the max|other than ASCII"):
        topics.TopicZNode.decode(name, b'{"version":1,"partitions":{"0":[0]}}')


@pytest.mark.parametrize(("broker", "port"), [(HUGE, 1), (1, HUGE), (1, -1)])
def test_a_broker_that_no_request_could_carry_is_refused(broker: int, port: int) -> None:
    data = json.dumps({"version": 4, "endpoints": [f"PLAINTEXT://h:{port}"]}).encode()
    with pytest.raises(ZnodeError, match="is out of range"):
        brokers.BrokerIdZNode.decode(broker, data)
