"""``pko storage info`` and kafka-storage info: whether directories are formatted, and as what."""

from __future__ import annotations

import os
from collections.abc import Iterator

from pykafka_ops.commands.framework.meta_properties import read_meta_properties
from pykafka_ops.commands.framework.output import Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.storage.node import read_node
from pykafka_ops.disk.checkpoint import MetaProperties
from pykafka_ops.disk.names import META_PROPERTIES
from pykafka_ops.errors import CorruptIndexError

COLUMNS = (
    Column("directory"),
    Column("state", bad=lambda state: state != "formatted"),
    Column("cluster_id", "CLUSTER"),
    Column("node_id", "NODE", right=True),
    Column("directory_id", "ID"),
    Column("version", right=True),
)


def info(run: Run) -> Table:
    """A row for each directory; exit code 1 where one has a problem."""
    node = read_node(run)
    rows: list[tuple[object, ...]] = []
    problems: list[str] = []
    there: list[str] = []
    first: MetaProperties | None = None
    for directory in node.directories:
        meta, problem = _look(directory)
        if os.path.isdir(directory):
            there.append(directory)
        if meta is not None and first is not None:
            problem = _mismatch(first, meta)
        first = first or meta
        if problem:
            problems.append(problem)
        rows.append((
            directory, _state(directory, meta), meta and meta.cluster_id, meta and meta.broker_id,
            meta and meta.directory_id, meta and meta.version,
        ))  # fmt: skip
    if first is not None and first.version == 0:
        problems.append(
            "The kafka configuration file appears to be for a cluster in KRaft mode, but the "
            "directories are formatted for legacy mode."
        )
    notes = [] if run.args.flags else [f"pko: {text}" for text in problems]
    return Table(
        "log-directories", COLUMNS, rows_of(COLUMNS, rows), notes=notes,
        kafka=_text(there, first, problems), exit_code=1 if problems else 0,
    )  # fmt: skip


def _look(directory: str) -> tuple[MetaProperties | None, str]:
    """What it holds, or what is wrong with it."""
    if not os.path.exists(directory):
        return None, f"{directory} does not exist"
    if not os.path.isdir(directory):
        return None, f"{directory} is not a directory"
    try:
        return read_meta_properties(directory), ""
    except FileNotFoundError:
        return None, f"{directory} is not formatted."
    except (OSError, CorruptIndexError) as error:
        said = getattr(error, "strerror", None) or str(error)
        return None, f"Error loading {os.path.join(directory, META_PROPERTIES)}: {said}"


def _state(directory: str, meta: MetaProperties | None) -> str:
    if meta is not None:
        return "formatted"
    return "not formatted" if os.path.isdir(directory) else "missing"


def _mismatch(first: MetaProperties, other: MetaProperties) -> str:
    if first.cluster_id != other.cluster_id:
        return "Mismatched cluster IDs between storage directories."
    if first.broker_id != other.broker_id:
        return "Mismatched node IDs between storage directories."
    return ""


def _text(there: list[str], first: MetaProperties | None, problems: list[str]) -> Iterator[str]:
    if there:
        yield f"Found log {'directory' if len(there) == 1 else 'directories'}:\n"
        yield from (f"  {directory}\n" for directory in there)
        yield "\n"
    if first is not None:
        known = {
            "node.id" if first.version else "broker.id": first.broker_id,
            "cluster.id": first.cluster_id,
            "directory.id": first.directory_id,
            "version": first.version,
        }
        shown = ", ".join(f"{k}={v}" for k, v in sorted(known.items()) if v is not None)
        yield f"Found metadata: {{{shown}}}\n\n"
    if problems:
        yield f"Found problem{'s' if len(problems) > 1 else ''}:\n"
        yield from (f"  {text}\n" for text in problems)
        yield "\n"
