"""Error codes are counted as Kafka's responses count theirs, and those of pieces like the whole."""

from __future__ import annotations

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.division import GatheredAnswer
from pykafka_ops.wire.error_counts import counter
from pykafka_ops.wire.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from pykafka_ops.wire.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from pykafka_ops.wire.messages.update_metadata import UpdateMetadataResponse


def counted(message: object, version: int) -> dict[int, int]:
    found: dict[int, int] = {}
    counter(type(message), version)(message, found)
    return found


def fetched(*codes: int) -> FetchResponse:
    partitions = [PartitionData(partition_index=n, error_code=c) for n, c in enumerate(codes)]
    return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=partitions)])


def test_codes_of_items_and_of_the_whole_are_counted() -> None:
    none, unknown = int(ErrorCode.NONE), int(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    assert counted(fetched(none, none, unknown), 12) == {none: 3, unknown: 1}
    assert counted(UpdateMetadataResponse(error_code=41), 7) == {41: 1}


def test_a_field_that_a_version_has_not_is_not_counted() -> None:
    assert counted(fetched(0, 3), 6) == {0: 1, 3: 1}  # the first code of all came with version 7
    batched = FindCoordinatorResponse(coordinators=[Coordinator(error_code=15)])
    assert counted(batched, 4) == {15: 1}
    assert counted(FindCoordinatorResponse(error_code=15), 3) == {15: 1}


def test_an_answer_in_pieces_counts_as_the_whole() -> None:
    whole = GatheredAnswer(["responses", "partitions"], 12, 1 << 20)
    whole.are_codes_counted = True
    for codes in ((0, 0), (0, 6), (3,)):
        assert all(step is None for step in whole.add(fetched(*codes), goes_on=True))
    assert all(step is None for step in whole.finish())
    found: dict[int, int] = {}
    whole.count_codes(found)
    assert found == {0: 4, 6: 1, 3: 1}
