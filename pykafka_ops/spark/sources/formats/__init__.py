"""Keys and values as typed columns: JSON, Avro, Protobuf (``key_format``, ``value_format``)."""
