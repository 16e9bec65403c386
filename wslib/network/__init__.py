"""The network: its settings, its layers, how it is fitted, and its compiled evaluation."""
