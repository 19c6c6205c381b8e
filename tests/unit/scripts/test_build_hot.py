"""What is compiled, when, and what happens where that does not work."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pykafka_ops import compiled
from scripts import build_hot
from scripts.build_hot import StaysPureError

ROOT = Path(__file__).parents[3]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the library comes to stand in a copy of the sources, which has none yet."""
    place = tmp_path / build_hot.PACKAGE / build_hot.PLACE.name
    left_out = shutil.ignore_patterns("*.so", "*.record", "__pycache__")
    for folder in {build_hot.PLACE, *(build_hot.source_of(m).parent for m in compiled.MODULES)}:
        shutil.copytree(folder, tmp_path / folder.relative_to(build_hot.ROOT), ignore=left_out)
    monkeypatch.setattr(build_hot, "PLACE", place)
    monkeypatch.setattr(build_hot, "ROOT", tmp_path)
    monkeypatch.delenv(build_hot.PURE, raising=False)
    return place


def put(place: Path, digest: str) -> None:
    made = place.parent / "made"
    made.write_bytes(b"library")
    build_hot._put(made, place / build_hot.LIBRARY)
    (place / build_hot.RECORD).write_text(f"{digest} {len(b'library')}\n")


def test_modules_are_those_of_the_package_and_have_their_types(checkout: Path) -> None:
    assert build_hot.modules() == compiled.MODULES
    for name in compiled.MODULES:
        source = build_hot.source_of(name)
        assert source.is_relative_to(checkout.parent)
        assert source.exists() and source.with_suffix(".pxd").exists()
    assert compiled.PURE == build_hot.PURE
    assert compiled.SHARED == build_hot.SHARED
    assert Path(compiled.LIBRARY) == ROOT / "pykafka_ops" / "compiled" / build_hot.LIBRARY
    assert Path(compiled.RECORD) == Path(compiled.LIBRARY).with_name(build_hot.RECORD)


def test_each_module_has_an_init_function_of_its_own() -> None:
    """By its last name, as Python looks for it in the library."""
    last = [name.rpartition(".")[2] for name in (*compiled.MODULES, compiled.SHARED)]
    assert len({*last}) == len(last)


def test_packages_of_compiled_modules_look_for_the_library_first() -> None:
    for name in compiled.MODULES:
        package = build_hot.source_of(name).with_name("__init__.py")
        assert "\nuse_library(" in package.read_text(), package


def test_the_extra_for_tests_has_the_cython_that_the_build_takes() -> None:
    pyproject = (ROOT / "pyproject.toml").read_text()
    assert f'"{build_hot.CYTHON}",' in pyproject


