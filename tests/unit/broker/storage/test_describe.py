"""What DescribeLogDirs shows of the data directories."""

from __future__ import annotations

import errno

import pytest

from pykafka_ops.errors import KafkaError
from tests.support.memory.logs import batch_of
from tests.support.memory.steps import at_once
from tests.support.memory.storage_site import Site, append


def test_a_copy_that_is_just_begun_is_described_too(site: Site) -> None:
    logs = site.start()
    append(logs.create("t", 0, directory="/a"), b"a")
    logs.dirs[1].futures["t", 0] = "t-0.0123456789abcdef0123456789abcdef-future"  # not made yet
    two = at_once(logs.describe())[1]
    assert (two.path, two.error) == ("/b", None)
    assert two.logs == [("t", 0, 0, True)]
    assert logs.dirs[1].online


def test_directories_are_described(site: Site) -> None:
    logs = site.start()
    append(logs.create("t", 0, directory="/a"), b"a")
    logs.close()
    site.memory.make_directory("/a/u-3.0123456789abcdef0123456789abcdef-future")
    logs = site.start()
    one, two = at_once(logs.describe())
    assert (one.path, one.error) == ("/a", None)
    size = len(batch_of(b"a"))
    assert one.logs == [("t", 0, size, False), ("u", 3, 0, True)]
    assert one.total_bytes >= one.usable_bytes > 0
    assert two.logs == []
    site.memory.fail_next_write(errno.EIO, match="/a/")
    with pytest.raises(KafkaError):
        append(logs.get("t", 0), b"b")  # type: ignore[arg-type]
    assert at_once(logs.describe())[0].error
