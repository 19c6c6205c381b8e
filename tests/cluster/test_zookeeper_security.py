"""ZooKeeper with TLS, with logins, with ACLs: the store, a broker, the tools, Apache Kafka."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kazoo.protocol.connection import _CONNECTION_DROP

from pykafka_ops.broker.metadata.store import AccessError, Create, SessionLostError, SessionState
from pykafka_ops.broker.metadata.zookeeper.store import ZooKeeperStore
from pykafka_ops.zookeeper.access import Access, access_of
from pykafka_ops.zookeeper.acls import ROOTS
from pykafka_ops.zookeeper.client import Client
from tests.support.process import certificates
from tests.support.process.apache import ApacheBroker
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import pko
from tests.support.process.secured import USER, SecuredZooKeeper
from tests.support.waiting import wait_for

pytestmark = [
    pytest.mark.java,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
MINE = [f"sasl:{USER}:cdrwa"]
READ = [*MINE, "world:anyone:r"]


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredZooKeeper]:
    found = SecuredZooKeeper(tmp_path_factory.mktemp("secured"))
    try:
        yield found.start()
    finally:
        found.close()


async def open_store(connect: str, access: Access, *, set_acl: bool = True) -> ZooKeeperStore:
    return await ZooKeeperStore.connect(
        connect,
        session_timeout_ms=6000,
        connection_timeout_ms=60_000,
        access=access,
        set_acl=set_acl,
    )


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


def test_what_is_written_belongs_to_the_certificate_and_the_login(
    secured: SecuredZooKeeper,
) -> None:
    names = [f"/t-{i}" for i in range(700)]

    async def body() -> None:
        store = await open_store(f"{secured.secure_connect}/tls", secured.access(tls=True))
        try:
            await store.create("/config/users/alice", b"{}", make_parents=True)
            await store.create("/consumers")
            await store.multi([Create(name, name.encode()) for name in names])
            await store.create("/live", b"1", ephemeral=True)
            await store.create("/change_", b"", sequence=True)
            found = await store.get_many(names)
            assert [node and node.data for node in found] == [name.encode() for name in names]
            found_acls = await asyncio.to_thread(secured.acls, "/tls")
        finally:
            await store.close()
        mine = [*MINE, "x509:CN=client:cdrwa"]
        assert found_acls.pop("/consumers") == ["world:anyone:cdrwa"]
        assert found_acls.pop("/config/users") == mine
        assert found_acls.pop("/config/users/alice") == mine
        assert len(found_acls) == 704
        assert set(map(tuple, found_acls.values())) == {(MINE[0], "world:anyone:r", mine[1])}

    asyncio.run(body())


def test_others_may_read_but_not_write(secured: SecuredZooKeeper) -> None:
    async def body() -> None:
        mine = await open_store(f"{secured.connect}/mine", secured.access())
        await mine.create("/config/users", b"", make_parents=True)
        other = await open_store(f"{secured.connect}/mine", Access(), set_acl=False)
        try:
            assert await other.get("/config") is not None
            with pytest.raises(AccessError, match="/config/users: its ACL does not let"):
                await other.get("/config/users")
            with pytest.raises(AccessError, match="/new: its ACL does not let"):
                await other.multi([Create("/new")])
        finally:
            await other.close()
            await mine.close()
        with pytest.raises(AccessError, match="knows no login of this broker"):
            await open_store(f"{secured.connect}/nobodys", Access())

    asyncio.run(body())


def test_each_connection_is_logged_in_and_a_login_that_fails_is_tried_again(
    secured: SecuredZooKeeper,
) -> None:
    async def body() -> None:
        good = secured.access()
        assert good.login is not None
        store = await open_store(f"{secured.connect}/again", good)
        heard: list[SessionState] = []
        store.on_session(heard.append)
        before = store.session_id
        try:
            store._client._call(_CONNECTION_DROP, None)
            await until(lambda: heard == [SessionState.SUSPENDED, SessionState.CONNECTED])
            await store.create("/same", b"")
            assert store.session_id == before
            heard.clear()
            store._client.access = good._replace(login=good.login._replace(password="x"))
            store._client._call(_CONNECTION_DROP, None)
            await until(lambda: SessionState.EXPIRED in heard)
            with pytest.raises(SessionLostError):
                await store.create("/lost", b"")
            assert heard == [SessionState.SUSPENDED, SessionState.EXPIRED]
            store._client.access = good
            await until(lambda: SessionState.CONNECTED in heard)
            assert store.session_id != before
            await store.create("/back", b"")
        finally:
            await store.close()
        assert secured.acls("/again") == {"/": READ, "/same": READ, "/back": READ}

    asyncio.run(body())


def test_whoever_is_not_let_in_knows_why(secured: SecuredZooKeeper, tmp_path: Path) -> None:
    def trouble(connect: str, access: Access) -> str:
        client = Client(connect, 6.0, access)
        client.start_async()
        try:
            return wait_for(lambda: client.trouble, what="a try to connect")
        finally:
            client.end()

    with_tls = secured.access(tls=True, login=False)
    other = {"zookeeper.ssl.truststore.location": str(certificates.Authority(tmp_path).ca)}
    untrusting = access_of({**secured.tls, **other}, {})
    assert "its certificate is not trusted" in trouble(secured.secure_connect, untrusting)
    assert "is that the port of TLS" in trouble(secured.secure_connect, Access())
    assert "is that the port of TLS" in trouble(secured.connect, with_tls)


def test_a_broker_whose_login_is_refused_says_so_and_ends(
    secured: SecuredZooKeeper, tmp_path: Path
) -> None:
    broker = BrokerProcess(tmp_path / "broker", {"zookeeper.connect": secured.connect})
    with secured.options(secured.bad_jaas):
        code, said = broker.start_refused()
    assert code == 3
    line = said.splitlines()[-1]
    assert f"ZooKeeper at {secured.connect} refuses the login of '{USER}' (section Client" in line
    assert "not it" not in said
    assert "Traceback" not in said
    broker.overrides["zookeeper.set.acl"] = "true"
    code, said = broker.start_refused()
    assert code == 2
    assert "zookeeper.set.acl=true needs a login to ZooKeeper" in said.splitlines()[-1]


def test_tools_go_through_tls_and_change_acls(secured: SecuredZooKeeper, tmp_path: Path) -> None:
    file = tmp_path / "tls.properties"
    file.write_text("".join(f"{k}={v}\n" for k, v in secured.tls.items()))
    where = f"{secured.secure_connect}/tools"
    plain = ("--zookeeper", f"{secured.connect}/tools")
    assert pko("zookeeper", "shell", "--zookeeper", secured.connect, "create", "/tools").code == 0
    secure = ("zookeeper-security-migration", "--zookeeper.connect", where)
    said = pko(*secure, "--zookeeper.acl=secure")
    assert said.code == 1
    assert said.err.startswith("ERROR: No JAAS configuration file has been specified and no TLS ")
    secure = (*secure, "--zk-tls-config-file", str(file))
    said = pko(*secure, "--zookeeper.acl=secure", "--enable.path.check")
    assert said.code == 1
    assert said.out.splitlines()[0] == (
        f"Warning: The following secure root paths do not exist in ZooKeeper: {','.join(ROOTS)}"
    )
    assert said.out.splitlines()[-1] == "Exit the command."
    assert pko(*secure, "--zookeeper.acl=secure").code == 0
    user = ("--entity-type", "users", "--entity-name", "alice")
    configs = ("kafka-configs", "--zookeeper", where, "--zk-tls-config-file", str(file))
    said = pko(*configs, "--alter", *user, "--add-config", "SCRAM-SHA-256=[password=pw]")
    assert said.code == 0, said
    owner = "x509:CN=client:cdrwa"
    shell = ("zookeeper-shell", where, "-zk-tls-config-file", str(file))
    assert pko(*shell, "getAcl", "/config/users/alice").out.endswith("'x509,'CN=client\n: cdrwa\n")
    said = pko("zookeeper", "get", "/config", *plain, "--acl", "-o", "json")
    assert json.loads(said.out)["items"][0]["acl"] == ["world:anyone:r", owner]
    said = pko("zookeeper", "get", "/config/users/alice", *plain)
    assert said.code == 4
    assert "not allowed to read it" in said.out
    assert pko("zookeeper", "shell", *plain, "create", "/config/x").code == 1
    assert pko(*secure, "--zookeeper.acl=unsecure").code == 0
    assert pko("zookeeper", "shell", *plain, "create", "/config/x").code == 0


def test_the_acls_are_those_of_apache_kafka(secured: SecuredZooKeeper, tmp_path: Path) -> None:
    """One of theirs and one of ours, each in a tree of its own; another of ours in theirs, which
    comes by TLS."""
    settings = {"zookeeper.set.acl": "true", "offsets.topic.num.partitions": 1}
    ours = BrokerProcess(
        tmp_path / "ours", {**settings, "zookeeper.connect": f"{secured.connect}/ours"}
    )
    theirs = ApacheBroker(
        tmp_path / "theirs",
        secured.server,
        {**settings, "zookeeper.connect": f"{secured.connect}/theirs"},
        heap="256M",
    )
    guest = BrokerProcess(
        tmp_path / "guest",
        {
            **settings,
            **secured.tls,
            "broker.id": 7,
            "zookeeper.connect": f"{secured.secure_connect}/theirs",
        },
    )
    ours.overrides["broker.id"] = 0
    trees = {}
    try:
        with secured.options(secured.jaas), pytest.MonkeyPatch.context() as patch:
            patch.setenv("JAVA_TOOL_OPTIONS", f"-Djava.security.auth.login.config={secured.jaas}")
            theirs.start()
            ours.start()
            guest.start()
        for name, broker in (("/theirs", theirs), ("/ours", ours)):
            _use(broker.bootstrap)
            wait_for(lambda name=name: "/config/users/alice" in secured.acls(name), what="a user")
            trees[name] = secured.acls(name)
        assert guest.stop() == 0
    finally:
        for each in (guest, ours, theirs):
            each.close()
    guests = {path: acl for path, acl in trees["/theirs"].items() if path.endswith("/7")}
    assert guests == {"/brokers/ids/7": [*READ, "x509:CN=client:cdrwa"]}
    assert _known(trees["/ours"]) == _known(
        {path: acl for path, acl in trees["/theirs"].items() if path not in guests}
    )
    assert trees["/ours"]["/config/users/alice"] == MINE
    assert trees["/ours"]["/consumers"] == ["world:anyone:cdrwa"]
    assert trees["/ours"]["/"] == READ


def _use(bootstrap: str) -> None:
    where = ("--bootstrap-server", bootstrap)
    words = ("--alter", "--entity-type", "users", "--entity-name", "alice")
    assert pko("topics", "create", "orders", *where, "--partitions", "2").code == 0
    said = pko("kafka-configs", *where, *words, "--add-config", "producer_byte_rate=1000000")
    assert said.code == 0, said
    words = ("--alter", "--entity-type", "topics", "--entity-name", "orders")
    assert pko("kafka-configs", *where, *words, "--add-config", "retention.ms=1").code == 0


def _known(tree: dict[str, list[str]]) -> dict[str, list[str]]:
    """Notifications have numbers of their own, and go."""
    return {path: acl for path, acl in tree.items() if "change_" not in path.rpartition("/")[2]}
