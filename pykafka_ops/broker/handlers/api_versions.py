"""ApiVersions (18), v0-4: the APIs and versions that this broker serves.

A request in an unknown version is answered in version 0 with UNSUPPORTED_VERSION and the range
of ApiVersions itself; the connection stays.
"""

from __future__ import annotations

import logging
from functools import cache

from pykafka_ops.broker.handlers import ROUTES, WITH_CONSUMER_GROUPS
from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.client_software import is_software
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import Encoded
from pykafka_ops.wire.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
)

log = logging.getLogger("kafka.network.RequestChannel")

NO_FEATURES_EPOCH = 0
"""What a broker in ZooKeeper mode says where no feature was ever finalized."""


@cache
def _served(consumers: bool) -> list[ApiVersion]:
    """What is served, with consumer groups or without."""
    routes = WITH_CONSUMER_GROUPS if consumers else ROUTES
    return [
        ApiVersion(api_key=int(key), min_version=route.min_version, max_version=route.max_version)
        for key, route in sorted(routes.items())
    ]


def handle(context: Context, request: ApiVersionsRequest | None) -> Answer:
    """All that is served; features are empty, as a broker in ZooKeeper mode says.

    ``request`` is None when its version is not known. Raises KafkaError INVALID_REQUEST for a
    software name or version that is none.
    """
    if context.version < 0 or request is None:
        own = [each for each in _served(False) if each.api_key == ApiKey.API_VERSIONS]
        return ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=own)
    if context.version >= 3:
        name, version = request.client_software_name, request.client_software_version
        if not (is_software(name) and is_software(version)):
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        if context.services.software is not None:
            context.services.software[context.connection_id] = name, version
        log.debug("client %s at %s is %s %s", context.client_id, context.client_host, name, version)
    consumers = context.services.groups.protocols is not None
    if context.meter is not None:
        return _all_served(consumers)  # the answer says how long the client is throttled
    return _encoded(context.version, consumers)


def _all_served(consumers: bool) -> ApiVersionsResponse:
    return ApiVersionsResponse(
        api_keys=_served(consumers), finalized_features_epoch=NO_FEATURES_EPOCH
    )


@cache
def _encoded(version: int, consumers: bool) -> Encoded:
    """The answer, which every client gets first of all."""
    found = Encoded(_all_served(consumers), version)
    found.join()
    return found
