"""Programs on Spark: here with a session that is ready, or through spark-submit on a cluster."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.spark import package
from pykafka_ops.spark.jvm import cause_of, check_java
from pykafka_ops.spark.master import check_master, is_local, is_standalone

if TYPE_CHECKING:
    from pykafka_ops.spark.session import SessionOptions

JOB = """import sys

from pykafka_ops.cli import main

sys.exit(main(sys.argv[1:]))
"""
"""What the driver of a cluster runs: ``pko`` itself, which finds the session that waits there."""


def run_here(file: str, arguments: Sequence[str]) -> int:
    """Run a Python program as ``python FILE ARGUMENTS`` would, in this process; its exit code.

    A session is running: ``SparkSession.builder.getOrCreate()`` gives it. What the program raises
    is shown with its own lines only.
    """
    before = sys.argv[:], sys.path[:]
    sys.argv = [file, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    try:
        runpy.run_path(file, run_name="__main__")
    except SystemExit as e:
        return _code(e.code)
    except KeyboardInterrupt:
        raise
    except BaseException as e:
        _show(e, file)
        return 1
    finally:
        sys.argv[:], sys.path[:] = before
        sys.stdout.flush()
    return 0


def _code(code: object) -> int:
    """What the interpreter makes of ``sys.exit(code)``."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def _show(error: BaseException, file: str) -> None:
    """The traceback from the first line of the program on."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != file:
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)


def submit(
    wish: SessionOptions, deploy_mode: str, words: Sequence[str], *, files: Sequence[str] = ()
) -> int:
    """Have spark-submit run ``pko WORDS`` with this package shipped along; its exit code, 0 or 1.

    ``files`` lie in the driver's working directory there. Raises UsageError for a master that has
    no such mode, and what ``check_java`` and ``check_master`` raise.
    """
    master = wish.url()
    if is_local(master) or is_standalone(master):
        raise UsageError(
            f"--deploy-mode {deploy_mode}: only YARN and Kubernetes do that for Python"
        )
    check_java(os.environ)
    check_master(master, os.environ)
    with tempfile.TemporaryDirectory(prefix="pko-spark-") as directory:
        job = Path(directory, "pko_job.py")
        job.write_text(JOB)
        argv = submit_argv(wish, deploy_mode, package.ship(directory), str(job), words, files)
        err = None if wish.debug else subprocess.PIPE
        done = subprocess.run(argv, stderr=err, text=True, check=False)
    if done.returncode == 0:
        return 0
    cause = cause_of(done.stderr or "")
    raise PkoError(f"spark-submit ended with {done.returncode}" + (f": {cause}" if cause else ""))


def submit_argv(
    wish: SessionOptions,
    deploy_mode: str,
    shipped: str,
    job: str,
    words: Sequence[str],
    files: Sequence[str],
) -> list[str]:
    """The command line of spark-submit."""
    argv = [spark_submit(os.environ), "--master", wish.url(), "--deploy-mode", deploy_mode]
    argv += ["--name", "pko", "--py-files", ",".join([shipped, *wish.py_files])]
    if wish.driver_memory:
        argv += ["--driver-memory", wish.driver_memory]
    for option, values in (
        ("--packages", wish.packages),
        ("--archives", wish.archives),
        ("--files", files),
    ):
        if values:
            argv += [option, ",".join(values)]
    for key, value in wish.conf.items():
        argv += ["--conf", f"{key}={value}"]
    return [*argv, job, *words]


def spark_submit(env: Mapping[str, str]) -> str:
    """The script: of SPARK_HOME if that is set, else the one that came with PySpark."""
    home = env.get("SPARK_HOME")
    if not home:
        import pyspark

        home = str(Path(pyspark.__file__).parent)
    path = os.path.join(home, "bin", "spark-submit")
    if not os.access(path, os.X_OK):
        raise PkoError(f"there is no {path}: SPARK_HOME must be where Spark is, or be unset")
    return path
