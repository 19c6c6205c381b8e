"""``pko top`` and its screen on a broker that is really there."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.top.desk import ActionDesk
from pykafka_ops.top.screen.app import TopApp
from pykafka_ops.top.screen.ask import ConfirmPlan
from pykafka_ops.top.source import DirectSource
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import pko
from tests.support.waiting import PATIENCE


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A broker with a topic of 100 records, of which group billing has read 40."""
    process = BrokerProcess(tmp_path_factory.mktemp("top") / "data")
    try:
        process.start()
        where = ("-b", process.bootstrap)
        assert pko("topics", "create", "orders", "--partitions", "1", *where).code == 0
        lines = "".join(f"\x1b[31m{n}\n" for n in range(100))
        assert pko("produce", "orders", *where, text=lines).code == 0
        read = ("--from-beginning", "--max-messages", "40", "--group", "billing")
        assert pko("consume", "orders", *read, *where).code == 0
        yield process.bootstrap
    finally:
        process.close()


def drive(app: TopApp, steps: Callable[[Pilot[int]], Awaitable[None]]) -> None:
    async def go() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await steps(pilot)

    asyncio.run(go())


async def until(pilot: Pilot[int], holds: Callable[[], bool]) -> None:
    """Wait for it; what the screen shows where it does not come."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, (rows_of(pilot.app), str(pilot.app.screen))
        await pilot.pause(0.02)


def rows_of(app: object) -> list[str]:
    assert isinstance(app, TopApp)
    rows = app.rows
    return [rows.render_line(y).text.rstrip() for y in range(rows.size.height)]


def foot_of(app: TopApp) -> str:
    return str(app.screen_stack[0].query_one("#foot", Static).content)


def source_of(servers: str, **settings: str) -> DirectSource:
    properties = {"bootstrap.servers": servers}
    properties.update((name.replace("_", "."), value) for name, value in settings.items())
    return DirectSource(servers, properties, poll_ms=500, command=())


def test_from_the_overview_to_the_record_that_is_read_next(broker: str) -> None:
    app = TopApp(source_of(broker))

    async def steps(pilot: Pilot[int]) -> None:
        await pilot.press("4")
        await until(pilot, lambda: ">billing" in rows_of(app)[1])
        assert " 60 " in rows_of(app)[1]
        await pilot.press("enter")
        await until(pilot, lambda: ">orders" in rows_of(app)[1])
        await pilot.press("enter")
        await until(pilot, lambda: rows_of(app)[1].split()[:2] == [">", "40"])
        assert "\\x1b[31m40" in rows_of(app)[1]

    drive(app, steps)


def test_a_group_is_moved_once_its_name_is_typed_and_can_go_back(
    broker: str, tmp_path: Path
) -> None:
    env = {"XDG_STATE_HOME": str(tmp_path)}
    run = Run(Args({}, "", flags=False), {}, env)
    run.args.values["bootstrap-server"] = [broker]
    app = TopApp(source_of(broker), ActionDesk(run))

    async def steps(pilot: Pilot[int]) -> None:
        await pilot.press("colon", *"group billing", "enter")
        await until(pilot, lambda: ">orders" in rows_of(app)[1])
        await pilot.press("m", *"earliest", "enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmPlan))
        await pilot.pause()
        app.screen.query_one(Input).value = "billing"
        await pilot.press("enter")
        await until(pilot, lambda: "1 offset moved" in foot_of(app))
        await until(pilot, lambda: " 100 " in rows_of(app)[1])

    drive(app, steps)
    assert list((tmp_path / "pko" / "seek").glob("*.billing.json"))


def test_a_cluster_that_does_not_answer_is_told_and_asked_again(tmp_path: Path) -> None:
    app = TopApp(source_of("127.0.0.1:1", default_api_timeout_ms="100"))

    async def steps(pilot: Pilot[int]) -> None:
        head = app.query_one("#verdict", Static)
        await until(pilot, lambda: str(head.content).startswith("NO ANSWER"))
        assert "nothing is known yet" in str(head.content)

    drive(app, steps)


@pytest.mark.parametrize(("how", "code"), [("q", 0), ("sigterm", 143)])
def test_in_a_terminal_it_ends_and_leaves_the_terminal_as_it_was(
    broker: str, how: str, code: int
) -> None:
    main, end = pty.openpty()
    argv = [sys.executable, "-m", "pykafka_ops", "top", "-b", broker]
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
    with subprocess.Popen(argv, stdin=end, stdout=end, stderr=end, env=env) as process:
        os.close(end)
        try:
            shown = _read(main, b"billing")
            if how == "q":
                os.write(main, b"q")
            else:
                process.send_signal(signal.SIGTERM)
            shown += _read(main, b"\x1b[?1049l")
            assert process.wait(PATIENCE) == code
        finally:
            process.kill()
            os.close(main)
    assert shown.count(b"\x1b[?1049h") == shown.count(b"\x1b[?1049l") == 1


def _read(fd: int, wanted: bytes) -> bytes:
    """What the terminal gets, until this is in it."""
    found, end = b"", time.monotonic() + PATIENCE
    while wanted not in found:
        ready, _, _ = select.select([fd], [], [], max(0.0, end - time.monotonic()))
        assert ready, found[-2000:]
        found += os.read(fd, 65536)
    return found
