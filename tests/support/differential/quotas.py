"""Client quotas and SCRAM credentials: describe and alter."""

from __future__ import annotations

import math
from typing import Any

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages import alter_client_quotas as acq
from pykafka_ops.wire.messages import alter_user_scram_credentials as asc
from pykafka_ops.wire.messages import describe_client_quotas as dcq
from pykafka_ops.wire.messages import describe_user_scram_credentials as dsc
from tests.support.differential.core import Cases, Side

CASES = Cases()
ANY = object()
"""Of a filter: any name that is given."""

Names = dict[str, Any]
"""Names by entity type; None is the default."""

BOTH = ("user", "client-id")
RATE = "controller_mutation_rate"
"""Harmless to those who use the broker meanwhile, if large."""


def entity_text(parts: list[dcq.EntityData]) -> str:
    """An entity, whatever the order of its parts."""
    return ", ".join(sorted(f"{part.entity_type} {part.entity_name!r}" for part in parts))


def alter(
    side: Side, note: str, *entries: tuple[Names, dict[str, float | None]], **flags: bool
) -> None:
    """Note the outcome by entity; a quota of None is removed."""
    request = acq.AlterClientQuotasRequest(
        entries=[
            acq.AlterClientQuotasRequestEntryData(
                entity=[dcq.EntityData(entity_type=t, entity_name=n) for t, n in names.items()],
                ops=[
                    acq.OpData(key=key, value=value or 0.0, remove=value is None)
                    for key, value in quotas.items()
                ],
            )
            for names, quotas in entries
        ],
        **flags,
    )
    version = side.case.version if side.case.api == ApiKey.ALTER_CLIENT_QUOTAS else 1
    answer = side.send(request, version)
    if isinstance(answer, str):
        side.note(note, answer)
        return
    said = {
        side.clean(entity_text(each.entity)): (each.error_code, side.clean(each.error_message))
        for each in answer.entries
    }
    side.note(note, {**said, "throttle_time_ms": answer.throttle_time_ms})


def describe(side: Side, note: str, *wanted: tuple[str, object], strict: bool = True) -> None:
    """Note the quotas found by entity."""
    request = dcq.DescribeClientQuotasRequest(
        components=[
            dcq.ComponentData(
                entity_type=kind,
                match_type=2 if name is ANY else 1 if name is None else 0,
                match=name if isinstance(name, str) else None,
            )
            for kind, name in wanted
        ],
        strict=strict,
    )
    ask(side, note, request)


def ask(side: Side, note: str, request: dcq.DescribeClientQuotasRequest) -> None:
    version = side.case.version if side.case.api == ApiKey.DESCRIBE_CLIENT_QUOTAS else 1
    answer = side.send(request, version)
    if isinstance(answer, str):
        side.note(note, answer)
        return
    found = answer.entries and {
        side.clean(entity_text(each.entity)): {v.key: repr(v.value) for v in each.values}
        for each in answer.entries
    }
    side.note(
        note, {"error": [answer.error_code, side.clean(answer.error_message)], "found": found}
    )


@CASES.add(ApiKey.DESCRIBE_CLIENT_QUOTAS, "0-1", alone=True)
def filters(side: Side, version: int) -> None:
    user, client = side.topic("u"), side.topic("c")
    entities: list[Names] = [
        {"user": user},
        {"user": None},
        {"client-id": client},
        {"client-id": None},
        {"user": user, "client-id": client},
        {"user": user, "client-id": None},
        {"user": None, "client-id": client},
        {"user": None, "client-id": None},
        {"user": "a b/%<default>&ü"},
    ]
    addresses: list[Names] = [{"ip": "10.0.0.1"}, {"ip": None}]
    rate = "connection_creation_rate"
    alter(side, "set up", *((e, {RATE: 1e6}) for e in entities))
    alter(side, "set up addresses", *((e, {rate: 1e6}) for e in addresses))
    for strict in (True, False):
        note = "strict" if strict else "loose"
        describe(side, f"{note}: all", strict=strict)
        for kind, name in (("user", user), ("client-id", client), ("ip", "10.0.0.1")):
            for match in (name, None, ANY, "nobody"):
                text = "any" if match is ANY else match
                describe(side, f"{note}: {kind} {text}", (kind, match), strict=strict)
        for one in (user, None, ANY):
            for two in (client, None, ANY):
                wanted = (("user", one), ("client-id", two))
                text = " ".join("any" if m is ANY else str(m) for _, m in wanted)
                describe(side, f"{note}: {text}", *wanted, strict=strict)
    alter(side, "cleared", *((e, {RATE: None}) for e in entities))
    alter(side, "cleared addresses", *((e, {rate: None}) for e in addresses))
    describe(side, "nothing left", strict=False)


