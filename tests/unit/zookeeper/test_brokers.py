import json

import pytest
from kazoo.exceptions import NoNodeError

from pykafka_ops.errors import ConnectError
from pykafka_ops.zookeeper.brokers import addresses, registered

KAFKA_08 = {"host": "a", "port": 9092, "version": 1}
KAFKA_09 = {"endpoints": ["PLAINTEXT://b:9092", "SSL://b:9093"], "host": "b", "port": 9092}
KAFKA_39 = {
    "listener_security_protocol_map": {"IN": "PLAINTEXT", "OUT": "SASL_SSL"},
    "endpoints": ["OUT://c.example:9094", "IN://[::1]:9092"],
    "host": "::1",
    "port": 9092,
}
BROKERS = {1: KAFKA_08, 2: KAFKA_09, 3: KAFKA_39}


class Tree:
    """A client of these children of /brokers/ids."""

    chroot = "/kafka"

    def __init__(self, nodes: dict[str, bytes]) -> None:
        self.nodes = nodes

    def exists(self, path: str) -> bool:
        return bool(self.nodes)

    def get_children(self, path: str) -> list[str]:
        return [*self.nodes, "77"]

    def get(self, path: str) -> tuple[bytes, None]:
        name = path.rpartition("/")[2]
        if name not in self.nodes:
            raise NoNodeError
        return self.nodes[name], None


def test_the_listener_of_a_protocol_is_found_in_what_each_version_registers() -> None:
    assert addresses(BROKERS, "PLAINTEXT") == ["a:9092", "b:9092", "[::1]:9092"]
    assert addresses(BROKERS, "SSL") == ["b:9093"]
    assert addresses(BROKERS, "SASL_SSL") == ["c.example:9094"]


def test_a_protocol_that_nobody_speaks_is_told_with_those_that_are() -> None:
    with pytest.raises(ConnectError, match="they listen for: PLAINTEXT, SASL_SSL, SSL"):
        addresses(BROKERS, "SASL_PLAINTEXT")


def test_brokers_are_read_by_id_and_none_is_an_error() -> None:
    tree = Tree({str(id_): json.dumps(data).encode() for id_, data in [*BROKERS.items()][::-1]})
    assert registered(tree) == BROKERS  # type: ignore[arg-type]
    assert list(registered(tree)) == [1, 2, 3]  # type: ignore[arg-type]
    with pytest.raises(ConnectError, match="/kafka/brokers/ids is empty"):
        registered(Tree({}))  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'"x"', b"\xff"])
def test_what_is_no_brokers_registration_is_passed_over(data: bytes) -> None:
    with pytest.raises(ConnectError, match="knows no broker"):
        registered(Tree({"1": data}))  # type: ignore[arg-type]
