"""Java for tests and benchmarks: find it, fetch Apache Kafka with Maven, compile our drivers.

Everything fetched or built lies in ``.cache/java`` of the checkout. File locks keep parallel
test workers from fetching or compiling the same thing twice.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
CACHE = ROOT / ".cache" / "java"
SERVER = "3.9.1"
CLIENTS = {"3.9.1": "1.7.36", "4.4.0": "1.7.36"}  # kafka-clients version -> slf4j it goes with
NEWEST = "4.4.0"
ICEBERG, SPARK_OF_ICEBERG = "1.12.0", "4.1.4"
STREAMS = {"3.9.1": "1.7.36", "4.3.1": "1.7.36"}  # the same of kafka-streams
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
BRIEF_JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData")
"""For programs that live for seconds: two thirds of the processor time, as little is compiled."""
INSTALL = (
    "install a JDK (17 or newer) and Maven, on Debian: apt-get install default-jdk-headless maven"
)


class JavaMissingError(Exception):
    """Java or Maven is not installed, or Maven cannot fetch."""


def missing() -> str | None:
    """Why tests that need Java cannot run here, or None when they can."""
    for tool in ("java", "javac", "mvn"):
        if shutil.which(tool) is None:
            return f"no {tool} on the PATH: {INSTALL}"
    return None


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold a lock that other processes of this checkout see."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _fetch(pom: Path, version: str, slf4j: str, target: Path) -> None:
    work = target.with_name(target.name + ".part")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shutil.copy(pom, work / "pom.xml")
    argv = ["mvn", "-q", "-B", f"-Dkafka.version={version}", f"-Dslf4j.version={slf4j}", COPY]
    argv.append(f"-DoutputDirectory={work / 'libs'}")
    for attempt in (1, 2, 3):
        done = subprocess.run(argv, cwd=work, capture_output=True, text=True)
        if done.returncode == 0:
            break
        if attempt == 3:
            said = f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
            raise JavaMissingError(f"Maven cannot fetch {pom.stem} {version}:\n{said}")
    shutil.rmtree(target, ignore_errors=True)
    work.rename(target)


def _libs(kind: str, version: str, slf4j: str) -> Path:
    if reason := missing():
        raise JavaMissingError(reason)
    pom = HERE / f"{kind}.xml"
    digest = hashlib.sha256(pom.read_bytes()).hexdigest()[:12]
    target = CACHE / f"{kind}-{version}-{digest}"
    with locked(target.name):
        if not target.is_dir():
            _fetch(pom, version, slf4j, target)
    return target / "libs"


def server_classpath(version: str = SERVER) -> str:
    """Class path of the Apache Kafka broker of that version and its tools."""
    return str(_libs("server", version, "-") / "*")


def clients_classpath(version: str) -> str:
    """Class path of ``kafka-clients`` of that version."""
    return str(_libs("clients", version, CLIENTS[version]) / "*")


def streams_classpath(version: str) -> str:
    """Class path of ``kafka-streams`` of that version and the clients it brings."""
    return str(_libs("streams", version, STREAMS[version]) / "*")


def mirror_classpath(version: str = SERVER) -> str:
    """Class path of MirrorMaker 2 of that version."""
    return str(_libs("mirror", version, "-") / "*")


def hadoop_classpath(version: str) -> str:
    """Class path of the servers of HDFS."""
    return str(_libs("hadoop", version, "-") / "*")


def iceberg_jar() -> Path:
    """Apache Iceberg for Spark 4.1."""
    return next(_libs("iceberg", ICEBERG, "-").glob("*.jar"))


def s3a_jars(version: str) -> list[Path]:
    """Hadoop's file system for S3, of that version."""
    return sorted(_libs("s3a", version, "-").glob("*.jar"))


def hadoop_of_spark() -> str:
    """The version of Hadoop whose client is among Spark's jars."""
    import pyspark

    names = " ".join(p.name for p in (Path(pyspark.__file__).parent / "jars").iterdir())
    found = re.search(r"hadoop-client-api-([\d.]+)\.jar", names)
    assert found is not None
    return found[1]


def pyspark_of(version: str) -> Path:
    """A folder for PYTHONPATH with another PySpark than the one that is installed."""
    target = CACHE / f"pyspark-{version}"
    with locked(target.name):
        if not target.is_dir():
            work = target.with_name(target.name + ".part")
            shutil.rmtree(work, ignore_errors=True)
            argv = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
            subprocess.run([*argv, str(work), f"pyspark=={version}"], check=True)
            work.rename(target)
    return target


def connector_jars() -> list[Path]:
    """The jars of Spark's own ``kafka`` source."""
    return sorted(_libs("connector", SERVER, "-").glob("*.jar"))


def compiled(
    source: str, version: str | None = None, *, streams: bool = False, mirror: bool = False
) -> str:
    """Class path of ``java/<source>.java`` compiled against those clients (None: the server).

    With ``streams``, against Kafka Streams of that version; with ``mirror``, MirrorMaker 2.
    """
    if mirror:
        libs = mirror_classpath()
    elif version is None:
        libs = server_classpath()
    else:
        libs = streams_classpath(version) if streams else clients_classpath(version)
    path = HERE / f"{source}.java"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    target = CACHE / f"{source}-{version}-{digest}"
    with locked(target.name):
        if not target.is_dir():
            work = target.with_name(target.name + ".part")
            shutil.rmtree(work, ignore_errors=True)
            argv = ["javac", "-nowarn", "-proc:none", "-cp", libs, "-d", str(work), str(path)]
            done = subprocess.run(argv, capture_output=True, text=True)
            if done.returncode:
                raise AssertionError(f"{path.name} does not compile with {version}:\n{done.stderr}")
            work.rename(target)
    return os.pathsep.join((str(target), libs))
