"""Java's string hash, by which groups and transactional ids find their partition."""

from pykafka_ops.analysis.java_hash import java_hash, partition_for

__all__ = ["java_hash", "partition_for"]
