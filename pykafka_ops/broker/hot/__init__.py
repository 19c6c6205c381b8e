"""The path of the usual request: written once, straight through, with nothing that could wait.

``heads`` has the fields that it touches, of a partition, its log and its producers; the ordinary
classes extend them, so that there is one state. What is unusual is declined before anything is
done, and the ordinary code serves it.

The modules are plain Python. Where a compiler was at hand when the package was installed there is
``compiled.abi3.so`` beside them, made of the same files and the types of their ``.pxd`` by
``scripts/build_hot.py``: it is used unless ``PKO_PURE=1`` is in the environment. One that is of
other sources, or does not load, is not used, and a warning says so.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType

MODULES = (
    "heads",
    "records",
    "sequence",
    "file",
    "append",
    "reply",
    "serving",
    "produce",
    "frames",
)
"""What is compiled, each after what it needs."""
_HERE = os.path.dirname(__file__)
LIBRARY = os.path.join(_HERE, "compiled.abi3.so")
RECORD = os.path.join(_HERE, "compiled.record")
"""Of which sources the library was made, as a digest, and how large it is."""
PURE = "PKO_PURE"
"""Variable that, set to 1, leaves the library unused, and unmade."""
_TYPES = ".pxd"
"""Ending of the files of types: they come with sources that can be compiled."""


class _Finder:
    """Finds the modules in the library, which has an init function for each."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, module = name.rpartition(".")
        if package != __name__ or module not in MODULES:
            return None
        return spec_from_file_location(name, LIBRARY, loader=ExtensionFileLoader(name, LIBRARY))


def is_compiled() -> bool:
    """Whether the library is what runs."""
    return _Finder in sys.meta_path


def _use_library() -> None:
    if os.environ.get(PURE) == "1" or not os.path.exists(LIBRARY):
        return
    if sys.implementation.name != "cpython" or "t" in sys.abiflags:
        return
    reason = _mismatch()
    if not reason:
        sys.meta_path.insert(0, _Finder)
        try:
            import_module(f"{__name__}.{MODULES[0]}")
            return
        except ImportError as error:
            sys.meta_path.remove(_Finder)
            reason = str(error)
    said = f"{LIBRARY} is left out, plain Python runs: {reason}; scripts/build_hot.py makes it anew"
    warnings.warn(said, RuntimeWarning, stacklevel=2)


def _mismatch() -> str:
    """Why the library cannot be of these sources, if it cannot. Their bytes are not read: where
    they can be changed, which is where the types are, what is newer is taken for another."""
    try:
        with open(RECORD, encoding="ascii") as file:
            size = int(file.read().split()[1])
            made = os.fstat(file.fileno()).st_mtime_ns
        with os.scandir(_HERE) as entries:
            times = {entry.name: entry.stat().st_mtime_ns for entry in entries}
        if os.path.getsize(LIBRARY) != size:
            return "it has not the size that was recorded"
    except (OSError, ValueError, IndexError) as error:
        return f"no record of what it was made of ({error})"
    if not any(name.endswith(_TYPES) for name in times):
        return ""
    own = {f"{module}.py" for module in MODULES}
    for name, time in times.items():
        if time > made and (name in own or name.endswith((_TYPES, ".h"))):
            return f"{name} is newer"
    return ""


_use_library()
