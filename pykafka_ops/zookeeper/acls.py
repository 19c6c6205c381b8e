"""The ACLs of Kafka's znodes.

Source: ZkData.defaultAcls of Kafka 3.9. What is written with a login belongs to it; everybody may
read it, except what holds secrets.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from kazoo.exceptions import NodeExistsError
from kazoo.security import ACL, CREATOR_ALL_ACL, OPEN_ACL_UNSAFE, READ_ACL_UNSAFE, Id

LETTERS = {"c": 4, "d": 8, "r": 1, "w": 2, "a": 16}
"""Letters of the permissions, in the order of ZooKeeper's shell."""
CONSUMERS = "/consumers"
SENSITIVE = ("/config/users", "/config/brokers", "/delegation_token/tokens")
ROOTS = (
    "/admin", "/brokers", "/cluster", "/config", "/controller", "/controller_epoch",
    "/isr_change_notification", "/latest_producer_id_block", "/log_dir_event_notification",
    "/delegation_token", "/kafka-acl-extended", "/migration", "/feature", "/kafka-acl",
    "/kafka-acl-changes", "/kafka-acl-extended/prefixed", "/kafka-acl-extended-changes",
)  # fmt: skip
"""ZkData.SecureRootPaths: the roots of a cluster's znodes but /consumers."""


def default_acls(path: str, *, secure: bool) -> list[ACL]:
    """The ACLs of the znode at ``path`` (without the chroot); ``secure``: zookeeper.set.acl."""
    if not secure or path == CONSUMERS:
        return list(OPEN_ACL_UNSAFE)
    acls = list(CREATOR_ALL_ACL)
    return acls if path.startswith(SENSITIVE) else acls + list(READ_ACL_UNSAFE)


def ensure_path(client: Any, path: str, *, secure: bool) -> None:
    """Create the znode and its parents where they are missing, each with its ACLs.

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


def create(client: Any, path: str, data: bytes, *, secure: bool, sequence: bool = False) -> str:
    """Create a znode as :func:`ensure_path` does, its parents first; its path."""
    parent = path.rpartition("/")[0]
    if parent:
        ensure_path(client, parent, secure=secure)
    acls = default_acls(path, secure=secure)
    return str(client.create(path, data, acl=acls, sequence=sequence))


def permissions(acl: ACL) -> str:
    """``cdrwa``: create, delete, read, write, admin."""
    return "".join(letter for letter, bit in LETTERS.items() if acl.perms & bit)


def acl_texts(acls: Sequence[ACL]) -> list[str]:
    """Each as ``scheme:id:cdrwa``, in order."""
    return sorted(f"{acl.id.scheme}:{acl.id.id}:{permissions(acl)}" for acl in acls)


def parse_acls(text: str) -> list[ACL]:
    """``scheme:id:cdrwa,...`` as ZooKeeper's shell takes it (AclParser); ValueError says which is
    wrong."""
    found = []
    for one in text.split(","):
        scheme, colon, rest = one.partition(":")
        who, second, letters = rest.rpartition(":")
        if not (colon and second and scheme):
            raise ValueError(f"{one} does not have the form scheme:id:perm")
        wrong = [letter for letter in letters if letter not in LETTERS]
        if wrong:
            raise ValueError(f"Unknown perm type: {wrong[0]}")
        bits = sum({LETTERS[letter] for letter in letters})
        found.append(ACL(bits, Id(scheme, who)))
    return found
