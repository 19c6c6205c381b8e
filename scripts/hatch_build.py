"""What hatchling asks while it builds a wheel: the library of compiled modules, where that works.

A wheel with the library says so by its tag, cp311-abi3; one without is for every machine. An
installation in place (``pip install -e``) gets the library in the checkout.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))
import build_hot


class CompiledHook(BuildHookInterface[Any]):
    """Adds the library to the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Cython, where it would be of use."""
        return [] if self.target_name != "wheel" or build_hot.obstacle() else [build_hot.CYTHON]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build it; ``version`` is "editable" for an installation in place."""
        if self.target_name != "wheel":
            return
        if version == "editable":
            if said := build_hot.keep_up():
                self.app.display_info(said)
            return
        self._folder = Path(tempfile.mkdtemp(prefix="pko-wheel-"))
        try:
            build_hot.build(self._folder)
        except build_hot.StaysPureError as error:
            if error.details:
                self.app.display_error(error.details)
            self.app.display_warning(f"all stays pure Python: {error}")
            return
        for name in (build_hot.LIBRARY, build_hot.RECORD):
            place = (build_hot.PLACE / name).relative_to(build_hot.ROOT)
            build_data["force_include"][str(self._folder / name)] = place.as_posix()
        best = self.build_config.builder.get_best_matching_tag()
        build_data["tag"] = f"cp311-abi3-{best.rpartition('-')[2]}"
        build_data["pure_python"] = False

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take away what was built for the wheel."""
        if folder := getattr(self, "_folder", None):
            shutil.rmtree(folder)
