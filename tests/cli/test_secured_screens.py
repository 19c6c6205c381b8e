"""``pko top`` and ``pko monitor`` into an Apache Kafka that wants a certificate, a login and
rights: by every form of store; what fails is named."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.top.run import _of_brokers
from pykafka_ops.top.screen.app import TopApp
from tests.support.process import certificates
from tests.support.process.console import PKO
from tests.support.process.lines import Lines
from tests.support.process.monitor import MonitorProcess
from tests.support.process.process_list import watched
from tests.support.process.secured_clients import (
    FORMS,
    MISTAKES,
    NOBODY,
    SECRETS,
    WRONG,
    SecuredClients,
)
from tests.support.process.secured_lines import GROUP, NEEDS, TOPIC
from tests.support.waiting import PATIENCE, wait_for

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]


def screen(run: Run) -> str:
    """What ``pko top`` shows of groups, once it knows one."""
    app = TopApp(_of_brokers(run, 500))

    async def go() -> str:
        async with app.run_test(size=(100, 24)) as pilot:
            await pilot.press("4")
            async with asyncio.timeout(PATIENCE):
                while GROUP not in (shown := _text(app)):
                    await pilot.pause(0.02)
            return shown

    return asyncio.run(go())


def _text(app: TopApp) -> str:
    return "\n".join(app.rows.render_line(y).text for y in range(app.rows.size.height))


def test_top_gets_in_by_every_form_of_store(secured_kafka: SecuredClients) -> None:
    for form, more in secured_kafka.stores().items():
        args = Args({}, "", flags=False)
        args.values["bootstrap-server"] = [secured_kafka.where]
        args.values["command-config"] = [str(secured_kafka.file("top", **more))]
        assert GROUP in screen(Run(args, {}, {})), form


def test_top_in_a_terminal_gets_in_by_a_profile_and_shows_no_secret(
    secured_kafka: SecuredClients,
) -> None:
    main, end = pty.openpty()
    env = {**os.environ, **secured_kafka.profile(), "TERM": "xterm-256color"}
    argv = [*PKO, "top", "--group", GROUP]
    with subprocess.Popen(argv, stdin=end, stdout=end, stderr=end, env=env) as process:
        os.close(end)
        try:
            shown = read_until(main, TOPIC.encode())
            words = Path(f"/proc/{process.pid}/cmdline").read_bytes()
            os.write(main, b"q")
            shown += read_until(main, b"\x1b[?1049l")
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            os.close(main)
    assert not [word for word in SECRETS if word.encode() in shown + words]


def read_until(terminal: int, wanted: bytes) -> bytes:
    found, end = b"", time.monotonic() + PATIENCE
    while wanted not in found:
        ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        assert ready, found[-2000:]
        found += os.read(terminal, 65536)
    return found


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_keeps_top_outside_is_said_before_it_takes_the_screen(
    secured_kafka: SecuredClients, lines: Lines, mistake: str
) -> None:
    where, file = secured_kafka.wrong(mistake)
    heard = lines("top", "-b", where, "--command-config", str(file))
    assert (heard.code, heard.out, heard.err.count("\n")) == (3, "", 1), heard
    assert MISTAKES[mistake].said in heard.err
    assert (heard.time_outs, heard.paused, heard.connections) == (0, 0, 1), heard
    assert not heard.leaks((*SECRETS, WRONG))


@pytest.fixture(scope="module")
def monitor(
    secured_kafka: SecuredClients, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MonitorProcess]:
    """One that watches the same cluster by every form of store, with every mistake, and as somebody
    who may nothing."""
    clusters = {}
    for form, more in secured_kafka.stores().items():
        clusters[form] = secured_kafka.where, secured_kafka.file(f"watch {form}", **more)
    clusters |= {mistake: secured_kafka.wrong(mistake) for mistake in MISTAKES}
    clusters["nobody"] = secured_kafka.where, secured_kafka.file("watch nobody", NOBODY)
    text = 'poll = "1s"\n'
    for name, (where, file) in clusters.items():
        text += f'[cluster."{called(name)}"]\nbootstrap-server = "{where}"\n'
        text += f'command-config = "{file}"\n'
    text += '[cluster.profile]\nprofile = "p"\n'
    config = tmp_path_factory.mktemp("monitor") / "monitor.toml"
    config.write_text(text)
    with MonitorProcess("--config", str(config), env=secured_kafka.profile()) as made:
        yield made


def called(name: str) -> str:
    return name.replace(" ", "-").replace("'", "")


def polled(monitor: MonitorProcess, name: str) -> dict[str, Any]:
    """What the monitor knows of a cluster after its first round."""

    def found() -> dict[str, Any] | None:
        every = {each["name"]: each for each in monitor.json("/api/v1/clusters")["clusters"]}
        poll = every[called(name)]["poll"]
        return every[called(name)] if poll["number"] or poll["error"] else None

    return wait_for(found, what=f"a round of {name}")


def test_a_monitor_gets_in_by_every_form_of_store(monitor: MonitorProcess) -> None:
    for form in FORMS:
        found = polled(monitor, form)
        assert (found["poll"]["error"], found["poll"]["not_asked"]) == (None, []), form
        topics = monitor.json(f"/api/v1/clusters/{called(form)}/topics")["topics"]
        assert TOPIC in [topic["topic"] for topic in topics], form


def test_a_monitor_names_what_keeps_it_outside_and_what_it_may_not_do(
    monitor: MonitorProcess,
) -> None:
    for name, mistake in MISTAKES.items():
        assert mistake.said in polled(monitor, name)["poll"]["error"]["message"]
    missing = polled(monitor, "nobody")["poll"]["not_asked"]
    (moves,) = (each["message"] for each in missing if each["what"] == "moves")
    assert moves == f"{NEEDS} describe on the cluster"


def test_a_monitor_shows_no_secret(monitor: MonitorProcess) -> None:
    with watched(os.getpid()) as seen:
        shown = "".join(monitor.get(path)[1] for path in ("/", "/metrics", "/api/v1/clusters"))
    assert "monitor" in seen.programs()
    assert seen.holding((*SECRETS, WRONG), given=["KEY_WORD"]) == []
    assert not [word for word in (*SECRETS, WRONG) if word in shown]
