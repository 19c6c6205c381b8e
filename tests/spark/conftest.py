"""One Spark session for all tests here: starting it costs seconds and a core."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All need Java and seconds, and run in one worker, which keeps the one session."""
    for item in items:
        if item.path.is_relative_to(HERE):
            for marker in (pytest.mark.java, pytest.mark.slow, pytest.mark.xdist_group("spark")):
                item.add_marker(marker)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local session on two cores with the sources registered."""
    from pykafka_ops.spark.session import Wish, close, session

    conf = {"spark.sql.shuffle.partitions": "2"}
    made = session(Wish(cores=2, driver_memory="1g", conf=conf))
    yield made
    close(made)
