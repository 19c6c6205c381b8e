"""Every znode of Kafka 3.9: path, encode, decode; one file for each part of the tree.

Counterpart of ``kafka.zk.ZkData``. JSON is compact and its fields stand in Kafka's order.
``decode`` takes what an older Kafka or a human may have written and raises ZnodeError, never
anything else, for what cannot be understood.
"""
