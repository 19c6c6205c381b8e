"""``pko configs describe``, and ``--describe`` of kafka-configs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pykafka_ops.client.configs import ConfigEntry
from pykafka_ops.client.generation import is_kafka_4
from pykafka_ops.commands.configs import settings
from pykafka_ops.commands.configs.entity import (
    ConfigEntity,
    check_named,
    entity,
    spoken,
    with_client,
)
from pykafka_ops.commands.configs.known import GROUPS
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import Cells, Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.settings.types import Type

COLUMNS = (
    Column("kind", wide=True),
    Column("name"),
    Column("setting"),
    Column("value"),
    Column("source"),
    Column("type", wide=True),
    Column("read_only", wide=True),
    Column("synonyms", wide=True),
    Column("documentation", optional=True),
)


def describe(run: Run) -> Table | None:
    """Settings in either form; of users, clients and addresses their quotas and credentials."""
    if run.args.has("zookeeper"):
        from pykafka_ops.commands.configs.zookeeper import describe as from_zookeeper

        from_zookeeper(run, entity(run.args))
        return None
    if run.args.flags:
        wanted = entity(run.args)
        names = None if wanted.name is None else [wanted.name]
    else:
        wanted, names = _asked(run)
    if wanted.kind not in settings.TYPES:
        from pykafka_ops.commands.configs import quotas

        if not run.args.has("data-dir"):
            return quotas.describe(run, wanted, names)
        from pykafka_ops.commands.configs.data_dir import opened

        with opened(run) as stored:
            return quotas.table(run, wanted, names, *stored.quotas_of(wanted, names))
    if run.args.flags and names and _is_absent(run, wanted.kind, names[0]):
        said = (
            f"The {wanted.kind[:-1]} '{names[0]}' doesn't exist and doesn't have dynamic config.\n"
        )
        return Table("configs", COLUMNS, [], kafka=[said])
    return _table(run, _described(run, wanted.kind, names))


def _is_absent(run: Run, kind: str, name: str) -> bool:
    """Whether kafka-configs of Kafka 4 says that the thing is not there, and is content."""
    if kind not in settings.TYPES or not name or run.args.has("all") or run.args.has("data-dir"):
        return False
    cluster = run.cluster()
    if not is_kafka_4(cluster, "describeConfigs"):
        return False
    return name not in settings.every_name(cluster, kind)


def _asked(run: Run) -> tuple[ConfigEntity, list[str] | None]:
    """Pko's form: the kind with the first name, and all names (None: every one there is)."""
    kind, words = spoken(run.args)
    names = [name for word in words for name in word.split(",") if name]
    if run.args.has("default"):
        if names:
            raise UsageError(f"--default and {names[0]}: which of them?")
        names = [""]
    check_named(kind, names)
    return with_client(run.args, kind, names[0] if names else None), names or None


def _described(run: Run, kind: str, names: Sequence[str] | None) -> list[settings.DescribedConfigs]:
    if run.args.has("data-dir"):
        from pykafka_ops.commands.configs.data_dir import opened

        if run.args.has("all") or run.args.has("docs"):
            raise UsageError("--all and --docs need the broker: with --data-dir it does not run")
        with opened(run) as stored:
            return stored.described(kind, names)
    cluster = run.cluster()
    asked = list(names) if names is not None else settings.every_name(cluster, kind)
    gone: dict[str, KafkaError] = {}
    if not run.args.flags:
        gone = {n: error for n in asked if (error := settings.absent(cluster, kind, n))}
        if kind == GROUPS and names is not None:
            gone = settings.absent_groups(cluster, names)
    there = [name for name in asked if name not in gone]
    found = settings.read(cluster, kind, there, docs=run.args.has("docs"))
    if not run.args.has("all"):
        found = [
            d if isinstance(d.entries, PkoError) else settings.own_only(d, d.entries) for d in found
        ]
    return [*found, *(settings.DescribedConfigs(kind, n, error) for n, error in gone.items())]


def _table(run: Run, described: list[settings.DescribedConfigs]) -> Table:
    rows: list[Cells] = []
    items, errors = [], []
    for kind, name, entries in described:
        if isinstance(entries, PkoError):
            if not run.args.flags and not run.args.has("data-dir"):
                entries = settings.corrected(run.cluster(), kind, name, entries)
            errors.append(item_error(f"{kind} {name}", entries))
        else:
            rows += rows_of(COLUMNS, (_row(kind, name, e) for e in entries))
            items.append({"kind": kind, "name": name or None, "configs": [*map(_item, entries)]})
    return Table(
        "configs",
        COLUMNS,
        rows,
        items=items,
        kafka=_kafka(described, all_=run.args.has("all")),
        name="setting",
        errors=errors,
    )


def _kafka(described: list[settings.DescribedConfigs], *, all_: bool) -> Iterator[str]:
    """The lines of kafka-configs; the error of a resource comes after its header."""
    for kind, name, entries in described:
        if name:
            yield f"{'All' if all_ else 'Dynamic'} configs for {kind[:-1]} {name} are:\n"
        else:
            yield f"Default configs for {kind} in the cluster are:\n"
        if isinstance(entries, PkoError):
            raise entries
        for e in entries:
            yield (
                f"  {e.name}={_null(e.value)} sensitive={'true' if e.sensitive else 'false'} "
                f"synonyms={{{', '.join(_synonyms(e))}}}\n"
            )


def _synonyms(e: ConfigEntry) -> list[str]:
    return [f"{_named(ConfigSource, s.source)}:{s.name}={_null(s.value)}" for s in e.synonyms]


def _null(value: str | None) -> str:
    return "null" if value is None else value


def _named(kind: type[ConfigSource | Type], number: int) -> str:
    """Kafka's name of the source or the type of a setting."""
    try:
        return kind(number).name
    except ValueError:
        return kind.UNKNOWN.name


def _row(kind: str, name: str, e: ConfigEntry) -> tuple[object, ...]:
    value = "[hidden]" if e.sensitive and e.value is None else e.value
    source, type_ = _named(ConfigSource, e.source), _named(Type, e.type)
    return (kind, name or "<default>", e.name, value, source, type_, e.read_only, _synonyms(e),
            e.documentation or None)  # fmt: skip


def _item(e: ConfigEntry) -> dict[str, object]:
    return {
        "name": e.name,
        "value": e.value,
        "source": _named(ConfigSource, e.source),
        "type": _named(Type, e.type),
        "sensitive": e.sensitive,
        "read_only": e.read_only,
        "synonyms": [
            {"name": s.name, "value": s.value, "source": _named(ConfigSource, s.source)}
            for s in e.synonyms
        ],
        "documentation": e.documentation or None,
    }
