"""How clients get into ZooKeeper: logins, TLS, the ACLs of what they write."""
