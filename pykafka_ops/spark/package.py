"""This package as a zip file, for executors that have not got it."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pykafka_ops

NAME = "pykafka_ops"
_EPOCH = (1980, 1, 1, 0, 0, 0)


def root() -> Path:
    """The directory (or zip file) that must be on ``sys.path`` for the package to be found."""
    return Path(pykafka_ops.__file__).resolve().parents[1]


def ship(directory: str | os.PathLike[str]) -> str:
    """Write the package as a zip file into ``directory``; its path.

    Where the package itself runs from a zip file, that file is the answer.
    """
    where = root()
    if where.is_file():
        return str(where)
    target = Path(directory) / f"{NAME}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in sorted((where / NAME).rglob("*")):
            if path.is_file() and path.suffix not in (".pyc", ".nbi", ".nbc"):
                info = zipfile.ZipInfo(str(path.relative_to(where)), _EPOCH)
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, path.read_bytes())
    return str(target)
