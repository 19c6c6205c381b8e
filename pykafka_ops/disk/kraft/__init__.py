"""Files of KRaft: what ``kafka-storage format`` writes into a new log directory."""
