"""Records of topics for people: searched within bounds, decoded, masked, followed live."""
