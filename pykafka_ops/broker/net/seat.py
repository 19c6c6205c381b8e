"""A broker's seat in its cluster: the tree of znodes, the ids, the registration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.embedded import FILE_NAME, EmbeddedStore
from pykafka_ops.broker.metadata.membership import cluster_id, ensure_paths, register_broker
from pykafka_ops.broker.net import adoption, identity
from pykafka_ops.broker.net.clocks import wall_clock
from pykafka_ops.broker.storage.files import Lock, RealFiles
from pykafka_ops.errors import StorageError
from pykafka_ops.settings import check
from pykafka_ops.wire.types import uuid_text

if TYPE_CHECKING:
    from pykafka_ops.broker.metadata.store import MetadataStore
    from pykafka_ops.broker.state.configs import BrokerConfigs
    from pykafka_ops.broker.state.image import BrokerInfo

LOCK = "metadata.lock"


def lock(data_dir: Path) -> Lock:
    """Keep other brokers out of ``data_dir``. Raises StorageError."""
    try:
        return RealFiles().lock(str(data_dir / LOCK))
    except BlockingIOError:
        raise StorageError(
            f"another broker uses {data_dir}: stop it (pko broker stop --data-dir "
            f"{data_dir}) or give this one another --data-dir"
        ) from None
    except OSError as error:
        raise StorageError(f"cannot write to {data_dir}: {error.strerror}") from None


def open_store(data_dir: Path) -> MetadataStore:
    """The embedded store below ``data_dir``."""
    return EmbeddedStore(data_dir / FILE_NAME, clock=wall_clock)


class Seat:
    """Which broker this is, of which cluster; use :meth:`take`."""

    def __init__(self, store: MetadataStore, configs: BrokerConfigs) -> None:
        self.store = store
        self.configs = configs
        self.broker_id: int = configs.value("broker.id")
        self.cluster_id = ""
        self.fresh = False
        """Whether nobody has used the tree before."""

    @classmethod
    async def take(cls, store: MetadataStore, configs: BrokerConfigs) -> Seat:
        """Settle the ids. Raises StoreError, StorageError."""
        seat = cls(store, configs)
        seat.fresh = await adoption.is_fresh(store)
        dirs = check.log_dirs(configs.value)
        stored_cluster = adoption.stored_identity(RealFiles(), dirs)[1]
        await ensure_paths(store)
        adopted = stored_cluster if seat.fresh else None
        seat.cluster_id = await cluster_id(store, adopted or uuid_text(identity.random_uuid()))
        return seat

    async def register(self, info: BrokerInfo) -> int:
        """Register this broker; its epoch."""
        return await register_broker(self.store, info, wall_clock())
