"""Compile the modules of broker/hot into one shared library, for every Python from 3.11 on.

    python scripts/build_hot.py           beside the sources, unless that is there
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
PACKAGE = "pykafka_ops.broker.hot"
HOT = ROOT.joinpath(*PACKAGE.split("."))
LIBRARY, RECORD = "compiled.abi3.so", "compiled.record"
"""What is made; the record says of which sources, and how large the library is."""
CYTHON = "Cython==3.3.1"
DIRECTIVES = "boundscheck=True,annotation_typing=False,overflowcheck=True,binding=False"
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
    """Names of what is compiled, as the package lists them."""
    tree = ast.parse((HOT / "__init__.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MODULES":
            found: tuple[str, ...] = ast.literal_eval(node.value)
            return found
    raise ValueError("broker/hot does not say what its MODULES are")


def digest(*more: str) -> str:
    """Of everything that the library is made of, and of ``more``."""
    parts = (CYTHON, DIRECTIVES, FLAGS, LINK, _words(MORE_FLAGS), more, modules())
    made = hashlib.sha256(repr(parts).encode())
    sources = {*(HOT / f"{name}.py" for name in modules()), *HOT.glob("*.pxd"), *HOT.glob("*.h")}
    for path in sorted(sources):
        data = path.read_bytes()
        made.update(f"{path.name} {len(data)}\n".encode() + data)
    return made.hexdigest()


def built_of() -> str | None:
    """Digest of the sources of the library beside ours; None where there is none."""
    try:
        made, size = (HOT / RECORD).read_text().split()
        return made if (HOT / LIBRARY).stat().st_size == int(size) else None
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
    made = link([HOT / f"{name}.py" for name in modules()], folder / LIBRARY)
    (folder / RECORD).write_text(f"{made_of} {made.stat().st_size}\n")
    return made


def link(sources: Sequence[Path], library: Path) -> Path:
    """Make a library of modules, in the place of one that had a record. Raises StaysPureError."""
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
        jobs = [pool.submit(_object, source, Path(work)) for source in sources]
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


def _object(source: Path, work: Path) -> Path:
    name = source.stem
    c_file, made = work / f"{name}.c", work / f"{name}.o"
    _cython(source, c_file)
    include = [f"-I{sysconfig.get_path('include')}", f"-I{HOT}"]
    # Not static in what Cython makes, so that there would be one of each module.
    own = f"-D__Pyx_ApplySequenceOrMappingFlag=pko_flag_{name}"
    flags = [*FLAGS, *_words("CFLAGS"), *_words(MORE_FLAGS), own, *include]
    _run([*_compiler(), *flags, "-c", str(c_file), "-o", str(made)])
    return made


def _cython(source: Path, made: Path) -> None:
    # Named from the top, so that it finds the packages, and no path of this machine gets in.
    name = str(source.relative_to(ROOT)) if source.is_relative_to(ROOT) else str(source)
    _run([sys.executable, "-m", "cython", "-3", "-X", DIRECTIVES, name, "-o", str(made)])


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


# -- beside the sources ----------------------------------------------------------------------------


def clear() -> None:
    """Take the library beside the sources away."""
    for name in (RECORD, LIBRARY):
        (HOT / name).unlink(missing_ok=True)


def keep_up(*, may_build: bool = True) -> str:
    """See that the library beside the sources is of these sources, or away; what was done."""
    if os.environ.get(PURE) == "1":
        return ""
    if built_of() == digest():
        os.utime(HOT / RECORD)  # sources that were changed and changed back
        return ""
    if not may_build:
        clear()
        return ""
    try:
        return f"compiled broker/hot: {build(HOT).relative_to(ROOT)}"
    except StaysPureError as error:
        clear()
        return f"broker/hot stays pure Python: {error}\n{error.details}".rstrip()


def main(words: list[str]) -> int:
    if words not in ([], ["--clear"]):
        print(__doc__)
        return 2
    if said := keep_up(may_build=not words):
        print(f"{Path(__file__).name}: {said}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
