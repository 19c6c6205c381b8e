"""A machine of the simulation: its disks, and the broker that runs there now and then."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from pykafka_ops.broker.metadata.store import SessionLostError
from pykafka_ops.broker.runtime.broker import Broker
from pykafka_ops.errors import PkoError
from tests.support.memory.files import MemoryFiles
from tests.support.simulated.loop import Life, SimLoop
from tests.support.simulated.network import Network

if TYPE_CHECKING:
    from pykafka_ops.broker.runtime.parts import Parts

DIRS = ("/data/0", "/data/1")
PORT = 9092


class State(Enum):
    """What the broker of a machine does."""

    DOWN = "down"
    STARTING = "starting"
    UP = "up"
    STOPPING = "stopping"


class Node:
    """Machine ``b<id>``. Files outlive the broker, and lose what was not synced with the power."""

    def __init__(
        self,
        id_: int,
        loop: SimLoop,
        network: Network,
        settings: Mapping[str, str],
        failed: Callable[[str], None],
    ) -> None:
        self.id = id_
        self.host = f"b{id_}"
        self.state = State.DOWN
        self.lives = 0
        self._boots = 0
        self.doomed = False
        """Whether a disk was made to fail: it may die by itself, or stop without a clean end."""
        self.life = Life(self.host)
        self.broker: Broker | None = None
        self._files = MemoryFiles()
        self._loop = loop
        self._network = network
        self._failed = failed
        self._settings = {
            **settings,
            "broker.id": str(id_),
            "listeners": f"PLAINTEXT://{self.host}:{PORT}",
            "log.dirs": ",".join(DIRS),
        }
        for path in DIRS:
            self._files.make_directory(path)

    @property
    def parts(self) -> Parts | None:
        """The running broker's, None while there is none."""
        return self.broker.parts if self.broker is not None and self.state is State.UP else None

    @property
    def files(self) -> MemoryFiles:
        """The disks, as this life sees them."""
        return self._files

    def start(self) -> None:
        """Start the broker."""
        assert self.state is State.DOWN
        self.state, self.doomed = State.STARTING, False
        self.lives += 1
        self._network.start(self.host)
        skew = self._loop.draw.choice((0, 0, -2000, 3000))
        life = self.life = Life(self.host, self._files, skew, self._boots)
        self._loop.create_task(self._run(life), context=life.context)

    async def _run(self, life: Life) -> None:
        broker = self.broker = Broker(self._settings, Path("/data"), on_fatal=self._fatal)
        try:
            await broker.start()
        except (PkoError, OSError) as error:
            if not self.doomed and not isinstance(error, SessionLostError):
                self._failed(f"broker {self.id} does not start: {error}")
            await broker.stop()
            self.kill()
            return
        self.state = State.UP

    def _fatal(self) -> None:
        """The broker cannot go on."""
        if not self.doomed:
            self._failed(f"broker {self.id} gives up")
        self.kill()

    def stop(self) -> None:
        """SIGTERM."""
        assert self.state is State.UP
        self.state = State.STOPPING
        self._loop.create_task(self._stop(self.life), context=self.life.context)

    async def _stop(self, life: Life) -> None:
        assert self.broker is not None
        await self.broker.stop()
        if self.life is life:
            if not self.doomed:
                self._check_clean()
            self.kill()

    def _check_clean(self) -> None:
        """I9: a clean stop needs no recovery, and nothing that the disk may lose."""
        files = self._files
        for path in DIRS:
            if not files.exists(f"{path}/.kafka_cleanshutdown"):
                self._failed(f"broker {self.id} left no mark of a clean stop in {path}")
        for path, inode in files.inodes.items():
            if (
                path.endswith(".log")
                and "-delete/" not in path
                and bytes(inode.data) != (inode.durable or b"")
            ):
                self._failed(f"broker {self.id} stopped without syncing {path}")

    def kill(self) -> None:
        """SIGKILL: what was written stays."""
        if self.state is not State.DOWN:
            self._end(silently=False)
            self._files.crash()

    def lose_power(self, draw: random.Random) -> None:
        """The machine is dark: what was not synced is gone, or a part of it."""
        if self.state is State.DOWN:
            return
        self._boots += 1
        self._end(silently=True)

        def torn(path: str, durable: bytes, content: bytes) -> bytes:
            if draw.random() < 0.4 or not content.startswith(durable):
                return durable
            kept = content[: draw.randint(len(durable), len(content))]
            if draw.random() < 0.2:  # the length got there, the bytes did not
                kept += bytes(len(content) - len(kept))
            return kept

        self._files.lose_unsynced(torn)

    def _end(self, *, silently: bool) -> None:
        """This life is over; the next one has files of its own, with the same content."""
        self.life.alive = False
        self.state = State.DOWN
        self._network.kill(self.life, silently=silently)
        before = self._files
        self._files = MemoryFiles()
        self._files.folders = set(before.folders)
        self._files.inodes = before.inodes
        before.inodes = {}  # whoever of the dead still writes, writes nowhere
