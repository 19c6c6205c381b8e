"""What lets clients in: TLS, logins by SASL, credentials, delegation tokens. Each is imported only
where a listener asks for it."""
