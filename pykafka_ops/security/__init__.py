"""Key stores, TLS and logins as Java programs are told of them; for clients, broker, ZooKeeper."""
