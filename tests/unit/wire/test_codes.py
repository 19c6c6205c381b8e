from __future__ import annotations

import pytest

from pykafka_ops.wire.code_texts import TEXTS
from pykafka_ops.wire.codes import ErrorCode


def test_codes_run_from_minus_one_to_128_without_a_gap() -> None:
    assert sorted(int(code) for code in ErrorCode) == list(range(-1, 129))


def test_every_code_has_a_text_and_an_exception() -> None:
    assert set(TEXTS) == {code.name for code in ErrorCode}
    assert all(code.text for code in ErrorCode)
    named = [code for code in ErrorCode if code is not ErrorCode.NONE]
    odd = [code for code in named if not code.exception_name.endswith("Exception")]
    assert odd == [ErrorCode.OFFSET_METADATA_TOO_LARGE, ErrorCode.INVALID_REGULAR_EXPRESSION]
    assert ErrorCode.OFFSET_METADATA_TOO_LARGE.exception_name == "OffsetMetadataTooLarge"
    assert ErrorCode.NONE.exception_name == ""


@pytest.mark.parametrize(
    ("code", "retriable", "exception"),
    [
        (ErrorCode.UNKNOWN_SERVER_ERROR, False, "UnknownServerException"),
        (ErrorCode.OFFSET_OUT_OF_RANGE, False, "OffsetOutOfRangeException"),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, True, "UnknownTopicOrPartitionException"),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, True, "NotLeaderOrFollowerException"),
        (ErrorCode.TOPIC_ALREADY_EXISTS, False, "TopicExistsException"),
        (ErrorCode.KAFKA_STORAGE_ERROR, True, "KafkaStorageException"),
        (ErrorCode.PRODUCER_FENCED, False, "ProducerFencedException"),
    ],
)
def test_codes_say_whether_to_retry_and_what_java_raises(
    code: ErrorCode, retriable: bool, exception: str
) -> None:
    assert (code.retriable, code.exception_name) == (retriable, exception)


def test_a_code_is_its_number() -> None:
    assert ErrorCode(3) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert ErrorCode.UNSUPPORTED_VERSION == 35
    assert ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.text == (
        "This server does not host this topic-partition."
    )


def test_a_code_of_a_newer_kafka_is_no_error_here() -> None:
    assert ErrorCode.of(9999) is ErrorCode.UNKNOWN_SERVER_ERROR
    assert ErrorCode.of(0) is ErrorCode.NONE
