"""ApiVersions (18): what a broker speaks.

Every client sends it first. A broker that does not know the request's version answers in version 0
with UNSUPPORTED_VERSION and its ranges (KIP-511). Version 3 adds the client's name and the feature
flags (KIP-584), which version 4 may list with a minimum of 0.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT16, INT32, INT64, STRING


@message(ApiKey.API_VERSIONS)
class ApiVersionsRequest:
    """Ask for the API versions; names the client library from version 3."""

    client_software_name: str = wire(STRING, "3+", ignorable=True)
    client_software_version: str = wire(STRING, "3+", ignorable=True)


@struct
class ApiVersion:
    """The versions of one API, both ends included."""

    api_key: int = wire(INT16)
    min_version: int = wire(INT16)
    max_version: int = wire(INT16)


@struct
class SupportedFeatureKey:
    """A feature the broker could use, with its levels."""

    name: str = wire(STRING, "3+")
    min_version: int = wire(INT16, "3+")
    max_version: int = wire(INT16, "3+")


@struct
class FinalizedFeatureKey:
    """A feature switched on in the whole cluster, with its levels."""

    name: str = wire(STRING, "3+")
    max_version_level: int = wire(INT16, "3+")
    min_version_level: int = wire(INT16, "3+")


@message(ApiKey.API_VERSIONS)
class ApiVersionsResponse:
    """API ranges, features, and the epoch of the finalised features (-1: none)."""

    error_code: int = wire(INT16)
    api_keys: list[ApiVersion] = wire([ApiVersion])
    throttle_time_ms: int = wire(INT32, "1+", ignorable=True)
    supported_features: list[SupportedFeatureKey] = wire(
        [SupportedFeatureKey], "3+", tag=0, ignorable=True
    )
    finalized_features_epoch: int = wire(INT64, "3+", default=-1, tag=1, ignorable=True)
    finalized_features: list[FinalizedFeatureKey] = wire(
        [FinalizedFeatureKey], "3+", tag=2, ignorable=True
    )
    zk_migration_ready: bool = wire(BOOL, "3+", tag=3, ignorable=True)
