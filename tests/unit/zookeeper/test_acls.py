import pytest
from kazoo.security import CREATOR_ALL_ACL, OPEN_ACL_UNSAFE, READ_ACL_UNSAFE

from pykafka_ops.zookeeper.acls import default_acls


@pytest.mark.parametrize("path", ["/", "/brokers/ids/1", "/config/topics/t", "/config"])
def test_everybody_reads_what_is_no_secret(path: str) -> None:
    assert default_acls(path, secure=True) == CREATOR_ALL_ACL + READ_ACL_UNSAFE


@pytest.mark.parametrize(
    "path",
    ["/config/users", "/config/users/alice", "/config/brokers/1", "/delegation_token/tokens/x"],
)
def test_secrets_are_for_their_owner_alone(path: str) -> None:
    assert default_acls(path, secure=True) == CREATOR_ALL_ACL


def test_consumers_of_old_write_where_they_did() -> None:
    assert default_acls("/consumers", secure=True) == OPEN_ACL_UNSAFE
    assert default_acls("/consumers/group", secure=True) == CREATOR_ALL_ACL + READ_ACL_UNSAFE


def test_without_the_setting_all_is_open() -> None:
    assert default_acls("/config/users", secure=False) == OPEN_ACL_UNSAFE
