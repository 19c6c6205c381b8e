"""What a broker announces and has switched off: ACLs, tokens, logins, features, new groups."""

from __future__ import annotations

from typing import Any

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from pykafka_ops.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from pykafka_ops.wire.messages.create_acls import AclCreation, CreateAclsRequest
from pykafka_ops.wire.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
)
from pykafka_ops.wire.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from pykafka_ops.wire.messages.describe_acls import DescribeAclsRequest
from pykafka_ops.wire.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from pykafka_ops.wire.messages.envelope import EnvelopeRequest
from pykafka_ops.wire.messages.expire_delegation_token import ExpireDelegationTokenRequest
from pykafka_ops.wire.messages.renew_delegation_token import RenewDelegationTokenRequest
from pykafka_ops.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest
from pykafka_ops.wire.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from tests.support.differential.core import Cases, Side

CASES = Cases()
TOPIC, ANY, READ, ALLOW, LITERAL, UNKNOWN, NONSENSE = 2, 1, 3, 3, 3, 0, 99


# -- DescribeAcls, CreateAcls, DeleteAcls ----------------------------------------------------------

FILTER = {
    "resource_type_filter": TOPIC,
    "resource_name_filter": None,
    "pattern_type_filter": LITERAL,
    "principal_filter": None,
    "host_filter": None,
    "operation": ANY,
    "permission_type": ANY,
}
CODES = ("resource_type_filter", "pattern_type_filter", "operation", "permission_type")
RULE = {
    "resource_type": TOPIC,
    "resource_name": "t",
    "resource_pattern_type": LITERAL,
    "principal": "User:me",
    "host": "*",
    "operation": READ,
    "permission_type": ALLOW,
}


def odd(fields: dict[str, Any], version: int) -> list[tuple[str, dict[str, Any]]]:
    """The fields with one code that is UNKNOWN, or none that Kafka knows."""
    return [
        (f"{name} {code}", {**fields, name: code})
        for name in fields
        if name.startswith("resource_type") or name in (*CODES, "resource_pattern_type")
        for code in (UNKNOWN, NONSENSE)
        if version or "pattern" not in name
    ]


@CASES.add(ApiKey.DESCRIBE_ACLS, "0-3")
def rules_described(side: Side, version: int) -> None:
    for note, fields in (("all", FILTER), *odd(FILTER, version)):
        side.ask(DescribeAclsRequest(**fields), note=note)
        side.still_there(f"after {note}")
    for pattern in (1, 2, 3, 4, 5):
        fields = {**FILTER, "pattern_type_filter": pattern}
        side.ask(DescribeAclsRequest(**fields), note=f"pattern type {pattern}")
    mine = {"resource_name_filter": "t", "principal_filter": "User:me", "host_filter": "*"}
    side.ask(DescribeAclsRequest(**{**FILTER, **mine}), note="mine")


@CASES.add(ApiKey.CREATE_ACLS, "0-3")
def rules_created(side: Side, version: int) -> None:
    for note, fields in (("one", RULE), *odd(RULE, version)):
        side.ask(CreateAclsRequest(creations=[AclCreation(**fields)]), note=note)
        side.still_there(f"after {note}")
    nobody = AclCreation(**{**RULE, "principal": "nobody", "host": ""})
    side.ask(CreateAclsRequest(creations=[AclCreation(**RULE), nobody]), note="two")
    side.ask(CreateAclsRequest(creations=[]), note="none")


@CASES.add(ApiKey.DELETE_ACLS, "0-3")
def rules_deleted(side: Side, version: int) -> None:
    for note, fields in (("one", FILTER), *odd(FILTER, version)):
        side.ask(DeleteAclsRequest(filters=[DeleteAclsFilter(**fields)]), note=note)
        side.still_there(f"after {note}")
    side.ask(DeleteAclsRequest(filters=[DeleteAclsFilter(**FILTER)] * 2), note="two")
    side.ask(DeleteAclsRequest(filters=[]), note="none")


# -- delegation tokens -----------------------------------------------------------------------------


@CASES.add(ApiKey.CREATE_DELEGATION_TOKEN, "0-3")
def token_creations(side: Side, version: int) -> None:
    owners = (
        (None, None),
        ("User", "me"),
        ("Robot", "me"),
        ("", "me"),
        ("Robot", ""),
        (None, "me"),
    )
    for kind, name in owners if version >= 3 else ((None, None),):
        for renewer in (None, "User", "Robot"):
            asked = CreateDelegationTokenRequest(
                owner_principal_type=kind,
                owner_principal_name=name,
                renewers=[CreatableRenewers(principal_type=renewer, principal_name="you")]
                if renewer
                else [],
                max_lifetime_ms=-1,
            )
            side.ask(asked, note=f"owner {kind} {name!r}")


