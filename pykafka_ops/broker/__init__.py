"""The broker. Layers, top down: net, handlers, storage | metadata, state."""
