"""What ``pko configs set`` and ``unset`` share: whose settings, and the changes made to them."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.client import configs
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import AlterOp, ConfigResource
from pykafka_ops.client.setting_values import PresentValue
from pykafka_ops.commands.configs import known, quotas
from pykafka_ops.commands.configs.entity import ConfigEntity, check_named, spoken, with_client
from pykafka_ops.commands.configs.held import CHANGED, Change, changed_rows, held
from pykafka_ops.commands.configs.settings import TYPES, absent, corrected, present
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import Cells, Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode

COLUMNS = (Column("kind"), Column("name"), *CHANGED)
NOTHING_SET = "nothing is set for it"
_NOT_THERE = (ErrorCode.BROKER_NOT_AVAILABLE,)


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
    rows: list[Cells] = []
    errors: list[ItemError] = []
    notes = _strangers(entities[0].kind, changes)
    if run.args.has("data-dir"):
        notes += _apply_stored(run, entities, changes, rows, errors)
        return _result(rows, errors, notes, trial)
    for wanted in entities:
        before = _before(run, wanted)
        done, error, more = _unset_first(wanted, changes, before)
        notes += more
        if error is None and done:
            error = _apply_one(run, wanted, done, trial)
        if error is None:
            rows += _rows(wanted, done, None if isinstance(before, PkoError) else before)
        else:
            error = corrected(run.cluster(), wanted.kind, wanted.names[0], error)
            hint = known.hinted(error, wanted.kind, [key for _, key, _ in changes])
            errors.append(item_error(wanted.label(), hint))
    return _result(rows, errors, notes, trial)


def _apply_stored(
    run: Run,
    entities: list[ConfigEntity],
    changes: list[Change],
    rows: list[Cells],
    errors: list[ItemError],
) -> list[str]:
    """The same where the broker does not run; notes."""
    from pykafka_ops.commands.configs.data_dir import opened

    notes = []
    with opened(run) as stored:
        for wanted in entities:
            try:
                before = stored.alter(wanted, changes, trial=run.args.has("dry-run"))
            except PkoError as error:
                hint = known.hinted(error, wanted.kind, [key for _, key, _ in changes])
                errors.append(item_error(wanted.label(), hint))
                continue
            idle = [k for op, k, _ in changes if op is AlterOp.DELETE and not before[k].own]
            rows += _rows(wanted, [change for change in changes if change[1] not in idle], before)
            notes += [f"{wanted.label()}: {key} was not set" for key in idle]
    return notes


def _rows(
    wanted: ConfigEntity, changes: list[Change], before: Mapping[str, PresentValue] | None
) -> list[Cells]:
    of = {"kind": wanted.kind, "name": ", ".join(n or "<default>" for n in wanted.names)}
    return [of | row for row in changed_rows(wanted, changes, before)]


def _result(rows: list[Cells], errors: list[ItemError], notes: list[str], trial: bool) -> Table:
    if trial:
        notes.append("dry run: nothing was changed")
    return Table("altered-configs", COLUMNS, rows, name="name", errors=errors, notes=notes)


def _before(run: Run, wanted: ConfigEntity) -> dict[str, PresentValue] | PkoError:
    """What holds before the change, or why that is not known."""
    try:
        return absent(run.cluster(), wanted.kind, wanted.names[0]) or held(run.cluster(), wanted)
    except PkoError as error:
        return error


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
    wanted: ConfigEntity, changes: list[Change], before: dict[str, PresentValue] | PkoError
) -> tuple[list[Change], PkoError | None, list[str]]:
    """Of settings to unset only those that are set; unknown ones are an error, others a note; so is
    an entity that is not there."""
    if isinstance(before, KafkaError) and before.code in _NOT_THERE:
        return [], before, []
    if isinstance(before, PkoError) or changes[0][0] is not AlterOp.DELETE:
        return changes, None, []
    if wanted.kind in (known.BROKER_LOGGERS, known.CLIENT_METRICS):
        return changes, None, []
    if wanted.kind not in TYPES and not before:
        return [], KafkaError(ErrorCode.RESOURCE_NOT_FOUND, NOTHING_SET), []
    own = {key for key, value in before.items() if value.own}
    idle = [key for _, key, _ in changes if key not in own]
    unknown = [key for key in idle if not known.is_known(wanted.kind, key)]
    if unknown:
        text = f"{unknown[0]} is no setting of {wanted.kind}{known.near(wanted.kind, unknown[0])}"
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
