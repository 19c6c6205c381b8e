"""One file per API: look up, authorise, call one service, shape the answer.

``ROUTES`` is what this broker serves: every API whose row in ``wire/apis.py`` a broker announces.
Dispatch and the ApiVersions answer come from it. The handler of ``DELETE_TOPICS`` is
``delete_topics.py``; it is imported when the API is first called. ``wire/messages/`` says what each
version brought.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import NamedTuple

from pykafka_ops.wire.apis import APIS, ApiKey


class Route(NamedTuple):
    """Which module serves an API, in which versions (both inclusive)."""

    module: str
    min_version: int
    max_version: int

    def load(self) -> ModuleType:
        """The handler module, imported at first use."""
        return importlib.import_module(f"{__name__}.{self.module}")


ROUTES: dict[int, Route] = {
    int(api): Route(APIS[api].file, *api.served) for api in ApiKey if api.is_announced
}
WITH_CONSUMER_GROUPS: dict[int, Route] = ROUTES | {
    int(api): Route(APIS[api].file, *api.versions)
    for api in (ApiKey.CONSUMER_GROUP_HEARTBEAT, ApiKey.CONSUMER_GROUP_DESCRIBE)
}
"""What it serves where ``group.coordinator.rebalance.protocols`` has ``consumer``."""
