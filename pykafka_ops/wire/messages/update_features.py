"""UpdateFeatures (57): change finalised feature levels (KIP-584)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT8, INT16, INT32, STRING


@struct
class FeatureUpdateKey:
    """One feature; level 0 deletes it."""

    feature: str = wire(STRING)
    max_version_level: int = wire(INT16)
    allow_downgrade: bool = wire(BOOL, "0")
    upgrade_type: int = wire(INT8, "1+", default=1)


@message(ApiKey.UPDATE_FEATURES)
class UpdateFeaturesRequest:
    """Features to change, or (version 1) only to validate."""

    timeout_ms: int = wire(INT32, default=60000)
    feature_updates: list[FeatureUpdateKey] = wire([FeatureUpdateKey])
    validate_only: bool = wire(BOOL, "1+")


@struct
class UpdatableFeatureResult:
    """The outcome for one feature."""

    feature: str = wire(STRING)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")


@message(ApiKey.UPDATE_FEATURES)
class UpdateFeaturesResponse:
    """The outcome for the request and, before version 2, for each feature."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    results: list[UpdatableFeatureResult] = wire([UpdatableFeatureResult], "0-1", ignorable=True)
