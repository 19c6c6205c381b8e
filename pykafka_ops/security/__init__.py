"""Key stores, TLS and logins from Java's settings, for clients, brokers and ZooKeeper."""
