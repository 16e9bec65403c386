"""The engine of the study: units of work, where they are computed, stored and checked, and its commands."""
