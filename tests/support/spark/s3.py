"""An S3 on this machine: moto's server as a process, which can be ended in the middle."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import botocore.session

from tests.support.process.process import Process
from tests.support.waiting import free_port, wait_for_port

KEY, SECRET = "AKIAPKOTEST", "wJalrXUtnFEMIK7MDENGpko"
ENV = {
    "AWS_ACCESS_KEY_ID": KEY,
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


class S3Server:
    """``bucket`` is in it. A ``strict`` one takes no credentials at all."""

    def __init__(self, log: Path, bucket: str, *, strict: bool = False) -> None:
        self.address, self.bucket = f"127.0.0.1:{free_port()}", bucket
        host, _, port = self.address.partition(":")
        env = {"INITIAL_NO_AUTH_ACTION_COUNT": "1" if strict else "inf"}
        argv = [sys.executable, "-m", "moto.server", "-H", host, "-p", port]
        self.process = Process(argv, log, env)
        wait_for_port(host, int(port), alive=self.process.alive)
        self.client = botocore.session.get_session().create_client(
            "s3",
            endpoint_url=f"http://{self.address}",
            region_name="us-east-1",
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
        )
        self.client.create_bucket(Bucket=bucket)

    def uri(self, path: str) -> str:
        """The URI of something in the bucket: the server's address is in it."""
        return f"s3://{self.bucket}/{path}?endpoint_override={self.address}&scheme=http"

    def requests(self) -> str:
        """What was asked of it, a line each."""
        return self.process.log.read_text()

    def objects(self) -> list[str]:
        """The names of all objects."""
        found = self.client.list_objects_v2(Bucket=self.bucket)
        return [item["Key"] for item in found.get("Contents", ())]

    def upload(self, directory: Path, prefix: str) -> None:
        """All files below a directory."""
        for path in directory.rglob("*"):
            if path.is_file():
                key = f"{prefix}/{path.relative_to(directory)}"
                self.client.put_object(Bucket=self.bucket, Key=key, Body=path.read_bytes())


@contextmanager
def s3_server(folder: Path, bucket: str, *, strict: bool = False) -> Iterator[S3Server]:
    """The server, until the block ends."""
    server = S3Server(folder / "s3.log", bucket, strict=strict)
    try:
        yield server
    finally:
        server.process.kill()
