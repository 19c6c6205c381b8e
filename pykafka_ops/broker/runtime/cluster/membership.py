"""A broker's membership of its cluster: the tree of znodes, the ids, the registration."""

from __future__ import annotations

import asyncio
import logging
import os

from pykafka_ops.broker.metadata.embedded import FILE_NAME, EmbeddedStore
from pykafka_ops.broker.metadata.registration import (
    BrokerIdTakenError,
    cluster_id,
    ensure_paths,
    generate_broker_id,
    register_broker,
)
from pykafka_ops.broker.metadata.store import MetadataStore
from pykafka_ops.broker.metadata.znodes.brokers import BrokerIdZNode
from pykafka_ops.broker.runtime.cluster import adoption
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.image import BrokerInfo
from pykafka_ops.broker.storage.clocks import wall_clock
from pykafka_ops.broker.storage.files import Lock
from pykafka_ops.broker.storage.real_files import RealFiles
from pykafka_ops.errors import SettingError, StorageError
from pykafka_ops.random_uuid import random_uuid
from pykafka_ops.settings import check
from pykafka_ops.wire.types import uuid_text

log = logging.getLogger("kafka.server.KafkaServer")

NO_BROKER_ID = -1
LOCK = "metadata.lock"
SESSION = "zookeeper.session"
GRACE_MS = 4_000
"""ZooKeeper ends sessions in steps of its tick: at most this long (ms) after their time-out."""
SETTLE_S = 1.0
"""How long (ms) the controller, maybe a new one, has to see that our former session has ended. A
power cut may have taken what we had acknowledged, so we must not go on as leader of it."""

NOBODY_OWNS = (
    "zookeeper.set.acl=true needs a login to ZooKeeper that shall own the znodes: set "
    "KAFKA_OPTS=-Djava.security.auth.login.config=FILE with a section Client in the JAAS file, or "
    "zookeeper.ssl.client.enable and zookeeper.ssl.keystore.location"
)


def lock(data_dir: str) -> Lock:
    """Keep other brokers out of ``data_dir``. Raises StorageError."""
    try:
        return RealFiles().lock(os.path.join(data_dir, LOCK))
    except BlockingIOError:
        raise StorageError(
            f"another broker uses {data_dir}: stop it (pko broker stop --data-dir "
            f"{data_dir}) or give this one another --data-dir"
        ) from None
    except OSError as error:
        raise StorageError(f"cannot write to {data_dir}: {error.strerror}") from None


async def open_store(configs: BrokerConfigs, data_dir: str) -> MetadataStore:
    """ZooKeeper if ``zookeeper.connect`` is set, else the embedded store below ``data_dir``.

    Raises ConnectError, SettingError or another UsageError, StoreError.
    """
    connect = (configs.text("zookeeper.connect") or "").strip()
    if not connect:
        if configs.value("zookeeper.set.acl"):
            log.warning("zookeeper.set.acl=true has no effect without zookeeper.connect")
        return EmbeddedStore(os.path.join(data_dir, FILE_NAME), clock=wall_clock)
    # kazoo takes its time, and memory
    from pykafka_ops.broker.metadata.zookeeper.store import ZooKeeperStore
    from pykafka_ops.zookeeper.access import access_of

    access = access_of(configs.static, os.environ)
    set_acl = configs.value("zookeeper.set.acl")
    if set_acl and not access.secure:
        raise SettingError(NOBODY_OWNS)
    session = configs.value("zookeeper.session.timeout.ms")
    try:
        return await ZooKeeperStore.connect(
            connect,
            session_timeout_ms=session,
            connection_timeout_ms=configs.value("zookeeper.connection.timeout.ms") or session,
            session_file=os.path.join(data_dir, SESSION),
            access=access,
            set_acl=set_acl,
        )
    except ValueError as error:
        raise SettingError(
            f"zookeeper.connect={connect}: {error}: write HOST:PORT,HOST:PORT/CHROOT"
        ) from None


class Membership:
    """The ids of this broker and its cluster; use :meth:`take`."""

    def __init__(self, store: MetadataStore, configs: BrokerConfigs) -> None:
        self.store = store
        self.configs = configs
        self.broker_id = NO_BROKER_ID
        self.cluster_id = ""
        self._info: BrokerInfo | None = None
        self.fresh = False
        """Whether this broker is the whole cluster, and the tree is new."""

    @classmethod
    async def take(cls, store: MetadataStore, configs: BrokerConfigs) -> Membership:
        """Settle the ids. Raises StoreError; StorageError if the log directories are those of
        another cluster."""
        membership = cls(store, configs)
        alone = not configs.value("zookeeper.connect")
        dirs = check.log_dirs(configs.value)
        stored_id, stored_cluster = adoption.stored_identity(RealFiles(), dirs)
        membership.fresh = alone and await adoption.is_fresh(store)
        await ensure_paths(store)
        adopted = stored_cluster if membership.fresh else None
        proposed = adopted or uuid_text(random_uuid())
        membership.cluster_id = await cluster_id(store, proposed)
        if stored_cluster not in (None, membership.cluster_id):
            raise StorageError(
                f"The Cluster ID {membership.cluster_id} doesn't match stored clusterId "
                f"{stored_cluster} in {dirs[0]}. The broker is trying to join the wrong cluster. "
                "Configured zookeeper.connect may be wrong."
            )
        membership.broker_id = await _broker_id(store, configs, stored_id)
        return membership

    async def rejoin(self) -> int:
        """Register again after the session was lost; the new epoch. Raises as :meth:`register`."""
        assert self._info is not None, "not registered"
        return await self.register(self._info)

    async def register(self, info: BrokerInfo) -> int:
        """Register this broker; its epoch.

        After kill -9 the broker's last session may still hold the id: it is ended where it is
        known, else waited for as long as it can last. Raises StoreError, BrokerIdTakenError.
        """
        self._info = info
        try:
            return await register_broker(self.store, info, wall_clock())
        except BrokerIdTakenError as error:
            await self._wait_for_former_life(BrokerIdZNode.path(info.id), error)
        return await register_broker(self.store, info, wall_clock())

    async def _wait_for_former_life(self, path: str, error: BrokerIdTakenError) -> None:
        former = await self.store.exists(path)
        if former is None or await self.store.end_former_session(former.ephemeral_owner):
            return
        patience = self.configs.value("zookeeper.session.timeout.ms") + GRACE_MS
        log.warning("%s; waiting up to %d ms for that", error, patience)
        gone = asyncio.Event()
        cancel = self.store.watch_data(path, lambda _: gone.set())
        try:
            async with asyncio.timeout(patience / 1000):
                while await self.store.exists(path) is not None:
                    await gone.wait()
                    gone.clear()
            await asyncio.sleep(SETTLE_S)
        except TimeoutError:
            pass
        finally:
            cancel()


async def _broker_id(store: MetadataStore, configs: BrokerConfigs, stored: int | None) -> int:
    """``broker.id``, else the id ``stored`` in the log directories, else a new one.

    Raises StoreError (``KafkaServer.getOrGenerateBrokerId``).
    """
    wanted: int = configs.value("broker.id")
    if wanted != NO_BROKER_ID:
        return wanted
    if stored is not None:
        return stored
    return await generate_broker_id(store, configs.value("reserved.broker.max.id"))
