"""kafka-verifiable-producer: rising numbers, with an event for each (VerifiableProducer of 4.3)."""

from __future__ import annotations

import time
from typing import Any

from pykafka_ops.commands.console.ending import ending_well
from pykafka_ops.commands.console.errors import java_line, kafka_error
from pykafka_ops.commands.console.rdkafka import error_text, load
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.perf.settings import producer, settings_of
from pykafka_ops.commands.perf.throttle import Throttle
from pykafka_ops.commands.verifiable.events import tell
from pykafka_ops.errors import PkoError

_FOREVER = 1 << 63
_FULL_SECONDS = 0.1


def produce(run: Run) -> int:
    """Send until all are sent, or until SIGTERM or Ctrl-C; then a summary."""
    return _Producing(run).work()


class _Producing:
    def __init__(self, run: Run) -> None:
        args = self.args = run.args
        self.topic = args.text("topic") or ""
        base = {"acks": args.text("acks") or "-1", "retries": "0"}
        settings = settings_of(run, ("producer.config",), (), base)
        self.prefix, self.keys = args.number("value-prefix"), args.number("repeating-keys")
        created = args.number("message-create-time")
        self.created = None if created in (None, -1) else created
        self.rate = args.number("throughput") or 0
        limit = args.number("max-messages")
        self.limit = _FOREVER if limit is None or limit < 0 else limit
        self.sent = self.acked = 0
        self.producer = producer(run, settings, {})

    def work(self) -> int:
        start = time.monotonic()
        tell("startup_complete")
        throttle = Throttle(float(self.rate))
        with ending_well():
            try:
                for number in range(self.limit):
                    self._send(number)
                    self._serve(throttle.wait(number))
                self.producer.flush()
            except (KeyboardInterrupt, SystemExit):
                self.producer.flush(10)
        tell("shutdown_complete")
        seconds = max(time.monotonic() - start, 0.001)
        tell("tool_data", sent=self.sent, acked=self.acked, target_throughput=self.rate,
             avg_throughput=self.acked / seconds)  # fmt: skip
        return 0

    def _serve(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self.producer.poll(0)
        while (left := end - time.monotonic()) > 0:
            self.producer.poll(min(left, 1.0))

    def _send(self, number: int) -> None:
        value = str(number) if self.prefix is None else f"{self.prefix}.{number}"
        key = str(number % self.keys) if self.keys and self.keys > 0 else None
        self.sent += 1

        def arrived(error: Any, message: Any) -> None:
            if error is not None:
                self._failed(key, value, kafka_error(error.code(), error.str(), self.topic))
                return
            self.acked += 1
            tell("producer_send_success", key=key, value=value, offset=message.offset(),
                 topic=message.topic(), partition=message.partition())  # fmt: skip

        more = {} if self.created is None else {"timestamp": self.created + number}
        while True:
            try:
                self.producer.produce(
                    self.topic, value.encode(), None if key is None else key.encode(),
                    on_delivery=arrived, **more,
                )  # fmt: skip
                return
            except BufferError:
                self.producer.poll(_FULL_SECONDS)
            except load().KafkaException as error:
                problem = kafka_error(error.args[0].code(), error_text(error), self.topic)
                self._failed(key, value, problem)
                return

    def _failed(self, key: str | None, value: str, error: PkoError) -> None:
        name, _, text = java_line(error).partition(": ")
        tell("producer_send_error", topic=self.topic, key=key, value=value,
             exception=f"class {name}", message=text)  # fmt: skip
