"""Every znode of Kafka 3.9: path, encode, decode.

Counterpart of ``kafka.zk.ZkData``. Here stand
the cluster, its brokers and topics; ``znodes_admin``, ``znodes_config`` and ``znodes_acl``
hold the rest. JSON is compact and its fields stand in Kafka's order. ``decode`` takes what an
older Kafka or a human may have written and raises ZnodeError, never anything else, for what
cannot be understood.
"""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.broker.metadata.json_data import decode_json, encode_json, understood, whole
from pykafka_ops.broker.state.controller.leadership import (
    Assignment,
    LeaderAndIsr,
    TopicRecord,
    intern_replicas,
)
from pykafka_ops.broker.state.image import BrokerInfo, Endpoint
from pykafka_ops.broker.state.names import name_problem
from pykafka_ops.wire.types import ZERO_UUID, parse_uuid, uuid_text

_DURING_DELETE = -2
"""The leader of a partition that is being deleted, as ``LeaderAndIsr`` has it."""

PERSISTENT_PATHS = (
    "/consumers",
    "/brokers/ids",
    "/brokers/topics",
    "/config/changes",
    "/admin/delete_topics",
    "/brokers/seqid",
    "/isr_change_notification",
    "/latest_producer_id_block",
    "/log_dir_event_notification",
    "/config/topics",
    "/config/clients",
    "/config/users",
    "/config/brokers",
    "/config/ips",
)
"""Created with their parents by whichever broker comes first."""


class ClusterId:
    """The cluster's id, 22 characters of base64."""

    path = "/cluster/id"

    @staticmethod
    def encode(cluster_id: str) -> bytes:
        """The znode's data."""
        return encode_json({"version": "1", "id": cluster_id})

    @classmethod
    def decode(cls, data: bytes | None) -> str:
        """The id."""
        value = decode_json(cls.path, data)
        return understood(cls.path, lambda: str(value["id"]))


class Controller:
    """Who is controller; ephemeral."""

    path = "/controller"

    @staticmethod
    def encode(broker: int, now: int) -> bytes:
        """``now`` in ms since 1970."""
        fields = {"version": 2, "brokerid": broker, "timestamp": str(now)}
        return encode_json({**fields, "kraftControllerEpoch": -1})

    @classmethod
    def decode(cls, data: bytes | None) -> int:
        """The controller's broker id."""
        value = decode_json(cls.path, data)
        return understood(cls.path, lambda: int(value["brokerid"]))


class ControllerEpoch:
    """Counts the controllers; its version fences writes of former ones."""

    path = "/controller_epoch"

    @staticmethod
    def encode(epoch: int) -> bytes:
        """The znode's data."""
        return str(epoch).encode()

    @classmethod
    def decode(cls, data: bytes | None) -> int:
        """The epoch."""
        return understood(cls.path, lambda: int(data or b""))


class Brokers:
    """Parent of the registrations."""

    path = "/brokers/ids"


class Broker:
    """A broker's registration; ephemeral. Its ``czxid`` is the broker epoch."""

    @staticmethod
    def path(broker: int) -> str:
        """Where broker ``broker`` registers."""
        return f"{Brokers.path}/{broker}"

    @staticmethod
    def encode(info: BrokerInfo, now: int, *, jmx_port: int = -1) -> bytes:
        """``now`` in ms since 1970. Host and port of the first PLAINTEXT endpoint stand apart
        for clients of the 0.8 kind."""
        plain = next((e for e in info.endpoints if e.protocol == "PLAINTEXT"), None)
        value: dict[str, object] = {
            "features": {
                name: {"min_version": low, "max_version": high}
                for name, (low, high) in info.features.items()
            },
            "listener_security_protocol_map": {e.listener: e.protocol for e in info.endpoints},
            "endpoints": [_endpoint_text(endpoint) for endpoint in info.endpoints],
        }
        if info.rack is not None:
            value["rack"] = info.rack
        value["jmx_port"] = jmx_port
        value["port"] = plain.port if plain else -1
        value["host"] = plain.host if plain else None
        value["version"] = 5
        value["timestamp"] = str(now)
        return encode_json(value)

    @classmethod
    def decode(cls, broker: int, data: bytes | None, epoch: int = -1) -> BrokerInfo:
        """Versions 1 to 5 of the format; ``epoch`` is the znode's czxid."""
        what = cls.path(broker)
        value = decode_json(what, data)

        def build() -> BrokerInfo:
            whole(broker)
            if int(value["version"]) < 1:
                raise ValueError(f"unsupported version {value['version']}")
            if int(value["version"]) == 1:
                plain = Endpoint(str(value["host"]), whole(value["port"]), "PLAINTEXT", "PLAINTEXT")
                return BrokerInfo(id=broker, endpoints=(plain,), epoch=epoch)
            protocols = value.get("listener_security_protocol_map", {})
            return BrokerInfo(
                id=broker,
                endpoints=tuple(_parse_endpoint(text, protocols) for text in value["endpoints"]),
                rack=value.get("rack"),
                epoch=epoch,
                features={
                    name: (int(versions.get("min_version", 0)), int(versions["max_version"]))
                    for name, versions in (value.get("features") or {}).items()
                },
            )

        return understood(what, build)


