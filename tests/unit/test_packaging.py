"""Units, the image and the rest of ``packaging`` say what the commands understand."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from tests.support.golden.transcripts import run

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
UNITS = sorted((PACKAGING / "systemd").glob("*.service"))
IMAGE = (PACKAGING / "Containerfile").read_text()


def unit(path: Path) -> configparser.ConfigParser:
    found = configparser.ConfigParser(interpolation=None)
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read(path)
    return found


def unknown(words: list[str]) -> list[str]:
    """Options of a ``pko`` line that its help does not name."""
    said = run(words[0], words[1], "--help")
    assert said.code == 0, said.stderr
    return [word for word in words if word.startswith("--") and word not in said.stdout]


def test_units_start_what_there_is() -> None:
    assert [path.name for path in UNITS] == [
        "pko-broker.service",
        "pko-mirror.service",
        "pko-monitor.service",
    ]
    for path in UNITS:
        program, *words = shlex.split(unit(path)["Service"]["ExecStart"])
        assert program == "/opt/pko/bin/pko"
        assert unknown(words) == []


def test_units_give_no_more_rights_than_needed() -> None:
    for path in UNITS:
        service = unit(path)["Service"]
        for name in ("NoNewPrivileges", "ProtectHome", "PrivateTmp", "ProtectKernelTunables"):
            assert service[name] == "yes", (path, name)
        assert service["ProtectSystem"] == "strict"
        assert service["User"] == "pko"


def test_systemd_understands_the_units(tmp_path: Path) -> None:
    for path in UNITS:
        assert unit(path).sections() == ["Unit", "Service", "Install"]
        if not shutil.which("systemd-analyze"):
            continue
        copy = tmp_path / path.name
        copy.write_text(path.read_text().replace("/opt/pko/bin/pko", "/bin/true"))
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(copy)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")


def test_the_image_runs_a_command_that_there_is_as_nobody_special() -> None:
    (command,) = re.findall(r"^CMD (\[.*?\])$", IMAGE.replace("\\\n", ""), re.M)
    words = json.loads(command)
    assert unknown(words) == []
    assert "advertised.listeners=PLAINTEXT://localhost:9092" in words
    assert re.search(r"^USER 10001$", IMAGE, re.M)
    for copied in re.findall(r"^COPY (?!--from)(.*) \S+$", IMAGE, re.M):
        for name in copied.split():
            assert (ROOT / name).exists(), name
            assert f"!{name}" in (PACKAGING / "Containerfile.containerignore").read_text()


def test_the_log_that_is_rotated_is_the_one_of_the_unit() -> None:
    broker = unit(PACKAGING / "systemd" / "pko-broker.service")["Service"]
    rotated = (PACKAGING / "logrotate.conf").read_text()
    assert re.findall(r"^(/\S+) \{$", rotated, re.M) == [
        shlex.split(broker["ExecStart"])[shlex.split(broker["ExecStart"]).index("--log-file") + 1]
    ]
    assert "reload pko-broker.service" in rotated
    assert "kill -HUP" in broker["ExecReload"]
