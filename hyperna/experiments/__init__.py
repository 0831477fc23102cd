"""Experiments: settings, campaigns of many settings, and the store that keeps their runs."""
