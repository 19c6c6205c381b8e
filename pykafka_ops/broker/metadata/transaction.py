"""One transaction on the tree of znodes, worked out on copies of those that it touches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter

from pykafka_ops.broker.metadata.store import (
    ANY_VERSION,
    BadVersionError,
    Create,
    Delete,
    EphemeralParentError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    Op,
    OpResult,
    SetData,
    Stat,
    StoreError,
    split,
)
from pykafka_ops.broker.metadata.znodes.admin import TopicDeletions

_MAX_CHILD_SEQUENCE = 2**31


@dataclass(slots=True, eq=False)
class TreeNode:
    """One row, its columns in order; ``creates`` counts the children ever created, as ZooKeeper's
    server does."""

    data: bytes | None
    version: int
    creates: int
    children: int
    czxid: int
    mzxid: int
    pzxid: int
    ctime: int
    mtime: int
    owner: int

    @classmethod
    def new(cls, data: bytes | None, zxid: int, now: int, owner: int) -> TreeNode:
        return cls(data, 0, 0, 0, zxid, zxid, zxid, now, now, owner)

    def stat(self) -> Stat:
        return Stat(
            czxid=self.czxid,
            mzxid=self.mzxid,
            ctime=self.ctime,
            mtime=self.mtime,
            version=self.version,
            # Every create, and every delete: those created and no longer there.
            cversion=2 * self.creates - self.children,
            aversion=0,
            ephemeral_owner=self.owner,
            data_length=len(self.data or b""),
            num_children=self.children,
            pzxid=self.pzxid,
        )


columns = attrgetter(*TreeNode.__slots__)


class Changes:
    """Whose watches a transaction fires."""

    __slots__ = ("children", "data")

    def __init__(self) -> None:
        self.data: dict[str, None] = {}
        self.children: dict[str, None] = {}


class TreeTransaction:
    """Copies of the znodes that a transaction touches; None stands for a deleted one."""

    def __init__(
        self, load: Callable[[str], TreeNode | None], zxid: int, now: int, session: int
    ) -> None:
        self.touched: dict[str, TreeNode | None] = {}
        self.changes = Changes()
        self.ephemeral = False
        """Whether it makes or removes an ephemeral."""
        self.orders = False
        """Whether it orders the deletion of a topic."""
        self.frees = True
        """Whether all that it does is to order deletions, and to delete."""
        self._fresh: set[str] = set()
        self._load = load
        self._zxid = zxid
        self._now = now
        self._session = session

    def run_all(self, ops: Iterable[Op], results: list[OpResult]) -> None:
        """Add the result of each. Raises StoreError; its ``index`` counts the results before."""
        try:
            for op in ops:
                results.append(self._run(op))  # noqa: PERF401 - its length names the bad one
        except StoreError as error:
            error.index = len(results)
            raise

    def _run(self, op: Op) -> OpResult:
        if isinstance(op, Create):
            return self._create(op)
        if isinstance(op, SetData):
            return self._set(op)
        if isinstance(op, Delete):
            self._delete(op)
        else:
            self._existing(op.path, op.version)
        return None

    def _find(self, path: str) -> TreeNode | None:
        if path in self.touched:
            return self.touched[path]
        return self._load(path)

    def _existing(self, path: str, version: int) -> TreeNode:
        node = self._find(path)
        if node is None:
            raise NoNodeError(path)
        if version not in (ANY_VERSION, node.version):
            raise BadVersionError(path)
        return node

    def _create(self, op: Create) -> str:
        parent_path = split(op.path + "0" if op.sequence else op.path)[0]
        parent = self._find(parent_path) if parent_path else None
        if parent is None:
            raise NodeExistsError(op.path) if not parent_path else NoNodeError(parent_path)
        if parent.owner:
            raise EphemeralParentError(op.path)
        path = op.path
        if op.sequence:
            if parent.creates >= _MAX_CHILD_SEQUENCE:
                raise StoreError(path, f"{parent_path} has used up its sequence numbers")
            path = f"{path}{parent.creates:010d}"
        # Below a znode that this transaction creates there is only what it creates: no read.
        existing = self.touched.get(path) if parent_path in self._fresh else self._find(path)
        if existing is not None:
            raise NodeExistsError(path)
        if path not in self.touched:
            self._fresh.add(path)
        owner = self._session if op.ephemeral else 0
        self.ephemeral = self.ephemeral or op.ephemeral
        orders = parent_path == TopicDeletions.path
        self.orders, self.frees = self.orders or orders, self.frees and orders
        self.touched[path] = TreeNode.new(op.data, self._zxid, self._now, owner)
        parent.creates += 1
        self._child_changed(parent_path, parent, 1)
        self.changes.data[path] = self.changes.children[path] = None
        return path

    def _set(self, op: SetData) -> Stat:
        node = self._existing(op.path, op.version)
        node.data = op.data
        node.version += 1
        node.mzxid, node.mtime = self._zxid, self._now
        self.frees = False
        self.touched[op.path] = node
        self.changes.data[op.path] = None
        return node.stat()

    def _delete(self, op: Delete) -> None:
        node = self._existing(op.path, op.version)
        if node.children:
            raise NotEmptyError(op.path)
        parent_path = split(op.path)[0]
        parent = self._find(parent_path) if parent_path else None
        if parent is None:
            raise StoreError(op.path, "the root cannot be deleted")
        self.touched[op.path] = None
        self.ephemeral = self.ephemeral or node.owner != 0
        self._child_changed(parent_path, parent, -1)
        self.changes.data[op.path] = self.changes.children[op.path] = None

    def _child_changed(self, path: str, parent: TreeNode, by: int) -> None:
        parent.children += by
        parent.pzxid = self._zxid
        self.touched[path] = parent
        self.changes.children[path] = None
