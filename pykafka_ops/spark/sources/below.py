"""What is in many directories of an object store: by one list, whose pages hold a thousand names,
where a list for each directory would hold a few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pykafka_ops.objects import uris
from pykafka_ops.spark.sources.listing import ListedFile, listing
from pykafka_ops.spark.sources.place import Location

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo

Listing = tuple[list[ListedFile], list[str]]
"""Files, and names of directories."""
Listings = Mapping[str, Listing]
"""By path."""
_TRIED: Final = 4
"""Directories that are listed one by one first, to see how much is in them."""
_MOST: Final = 200_000
"""Files of one list, by what is in those: all of them are held."""
_DEPTH: Final = 2
"""Directories of partitions in remote storage lie so deep."""


def listings_below(place: Location, every: int, wanted: Sequence[str]) -> Listings:
    """What is in the ``wanted`` directories of a location, and in theirs; empty where it is better
    to list each by itself: in other filesystems, where few of ``every`` are wanted, or where they
    hold so much that a list of each is full anyway."""
    if place.filesystem is None or uris.scheme_of(place.root) not in uris.OBJECTS:
        return {}
    if len(wanted) <= _TRIED or 2 * len(wanted) < every:
        return {}
    tried = wanted[:: len(wanted) // _TRIED][:_TRIED]
    files = sum(len(listing(place, f"{place.path}/{name}")[0]) for name in tried)
    return _recursive(place) if files * len(wanted) // _TRIED <= _MOST else {}


def _recursive(place: Location) -> Listings:
    from pyarrow.fs import FileSelector, FileType

    assert place.filesystem is not None
    top = place.path.rstrip("/")
    depth = top.count("/") + _DEPTH
    found: dict[str, Listing] = {}
    every: list[FileInfo] = place.filesystem.get_file_info(FileSelector(top, recursive=True))
    for info in every:
        above, _, name = info.path.rpartition("/")
        if above.count("/") > depth:
            continue
        files, folders = found.setdefault(above, ([], []))
        if info.type == FileType.Directory:
            folders.append(name)
        elif info.type == FileType.File:
            files.append(ListedFile(name, int(info.size), (info.mtime_ns or 0) // 1_000_000))
    return found


def inside(place: Location, path: str, held: Listings) -> Listing:
    """What is in a directory: as it was listed together with others, else as it is now."""
    return held[path] if path in held else listing(place, path)


def only(held: Listings, paths: Sequence[str]) -> Listings:
    """Of listings those of some directories, and of what is in these."""
    return dict(_some(held, paths)) if held else {}


def _some(held: Listings, paths: Sequence[str]) -> Iterator[tuple[str, Listing]]:
    for path in paths:
        if path in held:
            yield path, held[path]
            yield from _some(held, [f"{path}/{name}" for name in held[path][1]])
