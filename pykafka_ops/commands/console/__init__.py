"""What produce and consume share: librdkafka, its errors in Kafka's words, ends by signal."""
