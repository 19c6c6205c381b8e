import pytest
from kazoo import exceptions as zk

from pykafka_ops.broker.metadata.store import AccessError, NoNodeError, SessionLostError, StoreError
from pykafka_ops.broker.metadata.zookeeper.errors import error_of


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (zk.NoNodeError(), NoNodeError, 1),
        (zk.AuthFailedError(), SessionLostError, 1),
        (zk.NoAuthError(), AccessError, 3),
        (zk.InvalidACLError(), AccessError, 3),
        (zk.SessionClosedRequireSaslError(), AccessError, 3),
        (zk.QuotaExceededError("much"), StoreError, 1),
    ],
)
def test_each_error_has_its_kind_its_exit_code_and_its_path(
    error: Exception, kind: type[StoreError], code: int
) -> None:
    found = error_of("/a", error, 2)
    assert type(found) is kind
    assert (found.path, found.index, found.exit_code) == ("/a", 2, code)
    assert "/a" in str(found)
