import pytest

from pykafka_ops.errors import ConnectError
from pykafka_ops.zookeeper.access import Access, Login
from pykafka_ops.zookeeper.client import Client
from tests.support.memory.zookeeper_clock import zookeeper_clock
from tests.support.waiting import free_port


def test_nobody_there_is_told_with_the_reason() -> None:
    port = free_port()
    with zookeeper_clock(), pytest.raises(ConnectError) as caught:
        Client(f"127.0.0.1:{port}/kafka", 4.0).open(0.3)
    assert str(caught.value) == (
        f"no ZooKeeper at 127.0.0.1:{port} lets us in within 0.3 s: "
        f"127.0.0.1:{port}: Connection refused"
    )


def test_a_refused_login_is_told_without_the_password() -> None:
    client = Client("127.0.0.1:1", 4.0, Access(Login("kafka", "s3cret", "section Client of f")))
    client._connection.refused, client._connection.trouble = True, "check the name"
    said = str(client.why_not("zk:1", "1 s"))
    assert said == (
        "ZooKeeper at zk:1 refuses the login of 'kafka' (section Client of f): check the name"
    )
