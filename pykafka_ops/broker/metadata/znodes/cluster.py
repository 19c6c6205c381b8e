"""Znodes that a cluster has once: id, controller, features, producer ids, the first paths."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.broker.metadata.znodes.json_data import decode_json, encode_json, understood

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


class ControllerZNode:
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


class ProducerIdBlock(NamedTuple):
    """A block of producer ids handed to a broker; both ends inclusive."""

    broker: int
    first: int
    last: int


class ProducerIdBlockZNode:
    """The block of producer ids handed out last; no data before the first."""

    path = "/latest_producer_id_block"

    @staticmethod
    def encode(block: ProducerIdBlock) -> bytes:
        """The znode's data."""
        fields = {"version": 1, "broker": block.broker}
        return encode_json(
            {**fields, "block_start": str(block.first), "block_end": str(block.last)}
        )

    @classmethod
    def decode(cls, data: bytes | None) -> ProducerIdBlock | None:
        """The block, None if none was handed out."""
        if not data:
            return None
        value = decode_json(cls.path, data)
        return understood(
            cls.path,
            lambda: ProducerIdBlock(
                int(value["broker"]), int(value["block_start"]), int(value["block_end"])
            ),
        )


class Features(NamedTuple):
    """Finalized features (KIP-584); ``enabled`` as a 3.9 controller writes it."""

    levels: dict[str, int]
    enabled: bool = True


class Feature:
    """The cluster's finalized features, made by the first controller."""

    path = "/feature"

    @staticmethod
    def encode(features: Features) -> bytes:
        """Version 2 of the format."""
        levels = {name: {"max_version_level": level} for name, level in features.levels.items()}
        return encode_json({"features": levels, "version": 2, "status": int(features.enabled)})

    @classmethod
    def decode(cls, data: bytes | None) -> Features:
        """Versions 1 and 2 of the format."""
        value = decode_json(cls.path, data)

        def build() -> Features:
            if int(value["version"]) not in (1, 2) or int(value["status"]) not in (0, 1):
                raise ValueError(f"version {value['version']} status {value['status']}")
            return Features(
                {name: int(v["max_version_level"]) for name, v in value["features"].items()},
                int(value["status"]) == 1,
            )

        return understood(cls.path, build)
