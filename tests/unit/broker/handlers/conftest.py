"""The broker that handlers of group requests are asked at."""

from __future__ import annotations

import pytest

from tests.support.memory.group_requests import group_site
from tests.support.memory.handler_site import Site


@pytest.fixture
def site() -> Site:
    return group_site()
