"""The study itself: its engine, statistics, experiments, claims and reports."""
