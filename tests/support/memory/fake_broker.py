"""A broker that answers what a test tells it to, on a real socket, in threads."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codec import decode
from pykafka_ops.wire.frame import read_request_header, response_parts
from pykafka_ops.wire.messages import describe_quorum as dq
from pykafka_ops.wire.messages.api_versions import ApiVersion, ApiVersionsResponse
from pykafka_ops.wire.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeResponse

Answer = Callable[[Any], Any]
OF_QUORUMS = (55, 75)
"""DescribeQuorum and DescribeTopicPartitions: without them brokers are on ZooKeeper."""
LARGEST = 100 << 20
"""socket.request.max.bytes: it hangs up on who sends more, as on the hello of TLS."""


class HangUp:
    """An answer: close the connection."""


class Silence:
    """An answer: never say anything."""


class Silent:
    """The ports of clients that were left without an answer, for who wants to know at once."""

    def __init__(self) -> None:
        self.ports: set[int] = set()
        self._listeners: list[Callable[[], object]] = []

    def add(self, port: int) -> None:
        self.ports.add(port)
        for listener in self._listeners:
            listener()

    @contextmanager
    def told(self, listener: Callable[[], object]) -> Iterator[None]:
        """Call ``listener`` (in another thread) for each."""
        self._listeners.append(listener)
        yield
        self._listeners.remove(listener)


SILENT = Silent()


class Raw:
    """An answer: these bytes, as they are."""

    def __init__(self, data: bytes) -> None:
        self.data = data


class FakeBroker:
    """``on`` sets answers by API name; ``seen`` is what was asked: (API name, version, request)."""

    def __init__(self, node_id: int = 0, *, tls: ssl.SSLContext | None = None) -> None:
        self.node_id, self.tls = node_id, tls
        self.peers: list[FakeBroker] = [self]
        self.controller: int = node_id
        self.topics: dict[str, list[int]] = {}
        """Leaders of the partitions, by topic."""
        self.ranges = {
            int(api): api.served if api.is_announced else api.versions
            for api in ApiKey
            if api not in OF_QUORUMS
        }
        self.seen: list[tuple[str, int, Any]] = []
        self.answers: dict[str, Answer] = {
            "ApiVersions": lambda request: self.versions(),
            "Metadata": self.metadata,
            "SaslHandshake": lambda request: SaslHandshakeResponse(error_code=34),
        }
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.clients: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    def on(self, api: str, answer: Answer) -> FakeBroker:
        self.answers[api] = answer
        return self

    def in_kraft(self, leader: int, code: int = 0) -> FakeBroker:
        """Be of a cluster whose quorum has this leader (-1: none), or an error for who asks."""
        self.ranges = {int(api): api.versions for api in ApiKey}
        log = dq.PartitionData(
            leader_id=leader, leader_epoch=7, high_watermark=90, current_voters=[
                dq.ReplicaState(replica_id=n, log_end_offset=end, last_caught_up_timestamp=at)
                for n, end, at in ((100, 90, 5_000), (101, 85, 4_700))
            ]
        )  # fmt: skip
        topic = dq.TopicData(topic_name="__cluster_metadata", partitions=[log])
        answer = dq.DescribeQuorumResponse(error_code=code, topics=[] if code else [topic])
        return self.on("DescribeQuorum", lambda request: answer)

    def asked(self, api: str) -> list[tuple[int, Any]]:
        """Versions and requests of one API, in order."""
        return [(version, request) for name, version, request in self.seen if name == api]

    def close(self) -> None:
        """Hang up on everybody. No thread is left: it might use a socket that is closed by now,
        and so the next one that gets its number."""
        with suppress(OSError):  # closed before
            self.listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        for client in self.clients:
            _shut(client)
        for thread in self._threads[1:]:
            thread.join()
        for each in (self.listener, *self.clients):
            each.close()

    # --- standard answers

    def versions(self) -> ApiVersionsResponse:
        keys = [
            ApiVersion(api_key=k, min_version=a, max_version=b) for k, (a, b) in self.ranges.items()
        ]
        return ApiVersionsResponse(api_keys=keys)

    def metadata(self, request: Any) -> MetadataResponse:
        names = self.topics if request.topics is None else [t.name for t in request.topics]
        return MetadataResponse(
            brokers=[
                MetadataResponseBroker(node_id=p.node_id, host="127.0.0.1", port=p.port)
                for p in self.peers
            ],
            cluster_id="fake",
            controller_id=self.controller,
            topics=[self._topic(name) for name in names],
        )

    def _topic(self, name: str) -> MetadataResponseTopic:
        if name not in self.topics:
            return MetadataResponseTopic(name=name, error_code=3)
        replicas = [p.node_id for p in self.peers]
        return MetadataResponseTopic(
            name=name,
            topic_id=name.encode().ljust(16, b"."),
            partitions=[
                MetadataResponsePartition(
                    partition_index=i, leader_id=leader, replica_nodes=replicas, isr_nodes=replicas
                )
                for i, leader in enumerate(self.topics[name])
            ],
        )

    # --- sockets

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, (_, port) = self.listener.accept()
            except OSError:
                return
            if self.tls:
                client = self.tls.wrap_socket(client, True, do_handshake_on_connect=False)
            self.clients.append(client)
            self._start(self._serve, client, port)

    def _serve(self, client: socket.socket, port: int) -> None:
        try:
            while self._one(client):
                pass
        except OSError:
            pass
        finally:
            _shut(client)
            SILENT.ports.discard(port)

    def _one(self, client: socket.socket) -> bool:
        frame = self._frame(client)
        if frame is None:
            return False
        header = read_request_header(frame)
        spec = APIS[header.api_key]
        version = header.api_version
        request = decode(spec.request, version, frame, header.body)
        self.seen.append((spec.name, version, request))
        response = self.answers[spec.name](request)
        if isinstance(response, HangUp):
            return False
        if isinstance(response, Raw):
            client.sendall(response.data)
        elif isinstance(response, Silence):
            SILENT.add(client.getpeername()[1])
        else:
            if spec.name == "ApiVersions" and response.error_code == 35:
                version = 0
            parts = response_parts(response, version, header.correlation_id)
            client.sendall(b"".join(bytes(p) for p in parts))
        return True

    @staticmethod
    def _frame(client: socket.socket) -> bytes | None:
        data = b""
        size = 4
        while len(data) < size:
            got = client.recv(min(65536, size - len(data)))  # the next one may follow
            if not got:
                return None
            data += got
            if len(data) >= 4:
                size = 4 + int.from_bytes(data[:4], "big")
                if size > LARGEST:
                    return None
        return data[4:]


def _shut(client: socket.socket) -> None:
    with suppress(OSError):  # closed, or its client was faster
        socket.socket.shutdown(client, socket.SHUT_RDWR)  # no farewell of TLS


def silent_brokers(stack: ExitStack, count: int) -> list[str]:
    """Addresses that take connections and answer nothing, until ``stack`` is closed."""
    made = [FakeBroker().on("ApiVersions", lambda request: Silence()) for _ in range(count)]
    for broker in made:
        stack.callback(broker.close)
    return [broker.bootstrap for broker in made]


def two_brokers() -> tuple[FakeBroker, FakeBroker]:
    """Brokers 0 and 1 that know each other; 1 is the controller."""
    first, second = FakeBroker(0), FakeBroker(1)
    for broker in (first, second):
        broker.peers = [first, second]
        broker.controller = 1
    return first, second
