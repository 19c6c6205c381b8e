"""What a client may do, as the bit fields of Metadata and DescribeCluster (KIP-430).

There is no authoriser: everybody may do everything the resource type knows.
"""

from __future__ import annotations

NOT_ASKED = -2147483648

_READ, _WRITE, _CREATE, _DELETE, _ALTER, _DESCRIBE, _CLUSTER_ACTION = range(3, 10)
_DESCRIBE_CONFIGS, _ALTER_CONFIGS, _IDEMPOTENT_WRITE = range(10, 13)


def _bits(*operations: int) -> int:
    return sum(1 << operation for operation in operations)


TOPIC_OPERATIONS = _bits(
    _READ, _WRITE, _CREATE, _DELETE, _ALTER, _DESCRIBE, _DESCRIBE_CONFIGS, _ALTER_CONFIGS
)
GROUP_OPERATIONS = _bits(_READ, _DELETE, _DESCRIBE)
CLUSTER_OPERATIONS = _bits(
    _CREATE,
    _ALTER,
    _DESCRIBE,
    _CLUSTER_ACTION,
    _DESCRIBE_CONFIGS,
    _ALTER_CONFIGS,
    _IDEMPOTENT_WRITE,
)