@CASES.add(ApiKey.RENEW_DELEGATION_TOKEN, "0-2")
def token_renewals(side: Side, version: int) -> None:
    for hmac in (b"", b"secret"):
        side.ask(RenewDelegationTokenRequest(hmac=hmac, renew_period_ms=-1), note=f"{hmac!r}")


@CASES.add(ApiKey.EXPIRE_DELEGATION_TOKEN, "0-2")
def token_expiries(side: Side, version: int) -> None:
    for hmac in (b"", b"secret"):
        side.ask(ExpireDelegationTokenRequest(hmac=hmac, expiry_time_period_ms=5), note=f"{hmac!r}")


@CASES.add(ApiKey.DESCRIBE_DELEGATION_TOKEN, "0-3")
def tokens(side: Side, version: int) -> None:
    me = DescribeDelegationTokenOwner(principal_type="User", principal_name="ANONYMOUS")
    for note, owners in (("all", None), ("nobody's", []), ("mine", [me])):
        side.ask(DescribeDelegationTokenRequest(owners=owners), note=note)


# -- SaslHandshake, SaslAuthenticate ---------------------------------------------------------------


@CASES.add(ApiKey.SASL_HANDSHAKE, "0-1")
def handshakes(side: Side, version: int) -> None:
    for mechanism in ("PLAIN", "SCRAM-SHA-256", ""):
        side.ask(SaslHandshakeRequest(mechanism=mechanism), note=f"mechanism {mechanism!r}")
    side.still_there("afterwards")


@CASES.add(ApiKey.SASL_AUTHENTICATE, "0-2")
def logins(side: Side, version: int) -> None:
    for token in (b"", b"\0me\0secret"):
        side.ask(SaslAuthenticateRequest(auth_bytes=token), note=f"{token!r}")
    side.still_there("afterwards")


# -- UpdateFeatures, Envelope ----------------------------------------------------------------------


@CASES.add(ApiKey.UPDATE_FEATURES, "0-1")
def features(side: Side, version: int) -> None:
    def ask(note: str, *updates: FeatureUpdateKey, **more: Any) -> None:
        side.ask(UpdateFeaturesRequest(feature_updates=list(updates), **more), note=note)

    ask("none")
    for level in (-1, 0, 1, 32767):
        name = f"f{level}"
        for kind in (1, 2, 3, 0, 9, -1) if version else ():
            update = FeatureUpdateKey(feature=name, max_version_level=level, upgrade_type=kind)
            ask(f"level {level}, type {kind}", update)
        for allowed in (False, True) if not version else ():
            update = FeatureUpdateKey(
                feature=name, max_version_level=level, allow_downgrade=allowed
            )
            ask(f"level {level}, {allowed}", update)
    version_3 = FeatureUpdateKey(feature="metadata.version", max_version_level=3)
    nameless = FeatureUpdateKey(feature="", max_version_level=1)
    gone = FeatureUpdateKey(feature="metadata.version", max_version_level=0, upgrade_type=2)
    ask("nameless", nameless)
    ask("several", version_3, nameless)
    ask("twice", version_3, gone)
    ask("without time", version_3, timeout_ms=0)
    ask("only validated", version_3, validate_only=True)


@CASES.add(ApiKey.ENVELOPE, "0")
def envelopes(side: Side, version: int) -> None:
    asked = EnvelopeRequest(request_data=bytes(16), client_host_address=b"\x7f\0\0\1")
    side.ask(asked, note="asked")
    side.still_there("afterwards")


# -- ConsumerGroupHeartbeat, ConsumerGroupDescribe -------------------------------------------------


@CASES.add(ApiKey.CONSUMER_GROUP_HEARTBEAT, "0")
def new_members(side: Side, version: int) -> None:
    for group, member in (("g", ""), ("g", "m"), ("", "")):
        asked = ConsumerGroupHeartbeatRequest(
            group_id=group, member_id=member, subscribed_topic_names=["t"]
        )
        side.ask(asked, note=f"{group!r} {member!r}")


@CASES.add(ApiKey.CONSUMER_GROUP_DESCRIBE, "0")
def new_groups(side: Side, version: int) -> None:
    for groups in ([], ["g"], ["g", "h", ""], ["g", "g"]):
        side.ask(ConsumerGroupDescribeRequest(group_ids=groups), note=f"{groups}")
    asked = ConsumerGroupDescribeRequest(group_ids=["g"], include_authorized_operations=True)
    side.ask(asked, note="with operations")
