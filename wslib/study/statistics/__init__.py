"""Ratings, intervals, tests and verdicts."""
