"""Our tables of what only Kafka 4 has, against the specifications in its own jar of clients."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.wire.apis import APIS, ApiSpec
from tests.support.java import java_kit
from tests.support.process.apache_kraft import NEWEST as VERSION
from tests.wire.layouts import in_range, of_json, ours

NEWER = (42,)
"""Of which kafka-python has versions, but not the newest."""
KEYS = (*NEWER, 69, 74, 76, 77, 78, 79, 80, 81, 89, 90, 91, 92)
CASES = [
    pytest.param(APIS[key], kind, id=f"{APIS[key].name}{kind}")
    for key in KEYS
    for kind in ("Request", "Response")
]


RENAMED = {"ConfigResources": "ClientMetricsResources", "ResourceName": "Name"}
"""Of ListConfigResources, which was ListClientMetricsResources before Kafka 4.1, and is so here."""


def specification(name: str) -> dict[str, Any]:
    renamed = name.startswith("ListClientMetricsResources")
    name = name.replace("ListClientMetricsResources", "ListConfigResources")
    libs = Path(java_kit.server_classpath(VERSION)).parent
    with zipfile.ZipFile(libs / f"kafka-clients-{VERSION}.jar") as jar:
        text = jar.read(f"common/message/{name}.json").decode()
    plain = (line for line in text.splitlines() if not line.lstrip().startswith("//"))
    text = "\n".join(plain)
    for new, old in RENAMED.items() if renamed else ():
        text = text.replace(f'"{new}"', f'"{old}"')
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.java
@pytest.mark.parametrize(("spec", "kind"), CASES)
def test_every_version_has_the_layout_of_kafkas_json(spec: ApiSpec, kind: str) -> None:
    theirs = specification(f"{spec.name}{kind}")
    common = {s["name"]: s["fields"] for s in theirs.get("commonStructs", ())}
    cls = spec.request if kind == "Request" else spec.response
    versions = [v for v in range(100) if in_range(theirs["validVersions"], v)]
    assert (versions[0], versions[-1]) == (spec.min_version, spec.max_version)
    for version in versions:
        assert ours(cls, version) == of_json(theirs["fields"], version, common), version
        assert in_range(theirs["flexibleVersions"], version) == (version >= spec.flexible)
