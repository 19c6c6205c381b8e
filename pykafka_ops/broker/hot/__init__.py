"""The path of the usual request: written once, straight through, with nothing that could wait.

``heads`` has the fields that it touches, of a partition, its log and its producers; the ordinary
classes extend them, so that there is one state. What is unusual is declined before anything is
done, and the ordinary code serves it.

The modules are plain Python. Where a compiler was at hand when the package was installed there is
``compiled.abi3.so`` beside them, made of the same files and the types of their ``.pxd``: it is used
unless ``PKO_PURE=1`` is in the environment.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
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
LIBRARY = os.path.join(os.path.dirname(__file__), "compiled.abi3.so")
PURE = "PKO_PURE"
"""Variable that, set to 1, leaves the library unused, and unmade."""


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
    """Whether the library is there, and wanted."""
    return os.environ.get(PURE) != "1" and os.path.exists(LIBRARY)


if is_compiled():
    sys.meta_path.insert(0, _Finder)