def _endpoint_text(endpoint: Endpoint) -> str:
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    return f"{endpoint.listener}://{host}:{endpoint.port}"


def _parse_endpoint(text: str, protocols: Mapping[str, str]) -> Endpoint:
    listener, _, address = text.partition("://")
    host, colon, port = address.rpartition(":")
    if not colon:
        raise ValueError(f"no port in endpoint {text!r}")
    listener = listener.upper()
    return Endpoint(host.strip("[]"), whole(port), listener, protocols.get(listener, listener))


class BrokerSequence:
    """Its version is the last generated broker id (``broker.id.generation.enable``)."""

    path = "/brokers/seqid"


class Topics:
    """Parent of the topics."""

    path = "/brokers/topics"


class Topic:
    """A topic's id and assignment."""

    @staticmethod
    def path(topic: str) -> str:
        """Where the topic is."""
        return f"{Topics.path}/{topic}"

    @staticmethod
    def encode(topic_id: bytes, partitions: Mapping[int, Assignment]) -> bytes:
        """Version 3 of the format, partitions in order; a zero id is left out."""
        value: dict[str, object] = {
            "partitions": {str(i): a.replicas for i, a in sorted(partitions.items())}
        }
        if topic_id != ZERO_UUID:
            value["topic_id"] = uuid_text(topic_id)
        moving = [(i, a) for i, a in sorted(partitions.items()) if a.being_reassigned]
        value["adding_replicas"] = {str(i): a.adding for i, a in moving if a.adding}
        value["removing_replicas"] = {str(i): a.removing for i, a in moving if a.removing}
        value["version"] = 3
        return encode_json(value)

    @classmethod
    def decode(cls, topic: str, data: bytes | None) -> TopicRecord:
        """Versions 1 to 3 of the format."""
        value = decode_json(cls.path(topic), data)

        def build() -> TopicRecord:
            problem = name_problem(topic)  # a partition's directory could not be made
            if problem is not None:
                raise ValueError(problem)
            adding = value.get("adding_replicas") or {}
            removing = value.get("removing_replicas") or {}
            id_ = value.get("topic_id")
            return TopicRecord(
                parse_uuid(id_) if id_ else ZERO_UUID,
                {
                    whole(index): Assignment(
                        intern_replicas(map(whole, replicas)),
                        intern_replicas(map(whole, adding.get(index, ()))),
                        intern_replicas(map(whole, removing.get(index, ()))),
                    )
                    for index, replicas in (value.get("partitions") or {}).items()
                },
            )

        return understood(cls.path(topic), build)


class Partitions:
    """Parent of a topic's partitions."""

    @staticmethod
    def path(topic: str) -> str:
        """Where the topic's partitions are."""
        return f"{Topics.path}/{topic}/partitions"


class Partition:
    """Parent of a partition's state; no data."""

    @staticmethod
    def path(topic: str, partition: int) -> str:
        """Where the partition is."""
        return f"{Topics.path}/{topic}/partitions/{partition}"


class PartitionState:
    """A partition's leader and ISR; the znode's version is the partition epoch."""

    @staticmethod
    def path(topic: str, partition: int) -> str:
        """Where the state is."""
        return f"{Topics.path}/{topic}/partitions/{partition}/state"

    @staticmethod
    def encode(state: LeaderAndIsr) -> bytes:
        """The znode's data, the same bytes as Kafka's."""
        recovering = ',"leader_recovery_state":1' if state.recovering else ""
        return (
            f'{{"controller_epoch":{state.controller_epoch},"leader":{state.leader},"version":1,'
            f'"leader_epoch":{state.leader_epoch},"isr":[{",".join(map(str, state.isr))}]'
            f"{recovering}}}"
        ).encode()

    @classmethod
    def decode(cls, topic: str, partition: int, data: bytes | None, version: int) -> LeaderAndIsr:
        """``version`` is the znode's."""
        what = cls.path(topic, partition)
        value = decode_json(what, data)
        return understood(
            what,
            lambda: LeaderAndIsr(
                whole(value["leader"], _DURING_DELETE),
                whole(value["leader_epoch"]),
                intern_replicas(map(whole, value["isr"])),
                whole(value["controller_epoch"]),
                version,
                int(value.get("leader_recovery_state", 0)) != 0,
            ),
        )
