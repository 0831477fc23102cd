"""Campaigns: many settings times many runs, done by workers and kept in a store."""
