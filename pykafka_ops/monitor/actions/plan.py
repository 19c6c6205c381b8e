"""What an action would change: shown before it is done, and compared with what it would be then."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import PkoError

Params = Mapping[str, str]


class PlannedChange(NamedTuple):
    """One thing that changes; None: there is nothing, before or after."""

    what: str
    before: str | None
    after: str | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ActionPlan:
    """``name``: the topic, group or broker that is changed. ``steps``: what is done, in whatever
    form the action wants. ``again``: the parameters that plan the same, if the cluster still is as
    it was; ``public``: those without secrets. ``command``: the words of the ``pko`` command that
    does the same; ``undo``: those that take it back (() where none does); ``undone_by``: the
    action of ours that does."""

    name: str
    changes: tuple[PlannedChange, ...]
    steps: Any
    again: Params
    public: Params
    command: tuple[str, ...]
    undo: tuple[str, ...] = ()
    undone_by: str = ""
    notes: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The same for the same changes of the same things."""
        said = json.dumps([self.name, self.changes, self.steps], default=str)
        return hashlib.sha256(said.encode("utf-8", "backslashreplace")).hexdigest()


class Ground(NamedTuple):
    """What actions stand on besides the cluster: the time (ms), where moves of groups are noted."""

    now: int
    notes: Path


Failures = Mapping[str, PkoError]
"""What failed, by the name of the change; without, all was done."""


class ActionField(NamedTuple):
    """A parameter: its key, what people see, the values there are (() any)."""

    key: str
    title: str
    hint: str = ""
    choices: Sequence[str] = ()
    required: bool = False


TOPIC_FIELD: Final = ActionField("topic", "Topic", required=True)
PARTITIONS_FIELD: Final = ActionField("partition", "Partitions", "all; or 0,2")


class Action(NamedTuple):
    """``plan`` asks the cluster and changes nothing; UsageError, KafkaError and other PkoError.
    ``run`` does what a plan says, and may raise PkoError before anything is done. ``subject``: the
    key of the parameter that names what is changed. ``typed``: that name is typed to confirm."""

    right: str
    title: str
    subject: str
    fields: Sequence[ActionField]
    plan: Callable[[Cluster, Params, Ground], ActionPlan]
    run: Callable[[Cluster, ActionPlan, Ground], Failures]
    typed: bool = False
