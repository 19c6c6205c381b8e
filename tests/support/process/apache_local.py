"""An Apache Kafka broker with the verbs of :class:`LocalBroker`, for clusters of both kinds."""

from __future__ import annotations

import time

from pykafka_ops.errors import PkoError
from pykafka_ops.local.broker import START_SECONDS, LocalBroker
from tests.support.java import java_kit
from tests.support.process.apache import log4j

HEAP = "256M"
STARTED = b"] started (kafka.server.KafkaServer)"


class ApacheLocalBroker(LocalBroker):
    """Its settings lie in ``apache.properties``. It ends itself where it is started again before
    its former session has ended; then it is started once more, as a supervisor does."""

    _began = 0

    def argv(self, port: int) -> list[str]:
        listeners = ",".join((f"{self.listener}://{self.host}:{port}", *self.also))
        settings = {"log.dirs": self.data_dir, **self.settings}
        settings |= {"broker.id": str(self.broker_id), "listeners": listeners}
        text = "" if self.properties_file is None else self.properties_file.read_text()
        path = self.directory / "apache.properties"
        path.touch(mode=0o600)
        path.write_text(text + "".join(f"{key}={value}\n" for key, value in settings.items()))
        argv = ["java", f"-Xmx{HEAP}", *java_kit.BRIEF_JVM, log4j("INFO")]
        return [*argv, "-cp", java_kit.server_classpath(), "kafka.Kafka", str(path)]

    def launch(self) -> None:
        self._began = self.log.stat().st_size if self.log.exists() else 0
        super().launch()

    def wait_ready(self, seconds: float = START_SECONDS) -> None:
        end = time.monotonic() + seconds
        while True:
            try:
                super().wait_ready(max(0.0, end - time.monotonic()))
            except PkoError:
                if time.monotonic() > end:
                    raise
                self.launch()
            else:
                return

    def _serves(self) -> int:
        found = self.running()
        if found is None or not self.log.exists():
            return 0
        with self.log.open("rb") as file:
            file.seek(self._began)
            return int(found["port"]) if STARTED in file.read() else 0
