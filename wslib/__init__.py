"""Warm Start: the library behind the study. At a prompt or in a notebook begin with ``from wslib.explore import *``."""
