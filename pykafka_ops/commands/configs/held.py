"""Values of settings before a change and after it, as people may see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pykafka_ops.client import scram
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import AlterOp, ConfigResource
from pykafka_ops.client.setting_values import (
    HIDDEN,
    UNKNOWN,
    PresentValue,
    is_secret,
    present_values,
    value_after,
)
from pykafka_ops.commands.configs import known, quotas
from pykafka_ops.commands.configs.entity import ConfigEntity
from pykafka_ops.commands.configs.settings import TYPES
from pykafka_ops.commands.framework.output import Cells, Column
from pykafka_ops.errors import PkoError
from pykafka_ops.java_numbers import java_double
from pykafka_ops.settings.scram import MECHANISMS

Change = tuple[AlterOp, str, str | None]
"""What to do with a setting: the operation, its name, a value."""

CHANGED = (Column("setting"), Column("old"), Column("new"))


def held(cluster: Cluster, wanted: ConfigEntity) -> dict[str, PresentValue]:
    """What holds for an entity, by name; PkoError."""
    if wanted.kind in TYPES:
        return present_values(cluster, ConfigResource(TYPES[wanted.kind], wanted.names[0]))
    found = quotas.read(cluster, wanted)
    values = {k: PresentValue(java_double(v)) for own in found.values() for k, v in own.items()}
    if wanted.types == [known.USERS] and wanted.names[0]:
        mechanisms = scram.describe_scram(cluster, wanted.names).get(wanted.names[0], {})
        if isinstance(mechanisms, PkoError):
            raise mechanisms
        values |= {name: PresentValue(f"iterations={n}") for name, n in mechanisms.items()}
    return values


def changed_rows(
    wanted: ConfigEntity, changes: Iterable[Change], before: Mapping[str, PresentValue] | None
) -> list[Cells]:
    """A row for each setting that changes; ``before`` None: it could not be had."""
    rows: list[Cells] = []
    for op, key, value in changes:
        old = None if before is None else before.get(key, PresentValue(None))
        new = value_after(op, value, old)
        if key in MECHANISMS and op is AlterOp.SET:
            new = f"iterations={quotas.parse_credential(key, value or '').iterations}"
        shown = UNKNOWN if old is None else old.value
        if wanted.kind == known.BROKERS and is_secret(key):
            shown = HIDDEN if old is None or old.own or old.value else None
            new = None if op is AlterOp.DELETE else HIDDEN
        rows.append({"setting": key, "old": shown, "new": new})
    return rows
