"""The file of a plan: Kafka's document, which also says what was before.

``{"version": 1, "partitions": [...], "before": [...], "cluster": "...", "topics": {"t": "id"}}``:
``before`` is written as ``partitions`` is. Kafka's tool reads the same file, it passes over the
rest. For a file without
``before`` (one that others wrote) ``run`` keeps it in a file beside it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.analysis.moves.plan import reassignment
from pykafka_ops.commands.framework.files import in_file
from pykafka_ops.commands.reassign_partitions import document
from pykafka_ops.commands.reassign_partitions.text import Partition
from pykafka_ops.errors import PkoError

Replicas = dict[Partition, tuple[int, ...]]


class PlanFile(NamedTuple):
    """Replicas before (None: the file does not say) and after; ``cluster``: the id of its cluster
    (None: not known); ``topics``: ids of topics, as far as they are known."""

    before: Replicas | None
    after: Replicas
    cluster: str | None
    topics: Mapping[str, str]


def read(path: str) -> PlanFile:
    """The file, or DocumentError with what is wrong with it."""
    text = document.read_file(path)
    with in_file(path):
        after = _replicas(document.plan_of(text))
        fields = json.loads(text)
        before = None
        if "before" in fields:
            old = {"version": 1, "partitions": fields["before"]}
            before = _replicas(document.plan_of(json.dumps(old)))
            if before.keys() != after.keys():
                raise document.DocumentError("before and partitions are not of the same ones")
    cluster, topics = fields.get("cluster"), fields.get("topics")
    known = topics if isinstance(topics, dict) else {}
    return PlanFile(
        before,
        after,
        cluster if isinstance(cluster, str) else None,
        {name: id_ for name, id_ in known.items() if isinstance(id_, str)},
    )


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
    topics: Mapping[str, str],
) -> str:
    """The text of a file; of ``topics`` it has those that it is about."""
    fields = {**reassignment(after), "before": reassignment(before)["partitions"]}
    ids = {name: topics[name] for name, _ in sorted(after) if name in topics}
    more = {"cluster": cluster, "topics": ids}
    return json.dumps({**fields, **more}, separators=(",", ":")) + "\n"


@contextlib.contextmanager
def kept(path: str, text: str | None, wanted: Callable[[], bool]) -> Iterator[None]:
    """Write the file for what is done within (None: it is there already); it goes again unless it
    is wanted at the end. PkoError where it cannot be written."""
    if text is not None:
        write(path, text)
    try:
        yield
    finally:
        if text is not None and not wanted():
            os.unlink(path)


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
