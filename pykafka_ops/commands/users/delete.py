"""``pko users delete``."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.client import quotas, scram
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import ItemError, Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.users.found import (
    COLUMNS,
    KnownUser,
    names_of,
    read_users,
    rows,
    unknown,
)
from pykafka_ops.settings.scram import MECHANISMS


def delete(run: Run) -> Table:
    """All passwords and quotas of the users, or with --mechanism only those passwords."""
    names = names_of(run.args)
    mechanisms = run.args.texts("mechanism")
    users, errors = read_users(run.cluster(), names)
    if mechanisms:
        users = [_of_mechanisms(one, mechanisms) for one in users if not one.of_client]
        users = [one for one in users if one.scram]
        errors += unknown(names, users, f"it has no {' or '.join(mechanisms)} password")
    else:
        errors += unknown(names, users)
    if run.args.has("dry-run"):
        notes = ["dry run: nothing was deleted"]
        return Table("users", COLUMNS, rows(users), errors=errors, notes=notes)
    doomed = list(dict.fromkeys(str(one.user) for one in users))
    what = " and ".join(mechanisms) + " passwords" if mechanisms else "passwords and quotas"
    if doomed and not run.confirm(f"delete {what} of {counted(doomed, 'user')}", doomed):
        return Table("users", COLUMNS, [], notes=["nothing was deleted"], exit_code=1)
    failed = _deleted(run.cluster(), users)
    gone = [one for one in users if f"user {one.user}" not in {e.item for e in failed}]
    return Table("users", COLUMNS, rows(gone), errors=[*errors, *failed])


def _of_mechanisms(one: KnownUser, mechanisms: Sequence[str]) -> KnownUser:
    kept = {name: count for name, count in one.scram.items() if name in mechanisms}
    return one._replace(scram=kept, quotas={})


def _deleted(cluster: Cluster, users: Sequence[KnownUser]) -> list[ItemError]:
    """First the passwords: who cannot log in needs no quota."""
    logins = {
        str(one.user): [MECHANISMS[name] for name in one.scram if name in MECHANISMS]
        for one in users
        if one.scram
    }
    outcome = scram.alter_scram(cluster, logins) if logins else {}
    errors = [item_error(f"user {user}", e) for user, e in outcome.items() if e is not None]
    failed = {error.item for error in errors}
    changes = {}
    for one in users:
        if one.quotas and f"user {one.user}" not in failed:
            parts = {quotas.USER: one.user}
            if one.of_client:
                parts[quotas.CLIENT_ID] = one.client_id
            changes[quotas.entity_of(parts)] = dict.fromkeys(one.quotas)
    if changes:
        answers = quotas.alter_quotas(cluster, changes)
        errors += [
            item_error(f"user {dict(entity)[quotas.USER]}", e)
            for entity, e in answers.items()
            if e is not None
        ]
    return errors
