"""The file of a plan: Kafka's document, which also says what was before.

``{"version": 1, "partitions": [...], "before": [...], "cluster": "..."}``: ``before`` is written as
``partitions`` is. Kafka's tool reads the same file, it passes over the rest. For a file without
``before`` (one that others wrote) ``run`` keeps it in a file beside it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.analysis.moves.plan import reassignment
from pykafka_ops.commands.reassign_partitions import document
from pykafka_ops.commands.reassign_partitions.text import Partition
from pykafka_ops.errors import PkoError

Replicas = dict[Partition, tuple[int, ...]]


class PlanFile(NamedTuple):
    """Replicas before (None: the file does not say) and after; ``cluster``: the id of its cluster
    (None: not known)."""

    before: Replicas | None
    after: Replicas
    cluster: str | None


def read(path: str) -> PlanFile:
    """The file, or DocumentError with what is wrong with it."""
    text = document.read_file(path)
    try:
        after = _replicas(document.plan_of(text))
        fields = json.loads(text)
        before = None
        if "before" in fields:
            old = {"version": 1, "partitions": fields["before"]}
            before = _replicas(document.plan_of(json.dumps(old)))
            if before.keys() != after.keys():
                raise document.DocumentError("before and partitions are not of the same ones")
    except document.DocumentError as error:
        raise document.DocumentError(f"{path}: {error}") from None
    cluster = fields.get("cluster")
    return PlanFile(before, after, cluster if isinstance(cluster, str) else None)


def _replicas(wanted: document.WantedReplicas) -> Replicas:
    if wanted.dirs:
        raise document.DocumentError(
            "it names log directories, which only execute and verify of this command move "
            'replicas to: write "any"'
        )
    return {key: tuple(ids) for key, ids in wanted.partitions}


def text_of(
    before: Mapping[Partition, Sequence[int]],
    after: Mapping[Partition, Sequence[int]],
    cluster: str | None,
) -> str:
    """The text of a file."""
    fields = {**reassignment(after), "before": reassignment(before)["partitions"]}
    return json.dumps({**fields, "cluster": cluster}, separators=(",", ":")) + "\n"


def write(path: str, text: str) -> None:
    """Write the file, whole or not at all; PkoError where that cannot be done."""
    temporary = f"{path}.tmp"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise PkoError(f"cannot write {path}: {error.strerror}") from None


def beside(path: str) -> str:
    """Where ``run`` keeps what was before, if the file does not say."""
    return f"{path.removesuffix('.json')}.before.json"
