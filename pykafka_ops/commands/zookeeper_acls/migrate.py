"""zookeeper-security-migration: give every znode of Kafka the ACLs it has to have, or open ones.

Source: ZkSecurityMigrator. The znode at the top gets them, too, without what is beside Kafka's.
Unlike there, a znode that holds data is not made where it is missing: brokers could not read it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from kazoo.exceptions import KazooException, NoAuthError, NoNodeError
from kazoo.handlers.threading import KazooTimeoutError

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.session import AT_ONCE, ZnodeSession, lost, opened
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.zookeeper.access import LOGIN_CONFIG, tools_access
from pykafka_ops.zookeeper.acls import ROOTS, default_acls, ensure_path

NO_LOGIN = (
    "No JAAS configuration file has been specified and no TLS client certificate has been "
    f"specified. Please make sure that you set the system property {LOGIN_CONFIG} or provide a "
    "ZooKeeper client TLS configuration via --zk-tls-config-file <filename> identifying at least "
    "zookeeper.ssl.client.enable, zookeeper.clientCnxnSocket, and zookeeper.ssl.keystore.location"
)
HOLDING_DATA = ("/controller", "/controller_epoch", "/feature", "/migration")
ANSWER_S = 30.0


def migrate(run: Run) -> int:
    """Set the ACLs; 1 where ``--enable.path.check`` finds a path missing."""
    args = run.args
    secure = (args.text("zookeeper.acl") if args.flags else args.verb) == "secure"
    if not tools_access(args.text("zk-tls-config-file"), run.env).secure:
        raise UsageError(NO_LOGIN)
    patience = args.number("zookeeper.connection.timeout") or 0
    if not (args.flags or args.has("zookeeper.connection.timeout")):
        patience = int(run.silence * 1000)
    session_ms = args.number("zookeeper.session.timeout") or 0
    hosts = args.text("zookeeper") or ""
    client = opened(run, hosts, patience / 1000, session_ms / 1000)
    try:
        done = _all(run, ZnodeSession(client), secure=secure)
    except (KazooException, KazooTimeoutError) as error:
        raise lost(error) from None
    finally:
        client.end()
    if done is None:
        return 1
    if not args.flags:
        run.note(f"{done} znodes {'belong to this login now' if secure else 'are open now'}")
    return 0


def _all(run: Run, session: ZnodeSession, *, secure: bool) -> int | None:
    """How many znodes; None where a path is missing and that is checked."""
    client = session.client
    done = _set(client, ["/"], secure=secure)
    missing = [path for path in ROOTS if client.exists(path) is None]
    if missing:
        sys.stdout.write(
            "Warning: The following secure root paths do not exist in ZooKeeper: "
            f"{','.join(missing)}\n"
            "That might be due to an incorrect chroot is specified when executing the command.\n"
        )
        if run.args.has("enable.path.check"):
            sys.stdout.write("Exit the command.\n")
            return None
    for path in missing:
        if path not in HOLDING_DATA:
            ensure_path(client, path, secure=secure)
    below = [path for path in ROOTS if not path.startswith(tuple(f"{root}/" for root in ROOTS))]
    for level in _levels(session, below):
        done += _set(client, level, secure=secure)
    return done


def _levels(session: ZnodeSession, tops: list[str]) -> Iterator[list[str]]:
    """``tops``, their children, theirs; what goes meanwhile is left out."""
    level = tops
    while level:
        yield level
        names = session.children(level)
        level = [
            f"{path}/{name}" for path, some in zip(level, names, strict=True) for name in some or ()
        ]


def _set(client: Any, paths: Sequence[str], *, secure: bool) -> int:
    """Set the ACLs of those that are still there; how many."""
    done = 0
    for start in range(0, len(paths), AT_ONCE):
        part = paths[start : start + AT_ONCE]
        asked = [client.set_acls_async(path, default_acls(path, secure=secure)) for path in part]
        for path, result in zip(part, asked, strict=True):
            try:
                result.get(timeout=ANSWER_S)
                done += 1
            except NoNodeError:
                continue
            except NoAuthError:
                raise PkoError(f"{path}: this login may not change its ACL") from None
    return done
