from __future__ import annotations

import pytest

from pykafka_ops.broker.state.acls import UNKNOWN, check_known
from pykafka_ops.errors import WireError


def test_codes_that_no_kafka_knows_yet_are_for_an_authorizer_to_judge() -> None:
    assert check_known(1, 2, 99, -1) is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize("place", range(3))
def test_an_unknown_element_makes_a_request_malformed(place: int) -> None:
    codes = [2, 3, 4]
    codes[place] = UNKNOWN
    with pytest.raises(WireError, match="UNKNOWN"):
        check_known(*codes)
