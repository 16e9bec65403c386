"""Perfect play: solvers, positions whose truth is known, and how far players are from it."""
