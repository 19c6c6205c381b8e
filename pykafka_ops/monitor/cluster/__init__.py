"""What is known of one cluster: asked in rounds, remembered, judged."""
