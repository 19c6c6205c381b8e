"""kafka-verifiable-producer and kafka-verifiable-consumer: what tests of systems run.

They have no form of ours: ``pko produce`` and ``pko consume`` are for people.
"""
