"""A cluster by rule on real sockets: one process, a port for each broker.

    .venv/bin/python -m tests.support.by_rule.server --brokers 1000 --partitions 1000000

It prints the address of the first broker, and ends with its standard input or SIGTERM.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import partial
from typing import NamedTuple

from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.codec import decode
from pykafka_ops.wire.frame import read_request_header, response_parts
from tests.support.by_rule.answers import RuledAnswers
from tests.support.by_rule.rules import ClusterRules

_UNSUPPORTED = 35


def answered(answers: RuledAnswers, broker: int, frame: bytes) -> bytes:
    """The bytes of the answer to a request."""
    header = read_request_header(frame)
    spec, version = APIS[header.api_key], header.api_version
    if spec.name == "ApiVersions" and version > spec.max_version:
        response = answers.answer(broker, spec.name, None)
        response.error_code, version = _UNSUPPORTED, 0
    else:
        request = decode(spec.request, version, frame, header.body)
        response = answers.answer(broker, spec.name, request)
    return b"".join(bytes(p) for p in response_parts(response, version, header.correlation_id))


async def _serve(
    answers: RuledAnswers, broker: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            size = int.from_bytes(await reader.readexactly(4), "big")
            writer.write(answered(answers, broker, await reader.readexactly(size)))
            await writer.drain()
    writer.close()


async def serve(rules: ClusterRules) -> None:
    """Listen for all brokers until SIGTERM, or until nobody holds the standard input."""
    ports = [0] * rules.brokers
    answers = RuledAnswers(rules, ports)
    servers = []
    for broker in range(rules.brokers):
        server = await asyncio.start_server(
            partial(_serve, answers, broker), "127.0.0.1", 0, backlog=256
        )
        ports[broker] = server.sockets[0].getsockname()[1]
        servers.append(server)
    for known, port in zip(answers.brokers, ports, strict=True):
        known.port = port
    print(f"127.0.0.1:{ports[0]}", flush=True)
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    loop.add_reader(sys.stdin.fileno(), ended.set)
    await ended.wait()
    for server in servers:
        server.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.support.by_rule.server")
    for field in fields(ClusterRules):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=int)
    asked = {k: v for k, v in vars(parser.parse_args()).items() if v is not None}
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(serve(ClusterRules(**{"now": time.time_ns() // 1_000_000, **asked})))


class RuledCluster(NamedTuple):
    """A cluster that runs: where its first broker listens, and the process of all of them."""

    address: str
    pid: int


@contextmanager
def running(rules: ClusterRules) -> Iterator[RuledCluster]:
    """A cluster in a process of its own, which ends with this one."""
    options = [f"--{k.replace('_', '-')}={v}" for k, v in asdict(rules).items()]
    argv = [sys.executable, "-m", "tests.support.by_rule.server", *options]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address, "the cluster did not start"
            yield RuledCluster(address, process.pid)
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
