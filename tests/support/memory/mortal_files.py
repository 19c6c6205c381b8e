"""Files in memory whose process dies at a planned moment."""

from __future__ import annotations

from tests.support.memory.files import Fault, MemoryFiles


class PowerCutError(BaseException):
    """The process is over."""


class MortalFiles(MemoryFiles):
    """Files whose process dies at the ``last``-th change it makes."""

    CHANGES = frozenset({"append", "truncate", "sync", "write", "rename", "remove", "mkdir"})

    def __init__(self) -> None:
        super().__init__()
        self.last = 0
        self.changes = 0
        self.dead = False

    def check(self, operation: str, path: str) -> Fault | None:
        if operation in self.CHANGES or operation == "sync_directory":
            self.changes += 1
            if self.changes == self.last:
                self.dead = True
        if self.dead:
            raise PowerCutError
        return super().check(operation, path)

    def live(self, last: int = 0) -> None:
        self.last, self.changes, self.dead = last, 0, False
