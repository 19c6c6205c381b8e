"""What ``pko configs set`` and ``unset`` share: whose settings, and the changes made to them."""

from __future__ import annotations

from pykafka_ops.client import configs
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import AlterOp, ConfigResource
from pykafka_ops.commands.configs import known, quotas
from pykafka_ops.commands.configs.entity import ConfigEntity, check_named, spoken, with_client
from pykafka_ops.commands.configs.settings import TYPES, config_error, corrected, present
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode

COLUMNS = (Column("kind"), Column("name"), Column("settings"))

Change = tuple[AlterOp, str, str | None]
"""What to do with a setting: the operation, its name, a value."""


def targets(run: Run) -> tuple[list[ConfigEntity], list[str]]:
    """Whose settings (several names by comma), and the words that are left. UsageError."""
    kind, words = spoken(run.args)
    if run.args.has("default"):
        names = [""]
    else:
        names = [name for name in words.pop(0).split(",") if name] if words else []
        if not names:
            raise UsageError(f"whose settings? pko configs {run.args.verb} {kind} NAME ...")
    check_named(kind, names, ", or --default")
    return [with_client(run.args, kind, name) for name in names], words


def apply(run: Run, entities: list[ConfigEntity], changes: list[Change]) -> Table:
    """Make the changes to each of them; an error for each that failed. Raises UsageError."""
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
        else:
            error = corrected(run.cluster(), wanted.kind, wanted.names[0], error)
            hint = known.hinted(error, wanted.kind, [key for _, key, _ in changes])
            errors.append(config_error(wanted.label(), hint))
    if trial:
        notes.append("dry run: nothing was changed")
    rows = [row for row in rows if row["settings"]]
    return Table("altered-configs", COLUMNS, rows, name="name", errors=errors, notes=notes)


def _strangers(kind: str, changes: list[Change]) -> list[str]:
    """A note on each setting that brokers take without knowing it. UsageError for one that nobody
    takes."""
    if kind not in (known.BROKERS, known.USERS, known.CLIENTS, known.IPS):
        return []
    strange = [
        key for op, key, _ in changes if op is not AlterOp.DELETE and not known.is_known(kind, key)
    ]
    if strange and kind != known.BROKERS:
        raise UsageError(f"{strange[0]} is no setting of {kind}{known.near(kind, strange[0])}")
    return [
        f"{key} is not a setting that brokers know{known.near(kind, key)}: they keep it as a secret"
        for key in strange
    ]


def _unset_first(
    run: Run, wanted: ConfigEntity, changes: list[Change]
) -> tuple[list[Change], PkoError | None, list[str]]:
    """Of settings to unset only those that are set; unknown ones are an error, others a note."""
    if changes[0][0] is not AlterOp.DELETE or wanted.kind not in (known.TOPICS, known.BROKERS):
        return changes, None, []
    try:
        own = present(run.cluster(), wanted.kind, wanted.names[0])
    except KafkaError as error:
        return [], error, []
    idle = [key for _, key, _ in changes if key not in own]
    unknown = [key for key in idle if not known.is_known(wanted.kind, key)]
    if unknown:
        text = f"{unknown[0]} is no setting of {wanted.kind}"
        return [], KafkaError(ErrorCode.INVALID_CONFIG, text), []
    notes = [f"{wanted.label()}: {key} was not set" for key in idle]
    return [change for change in changes if change[1] in own], None, notes


def _apply_one(
    run: Run, wanted: ConfigEntity, changes: list[Change], trial: bool
) -> PkoError | None:
    cluster = run.cluster()
    try:
        if wanted.kind in TYPES:
            resource = ConfigResource(TYPES[wanted.kind], wanted.names[0])
            outcome = configs.alter_configs(cluster, {resource: changes}, validate_only=trial)
            error = outcome[resource]
            too_old = getattr(error, "code", None) == ErrorCode.UNSUPPORTED_VERSION
            if too_old and wanted.kind in (known.TOPICS, known.BROKERS):
                error = _by_replacing(cluster, wanted, changes, trial)
            return error
        if any(op in (AlterOp.APPEND, AlterOp.SUBTRACT) for op, _, _ in changes):
            raise UsageError(f"{wanted.kind}: += and -= are for settings that are lists")
        add = {key: value or "" for op, key, value in changes if op is AlterOp.SET}
        delete = [key for op, key, _ in changes if op is AlterOp.DELETE]
        quotas.alter(cluster, wanted, add, delete, validate_only=trial)
    except KafkaError as error:
        return error
    return None


def _by_replacing(
    cluster: Cluster, wanted: ConfigEntity, changes: list[Change], trial: bool
) -> PkoError | None:
    """Before Kafka 2.3 settings could only be written all at once."""
    own = present(cluster, wanted.kind, wanted.names[0])
    secret = [key for key, value in own.items() if value is None]
    if secret:
        return UsageError(
            f"this cluster can only write all settings at once; give these too: {', '.join(secret)}"
        )
    values = {key: value for key, value in own.items() if value is not None}
    for op, key, value in changes:
        if op is AlterOp.DELETE:
            values.pop(key, None)
        elif op is AlterOp.SET:
            values[key] = value or ""
        else:
            return UsageError(f"this cluster is too old for += and -=: set {key} as a whole")
    resource = ConfigResource(TYPES[wanted.kind], wanted.names[0])
    return configs.replace_configs(cluster, {resource: values}, validate_only=trial)[resource]
