"""The controller's rules: brokers, topics, leaders, elections, moves; orders and steps come out."""
