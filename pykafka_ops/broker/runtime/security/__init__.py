"""What lets clients in: logins by SASL, credentials, delegation tokens."""
