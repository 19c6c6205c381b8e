"""Files and directories that are named like partitions."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.real_files import RealFiles
from tests.support.memory.logs import batch_of, values
from tests.support.memory.storage_site import TOPIC_ID, Site, append

FIRST = f"{0:020d}.log"
BATCH = bytes(batch_of(b"a", b"b"))
STRANGE = {
    "no files": {},
    "no segments": {"notes.txt": b"mine"},
    "random bytes": {FIRST: bytes(range(256)) * 4},
    "a batch and random bytes": {FIRST: BATCH + bytes(range(256))},
    "a damaged batch": {FIRST: BATCH[:-1] + b"?"},
    "a batch below the segment's offset": {f"{9:020d}.log": BATCH},
    "segments of another name": {"first.log": BATCH},
}
LOGS = {
    "a whole segment": {FIRST: BATCH},
    "an empty segment": {FIRST: b""},
    "a torn segment of a known topic": {
        FIRST: BATCH + b"torn",
        "partition.metadata": b"version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw\n",
    },
}


@pytest.fixture(params=["memory", "real"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Site:
    if request.param == "real":
        return Site(RealFiles(), dirs=(str(tmp_path / "a"),))
    return Site(dirs=("/a",))


def put(files: Files, path: str, content: dict[str, bytes]) -> None:
    files.make_directory(path)
    for name, data in content.items():
        files.write(f"{path}/{name}", data)


def contents(files: Files, path: str) -> dict[str, bytes]:
    return {f.name: files.read(f"{path}/{f.name}") for f in files.list(path)}


@pytest.mark.parametrize("what", STRANGE)
def test_what_is_no_log_is_left_alone_until_its_name_is_needed(
    site: Site, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    root = site.paths[0]
    put(site.files, f"{root}/s-0", STRANGE[what])
    logs = site.start()
    assert logs.partitions() == []
    assert contents(site.files, f"{root}/s-0") == STRANGE[what]
    assert [r.getMessage() for r in caplog.records] == [f"{root}/s-0 holds no log; left alone"]
    append(logs.create("s", 0, TOPIC_ID), b"ours")
    logs.close()
    aside = [name for name in site.files.directories(root) if name.endswith("-stray")]
    assert [contents(site.files, f"{root}/{name}") for name in aside] == (
        [STRANGE[what]] if STRANGE[what] else []
    )
    again = site.start().get("s", 0)
    assert again is not None
    assert values(again) == [(0, b"ours")]
    site.logs.close()


@pytest.mark.parametrize("what", LOGS)
def test_what_is_a_log_is_one(site: Site, what: str) -> None:
    put(site.files, f"{site.paths[0]}/s-0", LOGS[what])
    found = site.start().get("s", 0)
    assert found is not None
    assert [value for _, value in values(found)] == ([b"a", b"b"] if LOGS[what][FIRST] else [])
    site.logs.close()


def test_a_file_in_the_way_of_a_log_is_set_aside(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    root = site.paths[0]
    logs = site.start()
    site.files.write(f"{root}/s-0", b"mine")
    append(logs.create("s", 0, TOPIC_ID), b"ours")
    (aside,) = [f.name for f in site.files.list(root) if f.name.endswith("-stray")]
    assert site.files.read(f"{root}/{aside}") == b"mine"
    assert caplog.messages == [
        f"{root}/s-0 is no log of this broker; renamed to {aside} to make room for one"
    ]
    assert logs.online
    logs.close()


def test_names_that_no_partition_has_are_left_alone(site: Site) -> None:
    for name in ("s-00", "..-0", "s-4294967296", "with blank-0"):
        put(site.files, f"{site.paths[0]}/{name}", LOGS["a whole segment"])
    assert site.start().partitions() == []
    site.logs.close()


def test_only_what_is_asked_for_is_cleaned_and_expired(site: Site) -> None:
    put(site.files, f"{site.paths[0]}/left-0", LOGS["a whole segment"])
    logs = site.start()
    logs.create("mine", 0, TOPIC_ID)
    assert (logs.served(), len(logs.partitions())) == ([("mine", 0)], 2)
    logs.create("left", 0)
    assert set(logs.served()) == {("mine", 0), ("left", 0)}
    logs.close()
