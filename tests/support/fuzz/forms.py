"""The forms of what is compiled beside each other in one process: the plain modules under a name of
their own, and what the compiled ones keep to themselves."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from functools import cache
from importlib.abc import Loader
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from pykafka_ops.compiled import MODULES, is_compiled
from scripts import build_hot

_OWN, _PLAIN = build_hot.PACKAGE, "plain_pko"
_PACKAGES = sorted({module.rpartition(".")[0] for module in MODULES} - {"compiled"})
"""Those with modules that are compiled, and have a plain form that differs."""
_SOURCE = Path(__file__).with_name("exposed.pyx")
_FOLDER = build_hot.ROOT / ".cache" / "hot"


class _PlainLoader(Loader):
    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is None or module.__spec__.submodule_search_locations is not None:
            return  # a package
        path = build_hot.source_of(module.__name__.partition(".")[2])
        text = path.read_text()
        for package in _PACKAGES:
            text = text.replace(f"{_OWN}.{package}", f"{_PLAIN}.{package}")
        exec(compile(text, str(path), "exec"), module.__dict__)


class _PlainFinder:
    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] != _PLAIN:
            return None
        own = name.partition(".")[2]
        package = any(f"{one}.".startswith(f"{own}.") for one in ("", *_PACKAGES))
        return ModuleSpec(name, _PlainLoader(), is_package=package)


@cache
def plain(module: str) -> Any:
    """A module, named as MODULES names it, as plain Python, whatever runs otherwise."""
    if _PlainFinder not in sys.meta_path:
        sys.meta_path.append(_PlainFinder)
    return importlib.import_module(f"{_PLAIN}.{module}")


def running(module: str) -> Any:
    """The module as it is imported."""
    return importlib.import_module(f"{_OWN}.{module}")


@cache
def exposed() -> Any:
    """What ``exposed.pyx`` makes callable; None where nothing is compiled. Built once for the same
    sources."""
    if not is_compiled():
        return None
    library = _FOLDER / build_hot.digest(_SOURCE.read_text())[:16] / "exposed.abi3.so"
    if not library.exists():
        try:
            build_hot.link([_SOURCE], library)
        except build_hot.StaysPureError:
            return None
    spec = spec_from_file_location(
        "exposed", library, loader=ExtensionFileLoader("exposed", str(library))
    )
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
