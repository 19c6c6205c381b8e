"""Compile the modules that ``pykafka_ops/compiled`` names into one library, for every Python from
3.11 on.

    python scripts/build_hot.py           in its place in the checkout, unless that is there
    python scripts/build_hot.py --clear   take it away if it is of other sources; build nothing

Takes a C compiler, Python's headers and the Cython of CYTHON. Where one is missing, or PKO_PURE=1
is set, the modules stay plain Python, and a line says why; that is no error. ``hatch_build.py``
does the same for ``pip install``.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "pykafka_ops"
PLACE = ROOT / PACKAGE / "compiled"
OBJECTS = ROOT / ".cache" / "hot" / "objects"
"""What was compiled of each module for the checkout, which is not done twice."""
LIBRARY, RECORD = "library.abi3.so", "library.record"
"""What is made; the record says of which sources, and how large the library is."""
CYTHON = "Cython==3.3.1"
DIRECTIVES = (
    "boundscheck=True,annotation_typing=False,overflowcheck=True,binding=False,auto_pickle=False"
)
SHARED = "compiled.utility"
"""Module of the library alone: what Cython would put into every other one."""
FLAGS = ("-O2", "-fPIC", "-DPy_LIMITED_API=0x030b0000", "-fvisibility=hidden", "-w")
"""3.11 is the first Python that the library works with."""
LINK = ("-bundle", "-undefined", "dynamic_lookup") if sys.platform == "darwin" else ("-shared",)
PURE = "PKO_PURE"
MORE_FLAGS = "PKO_HOT_FLAGS"
"""Variable with more flags for compiler and linker: those of sanitizers."""


class StaysPureError(Exception):
    """Why nothing can be compiled here, in a line; ``details`` are the compiler's words."""

    def __init__(self, reason: str, details: str = "") -> None:
        super().__init__(reason)
        self.details = details


# -- of which sources ------------------------------------------------------------------------------


