"""Rules of logins by SASL: what comes first, each mechanism's messages, when a login ends."""
