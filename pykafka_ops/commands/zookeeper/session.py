"""A session with ZooKeeper for one command: opened, asked many things at once, closed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kazoo.exceptions import (
    ConnectionLoss,
    KazooException,
    NoAuthError,
    NoNodeError,
    SessionClosedRequireSaslError,
    SessionExpiredError,
)
from kazoo.handlers.threading import KazooTimeoutError

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.znodes import Znode, ZnodeReader, ZnodeStat
from pykafka_ops.errors import ConnectError, PkoError, UsageError
from pykafka_ops.zookeeper.access import tools_access
from pykafka_ops.zookeeper.acls import acl_texts
from pykafka_ops.zookeeper.client import Client

ANSWER_S = 30.0
AT_ONCE = 500
"""Questions under way at the same time."""


class ZnodeSession:
    """Questions about many znodes, asked side by side."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def read(self, paths: Sequence[str]) -> list[Znode | None]:
        """Each znode, None where there is none (any more)."""
        return [self._znode(p, r) for p, r in zip(paths, self._each("get", paths), strict=True)]

    def children(self, paths: Sequence[str]) -> list[list[str] | None]:
        """The names of each one's children, sorted; None where it is gone or must not be seen."""
        found = self._each("get_children", paths)
        return [None if isinstance(names, KazooException) else sorted(names) for names in found]

    def acl(self, path: str) -> list[str]:
        """Who may do what with a znode, as ``scheme:id:cdrwa``; PkoError where that is hidden."""
        try:
            return acl_texts(self.client.get_acls(path)[0])
        except NoAuthError:
            raise PkoError(f"{path}: not allowed to read its ACL") from None
        except KazooException as error:
            raise lost(error) from None

    def _znode(self, path: str, result: Any) -> Znode | None:
        if isinstance(result, NoNodeError):
            return None
        if isinstance(result, NoAuthError):
            return Znode(path, None, None, "not allowed to read it")
        if isinstance(result, KazooException):
            raise lost(result)
        data, stat = result
        return Znode(path, data, stat_of(stat))

    def _each(self, question: str, paths: Sequence[str]) -> Iterator[Any]:
        ask = getattr(self.client, f"{question}_async")
        for start in range(0, len(paths), AT_ONCE):
            for result in [ask(path) for path in paths[start : start + AT_ONCE]]:
                try:
                    yield result.get(timeout=ANSWER_S)
                except (NoNodeError, NoAuthError) as error:
                    yield error
                except (KazooException, KazooTimeoutError) as error:
                    raise lost(error) from None


def lost(error: Exception) -> PkoError:
    """A failure of ZooKeeper as one of ours."""
    if isinstance(error, SessionClosedRequireSaslError):
        return ConnectError(
            "ZooKeeper wants a login: KAFKA_OPTS=-Djava.security.auth.login.config=FILE"
        )
    if isinstance(error, (ConnectionLoss, SessionExpiredError, KazooTimeoutError)):
        return ConnectError(f"the connection to ZooKeeper was lost ({type(error).__name__})")
    return PkoError(f"ZooKeeper refuses: {type(error).__name__} {error}".rstrip())


def stat_of(stat: Any) -> ZnodeStat:
    """From kazoo's."""
    return ZnodeStat(
        stat.czxid, stat.mzxid, stat.pzxid, stat.ctime, stat.mtime, stat.version, stat.cversion,
        stat.aversion, stat.ephemeralOwner, stat.dataLength, stat.numChildren,
    )  # fmt: skip


def address(given: str | None, env: Mapping[str, str]) -> str:
    """``--zookeeper``, else PKO_ZOOKEEPER; UsageError where neither is set."""
    hosts = given or env.get("PKO_ZOOKEEPER")
    if not hosts:
        raise UsageError(
            "which ZooKeeper? give --zookeeper HOST:PORT[/CHROOT] or set PKO_ZOOKEEPER"
        )
    return hosts


def opened(run: Run, hosts: str, timeout_s: float, session_s: float | None = None) -> Client:
    """A client of ``host:port,...[/chroot]``, with TLS and a login as ``--zk-tls-config-file`` and
    the JVM's options say.

    ``session_s``: its session's timeout, else ``timeout_s``. Raises ConnectError where nobody lets
    us in within ``timeout_s``, UsageError.
    """
    import logging

    logging.getLogger("kazoo").setLevel(logging.CRITICAL)
    access = tools_access(run.args.text("zk-tls-config-file"), run.env)
    try:
        client = Client(hosts, session_s or max(timeout_s, 4.0), access)
    except ValueError as error:
        raise UsageError(f"--zookeeper {hosts}: {error}") from None
    client.open(timeout_s)
    return client


@contextlib.contextmanager
def connected(run: Run) -> Iterator[ZnodeSession]:
    """A session with what ``--zookeeper`` names, else PKO_ZOOKEEPER; raises as :func:`opened`."""
    client = opened(run, address(run.args.text("zookeeper"), run.env), run.silence)
    try:
        yield ZnodeSession(client)
    finally:
        client.end()


@contextlib.contextmanager
def reader(run: Run) -> Iterator[ZnodeReader]:
    """What the command line names: ``--store``, or ``--zookeeper``."""
    args = run.args
    if not args.has("store"):
        with connected(run) as session:
            yield session
        return
    for name in ("zookeeper", "zk-tls-config-file"):
        if args.has(name):
            raise UsageError(f"either --{name} or --store")
    from pykafka_ops.commands.zookeeper.store_file import opened

    with opened(args.text("store") or "") as file:
        yield file
