"""What brokers, directories and topics will hold, from the runs that a history keeps."""
