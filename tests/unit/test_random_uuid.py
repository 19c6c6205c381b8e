"""New ids, as Kafka makes them."""

from __future__ import annotations

from uuid import UUID

from pykafka_ops.random_uuid import random_uuid
from pykafka_ops.wire.types import uuid_text


def test_ids_are_random_uuids_of_version_4_whose_text_is_no_flag() -> None:
    made = [random_uuid() for _ in range(2_000)]
    assert {UUID(bytes=value).version for value in made} == {4}
    assert len(set(made)) == len(made)
    assert not any(uuid_text(value).startswith("-") for value in made)
