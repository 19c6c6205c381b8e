"""``pko storage format`` and kafka-storage format: the directories of a new node of KRaft."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from pykafka_ops.analysis.java_hash import in_hash_order, java_hash
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.storage.directories import load, verify
from pykafka_ops.commands.storage.errors import StorageToolError
from pykafka_ops.commands.storage.node import KraftNode, read_node
from pykafka_ops.commands.storage.plan import FormatPlan, make_plan
from pykafka_ops.disk.checkpoint import MetaProperties, format_meta_properties
from pykafka_ops.disk.kraft.snapshot import (
    BOOTSTRAP,
    FIRST_SNAPSHOT,
    ScramUser,
    bootstrap_file,
    feature_record,
    user_record,
    voters_snapshot,
)
from pykafka_ops.disk.names import META_PROPERTIES, METADATA_PARTITION
from pykafka_ops.errors import UsageError
from pykafka_ops.random_uuid import random_uuid
from pykafka_ops.wire.types import uuid_text

_ORDER = ["node.id", "directory.id", "version", "cluster.id"]
LOG, STATIC = "data directory", "metadata directory"
DYNAMIC, VOTER = "dynamic metadata directory", "dynamic metadata voter directory"


def format_directories(run: Run) -> None:
    """Format those that are not yet; StorageToolError, UsageError."""
    args = run.args
    if not args.has("cluster-id"):
        raise UsageError("which cluster? give -t ID; pko storage random-uuid makes one")
    node = read_node(run)
    plan = make_plan(args, node, random_uuid())
    cluster_id = args.given("cluster-id")[-1]
    found = load(node.directories)
    verify(found, cluster_id, node.id)
    if found.formatted and not args.has("ignore-formatted"):
        first = in_hash_order(found.formatted, java_hash)[0]
        raise StorageToolError(
            f"Log directory {first} is already formatted. Use --ignore-formatted to ignore this "
            "directory and format the others."
        )
    for failed in found.failed:
        _say(run, f"I/O error trying to read log directory {failed}. Ignoring...")
    if found.failed and not found.empty and not found.formatted:
        raise StorageToolError("No available log directories to format.")
    if not found.empty:
        _say(run, "All of the log directories are already formatted.")
        return
    if args.flags:
        _say(run, f"Bootstrap metadata: {bootstrap_text(plan)}")
    taken = {m.directory_id for m in found.formatted.values()}
    for directory in in_hash_order(found.empty, java_hash):
        kind = kind_of(directory, node, plan)
        said = f"{kind} {directory} with metadata.version {plan.release}"
        _say(run, f"Formatting {said}." if args.flags else f"formatted {said}")
        try:
            _write(directory, kind, node, plan, cluster_id, taken)
        except OSError as error:
            path = error.filename or directory
            raise StorageToolError(f"{path}: {error.strerror or error}") from None


def _say(run: Run, text: str) -> None:
    if run.args.flags:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    else:
        run.note(f"pko: {text}")


def _directory_id(taken: set[str | None]) -> str:
    """One that no other directory has."""
    while (text := uuid_text(random_uuid())) in taken:
        pass
    return text


def kind_of(directory: str, node: KraftNode, plan: FormatPlan) -> str:
    """What the directory is for."""
    if directory != node.metadata_directory:
        return LOG
    if not plan.voters:
        return STATIC
    return VOTER if any(v.id == node.id for v in plan.voters) else DYNAMIC


def _write(
    directory: str,
    kind: str,
    node: KraftNode,
    plan: FormatPlan,
    cluster_id: str,
    taken: set[str | None],
) -> None:
    own = next((v for v in plan.voters if v.id == node.id), None)
    directory_id = uuid_text(own.directory) if own and kind == VOTER else _directory_id(taken)
    taken.add(directory_id)
    where = Path(directory)
    where.mkdir(parents=True, exist_ok=True)
    now = int(time.time() * 1000)
    values = [feature_record(*level) for level in plan.written]
    values += [user_record(user) for user in plan.users]
    _replace(where / BOOTSTRAP, bootstrap_file(values, now))
    if kind in (DYNAMIC, VOTER):
        quorum = where / METADATA_PARTITION
        quorum.mkdir(exist_ok=True)
        voters = in_hash_order(plan.voters, lambda voter: voter.id)
        snapshot = voters_snapshot(voters, node.controller_listener, plan.kraft_version, now)
        _replace(quorum / FIRST_SNAPSHOT, snapshot, mode=0o400)
    stamp = time.strftime("#%a %b %d %H:%M:%S %Z %Y", time.localtime(now // 1000))
    meta = MetaProperties(1, cluster_id, node.id, directory_id, comments=["#", stamp], order=_ORDER)
    _replace(where / META_PROPERTIES, format_meta_properties(meta).encode())


def _replace(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write the whole file or none, down to the disk."""
    beside = path.with_name(f"{path.name}.tmp")
    beside.unlink(missing_ok=True)
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(file, "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def bootstrap_text(plan: FormatPlan) -> str:
    """``BootstrapMetadata.toString``."""
    records = ", ".join(f"ApiMessageAndVersion({text} at version 0)" for text in _records(plan))
    return (
        f"BootstrapMetadata(records=[{records}], metadataVersionLevel={plan.version}, "
        "source=format command)"
    )


def _records(plan: FormatPlan) -> Iterator[str]:
    for name, level in plan.written:
        yield f"FeatureLevelRecord(name='{name}', featureLevel={level})"
    for user in plan.users:
        yield _user_text(user)


def _user_text(user: ScramUser) -> str:
    salt, stored, server = (_signed(b) for b in (user.salt, user.stored_key, user.server_key))
    return (
        f"UserScramCredentialRecord(name='{user.name}', mechanism={user.mechanism}, salt={salt}, "
        f"storedKey={stored}, serverKey={server}, iterations={user.iterations})"
    )


def _signed(data: bytes) -> str:
    return str([b - 256 if b > 127 else b for b in data])
