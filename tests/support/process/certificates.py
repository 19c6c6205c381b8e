"""A certificate authority and certificates for tests, made with the openssl program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

PASSWORD = "s3cret"


def missing() -> str | None:
    """Why certificates cannot be made here."""
    return None if shutil.which("openssl") else "no openssl program on the PATH"


class Authority:
    """``ca`` signs what ``issue`` makes; everything lies in one directory as PEM."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.ca = directory / "ca.pem"
        self._key = directory / "ca.key"
        subject = ["-subj", "/CN=test authority", "-days", "2"]
        subject += ["-addext", "keyUsage=critical,keyCertSign,cRLSign"]  # asked for since 3.13
        self._run("req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject,
                  "-keyout", str(self._key), "-out", str(self.ca))  # fmt: skip

    def issue(self, name: str, *, names: str = "IP:127.0.0.1,DNS:localhost", days: int = 2) -> Path:
        """A PEM file with a private key (PKCS8), its certificate and the authority's; it ends in
        ``days``, below 0 it has ended."""
        key, request, made = (self.directory / f"{name}.{e}" for e in ("key", "csr", "crt"))
        self._run("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}",
                  "-keyout", str(key), "-out", str(request))  # fmt: skip
        extension = self.directory / f"{name}.ext"
        extension.write_text(
            f"subjectAltName={names}\nbasicConstraints=CA:FALSE\n"
            "subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n"
        )
        self._run("x509", "-req", "-in", str(request), "-CA", str(self.ca), "-CAkey",
                  str(self._key), "-CAcreateserial", "-days", str(days), "-out", str(made),
                  "-extfile", str(extension))  # fmt: skip
        whole = self.directory / f"{name}.pem"
        whole.write_text(key.read_text() + made.read_text() + self.ca.read_text())
        return whole

    def pkcs12(self, pem: Path, *, keys: bool = True) -> Path:
        """The same as a PKCS12 store with ``PASSWORD``."""
        out = pem.with_suffix(".p12")
        what = [] if keys else ["-nokeys"]
        self._run("pkcs12", "-export", "-in", str(pem), *what, "-out", str(out),
                  "-passout", f"pass:{PASSWORD}")  # fmt: skip
        return out

    def encrypted(self, pem: Path) -> Path:
        """The same with its key encrypted by ``PASSWORD``."""
        key, out = pem.with_suffix(".enc"), pem.with_suffix(".secret.pem")
        self._run("pkcs8", "-topk8", "-in", str(pem), "-out", str(key),
                  "-passout", f"pass:{PASSWORD}")  # fmt: skip
        text = pem.read_text()
        out.write_text(key.read_text() + text[text.index("-----BEGIN CERTIFICATE-----") :])
        return out

    @staticmethod
    def _run(*argv: str) -> None:
        done = subprocess.run(["openssl", *argv], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
