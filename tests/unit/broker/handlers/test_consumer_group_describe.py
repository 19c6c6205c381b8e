from __future__ import annotations

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from tests.support.memory.handler_site import Site


@pytest.mark.parametrize("groups", [[], ["g"], ["g", "g", ""]])
def test_every_group_is_of_a_protocol_that_is_not_supported(groups: list[str]) -> None:
    answer = Site().ask(ConsumerGroupDescribeRequest(group_ids=groups), 0)
    assert [(g.group_id, g.error_code, g.error_message) for g in answer.groups] == [
        (group, ErrorCode.UNSUPPORTED_VERSION, None) for group in groups
    ]
