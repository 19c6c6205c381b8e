"""What ``pko groups`` and kafka-consumer-groups do: a file per verb, and what they share."""
