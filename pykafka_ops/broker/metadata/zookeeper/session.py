"""The session a broker had, kept in a file: after kill -9 its next life can end it.

ZooKeeper would keep a killed broker's registration until the session times out, and the id with
it. The file is trusted only where it was written: a copy of the directory may not end the session
of the broker it was copied from.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
from pathlib import Path

from pykafka_ops.broker.metadata.zookeeper.client import (
    ONE_TRY_MS,
    end_client,
    new_client,
    open_client,
)
from pykafka_ops.errors import ConnectError
from pykafka_ops.zookeeper.access import Access

BOOT = Path("/proc/sys/kernel/random/boot_id")
"""Another one after each start of the machine; Linux only."""

Session = tuple[int, bytes]
"""Id and password."""


class FormerSession:
    """What ``path`` held when the broker started; the present session is kept there for the next.

    ``hosts`` (without the chroot) and ``access`` are those of the present client.
    """

    def __init__(self, path: Path, hosts: str, timeout_ms: int, access: Access) -> None:
        self._path = path
        self._hosts = hosts
        self._timeout_ms = timeout_ms
        self._access = access
        self._former = self._read()

    def keep(self, session: Session) -> None:
        """Keep ``session`` for the next life, if that can be written."""
        kept = {"id": session[0], "password": session[1].hex(), "place": self._place()}
        new = self._path.with_name(f"{self._path.name}.tmp")
        with contextlib.suppress(OSError):
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
                json.dump(kept, out)
            new.replace(self._path)

    def forget(self) -> None:
        """The present session has ended."""
        with contextlib.suppress(OSError):
            self._path.unlink()

    async def end(self, session: int) -> bool:
        """End the session of that id; whether it was this broker's, and could be."""
        if self._former is None or self._former[0] != session:
            return False
        patience = min(self._timeout_ms, ONE_TRY_MS)
        client = new_client(self._hosts, patience, self._access, client_id=self._former)
        try:
            await open_client(client, self._hosts, self._timeout_ms)
        except ConnectError:
            return False
        await end_client(client)
        return True

    def _read(self) -> Session | None:
        try:
            kept = json.loads(self._path.read_text())
            if kept["place"] == self._place():
                return int(kept["id"]), bytes.fromhex(kept["password"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return None

    def _place(self) -> str:
        """Where the file is: another for each copy of the directory, and after each start of the
        machine. What was not synced is lost then, and the controller must see that the broker was
        gone before it is back."""
        found = os.stat(self._path.parent)
        boot = ""
        with contextlib.suppress(OSError):
            boot = BOOT.read_text().strip()
        return f"{socket.gethostname()}:{found.st_dev}:{found.st_ino}:{boot}"
