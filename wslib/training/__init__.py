"""The training loop and its settings."""
