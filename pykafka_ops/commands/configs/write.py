"""``configs set`` and ``unset``, and ``--alter`` of kafka-configs."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping, Sequence

from pykafka_ops.client import configs
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import Op, Resource
from pykafka_ops.commands.configs.entity import (
    BROKER_LOGGERS,
    BROKERS,
    TOPICS,
    ConfigProblem,
    Entity,
    configs_to_add,
    configs_to_delete,
    entity,
    scala_set,
    spoken,
    with_client,
)
from pykafka_ops.commands.configs.read import TYPES, own_only, read
from pykafka_ops.commands.framework.args import java_integer
from pykafka_ops.commands.framework.output import Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode

_PAIR = re.compile(r"([^=+\s][^=]*?)\s*(\+=|-=|=)\s*(.*)", re.DOTALL)
_OPS = {"=": Op.SET, "+=": Op.APPEND, "-=": Op.SUBTRACT}
_LOOKS = 8
_FIRST_WAIT_S = 0.01
COLUMNS = (Column("kind"), Column("name"), Column("settings"))

Changes = list[tuple[Op, str, str | None]]


# --- Kafka's tongue ------------------------------------------------------------------------------


def set_configs(run: Run) -> Table | None:
    """``set`` in our tongue, ``--alter`` in Kafka's."""
    if run.args.flags:
        _alter(run)
        return None
    entities, words = _targets(run)
    changes = [_change(word) for word in words]
    path = run.args.text("file")
    if path is not None:
        from pykafka_ops.commands.framework.profile import read_properties

        changes += [(Op.SET, key, value) for key, value in read_properties(path).items()]
    if not changes:
        raise UsageError("what to set? KEY=VALUE, KEY+=ITEM, KEY-=ITEM, or --file FILE")
    return _apply(run, entities, changes)


def unset_configs(run: Run) -> Table:
    """``unset``: back to the default."""
    entities, words = _targets(run)
    if not words:
        raise UsageError("what to unset? give the names of settings")
    wrong = [word for word in words if "=" in word]
    if wrong:
        raise UsageError(f"{wrong[0]}: only the name of the setting, without a value")
    return _apply(run, entities, [(Op.DELETE, word, None) for word in words])


def _alter(run: Run) -> None:
    wanted = entity(run.args)
    if run.args.has("zookeeper"):
        from pykafka_ops.commands.configs.zookeeper import alter as in_zookeeper

        in_zookeeper(run, wanted)
        return
    if len(wanted.types) != len(wanted.names):
        raise ConfigProblem("An entity name must be specified for every entity type")
    add, delete = configs_to_add(run.args), configs_to_delete(run.args)
    cluster = run.cluster()
    if wanted.kind == BROKERS:
        _replace_broker(cluster, wanted.names[0], add, delete)
    elif wanted.kind in TYPES:
        _change_one(cluster, wanted.kind, wanted.names[0], add, delete)
    else:
        from pykafka_ops.commands.configs.quotas import alter as alter_quotas

        alter_quotas(cluster, wanted, add, delete)
    sys.stdout.write(completed(wanted))


def completed(wanted: Entity) -> str:
    """Kafka's word of success."""
    if wanted.names[0]:
        return f"Completed updating config for {wanted.kind[:-1]} {wanted.names[0]}.\n"
    return f"Completed updating default config for {wanted.kind} in the cluster.\n"


def _present(cluster: Cluster, kind: str, name: str) -> dict[str, str | None]:
    """The settings that ``name`` has of its own (of loggers all). Raises what the broker says."""
    (found,) = read(cluster, kind, [name], synonyms=kind == BROKER_LOGGERS)
    if isinstance(found.entries, PkoError):
        raise found.entries
    own = own_only(found, found.entries).entries
    return {e.name: e.value for e in own} if isinstance(own, list) else {}


