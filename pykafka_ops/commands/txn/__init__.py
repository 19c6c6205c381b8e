"""What ``pko transactions`` and kafka-transactions do: a file per verb, and what they share."""
