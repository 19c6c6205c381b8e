"""Modules that are compiled, too, where that works: which, and the library that they are found in.

The modules are plain Python. Where a compiler was at hand when the package was installed there is
``library.abi3.so`` here, made of the same files and the types of their ``.pxd`` by
``scripts/build_hot.py``: it is used unless ``PKO_PURE=1`` is in the environment. One that is of
other sources, or does not load, is not used, and a warning says so.

A package with such modules calls :func:`use_library` before one of them is imported, and has little
else in it, so that nothing is loaded where they are of no use. ``raw`` has what several need, and
``checksum`` what all that is not compiled needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from types import ModuleType

MODULES = (
    "compiled.checksum",
    "broker.hot.heads",
    "broker.hot.records",
    "broker.hot.sequence",
    "broker.hot.file",
    "broker.hot.append",
    "broker.hot.reply",
    "broker.hot.deferred",
    "broker.hot.serving",
    "broker.hot.fetch",
    "broker.hot.produce",
    "broker.hot.frames",
    "broker.coordinators.hot.members",
    "broker.coordinators.hot.commits",
    "broker.coordinators.hot.rebalances",
    "broker.runtime.sockets.plain.transport",
    "broker.runtime.sockets.plain.poller",
    "broker.storage.copied.batches",
    "broker.storage.cleaner.sifting",
    "broker.storage.cleaner.stretches",
    "disk.hot.record_columns",
    "disk.hot.commit_layouts",
    "disk.hot.spans",
    "disk.hot.tally",
    "commands.dump_log.printing.lines",
)
"""What is compiled, below ``pykafka_ops``; no two have the same last name."""
_HERE = os.path.dirname(__file__)
_TOP = os.path.dirname(_HERE)
LIBRARY = os.path.join(_HERE, "library.abi3.so")
RECORD = os.path.join(_HERE, "library.record")
"""Of which sources the library was made, as a digest, and how large it is."""
PURE = "PKO_PURE"
"""Variable that, set to 1, leaves the library unused, and unmade."""
_TYPES = ".pxd"
"""Ending of the files of types: they come with sources that can be compiled."""
SHARED = "compiled.utility"
"""Module of the library alone: what Cython would put into every other one."""
_NAMES = frozenset(f"{__name__.partition('.')[0]}.{module}" for module in (*MODULES, SHARED))
_decided = False


class _Finder:
    """Finds the modules in the library, which has an init function for each."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in _NAMES:
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location(name, LIBRARY, loader=ExtensionFileLoader(name, LIBRARY))


def is_compiled() -> bool:
    """Whether the library is what runs."""
    return _Finder in sys.meta_path


def use_library(module: str) -> None:
    """From now on the modules come from the library, if there is one and it is right: that is found
    out once, by loading this one."""
    global _decided
    if _decided:
        return
    _decided = True
    if os.environ.get(PURE) == "1" or not os.path.exists(LIBRARY):
        return
    if sys.implementation.name != "cpython" or "t" in sys.abiflags:
        return
    import warnings
    from importlib import import_module

    reason = _mismatch()
    if not reason:
        sys.meta_path.insert(0, _Finder)
        try:
            import_module(module)
            return
        except ImportError as error:
            sys.meta_path.remove(_Finder)
            reason = str(error)
    said = f"{LIBRARY} is left out, plain Python runs: {reason}; scripts/build_hot.py makes it anew"
    warnings.warn(said, RuntimeWarning, stacklevel=3)


def _mismatch() -> str:
    """Why the library cannot be of these sources, if it cannot. Their bytes are not read: where
    they can be changed, which is where the types are, what is newer is taken for another."""
    try:
        with open(RECORD, encoding="ascii") as file:
            size = int(file.read().split()[1])
            made = os.fstat(file.fileno()).st_mtime_ns
        if os.path.getsize(LIBRARY) != size:
            return "it has not the size that was recorded"
        return _newer(made)
    except (OSError, ValueError, IndexError) as error:
        return f"no record of what it was made of ({error})"


def _newer(made: int) -> str:
    """Which source is newer than ``made`` (ns), if one is, and they can be changed."""
    sources = {os.path.join(_TOP, *module.split(".")) + ".py" for module in MODULES}
    for folder in sorted({_HERE, *map(os.path.dirname, sources)}):
        with os.scandir(folder) as entries:
            times = {entry.name: entry.stat().st_mtime_ns for entry in entries}
        if not any(name.endswith(_TYPES) for name in times):
            return ""
        for name, time in times.items():
            own = name.endswith((_TYPES, ".h")) or os.path.join(folder, name) in sources
            if own and time > made:
                return f"{name} is newer"
    return ""


use_library(f"{__name__}.checksum")