def _change_one(
    cluster: Cluster, kind: str, name: str, add: Mapping[str, str], delete: Sequence[str]
) -> None:
    present = _present(cluster, kind, name)
    missing = [key for key in delete if key not in present]
    if kind == BROKER_LOGGERS:
        missing += [key for key in add if key not in present]
        if missing:
            raise ConfigProblem(f"Invalid broker logger(s): {','.join(missing)}")
    elif missing:
        raise ConfigProblem(f"Invalid config(s): {','.join(missing)}")
    changes: Changes = [(Op.SET, key, value) for key, value in add.items()]
    changes += [(Op.DELETE, key, "") for key in delete]
    _raise_first(configs.alter_configs(cluster, {Resource(TYPES[kind], name): changes}))


def _replace_broker(
    cluster: Cluster, name: str, add: Mapping[str, str], delete: Sequence[str]
) -> None:
    """As kafka-configs 3.9: read all dynamic settings, write all of them back (KIP-1011)."""
    present = _present(cluster, BROKERS, name)
    missing = [key for key in delete if key not in present]
    if missing:
        raise ConfigProblem(f"Invalid config(s): {','.join(missing)}")
    values = {k: v for k, v in {**present, **add}.items() if k not in delete}
    told = {k: v for k, v in values.items() if v is not None}
    secret = [k for k in values if k not in told]
    if secret:
        raise ConfigProblem(
            "All sensitive broker config entries must be specified for --alter, missing entries: "
            f"{scala_set(secret)}"
        )
    _raise_first(configs.replace_configs(cluster, {Resource(configs.BROKER, name): told}))
    _wait_applied(cluster, name, set(told))


def _wait_applied(cluster: Cluster, name: str, keys: set[str]) -> None:
    """Give the broker a moment to take over what it stored.

    The next change begins with what the broker says it has, and would else undo this one.
    """
    for number in range(_LOOKS):
        if set(_present(cluster, BROKERS, name)) == keys:
            return
        time.sleep(_FIRST_WAIT_S * 2**number)


def _raise_first(outcome: Mapping[Resource, PkoError | None]) -> None:
    for error in outcome.values():
        if error is not None:
            raise error


# --- our tongue ----------------------------------------------------------------------------------


def _targets(run: Run) -> tuple[list[Entity], list[str]]:
    """Whose settings (several names by comma), and the words that are left."""
    kind, words = spoken(run.args)
    if run.args.has("default"):
        if kind in TYPES and kind != BROKERS:
            raise UsageError(f"{kind} have no default of all")
        names = [""]
    else:
        if not words:
            raise UsageError(f"whose settings? pko configs {run.args.verb} {kind} NAME ...")
        names = [name for name in words.pop(0).split(",") if name]
    if kind in (BROKERS, BROKER_LOGGERS):
        for name in filter(None, names):
            if java_integer(name) is None:
                raise UsageError(f"{name}: brokers are named by their number, or --default")
    return [with_client(run.args, kind, name) for name in names], words


def _change(word: str) -> tuple[Op, str, str | None]:
    """The value may stand in brackets, as ``--add-config`` of Kafka's tool needs them."""
    match = _PAIR.fullmatch(word)
    if match is None:
        raise UsageError(f"{word}: write it as KEY=VALUE, KEY+=ITEM or KEY-=ITEM")
    value = match[3]
    if value.startswith("[") and value.endswith("]"):
        value = value[1:-1]
    return _OPS[match[2]], match[1].strip(), value


def _apply(run: Run, entities: list[Entity], changes: Changes) -> Table:
    trial = run.args.has("dry-run")
    rows: list[dict[str, object]] = []
    errors = []
    notes = _strangers(entities[0].kind, changes)
    for wanted in entities:
        done, error, more = _unset_first(run, wanted, changes)
        notes += more
        if error is None and done:
            error = _apply_one(run, wanted, done, trial)
        if error is None:
            name = ", ".join(n or "<default>" for n in wanted.names)
            keys = [key for _, key, _ in done]
            rows.append({"kind": wanted.kind, "name": name, "settings": keys})
        elif isinstance(error, KafkaError):
            errors.append(ItemError.of(wanted.label(), error))
        else:
            errors.append(ItemError(wanted.label(), type(error).__name__, str(error)))
    if trial:
        notes.append("dry run: nothing was changed")
    rows = [row for row in rows if row["settings"]]
    return Table("altered-configs", COLUMNS, rows, name="name", errors=errors, notes=notes)


