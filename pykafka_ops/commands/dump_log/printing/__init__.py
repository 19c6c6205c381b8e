"""The lines that Kafka's dump-log prints, byte for byte."""
