import pytest
from kazoo.security import (
    ACL,
    ANYONE_ID_UNSAFE,
    CREATOR_ALL_ACL,
    OPEN_ACL_UNSAFE,
    READ_ACL_UNSAFE,
)

from pykafka_ops.zookeeper.acls import acl_texts, default_acls, parse_acls


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


def test_acls_are_written_and_read_as_the_shell_does() -> None:
    texts = ["digest:a:b=:cdrwa", "sasl:kafka:cdrwa", "world:anyone:r"]
    assert acl_texts(parse_acls(",".join(reversed(texts)))) == texts
    assert parse_acls("world:anyone:") == [ACL(0, ANYONE_ID_UNSAFE)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", "x does not have the form scheme:id:perm"),
        ("a:b", "a:b does not have the form scheme:id:perm"),
        ("world:anyone:r,", " does not have the form scheme:id:perm"),
        ("world:anyone:rx", "Unknown perm type: x"),
    ],
)
def test_what_is_no_acl_is_told_in_the_shells_words(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_acls(text)
