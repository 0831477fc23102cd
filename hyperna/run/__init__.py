"""Runs: algorithms, what defines a run, what counts as success, and what runs leave behind."""