def test_the_digest_is_of_every_source_and_flag(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = build_hot.digest()
    assert build_hot.digest("more") != before
    monkeypatch.setenv(build_hot.MORE_FLAGS, "-g")
    assert build_hot.digest() != before
    monkeypatch.delenv(build_hot.MORE_FLAGS)
    hot = checkout.parent / "broker" / "hot"
    (hot / "quick.py").write_text("# not compiled")
    assert build_hot.digest() == before
    seen = {before}
    more = hot / "raw.pxd", checkout / "raw.pxd", checkout / "crc32c.h"
    for source in (*map(build_hot.source_of, compiled.MODULES), *more):
        with source.open("a") as file:
            file.write("\n")
        seen.add(build_hot.digest())
    assert len(seen) == len(compiled.MODULES) + 4


def test_a_module_is_made_of_its_types_and_of_those_that_these_take_from_others() -> None:
    source = build_hot.source_of("broker.hot.append")
    found = build_hot.needed_by(source)
    hot = source.parent
    assert found >= {source, hot / "append.pxd", hot / "records.pxd", hot / "raw.pxd"}
    assert found >= {build_hot.PLACE / "raw.pxd", build_hot.PLACE / "crc32c.h"}
    assert not found & {hot / "produce.pxd", hot / "records.py", hot / "frames.pxd"}


def test_what_was_compiled_for_the_checkout_is_not_compiled_twice(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(build_hot, "_cython", lambda source, made_of: made.append(source.stem))

    def compiled_to(command: list[str]) -> None:
        Path(command[-1]).write_bytes(b"object")

    monkeypatch.setattr(build_hot, "_run", compiled_to)
    source, work = build_hot.source_of("broker.hot.reply"), checkout.parent
    first = build_hot._object(source, work, work / "kept")
    assert build_hot._object(source, work, work / "kept") == first
    assert made == ["reply"]
    with (checkout / "raw.pxd").open("a") as file:
        file.write("\n")
    assert build_hot._object(source, work, work / "kept") != first
    assert [*(work / "kept").iterdir()] != [first] and not first.exists()
    build_hot._object(source, work, None)
    assert made == ["reply"] * 3


def test_a_library_counts_with_its_own_record_alone(checkout: Path) -> None:
    assert build_hot.built_of() is None
    put(checkout, "abc")
    assert build_hot.built_of() == "abc"
    (checkout / build_hot.LIBRARY).write_bytes(b"another")
    assert build_hot.built_of() == "abc"  # as large
    (checkout / build_hot.LIBRARY).write_bytes(b"another one")
    assert build_hot.built_of() is None
    (checkout / build_hot.LIBRARY).unlink()
    assert build_hot.built_of() is None


def test_what_is_of_these_sources_stays_and_is_the_newest(checkout: Path) -> None:
    put(checkout, build_hot.digest())
    os.utime(checkout / build_hot.RECORD, (9, 9))
    assert build_hot.keep_up() == ""
    assert (checkout / build_hot.RECORD).stat().st_mtime > 9
    assert build_hot.keep_up(may_build=False) == ""
    assert (checkout / build_hot.LIBRARY).exists()


def test_what_is_of_other_sources_goes_where_nothing_is_to_be_built(checkout: Path) -> None:
    put(checkout, "another")
    assert build_hot.main(["--clear"]) == 0
    assert not (checkout / build_hot.LIBRARY).exists()
    assert not (checkout / build_hot.RECORD).exists()


def test_pure_leaves_everything_as_it_is(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(checkout, "another")
    monkeypatch.setenv(build_hot.PURE, "1")
    assert build_hot.keep_up() == ""
    assert (checkout / build_hot.LIBRARY).exists()
    with pytest.raises(StaysPureError, match="PKO_PURE=1"):
        build_hot.build(checkout)


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("CC", "false", "the compiler failed"),
        ("CC", "/bin/sh -c 'echo x.c: error: no such type >&2; exit 1'", "x.c: error: no such"),
    ],
)
def test_where_the_compiler_fails_a_line_says_so_and_the_old_library_goes(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variable: str,
    value: str,
    reason: str,
) -> None:
    if why := build_hot.obstacle():
        pytest.skip(why)
    put(checkout, "another")
    monkeypatch.setenv(variable, value)
    monkeypatch.setattr(build_hot, "modules", lambda: ("broker.hot.file",))
    monkeypatch.setattr(build_hot, "ROOT", ROOT)
    monkeypatch.setattr(build_hot, "_cython", lambda source, made: None)
    assert build_hot.main([]) == 0
    said = capsys.readouterr().err
    assert said.startswith(f"build_hot.py: all stays pure Python: {reason}")
    assert not (checkout / build_hot.LIBRARY).exists()


def test_without_a_compiler_that_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv(build_hot.PURE, raising=False)
    monkeypatch.setattr(build_hot.shutil, "which", lambda name: None)
    assert build_hot.obstacle() == "no C compiler"


def test_another_cython_is_not_taken(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if why := build_hot.obstacle():
        pytest.skip(why)
    monkeypatch.setattr(build_hot, "CYTHON", "Cython==0.1")
    with pytest.raises(StaysPureError, match=r"it takes Cython 0\.1, there is "):
        build_hot.build(checkout)
