"""All experiments of the study, by name: each module enters its own when it is read."""

from wslib import learning, simulate, warm  # noqa: F401  (entered by being read)
from wslib.experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
