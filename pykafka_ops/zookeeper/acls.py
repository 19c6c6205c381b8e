"""The ACLs of Kafka's znodes.

Source: ZkData.defaultAcls of Kafka 3.9. What is written with a login belongs to it; everybody may
read it, except what holds secrets.
"""

from __future__ import annotations

import contextlib
from typing import Any

from kazoo.exceptions import NodeExistsError
from kazoo.security import ACL, CREATOR_ALL_ACL, OPEN_ACL_UNSAFE, READ_ACL_UNSAFE

CONSUMERS = "/consumers"
SENSITIVE = ("/config/users", "/config/brokers", "/delegation_token/tokens")
ROOTS = (
    "/admin", "/brokers", "/cluster", "/config", "/controller", "/controller_epoch",
    "/isr_change_notification", "/latest_producer_id_block", "/log_dir_event_notification",
    "/delegation_token", "/kafka-acl-extended", "/migration", "/feature", "/kafka-acl",
    "/kafka-acl-changes", "/kafka-acl-extended-changes",
)  # fmt: skip
"""ZkData.SecureRootPaths: what a cluster keeps, all but /consumers."""


def default_acls(path: str, *, secure: bool) -> list[ACL]:
    """Of the znode at ``path``, which is without the chroot; ``secure``: zookeeper.set.acl."""
    if not secure or path == CONSUMERS:
        return list(OPEN_ACL_UNSAFE)
    acls = list(CREATOR_ALL_ACL)
    return acls if path.startswith(SENSITIVE) else acls + list(READ_ACL_UNSAFE)


def ensure_path(client: Any, path: str, *, secure: bool) -> None:
    """Create the znode and its parents where they are missing, each with the ACLs it has to have.

    ``client`` is kazoo's; raises what that raises. KafkaZkClient.makeSurePersistentPathExists.
    """
    parts = path.strip("/").split("/")
    missing: list[str] = []
    while parts and client.exists("/" + "/".join(parts)) is None:
        missing.append("/" + "/".join(parts))
        parts.pop()
    for one in reversed(missing):
        with contextlib.suppress(NodeExistsError):
            client.create(one, None, acl=default_acls(one, secure=secure))
