from __future__ import annotations

import copy
import pickle

import pytest

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, table_of, wire
from pykafka_ops.wire.messages.api_versions import ApiVersion, ApiVersionsResponse
from pykafka_ops.wire.messages.consumer_group_describe import Assignment, Member
from pykafka_ops.wire.messages.fetch import FetchRequest, PartitionData
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.types import (
    BOOL,
    BYTES,
    FLOAT64,
    INT32,
    LAST,
    RECORDS,
    STRING,
    UUID,
    ZERO_UUID,
    Records,
)


@struct
class Everything:
    """One field of each kind."""

    yes: bool = wire(BOOL)
    number: int = wire(INT32)
    real: float = wire(FLOAT64)
    text: str = wire(STRING)
    data: bytes = wire(BYTES)
    records: Records = wire(RECORDS)
    id: bytes = wire(UUID)
    numbers: list[int] = wire([INT32])
    maybe: list[int] | None = wire([INT32], nullable="0+", default=None)
    inner: ApiVersion = wire(ApiVersion)
    tagged: ApiVersion | None = wire(ApiVersion, tag=0)


@struct
class Nothing:
    """No field at all."""


def test_every_field_has_the_zero_value_of_its_type() -> None:
    e = Everything()
    assert (e.yes, e.number, e.real, e.text, e.data) == (False, 0, 0.0, "", b"")
    assert (e.records, e.id, e.numbers, e.maybe) == (None, ZERO_UUID, [], None)
    assert (e.inner, e.tagged) == (ApiVersion(), None)
    assert Nothing() == Nothing()


def test_kafkas_own_defaults_stand_in_the_tables() -> None:
    assert FetchRequest().max_bytes == 0x7FFFFFFF
    assert FetchRequest().replica_id == -1
    assert PartitionData().last_stable_offset == -1
    assert ApiVersionsResponse().finalized_features_epoch == -1
    assert Member().assignment == Assignment()


def test_lists_and_structs_are_made_anew_for_each_object() -> None:
    one, other = Everything(), Everything()
    one.numbers.append(1)
    one.inner.api_key = 5
    assert (other.numbers, other.inner.api_key) == ([], 0)


def test_fields_are_given_by_name_only() -> None:
    with pytest.raises(TypeError):
        HeartbeatRequest("g")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="groupid"):
        HeartbeatRequest(groupid="g")  # type: ignore[call-arg]


def test_objects_have_no_other_attributes() -> None:
    beat = HeartbeatRequest(group_id="g")
    with pytest.raises(AttributeError):
        beat.groupid = "g"  # type: ignore[attr-defined]
    assert not hasattr(beat, "__dict__")


def test_equal_means_same_class_and_same_values() -> None:
    assert HeartbeatRequest(group_id="g") == HeartbeatRequest(group_id="g")
    assert HeartbeatRequest(group_id="g") != HeartbeatRequest(group_id="h")
    assert HeartbeatRequest() != Nothing()
    with pytest.raises(TypeError, match="unhashable"):
        hash(HeartbeatRequest())


def test_the_repr_names_every_field() -> None:
    assert repr(ApiVersion(api_key=3)) == "ApiVersion(api_key=3, min_version=0, max_version=0)"


def test_objects_can_be_copied_and_pickled() -> None:
    beat = HeartbeatRequest(group_id="g", generation_id=3)
    assert copy.copy(beat) == beat
    assert copy.deepcopy(beat) == beat
    assert pickle.loads(pickle.dumps(beat)) == beat


def test_a_class_keeps_its_name_and_docstring() -> None:
    assert HeartbeatRequest.__name__ == HeartbeatRequest.__qualname__ == "HeartbeatRequest"
    assert HeartbeatRequest.__module__ == "pykafka_ops.wire.messages.heartbeat"
    assert HeartbeatRequest.__doc__ == "A member of one generation."


def test_the_table_tells_what_is_known_of_a_message() -> None:
    @message(ApiKey.ADD_OFFSETS_TO_TXN)
    class Answer:
        """An answer."""

        code: int = wire(INT32, "2-3", nullable="3+")

    table = table_of(Answer)
    assert (table.name, table.api) == ("Answer", 25)
    assert (table.versions, table.flexible) == ((0, 4), (3, LAST))
    (field,) = table.fields
    assert [field.exists(v) for v in range(1, 5)] == [False, True, True, False]
    assert [field.may_be_null(v) for v in range(1, 5)] == [False, False, True, True]
    assert not field.is_tagged(2)


def test_only_declared_classes_have_a_table() -> None:
    with pytest.raises(TypeError, match="int is not declared"):
        table_of(int)
