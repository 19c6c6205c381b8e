"""``configs`` of users, clients and IP addresses: quotas and SCRAM credentials."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pykafka_ops.client import quotas, scram
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.quotas import FilterComponent
from pykafka_ops.commands.configs.entity import ConfigEntity, ConfigProblem, scala_buffer, scala_set
from pykafka_ops.commands.configs.known import CLIENTS, IPS, USERS
from pykafka_ops.commands.framework.failures import java_text, raise_first
from pykafka_ops.commands.framework.output import Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError, SettingError
from pykafka_ops.java_numbers import java_double
from pykafka_ops.settings.quotas import CLIENT_QUOTAS, IP_QUOTAS
from pykafka_ops.settings.scram import MECHANISMS, Mechanism
from pykafka_ops.settings.types import Type, parse
from pykafka_ops.wire.codes import ErrorCode

ENTITY_TYPES = {USERS: quotas.USER, CLIENTS: quotas.CLIENT_ID, IPS: quotas.IP}
_WORDS = {quotas.USER: "user-principal", quotas.CLIENT_ID: "client-id", quotas.IP: "ip"}
_CREDENTIAL = re.compile(r"(?:iterations=(-?[0-9]*),)?password=(.*)")

COLUMNS = (
    Column("user", optional=True),
    Column("client_id", "CLIENT", optional=True),
    Column("ip", optional=True),
    Column("setting"),
    Column("value", right=True),
)

Credentials = dict[str, dict[str, int] | KafkaError]


# --- describe ------------------------------------------------------------------------------------


def describe(run: Run, wanted: ConfigEntity, names: Sequence[str] | None) -> Table:
    """Quotas of the entity, and of users their credentials (``names``: several users at once)."""
    cluster = run.cluster()
    if names is not None and len(wanted.types) == 1 and len(names) > 1:
        found: dict[quotas.Entity, dict[str, float]] = {}
        for name in names:
            found.update(read(cluster, ConfigEntity(wanted.types, [name])))
    else:
        found = read(cluster, wanted)
        names = wanted.names
    credentials: Credentials = {}
    if CLIENTS not in wanted.types and IPS not in wanted.types and "" not in (names or []):
        credentials = scram.describe_scram(cluster, list(names or []))
    return table(run, wanted, names, found, credentials)


def table(
    run: Run,
    wanted: ConfigEntity,
    names: Sequence[str] | None,
    found: dict[quotas.Entity, dict[str, float]],
    credentials: Credentials,
) -> Table:
    """Quotas and credentials, however they were found."""
    table = _table(found, credentials)
    if not run.args.flags:
        table.errors += tuple(_without(wanted, names or (), found, credentials))
    return table


def _without(
    wanted: ConfigEntity,
    names: Sequence[str],
    found: Mapping[quotas.Entity, object],
    credentials: Credentials,
) -> Iterator[ItemError]:
    """An error for each name that was asked for and has nothing."""
    kind = ENTITY_TYPES[wanted.kind]
    there = {dict(entity)[kind] or "" for entity in found} | set(credentials)
    code = ErrorCode.RESOURCE_NOT_FOUND
    for name in names[:1] if len(wanted.types) > 1 else names:
        if name and name not in there:
            label = ConfigEntity(wanted.types, [name, *wanted.names[1:]]).label()
            yield ItemError(label, code.name, "nothing is set for it", code)


def read(cluster: Cluster, wanted: ConfigEntity) -> dict[quotas.Entity, dict[str, float]]:
    """Quotas of all entities with exactly the types of ``wanted``."""
    components = []
    for number, kind in enumerate(wanted.types):
        name = wanted.names[number] if number < len(wanted.names) else None
        components.append(FilterComponent(ENTITY_TYPES[kind], name or None, default=name == ""))
    if len(wanted.names) > len(wanted.types):
        raise ConfigProblem("More entity names specified than entity types")
    return quotas.describe_quotas(cluster, components)


def _table(found: dict[quotas.Entity, dict[str, float]], credentials: Credentials) -> Table:
    ordered = sorted(found, key=lambda entity: [(n is None, n or "") for _, n in entity])
    rows: list[dict[str, object]] = []
    items: list[dict[str, object]] = []
    errors = []
    for entity in ordered:
        base = _base(dict(entity))
        values = dict(sorted(found[entity].items()))
        items.append({**base, "quotas": values, "scram": {}})
        rows += [{**_shown(dict(entity)), "setting": k, "value": v} for k, v in values.items()]
    for user, mechanisms in sorted(credentials.items()):
        if isinstance(mechanisms, KafkaError):
            errors.append(ItemError.of(f"user {user}", mechanisms))
            continue
        rows += [
            {**_shown({quotas.USER: user}), "setting": name, "value": f"iterations={count}"}
            for name, count in mechanisms.items()
        ]
        mine = next((i for i in items if i == {**i, **_base({quotas.USER: user})}), None)
        if mine is None:
            items.append({**_base({quotas.USER: user}), "quotas": {}, "scram": mechanisms})
        else:
            mine["scram"] = mechanisms
    text = _kafka({entity: found[entity] for entity in ordered}, credentials)
    return Table("quotas", COLUMNS, rows, items=items, kafka=text, name="setting", errors=errors)


def _base(parts: Mapping[str, str | None]) -> dict[str, object]:
    """An entity in JSON: which parts it has, and their names (null: the default)."""
    return {"types": sorted(parts), **{k.replace("-", "_"): parts.get(k) for k in _WORDS}}


def _shown(parts: Mapping[str, str | None]) -> dict[str, object]:
    return {
        k.replace("-", "_"): (parts[k] if parts[k] is not None else "<default>")
        if k in parts
        else None
        for k in _WORDS
    }


def _kafka(found: dict[quotas.Entity, dict[str, float]], credentials: Credentials) -> Iterator[str]:
    for entity, values in found.items():
        shown = ", ".join(f"{k}={java_double(v)}" for k, v in sorted(values.items()))
        yield f"Quota configs for {entity_words(dict(entity))} are {shown}\n"
    for user, mechanisms in sorted(credentials.items()):
        if isinstance(mechanisms, KafkaError):
            why = java_text(mechanisms).rpartition("errors.")[2]
            yield (
                f"Error retrieving SCRAM credential configs for user-principal '{user}': {why}\n"
            )
        else:
            shown = ", ".join(f"{name}=iterations={n}" for name, n in mechanisms.items())
            yield f"SCRAM credential configs for user-principal '{user}' are {shown}\n"


def entity_words(parts: Mapping[str, str | None]) -> str:
    """``user-principal 'alice', the default client-id``."""
    return ", ".join(
        f"the default {word}" if parts[kind] is None else f"{word} '{parts[kind]}'"
        for kind, word in _WORDS.items()
        if kind in parts
    )


# --- alter ---------------------------------------------------------------------------------------


def alter(
    cluster: Cluster,
    wanted: ConfigEntity,
    add: Mapping[str, str],
    delete: Sequence[str],
    *,
    validate_only: bool = False,
) -> None:
    """Set and remove quotas, or set and delete a user's credentials.

    Raises ConfigProblem, KafkaError and what the connection raises.
    """
    if wanted.kind == IPS:
        _check_ips(add, delete)
    else:
        _check_users(wanted, add, delete)
    if wanted.kind == IPS or any(k in CLIENT_QUOTAS for k in (*add, *delete)):
        _alter_quotas(cluster, wanted, add, delete, validate_only=validate_only)
    elif validate_only:
        for name, text in add.items():
            parse_credential(name, text)
    else:
        _alter_credentials(cluster, wanted.names[0], add, delete)


def _check_ips(add: Mapping[str, str], delete: Sequence[str]) -> None:
    unknown = [key for key in (*add, *delete) if key not in IP_QUOTAS]
    if unknown:
        raise ConfigProblem(
            "Only connection quota configs can be added for 'ips' using --bootstrap-server. "
            f"Unexpected config names: {','.join(unknown)}"
        )


def _check_users(wanted: ConfigEntity, add: Mapping[str, str], delete: Sequence[str]) -> None:
    to_user = wanted.kind == USERS and len(wanted.types) == 1
    unknown_add = [key for key in add if not _known(key, scram_too=to_user)]
    unknown_delete = [key for key in delete if not _known(key, scram_too=to_user)]
    what = "quota and SCRAM credential" if to_user else "quota"
    whose = USERS if to_user else CLIENTS
    if unknown_add:
        raise ConfigProblem(
            f"Only {what} configs can be added for '{whose}' using --bootstrap-server. "
            f"Unexpected config names: {scala_set(unknown_add)}"
        )
    if unknown_delete:
        raise ConfigProblem(
            f"Only {what} configs can be deleted for '{whose}' using --bootstrap-server. "
            f"Unexpected config names: {scala_buffer(unknown_delete)}"
        )
    if any(key in MECHANISMS for key in (*add, *delete)):
        if "" in wanted.names:
            raise ConfigProblem(
                "The use of --entity-default or --user-defaults is not allowed with User SCRAM "
                "Credentials using --bootstrap-server."
            )
        if any(key in CLIENT_QUOTAS for key in (*add, *delete)):
            raise ConfigProblem(
                "Cannot alter both quota and SCRAM credential configs simultaneously for 'users' "
                "using --bootstrap-server."
            )


def _known(key: str, *, scram_too: bool) -> bool:
    return key in CLIENT_QUOTAS or (scram_too and key in MECHANISMS)


def _alter_quotas(
    cluster: Cluster,
    wanted: ConfigEntity,
    add: Mapping[str, str],
    delete: Sequence[str],
    *,
    validate_only: bool,
) -> None:
    if len(wanted.types) != len(wanted.names):
        raise ConfigProblem("Exactly one entity name must be specified for every entity type")
    present = next(iter(read(cluster, wanted).values()), {})
    missing = [key for key in delete if key not in present]
    if missing:
        raise ConfigProblem(f"Invalid config(s): {','.join(missing)}")
    names = zip(wanted.types, wanted.names, strict=True)
    entity = quotas.entity_of({ENTITY_TYPES[kind]: name or None for kind, name in names})
    values: dict[str, float | None] = {key: quota_value(key, text) for key, text in add.items()}
    values.update(dict.fromkeys(delete))
    outcome = quotas.alter_quotas(cluster, {entity: values}, validate_only=validate_only)
    raise_first(outcome.values())


def quota_value(key: str, text: str) -> float:
    """A quota as a number; ConfigProblem in Kafka's words."""
    try:
        value = parse(key, Type.DOUBLE, text)
    except SettingError:
        raise ConfigProblem(f"Cannot parse quota configuration value for {key}: {text}") from None
    return value if isinstance(value, float) else 0.0


def _alter_credentials(
    cluster: Cluster, user: str, add: Mapping[str, str], delete: Sequence[str]
) -> None:
    changes: list[scram.NewCredential | Mechanism] = [MECHANISMS[name] for name in delete]
    changes += [parse_credential(name, text) for name, text in add.items()]
    raise_first(scram.alter_scram(cluster, {user: changes}).values())


def parse_credential(name: str, text: str) -> scram.NewCredential:
    """``iterations=N,password=P``, iterations may be left out; ConfigProblem in Kafka's words."""
    mechanism = MECHANISMS[name]
    match = _CREDENTIAL.fullmatch(text)
    if match is None or match[1] == "":
        raise ConfigProblem(f"Invalid credential property {name.replace('-', '_')}={text}")
    iterations = scram.DEFAULT_ITERATIONS
    if match[1] is not None and match[1] != "-1":
        iterations = int(match[1])
    if iterations < mechanism.min_iterations:
        raise ConfigProblem(
            f"Iterations {iterations} is less than the minimum {mechanism.min_iterations} "
            f"required for {name}"
        )
    return scram.NewCredential(mechanism, iterations, match[2])
