"""What ZooKeeper's errors mean to callers of the store."""

from __future__ import annotations

from kazoo import exceptions as zk

from pykafka_ops.broker.metadata.store import (
    AccessError,
    BadVersionError,
    EphemeralParentError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    SessionLostError,
    StoreError,
)

_ERRORS: dict[type[Exception], type[StoreError]] = {
    zk.NoNodeError: NoNodeError,
    zk.NodeExistsError: NodeExistsError,
    zk.BadVersionError: BadVersionError,
    zk.NotEmptyError: NotEmptyError,
    zk.NoChildrenForEphemeralsError: EphemeralParentError,
    zk.SessionExpiredError: SessionLostError,
    zk.SessionMovedError: SessionLostError,
    zk.ConnectionClosedError: SessionLostError,
    zk.AuthFailedError: SessionLostError,
}
_NO_ACCESS: dict[type[Exception], str] = {
    zk.NoAuthError: "its ACL does not let this broker: is it logged in as the others are?",
    zk.InvalidACLError: "it knows no login of this broker that could own it (zookeeper.set.acl)",
    zk.SessionClosedRequireSaslError: "it wants a login (java.security.auth.login.config)",
}


def error_of(path: str, error: Exception, index: int = 0) -> StoreError:
    """As one of the store's; ``index`` is that of the operation in a ``multi``."""
    found = _of(path, error)
    found.index = index
    return found


def _of(path: str, error: Exception) -> StoreError:
    for kind, ours in _ERRORS.items():
        if isinstance(error, kind):
            return ours(path)
    for kind, why in _NO_ACCESS.items():
        if isinstance(error, kind):
            return AccessError(path, f"ZooKeeper refuses {path}: {why}")
    what = f"{type(error).__name__} {error}".strip()
    return StoreError(path, f"ZooKeeper refuses {path}: {what}")
