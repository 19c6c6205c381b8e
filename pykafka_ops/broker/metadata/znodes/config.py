"""Znodes of dynamic configuration: topics, brokers, users, clients, IP addresses, and changes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pykafka_ops.broker.metadata.znodes.json_data import decode_json, encode_json, understood
from pykafka_ops.broker.state.quotas.entities import ABSENT, QuotaEntity

DEFAULT_ENTITY = "<default>"
TOPICS = "topics"
CLIENTS = "clients"
USERS = "users"
BROKERS = "brokers"
IPS = "ips"
_PLAIN = re.compile(r"[A-Za-z0-9_.-]*").fullmatch
"""Names that are the same in a path: only for others is ``urllib`` worth its 0.4 MB."""


def sanitize(name: str | None) -> str:
    """A user, client or address name as a znode name (Kafka's ``Sanitizer``); None: the default."""
    if name is None:
        return DEFAULT_ENTITY
    if _PLAIN(name):
        return name
    from urllib.parse import quote

    return quote(name, safe="-._").replace("~", "%7E")


def desanitize(name: str) -> str | None:
    """The inverse of :func:`sanitize`."""
    if name == DEFAULT_ENTITY:
        return None
    if _PLAIN(name):
        return name
    from urllib.parse import unquote_plus

    return unquote_plus(name)


def quota_path(entity: QuotaEntity) -> str:
    """Where an entity's quotas are, as in :class:`EntityConfig`; its parts must fit together."""
    if entity.ip != ABSENT:
        return f"{IPS}/{sanitize(entity.ip)}"
    if entity.user == ABSENT:
        return f"{CLIENTS}/{sanitize(entity.client_id)}"
    path = f"{USERS}/{sanitize(entity.user)}"
    return path if entity.client_id == ABSENT else f"{path}/{CLIENTS}/{sanitize(entity.client_id)}"


def quota_entity(path: str) -> QuotaEntity | None:
    """The inverse of :func:`quota_path`; None for what has no quotas, or not this way."""
    parts = path.split("/")
    names = [desanitize(name) for name in parts[1::2]]
    kinds = parts[::2]
    if len(kinds) != len(names) or ABSENT in names:
        return None
    if kinds == [USERS, CLIENTS]:
        return QuotaEntity(*names)
    part = {USERS: "user", CLIENTS: "client_id", IPS: "ip"}.get("/".join(kinds))
    return None if part is None else QuotaEntity(**{part: names[0]})


class EntityConfig:
    """The overrides of one entity.

    An entity's path below ``/config`` is ``topics/T``, ``brokers/N``, ``brokers/<default>``,
    ``users/U``, ``clients/C``, ``users/U/clients/C``, ``ips/A``; names are sanitized already.
    """

    @staticmethod
    def path(entity: str) -> str:
        """Where the entity's overrides are."""
        return f"/config/{entity}"

    @staticmethod
    def topic(topic: str) -> str:
        """Where a topic's overrides are."""
        return f"/config/{TOPICS}/{topic}"

    @staticmethod
    def encode(config: Mapping[str, str]) -> bytes:
        """Names in the order of the mapping."""
        return encode_json({"version": 1, "config": dict(config)})

    @classmethod
    def decode(cls, entity: str, data: bytes | None) -> dict[str, str]:
        """The overrides; a znode without data has none."""
        if not data:
            return {}
        value = decode_json(cls.path(entity), data)
        return understood(
            cls.path(entity),
            lambda: {str(name): _text(text) for name, text in (value.get("config") or {}).items()},
        )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"value {value!r} is not a string")
    return value


class ConfigChanges:
    """Tells every broker which entity to read again; a sequence, purged after 15 minutes."""

    path = "/config/changes"
    prefix = f"{path}/config_change_"

    @staticmethod
    def encode(entity: str) -> bytes:
        """``entity`` as in :class:`EntityConfig`."""
        return encode_json({"version": 2, "entity_path": entity})

    @classmethod
    def decode(cls, data: bytes | None) -> str:
        """The entity's path; versions 1 and 2 of the format."""
        value = decode_json(cls.path, data)

        def build() -> str:
            if int(value["version"]) == 1:
                return f"{value['entity_type']}/{value['entity_name']}"
            return str(value["entity_path"])

        return understood(cls.path, build)