def modules() -> tuple[str, ...]:
    """Names of what is compiled, as they are listed."""
    tree = ast.parse((PLACE / "__init__.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MODULES":
            found: tuple[str, ...] = ast.literal_eval(node.value)
            return found
    raise ValueError("pykafka_ops/compiled does not say what its MODULES are")


def source_of(module: str) -> Path:
    """The file of a module."""
    return PLACE.parent.joinpath(*module.split(".")).with_suffix(".py")


def digest(*more: str) -> str:
    """Of everything that the library is made of, and of ``more``."""
    parts = (CYTHON, DIRECTIVES, SHARED, FLAGS, LINK, _words(MORE_FLAGS), more, modules())
    made = hashlib.sha256(repr(parts).encode())
    sources = {source_of(name) for name in modules()}
    for folder in {PLACE, *(source.parent for source in sources)}:
        sources |= {*folder.glob("*.pxd"), *folder.glob("*.h")}
    for path in sorted(sources):
        name, data = path.relative_to(PLACE.parent).as_posix(), path.read_bytes()
        made.update(f"{name} {len(data)}\n".encode() + data)
    return made.hexdigest()


def needed_by(source: Path) -> set[Path]:
    """The files that a module is compiled of: itself, types, what those take from others."""
    found, types = {source, *PLACE.glob("*.h")}, [source.with_suffix(".pxd")]
    while types:
        path = types.pop()
        if path not in found and path.exists():
            found.add(path)
            names = re.findall(rf"^(?:from|cimport) {PACKAGE}\.([\w.]+)", path.read_text(), re.M)
            types += [source_of(name).with_suffix(".pxd") for name in names]
    return found


def built_of() -> str | None:
    """Digest of the sources of the library in its place; None where there is none."""
    try:
        made, size = (PLACE / RECORD).read_text().split()
        return made if (PLACE / LIBRARY).stat().st_size == int(size) else None
    except (OSError, ValueError):
        return None


# -- with what -------------------------------------------------------------------------------------


def compiler() -> list[str] | None:
    """The C compiler's command; None where there is none."""
    for command in (os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"):
        words = shlex.split(command or "")
        if words and (found := shutil.which(words[0])):
            return None if _only_asks(found) else words
    return None


def _only_asks(path: str) -> bool:
    """Whether it is what macOS has in the place of a compiler that is not installed: it opens a
    window that offers it."""
    if sys.platform != "darwin" or os.path.dirname(path) != "/usr/bin":
        return False
    return subprocess.run(["xcode-select", "-p"], capture_output=True, check=False).returncode != 0


def obstacle() -> str | None:
    """Why nothing can be compiled here, as far as one can see before trying."""
    if os.environ.get(PURE) == "1":
        return f"{PURE}=1"
    if os.name != "posix" or sys.implementation.name != "cpython":
        return f"{sys.implementation.name} on {sys.platform}"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "a Python without the global lock"
    if compiler() is None:
        return "no C compiler"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "no Python.h (Debian: python3-dev)"
    return None


# -- the work --------------------------------------------------------------------------------------


def build(folder: Path) -> Path:
    """Make the library, and its record, in ``folder``. Raises StaysPureError."""
    made_of = digest()
    kept = OBJECTS if folder == PLACE else None
    made = link([None, *map(source_of, modules())], folder / LIBRARY, kept)
    (folder / RECORD).write_text(f"{made_of} {made.stat().st_size}\n")
    return made


def link(sources: Sequence[Path | None], library: Path, kept: Path | None = None) -> Path:
    """Make a library of modules (None: SHARED), in the place of one that had a record; what is
    compiled of them is in the folder ``kept``, where it is known already. Raises StaysPureError."""
    if reason := obstacle():
        raise StaysPureError(reason)
    wanted = CYTHON.partition("==")[2]
    try:
        have = importlib.metadata.version("Cython")
    except importlib.metadata.PackageNotFoundError:
        have = "none"
    if have != wanted:
        raise StaysPureError(f"it takes Cython {wanted}, there is {have}")
    with tempfile.TemporaryDirectory(prefix="pko-") as work, ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(_object, source, Path(work), kept) for source in sources]
        objects = [str(job.result()) for job in jobs]
        made = Path(work) / library.name
        flags = [*_words("CFLAGS"), *_words(MORE_FLAGS), *LINK]
        _run([*_compiler(), *flags, *objects, "-o", str(made), *_words("LDFLAGS")])
        _put(made, library)
    return library


def _put(made: Path, place: Path) -> None:
    """At once, and never with the record of another."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.with_name(RECORD).unlink(missing_ok=True)
    copy = place.with_suffix(f".{os.getpid()}")
    shutil.copyfile(made, copy)
    copy.chmod(0o755)
    copy.replace(place)


def _object(source: Path | None, work: Path, kept: Path | None) -> Path:
    name = source.stem if source else SHARED.rpartition(".")[2]
    c_file, made = work / f"{name}.c", work / f"{name}.o"
    if kept is not None:
        own = kept / f"{name}-{_of(source)}.o"
        if own.exists():
            return own
    _cython(source, c_file)
    include = [f"-I{sysconfig.get_path('include')}", f"-I{PLACE}"]
    # Not static in what Cython makes, so that there would be one of each module.
    flag = f"-D__Pyx_ApplySequenceOrMappingFlag=pko_flag_{name}"
    flags = [*FLAGS, *_words("CFLAGS"), *_words(MORE_FLAGS), flag, *include]
    _run([*_compiler(), *flags, "-c", str(c_file), "-o", str(made)])
    if kept is None:
        return made
    kept.mkdir(parents=True, exist_ok=True)
    for old in kept.glob(f"{name}-*.o"):
        old.unlink(missing_ok=True)
    shutil.move(made, own)
    return own


def _of(source: Path | None) -> str:
    """What tells an object from others of this module."""
    parts = (CYTHON, DIRECTIVES, SHARED, FLAGS, _compiler(), _words("CFLAGS"), _words(MORE_FLAGS))
    made = hashlib.sha256(repr((*parts, sysconfig.get_path("include"))).encode())
    for path in sorted(needed_by(source)) if source else ():
        made.update(path.read_bytes())
    return made.hexdigest()[:16]


def _cython(source: Path | None, made: Path) -> None:
    if source is None:
        _run([sys.executable, "-m", "cython", "-3", f"--generate-shared={made}"])
        return
    # Named from the top, so that it finds the packages, and no path of this machine gets in.
    name = str(source.relative_to(ROOT)) if source.is_relative_to(ROOT) else str(source)
    words = ["-3", "-X", DIRECTIVES, f"--shared={PACKAGE}.{SHARED}", name, "-o", str(made)]
    _run([sys.executable, "-m", "cython", *words])


def _compiler() -> list[str]:
    return compiler() or ["cc"]


def _words(variable: str) -> list[str]:
    """What the environment asks of the compiler; on macOS for which processors."""
    words = shlex.split(os.environ.get(variable, ""))
    return words + shlex.split(os.environ.get("ARCHFLAGS", "")) if variable == "CFLAGS" else words


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError as error:
        raise StaysPureError(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        lines = [line for line in said.splitlines() if "error" in line.lower()]
        raise StaysPureError((lines or ["the compiler failed"])[0].strip(), said)


# -- in its place ----------------------------------------------------------------------------------


def clear() -> None:
    """Take the library away."""
    for name in (RECORD, LIBRARY):
        (PLACE / name).unlink(missing_ok=True)


def keep_up(*, may_build: bool = True) -> str:
    """See that the library in its place is of these sources, or away; what was done."""
    if os.environ.get(PURE) == "1":
        return ""
    if built_of() == digest():
        os.utime(PLACE / RECORD)  # sources that were changed and changed back
        return ""
    if not may_build:
        clear()
        return ""
    try:
        return f"compiled: {build(PLACE).relative_to(ROOT)}"
    except StaysPureError as error:
        clear()
        return f"all stays pure Python: {error}\n{error.details}".rstrip()


def main(words: list[str]) -> int:
    if words not in ([], ["--clear"]):
        print(__doc__)
        return 2
    if said := keep_up(may_build=not words):
        print(f"{Path(__file__).name}: {said}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