@CASES.add(ApiKey.DESCRIBE_CLIENT_QUOTAS, "0-1")
def odd_filters(side: Side, version: int) -> None:
    for kind in (*BOTH, "ip", "tribe", "", "User"):
        for match in (ANY, None, ""):
            text = "any" if match is ANY else repr(match)
            for strict in (True, False) if kind != "ip" and match == "" else (True,):
                if kind in ("tribe", "", "User") or match == "":
                    describe(side, f"{kind} {text} {strict}", (kind, match), strict=strict)
        describe(side, f"{kind} twice", (kind, "x"), (kind, "x"))
    describe(side, "user and ip", ("user", "x"), ("ip", "10.0.0.1"))
    describe(side, "ip and client", ("ip", ANY), ("client-id", ANY), strict=False)
    for number, match in ((3, None), (-1, "x"), (0, None), (1, "x"), (2, "x")):
        component = dcq.ComponentData(entity_type="user", match_type=number, match=match)
        request = dcq.DescribeClientQuotasRequest(components=[component], strict=True)
        if (number, match) != (2, "x"):  # that would be everybody
            ask(side, f"match {number} {match}", request)


@CASES.add(ApiKey.ALTER_CLIENT_QUOTAS, "0-1")
def alterations(side: Side, version: int) -> None:
    user, client = side.topic("u"), side.topic("c")
    mine: Names = {"user": user}
    both: Names = {**mine, "client-id": client}
    rates: dict[str, float | None] = {"producer_byte_rate": 1e6, "request_percentage": 12.5}
    alter(side, "set", (mine, rates), (both, {"consumer_byte_rate": 7}))
    alter(side, "validated", (mine, {"producer_byte_rate": 1}), validate_only=True)
    describe(side, "as set", ("user", user), strict=False)
    alter(side, "changed", (mine, {"producer_byte_rate": None, RATE: 0.25}))
    alter(side, "removed what is not there", (mine, {"consumer_byte_rate": None, "odd": None}))
    alter(side, "twice", (mine, {RATE: 1}), (mine, {RATE: 2}))
    alter(side, "one quota twice", ({"client-id": client}, {RATE: 3, "consumer_byte_rate": 1}))
    describe(side, "as changed", ("user", user), strict=False)
    alter(side, "the user goes", (mine, dict.fromkeys((*rates, RATE))))
    describe(side, "the client stays", ("user", user), strict=False)
    alter(side, "the client goes", (both, {"consumer_byte_rate": None}))
    alter(side, "gone already", (both, {"consumer_byte_rate": None}))
    describe(side, "nothing left", ("user", user), strict=False)
    alter(side, "cleared", ({"client-id": client}, {RATE: None, "consumer_byte_rate": None}))
    alter(side, "nothing")
    alter(side, "no quotas", (mine, {}))


@CASES.add(ApiKey.ALTER_CLIENT_QUOTAS, "0-1")
def odd_numbers(side: Side, version: int) -> None:
    user, client = side.topic("u"), side.topic("c")
    numbers = (0.0, -0.0, 0.5, -5.0, 1e-7, 3.0000001, 2.9999999, 9.3e18, 1e300, math.inf, -math.inf)
    kinds = ("producer_byte_rate", "request_percentage", RATE)
    for number in (*numbers, math.nan, 1e7, 12345678.9, 1e-4):
        for kind in kinds:
            alter(side, f"{kind} {number}", ({"user": user}, {kind: number}))
        describe(side, f"stored {number}", ("user", user))
    for key in ("no_such_rate", "", "SCRAM-SHA-256", "connection_creation_rate", "retention.ms"):
        for names in ({"user": user}, {"client-id": client}, {"user": user, "client-id": client}):
            alter(side, f"{key!r} of {', '.join(names)}", (names, {key: 5}))
    alter(side, "cleared", ({"user": user}, dict.fromkeys(kinds)))


