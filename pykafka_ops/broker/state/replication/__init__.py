"""Rules of replication: followers' fetches, the ISR and high watermark, epochs, throttles."""