def _strangers(kind: str, changes: Changes) -> list[str]:
    """Settings that brokers take without knowing them."""
    if kind != BROKERS:
        return []
    strange = [key for op, key, _ in changes if op is not Op.DELETE and not _known(kind, key)]
    return [
        f"{key} is not a setting that brokers know{_near(kind, key)}: they keep it as a secret"
        for key in strange
    ]


def _unset_first(
    run: Run, wanted: Entity, changes: Changes
) -> tuple[Changes, PkoError | None, list[str]]:
    """Of settings to unset only those that are set; unknown ones are an error, others a note."""
    if changes[0][0] is not Op.DELETE or wanted.kind not in (TOPICS, BROKERS):
        return changes, None, []
    try:
        present = _present(run.cluster(), wanted.kind, wanted.names[0])
    except KafkaError as error:
        return [], error, []
    idle = [key for _, key, _ in changes if key not in present]
    unknown = [key for key in idle if not _known(wanted.kind, key)]
    if unknown:
        text = f"{unknown[0]} is no setting of {wanted.kind}{_near(wanted.kind, unknown[0])}"
        return [], KafkaError(ErrorCode.INVALID_CONFIG, text), []
    notes = [f"{wanted.label()}: {key} was not set" for key in idle]
    return [change for change in changes if change[1] in present], None, notes


def _names(kind: str) -> set[str]:
    """The settings of topics or brokers that Kafka knows."""
    if kind == TOPICS:
        from pykafka_ops.settings.topic import TOPIC

        return set(TOPIC)
    from pykafka_ops.settings.broker import BROKER
    from pykafka_ops.settings.quotas import BROKER_QUOTAS

    return {*BROKER, *BROKER_QUOTAS}


def _known(kind: str, key: str) -> bool:
    return key in _names(kind) or key.startswith("listener.name.")


def _near(kind: str, key: str) -> str:
    import difflib

    close = difflib.get_close_matches(key, _names(kind), 1)
    return f" (did you mean {close[0]}?)" if close else ""


def _apply_one(run: Run, wanted: Entity, changes: Changes, trial: bool) -> PkoError | None:
    cluster = run.cluster()
    try:
        if wanted.kind in TYPES:
            resource = Resource(TYPES[wanted.kind], wanted.names[0])
            outcome = configs.alter_configs(cluster, {resource: changes}, validate_only=trial)
            error = outcome[resource]
            if _not_known(error) and wanted.kind in (TOPICS, BROKERS):
                error = _by_replacing(cluster, wanted, changes, trial)
            return error
        from pykafka_ops.commands.configs.quotas import alter as alter_quotas

        if any(op in (Op.APPEND, Op.SUBTRACT) for op, _, _ in changes):
            raise UsageError(f"{wanted.kind}: += and -= are for settings that are lists")
        add = {key: value or "" for op, key, value in changes if op is Op.SET}
        delete = [key for op, key, _ in changes if op is Op.DELETE]
        alter_quotas(cluster, wanted, add, delete, validate_only=trial)
    except KafkaError as error:
        return error
    return None


def _not_known(error: PkoError | None) -> bool:
    return isinstance(error, KafkaError) and error.code == ErrorCode.UNSUPPORTED_VERSION


def _by_replacing(
    cluster: Cluster, wanted: Entity, changes: Changes, trial: bool
) -> PkoError | None:
    """Before Kafka 2.3 settings could only be written all at once."""
    present = _present(cluster, wanted.kind, wanted.names[0])
    secret = [key for key, value in present.items() if value is None]
    if secret:
        return UsageError(
            f"this cluster can only write all settings at once; give these too: {', '.join(secret)}"
        )
    values = {key: value for key, value in present.items() if value is not None}
    for op, key, value in changes:
        if op is Op.DELETE:
            values.pop(key, None)
        elif op is Op.SET:
            values[key] = value or ""
        else:
            return UsageError(f"this cluster is too old for += and -=: set {key} as a whole")
    resource = Resource(TYPES[wanted.kind], wanted.names[0])
    return configs.replace_configs(cluster, {resource: values}, validate_only=trial)[resource]
