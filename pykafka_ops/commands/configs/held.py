"""Values of settings before a change and after it, as people may see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pykafka_ops.client import scram
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import AlterOp
from pykafka_ops.commands.configs import known, quotas
from pykafka_ops.commands.configs.entity import ConfigEntity
from pykafka_ops.commands.configs.settings import TYPES, own_source, read
from pykafka_ops.commands.framework.output import Cells, Column
from pykafka_ops.errors import PkoError
from pykafka_ops.settings.scram import MECHANISMS
from pykafka_ops.settings.types import java_double

Change = tuple[AlterOp, str, str | None]
"""What to do with a setting: the operation, its name, a value."""

HIDDEN, UNKNOWN, DEFAULT = "[hidden]", "?", "<default>"
"""Of a secret, of what could not be read, of a default that brokers do not tell."""
CHANGED = (Column("setting"), Column("old"), Column("new"))


class PresentValue(NamedTuple):
    """A setting: its value, what holds once it is unset (None: nothing), whether the entity has
    set it itself."""

    value: str | None
    beneath: str | None = None
    own: bool = True


def held(cluster: Cluster, wanted: ConfigEntity) -> dict[str, PresentValue]:
    """What holds for an entity, by name; PkoError."""
    if wanted.kind in TYPES:
        return _settings(cluster, wanted.kind, wanted.names[0])
    found = quotas.read(cluster, wanted)
    values = {k: PresentValue(java_double(v)) for own in found.values() for k, v in own.items()}
    if wanted.types == [known.USERS] and wanted.names[0]:
        mechanisms = scram.describe_scram(cluster, wanted.names).get(wanted.names[0], {})
        if isinstance(mechanisms, PkoError):
            raise mechanisms
        values |= {name: PresentValue(f"iterations={n}") for name, n in mechanisms.items()}
    return values


def _settings(cluster: Cluster, kind: str, name: str) -> dict[str, PresentValue]:
    (described,) = read(cluster, kind, [name])
    if isinstance(described.entries, PkoError):
        raise described.entries
    source, found = own_source(kind, name), {}
    for entry in described.entries:
        beneath = next((s.value for s in entry.synonyms if s.source != source), DEFAULT)
        own = source is None or entry.source == source
        found[entry.name] = PresentValue(entry.value, beneath, own)
    return found


def changed_rows(
    wanted: ConfigEntity, changes: Iterable[Change], before: Mapping[str, PresentValue] | None
) -> list[Cells]:
    """A row for each setting that changes; ``before`` None: it could not be had."""
    rows: list[Cells] = []
    for op, key, value in changes:
        old = None if before is None else before.get(key, PresentValue(None))
        new = _after(op, value, old)
        if key in MECHANISMS and op is AlterOp.SET:
            new = f"iterations={quotas.parse_credential(key, value or '').iterations}"
        shown = UNKNOWN if old is None else old.value
        if _is_secret(wanted.kind, key):
            shown = HIDDEN if old is None or old.own or old.value else None
            new = None if op is AlterOp.DELETE else HIDDEN
        rows.append({"setting": key, "old": shown, "new": new})
    return rows


def _after(op: AlterOp, value: str | None, old: PresentValue | None) -> str | None:
    if op is AlterOp.SET:
        return value
    if old is None:
        return UNKNOWN
    if op is AlterOp.DELETE:
        return old.beneath
    items = [item for item in (old.value or "").split(",") if item]
    words = [word for word in (value or "").split(",") if word]
    if op is AlterOp.APPEND:
        return ",".join(dict.fromkeys([*items, *words]))
    return ",".join(item for item in items if item not in words)


def _is_secret(kind: str, key: str) -> bool:
    """Whether a value is for nobody's eyes: a password, or a setting that no broker knows, which
    it keeps as one."""
    if kind != known.BROKERS:
        return False
    from pykafka_ops.settings.broker import BROKER

    names = [name for name in BROKER if key == name or key.endswith(f".{name}")]
    return any(BROKER[n].sensitive for n in names) or not (names or key in known.names(kind))
