"""Registered brokers, and the broker ids that were generated."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.broker.metadata.znodes.json_data import decode_json, encode_json, understood, whole
from pykafka_ops.broker.state.image import BrokerEndpoint, BrokerInfo


class Brokers:
    """Parent of the registrations."""

    path = "/brokers/ids"


class BrokerIdZNode:
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
                plain = BrokerEndpoint(
                    str(value["host"]), whole(value["port"]), "PLAINTEXT", "PLAINTEXT"
                )
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


def _endpoint_text(endpoint: BrokerEndpoint) -> str:
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    return f"{endpoint.listener}://{host}:{endpoint.port}"


def _parse_endpoint(text: str, protocols: Mapping[str, str]) -> BrokerEndpoint:
    listener, _, address = text.partition("://")
    host, colon, port = address.rpartition(":")
    if not colon:
        raise ValueError(f"no port in endpoint {text!r}")
    listener = listener.upper()
    return BrokerEndpoint(
        host.strip("[]"), whole(port), listener, protocols.get(listener, listener)
    )


class BrokerSequence:
    """Its version is the last generated broker id (``broker.id.generation.enable``)."""

    path = "/brokers/seqid"