@CASES.add(ApiKey.ALTER_CLIENT_QUOTAS, "0-1")
def odd_entities(side: Side, version: int) -> None:
    quotas: dict[str, float | None] = {RATE: 1e6}
    alter(side, "no parts", ({}, quotas))
    for kind in ("tribe", "", "User", "topic"):
        alter(side, f"type {kind!r}", ({kind: "x"}, quotas))
        alter(side, f"default of type {kind!r}", ({kind: None}, quotas))
    for kind in (*BOTH, "ip"):
        alter(side, f"empty {kind}", ({kind: ""}, quotas), validate_only=True)
    alter(side, "user and ip", ({"user": "x", "ip": "10.0.0.1"}, quotas))
    alter(side, "all three", ({"user": "x", "client-id": "y", "ip": "10.0.0.1"}, quotas))
    for address in ("10.0.0.1", "::1", "localhost", "no.such.host.invalid", "300.1.1.1", "a b"):
        rate: dict[str, float | None] = {"connection_creation_rate": 1e6}
        alter(side, f"ip {address}", ({"ip": address}, rate), validate_only=True)
    for name in (".", "..", "...", "/", "%", "\0"):
        alter(side, f"user {name!r}", ({"user": name}, quotas))
        alter(side, f"cleared {name!r}", ({"user": name}, {RATE: None}))
    for length in (32_700, 32_767):
        name = side.topic("é" * 32_767)[: length // 2]
        alter(side, f"ip of {length} bytes", ({"ip": name}, quotas), validate_only=True)
        alter(side, f"user of {length} bytes", ({"user": name}, quotas))
        describe(side, f"of {length} bytes", ("user", name))
        alter(side, f"cleared of {length} bytes", ({"user": name}, {RATE: None}))
    good: Names = {"user": side.topic("u")}
    alter(side, "good and bad", ({"user": ""}, quotas), (good, quotas), ({"tribe": "x"}, quotas))
    alter(side, "cleared", (good, {RATE: None}))


# -- SCRAM -----------------------------------------------------------------------------------------


def change(side: Side, note: str, *changes: Any) -> None:
    """Note the outcome by user."""
    request = asc.AlterUserScramCredentialsRequest(
        deletions=[c for c in changes if isinstance(c, asc.ScramCredentialDeletion)],
        upsertions=[c for c in changes if isinstance(c, asc.ScramCredentialUpsertion)],
    )
    side.ask(request, 0, note)


def new(
    user: str, mechanism: int = 1, iterations: int = 4096, password: bytes = b"p" * 32
) -> asc.ScramCredentialUpsertion:
    return asc.ScramCredentialUpsertion(
        name=user,
        mechanism=mechanism,
        iterations=iterations,
        salt=b"salt",
        salted_password=password,
    )


def gone(user: str, mechanism: int = 1) -> asc.ScramCredentialDeletion:
    return asc.ScramCredentialDeletion(name=user, mechanism=mechanism)


def credentials(side: Side, note: str, *users: str) -> None:
    names = [dsc.UserName(name=user) for user in users]
    side.ask(dsc.DescribeUserScramCredentialsRequest(users=names), 0, note)


@CASES.add(ApiKey.ALTER_USER_SCRAM_CREDENTIALS, "0")
def credential_changes(side: Side, version: int) -> None:
    user, other, third = (side.topic(name) for name in ("u", "o'neil ü", "t"))
    change(side, "set", new(user), new(user, 2, 8192), new(other))
    credentials(side, "as set", user, other)
    change(side, "changed and deleted", new(user, 1, 16384), gone(user, 2), gone(other))
    credentials(side, "as changed", user, other)
    for iterations in (0, -1, 4095, 16385, 2**31 - 1):
        change(side, f"{iterations} iterations", new(user, 1, iterations), new(third))
    for mechanism in (0, 3, 127, -1):
        change(side, f"mechanism {mechanism}", new(user, mechanism), gone(other, mechanism))
    change(side, "no name", new(""), gone("", 2), new(third, 2))
    change(side, "twice", new(user), new(user))
    change(side, "set and deleted", new(user), gone(user))
    change(side, "deleted twice", gone(user), gone(user))
    change(side, "deleted what is not there", gone(other), new(other, 2), gone(third, 2))
    change(side, "no password", new(user, 2, password=b""), new(other))
    change(side, "short password", new(user, 2, password=b"x"))
    change(side, "one bad, one good", new(user, 1, 1), new(user, 2), new(other))
    credentials(side, "in the end", user, other, third)
    change(side, "nothing")
    change(side, "a name that cannot be", new("."), new(user))
    change(side, "cleared", gone(user), gone(user, 2), gone(other), gone(third))
    credentials(side, "nothing left", user, other, third)


@CASES.add(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, "0")
def credentials_of_some(side: Side, version: int) -> None:
    user, other = side.topic("u"), side.topic("<default>")
    change(side, "set", new(user), new(other, 2))
    credentials(side, "some", user, "nobody", "", other)
    credentials(side, "names that cannot be", user, ".", "..")
    credentials(side, "long name", user, side.topic("x" * 32_767)[:32_767])
    credentials(side, "twice", user, user, "", "", "nobody", "nobody")
    alter(side, "quotas too", ({"user": user}, {RATE: 1e6}))
    credentials(side, "with quotas", user)
    change(side, "deleted", gone(user), gone(other, 2))
    credentials(side, "only quotas", user, other)
    alter(side, "cleared", ({"user": user}, {RATE: None}))


@CASES.add(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, "0", alone=True)
def credentials_of_all(side: Side, version: int) -> None:
    users = [side.topic(name) for name in ("c", "a", "B", "ü", "d")]
    side.ask(dsc.DescribeUserScramCredentialsRequest(users=None), 0, "nobody")
    change(side, "set", *map(new, users))
    side.ask(dsc.DescribeUserScramCredentialsRequest(users=None), 0, "all")
    credentials(side, "none named")
    change(side, "cleared", *map(gone, users))
