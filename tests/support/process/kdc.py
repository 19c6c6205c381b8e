"""A Kerberos realm of its own: MIT's KDC, its database in a directory, on a port of loopback."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

from tests.support.process.process import Process
from tests.support.waiting import free_port, wait_for_port

REALM = "EXAMPLE.COM"
SBIN = ("/usr/sbin", "/usr/lib/mit/sbin", "/usr/local/sbin")
LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib")
TOOLS = ("krb5kdc", "kdb5_util", "kadmin.local", "kinit", "kvno", "faketime")
INSTALL = (
    "on Debian: apt-get install krb5-kdc krb5-admin-server krb5-user faketime libkrb5-dev, and "
    "pip install 'pykafka-ops[kerberos]'"
)
CONF = """[libdefaults]
default_realm = {realm}
dns_lookup_realm = false
dns_lookup_kdc = false
dns_canonicalize_hostname = false
rdns = false
kdc_timesync = 0
[realms]
{realm} = {{
  kdc = 127.0.0.1:{port}
}}
[logging]
kdc = FILE:{directory}/kdc.log
"""
KDC_CONF = """[kdcdefaults]
kdc_listen = 127.0.0.1:{port}
kdc_tcp_listen = 127.0.0.1:{port}
[realms]
{realm} = {{
  database_name = {directory}/principal
  key_stash_file = {directory}/stash
  acl_file = {directory}/none
  max_life = 10h
  supported_enctypes = aes256-cts-hmac-sha1-96:normal
}}
"""


def tool(name: str) -> str | None:
    """Where a tool of MIT's Kerberos is."""
    return shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), *SBIN)))


def faketime() -> str:
    """The library that shows a process another time (``LD_PRELOAD``)."""
    found = [str(path) for place in LIBRARIES for path in Path(place).glob("**/libfaketime.so.1")]
    assert found, INSTALL
    return found[0]


def missing() -> str | None:
    """Why tests that need a KDC cannot run here, or None when they can."""
    for name in TOOLS:
        if tool(name) is None:
            return f"no {name}: {INSTALL}"
    try:
        import gssapi  # noqa: F401
    except (ImportError, OSError):
        return f"no gssapi: {INSTALL}"
    return None


class Kdc:
    """``start`` first; then keytabs and tickets for principals that it makes."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self.port = free_port()
        self.conf = directory / "krb5.conf"
        self.process: Process | None = None
        self._lock = threading.Lock()

    @property
    def env(self) -> dict[str, str]:
        """Of processes that live in this realm; there is no ticket in their cache."""
        return {
            "KRB5_CONFIG": str(self.conf),
            "KRB5_KDC_PROFILE": str(self.directory / "kdc.conf"),
            "KRB5CCNAME": f"FILE:{self.directory / 'none.ccache'}",
            "KRB5RCACHENAME": f"dfl:{self.directory}",
        }

    def start(self) -> Kdc:
        self.write_conf(self.conf, self.port)
        values = {"realm": REALM, "port": self.port, "directory": self.directory}
        (self.directory / "kdc.conf").write_text(KDC_CONF.format(**values))
        self._run("kdb5_util", "create", "-s", "-P", "master", "-r", REALM)
        argv = [str(tool("krb5kdc")), "-n", "-P", str(self.directory / "pid")]
        log = self.directory / "out.log"
        self.process = Process(argv, log, env={**os.environ, **self.env})
        process = self.process
        wait_for_port("127.0.0.1", self.port, alive=process.alive, said=process.log_tail)
        return self

    def write_conf(self, path: Path, port: int) -> Path:
        """A krb5.conf that names a KDC at ``port``."""
        path.write_text(CONF.format(realm=REALM, port=port, directory=self.directory))
        return path

    def keytab(self, *principals: str) -> Path:
        """A keytab of new principals."""
        path = self.directory / (principals[0].replace("/", "_") + ".keytab")
        orders = [f"addprinc -randkey {name}" for name in principals]
        orders += [f"ktadd -k {path} {name}" for name in principals]
        with self._lock:
            self._run("kadmin.local", text="\n".join(orders) + "\n")
        return path

    def ticket(self, principal: str, keytab: Path, name: str, *options: str) -> Path:
        """A ticket cache filled by kinit."""
        path = self.directory / f"{name}.ccache"
        self._run("kinit", *options, "-c", f"FILE:{path}", "-k", "-t", str(keytab), principal)
        return path

    def service_ticket(self, cache: Path, service: str) -> None:
        """Put one more ticket into a cache: who uses it needs no KDC."""
        self._run("kvno", "-q", "-c", f"FILE:{cache}", service)

    def _run(self, name: str, *arguments: str, text: str = "") -> None:
        done = subprocess.run(
            [str(tool(name)), *arguments],
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **self.env},
        )
        assert done.returncode == 0, f"{name}: {done.stderr}"

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()


def jaas(principal: str, keytab: Path, **more: str) -> str:
    """The login module of a keytab."""
    options = {"useKeyTab": "true", "keyTab": str(keytab), "principal": f"{principal}@{REALM}"}
    return module({**options, "storeKey": "true", **more})


def cached(path: Path) -> str:
    """The login module of a ticket cache."""
    return module({"useTicketCache": "true", "ticketCache": str(path)})


def module(options: Mapping[str, str]) -> str:
    said = "".join(f' {key}="{value}"' for key, value in options.items())
    return f"com.sun.security.auth.module.Krb5LoginModule required{said};"
