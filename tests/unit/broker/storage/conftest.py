"""Data directories in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.memory.storage_site import Site


@pytest.fixture
def site() -> Iterator[Site]:
    """A broker's data directories, not opened yet."""
    site = Site()
    yield site
    site.kill()
