"""Records of groups as they are written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from pykafka_ops.broker.state.groups.records import GROUP_VALUE, encode_group
from pykafka_ops.disk.internal import GroupMetadataValue, MemberMetadata, encode

TEXTS = some.text(some.characters(exclude_categories=["Cs"]), max_size=40)
INT32 = some.integers(-(2**31), 2**31 - 1)

MEMBERS = some.builds(
    MemberMetadata,
    member_id=TEXTS,
    group_instance_id=some.none() | TEXTS,
    client_id=TEXTS,
    client_host=TEXTS,
    rebalance_timeout=INT32,
    session_timeout=INT32,
    subscription=some.binary(max_size=300),
    assignment=some.binary(max_size=300),
)


@given(
    some.builds(
        GroupMetadataValue,
        protocol_type=TEXTS,
        generation=INT32,
        protocol=some.none() | TEXTS,
        leader=some.none() | TEXTS,
        current_state_timestamp=some.integers(-(2**63), 2**63 - 1),
        members=some.lists(MEMBERS, max_size=5),
    )
)
def test_a_generation_is_written_as_its_table_says(value: GroupMetadataValue) -> None:
    assert encode_group(value) == encode(value, GROUP_VALUE)
