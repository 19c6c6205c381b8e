"""``pko users add`` and ``alter``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.analysis.amounts import size_of
from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client import quotas, scram
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.secret import is_given, password
from pykafka_ops.commands.users.found import COLUMNS, KnownUser, names_of, read_users, rows
from pykafka_ops.errors import KafkaError, SettingError, UsageError
from pykafka_ops.settings.quotas import CLIENT_QUOTAS
from pykafka_ops.settings.scram import MECHANISMS, Mechanism
from pykafka_ops.settings.types import Type, parse
from pykafka_ops.wire.codes import ErrorCode

DEFAULT_MECHANISM = "SCRAM-SHA-512"
Quotas = Mapping[str, float | None]


def add(run: Run) -> Table:
    """A user that has no password yet: its password, and quotas."""
    name = names_of(run.args)[0]
    wanted = _quotas(run.args)
    before = _own(run, name)
    if before.scram:
        code = ErrorCode.DUPLICATE_RESOURCE
        raise KafkaError(code, f"user {name} is there already; pko users alter changes it")
    return _change(run, before, wanted, run.args.texts("mechanism") or [DEFAULT_MECHANISM])


def alter(run: Run) -> Table:
    """A new password for the logins that it has, or for those named; other quotas."""
    name = names_of(run.args)[0]
    wanted = _quotas(run.args)
    named = run.args.texts("mechanism")
    if named and not is_given(run):
        raise UsageError("--mechanism goes with a password: a stored one cannot be converted")
    if not (is_given(run) or wanted):
        raise UsageError(
            "what to change? --password, --password-file or --password-env, or QUOTA=VALUE"
        )
    before = _own(run, name)
    if not is_given(run):
        return _change(run, before, wanted, [])
    return _change(run, before, wanted, named or [*before.scram] or [DEFAULT_MECHANISM])


def _own(run: Run, name: str) -> KnownUser:
    """What there is of it; KafkaError where its password is not given."""
    users, errors = read_users(run.cluster(), [name])
    for error in errors:
        raise KafkaError(error.code, error.message)
    mine = [one for one in users if not one.of_client]
    return mine[0] if mine else KnownUser(name, None, False, {}, {})


def _quotas(args: Args) -> dict[str, float | None]:
    """From ``QUOTA=VALUE``; None for ``QUOTA=``. UsageError."""
    found: dict[str, float | None] = {}
    for text in args.given("quota"):
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"{text}: write it as QUOTA=VALUE, or QUOTA= to take it away")
        if key not in CLIENT_QUOTAS:
            near = did_you_mean(key, CLIENT_QUOTAS)
            raise UsageError(f"no quota: {key}{near}; one of {', '.join(CLIENT_QUOTAS)}")
        found[key] = _value(key, value) if value else None
    return found


def _value(key: str, text: str) -> float:
    if key.endswith("_byte_rate"):
        return float(size_of(text))
    try:
        value = float(str(parse(key, Type.DOUBLE, text)))
    except SettingError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UsageError(f"{key}={text}: write a number above 0")
    return value


def _change(run: Run, before: KnownUser, wanted: Quotas, mechanisms: Sequence[str]) -> Table:
    name = str(before.user)
    iterations = run.args.number("iterations") or scram.DEFAULT_ITERATIONS
    secret = password(run, name) if mechanisms else ""
    after = before._replace(
        scram={**before.scram, **dict.fromkeys(mechanisms, iterations)},
        quotas={k: v for k, v in {**before.quotas, **wanted}.items() if v is not None},
    )
    if run.args.has("dry-run"):
        notes = ["dry run: nothing was changed"]
        return Table("users", COLUMNS, rows([after]), notes=notes)
    new = [scram.NewCredential(MECHANISMS[one], iterations, secret) for one in mechanisms]
    errors = _set_password(run, name, new) if new else []
    if wanted and not errors:
        entity = quotas.entity_of({quotas.USER: name})
        outcome = quotas.alter_quotas(run.cluster(), {entity: wanted})
        errors = [item_error(f"quotas of {name}", e) for e in outcome.values() if e is not None]
    return Table("users", COLUMNS, [] if errors else rows([after]), errors=errors)


def _set_password(
    run: Run, name: str, new: Sequence[scram.NewCredential | Mechanism]
) -> list[ItemError]:
    outcome = scram.alter_scram(run.cluster(), {name: new})
    return [item_error(f"password of {user}", e) for user, e in outcome.items() if e is not None]
