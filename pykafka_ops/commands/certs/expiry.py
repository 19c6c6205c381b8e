"""``pko certs expiry``: the certificates of a cluster's brokers, as they are shown right now."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from pykafka_ops.analysis.conditions import ConditionField
from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.client.config import Address, ClientConfig
from pykafka_ops.client.peer_certificates import ShownCertificate, shown_certificates
from pykafka_ops.commands.framework.failures import item_error, raise_first
from pykafka_ops.commands.framework.output import Cells, Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.watch import fail_on, met, watched
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.security.certificates import host_names, issuer, subject, validity

DAY_MS: Final = 86_400_000
SOON: Final = 30
FIELDS: Final = {
    "broker": ConditionField(spare=True),
    "address": ConditionField("text"),
    "days": ConditionField(),
    "expires": ConditionField("moment"),
    "trusted": ConditionField("flag"),
    "subject": ConditionField("text"),
    "issuer": ConditionField("text"),
}
COLUMNS: Final = (
    Column("broker", right=True),
    Column("address"),
    Column("days", right=True, bad=lambda value: isinstance(value, int) and value < SOON),
    Column("expires"),
    Column("trusted", bad=lambda value: value is False),
    Column("subject", spare=True),
    Column("issuer", wide=True),
    Column("hosts", wide=True),
    Column("why", optional=True),
)


def expiry(run: Run) -> Table | int:
    """A row for each address; with --fail-on exit code 4 where one meets it."""
    failing = fail_on(run, FIELDS)

    def make() -> Table:
        rows, errors = _rows(run)
        notes = met(failing, rows, ["address"])
        code = 4 if notes or (failing and errors) else None
        return Table("certificates", COLUMNS, rows, name="address", errors=errors, notes=notes,
                     exit_code=code)  # fmt: skip

    return watched(run, make)


def _rows(run: Run) -> tuple[list[Cells], list[ItemError]]:
    """First those that we know the addresses of: where none of them shows anything, that is all
    there is to say."""
    cluster = run.cluster()
    config = cluster.config
    if config.get("security.protocol") is None:
        config.protocol = "SSL"
    if not config.tls:
        raise UsageError(
            f"security.protocol={config.protocol}: certificates are shown over SSL and SASL_SSL"
        )
    shown = _look(config, config.bootstrap)
    if not any(isinstance(one, ShownCertificate) for one in shown.values()):
        raise_first(one for one in shown.values() if isinstance(one, PkoError))
    brokers: dict[Address, int] = {}
    errors = []
    try:
        brokers = {node.address: node.id for node in cluster.brokers().values()}
    except PkoError as error:
        errors.append(item_error("other brokers of the cluster", error))
    shown |= _look(config, [address for address in brokers if address not in shown])
    rows = []
    for address in dict.fromkeys([*brokers, *shown]):
        one = shown[address]
        if isinstance(one, ShownCertificate):
            rows.append(_row(address, brokers.get(address), one))
        else:
            errors.append(item_error(str(address), one))
    return rows, errors


def _look(
    config: ClientConfig, addresses: Sequence[Address]
) -> dict[Address, ShownCertificate | PkoError]:
    found = shown_certificates(config, addresses) if addresses else []
    return dict(zip(addresses, found, strict=True))


def _row(address: Address, broker: int | None, shown: ShownCertificate) -> Cells:
    der = shown.certificate
    try:
        _, ends = validity(der)
        found: Cells = {
            "days": (ends - int(time.time() * 1000)) // DAY_MS,
            "expires": moment_text(ends, parts=False),
            "subject": subject(der),
            "issuer": issuer(der),
            "hosts": host_names(der),
        }
    except ValueError:
        found = {"days": None, "expires": None, "subject": None, "issuer": None, "hosts": []}
    return {
        "broker": broker,
        "address": str(address),
        **found,
        "trusted": not shown.distrust,
        "why": shown.distrust or None,
    }
